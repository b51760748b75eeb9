"""Deliveries that GitHub did not send, or sent before."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import TYPE_CHECKING, Any

import pytest

from server.github.webhooks import MAX_BODY_BYTES

if TYPE_CHECKING:
    from tests.hostile.conftest import Target

SECRET = "webhook-secret-for-tests"
PULL = {
    "action": "opened",
    "number": 1,
    "pull_request": {
        "number": 1, "title": "Faster", "body": "hello", "state": "open", "head": {"sha": "a" * 40},
        "base": {"sha": "b" * 40},
    },
    "repository": {"id": 1001, "full_name": "octo/kernels"},
    "sender": {"login": "octocat", "id": 1},
}  # fmt: skip
BODY = json.dumps(PULL).encode()


def sign(body: bytes, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def deliver(target: Target, body: bytes = BODY, **changed: Any) -> Any:
    """A good delivery but for the headers given; None leaves one out."""
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
        "X-GitHub-Event": "pull_request",
        "X-Hub-Signature-256": sign(body),
        **{name.replace("_", "-"): value for name, value in changed.items()},
    }
    sent = {name: value for name, value in headers.items() if value is not None}
    return target.service.client.post("/api/v1/github/webhooks", content=body, headers=sent)


HEADERS: dict[str, tuple[dict[str, Any], str]] = {
    "unsigned": ({"X_Hub_Signature_256": None}, "webhook_signature_missing"),
    "signed with sha-1 only": (
        {"X_Hub_Signature_256": None, "X_Hub_Signature": "sha1=" + "0" * 40}, "webhook_signature_missing"
    ),
    "signed with another secret": ({"X_Hub_Signature_256": sign(BODY, "guess")}, "webhook_signature_invalid"),
    "signed for another body": ({"X_Hub_Signature_256": sign(BODY + b" ")}, "webhook_signature_invalid"),
    "signature without its name": ({"X_Hub_Signature_256": sign(BODY)[7:]}, "webhook_signature_invalid"),
    "signature in capitals": ({"X_Hub_Signature_256": sign(BODY).upper()}, "webhook_signature_invalid"),
    "signature that is not ascii": ({"X_Hub_Signature_256": b"sha256=\xe9"}, "webhook_signature_invalid"),
    "form": ({"Content_Type": "application/x-www-form-urlencoded"}, "webhook_media_type"),
    "no type": ({"Content_Type": None}, "webhook_media_type"),
    "no delivery id": ({"X_GitHub_Delivery": None}, "webhook_delivery_missing"),
    "delivery id of another shape": ({"X_GitHub_Delivery": "'; DROP TABLE delivery"}, "webhook_delivery_missing"),
    "delivery id without end": ({"X_GitHub_Delivery": "a" * 65}, "webhook_delivery_missing"),
    "no event": ({"X_GitHub_Event": None}, "webhook_event_missing"),
    "event of another shape": ({"X_GitHub_Event": "../pull_request"}, "webhook_event_missing"),
    "compressed": ({"Content_Encoding": "gzip"}, "unsupported_media_type"),
}  # fmt: skip

BODIES: dict[str, bytes] = {
    "empty": b"",
    "not json": b"hello",
    "truncated": BODY[:-10],
    "array": b"[]",
    "no pull request": json.dumps({**PULL, "pull_request": None}).encode(),
    "sha is a branch": json.dumps(
        {**PULL, "pull_request": {**PULL["pull_request"], "head": {"sha": "main"}}}  # type: ignore[dict-item]
    ).encode(),
    "repository is markup": json.dumps({**PULL, "repository": {"id": 1, "full_name": "<b>/x"}}).encode(),
    "number is text": json.dumps(
        {**PULL, "pull_request": {**PULL["pull_request"], "number": "one"}}  # type: ignore[dict-item]
    ).encode(),
    "deep": b'{"action":' * 3000 + b"1" + b"}" * 3000,
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers(target: Target, name: str) -> None:
    headers, code = HEADERS[name]
    target.expect(deliver(target, **headers), code)


@pytest.mark.parametrize("name", BODIES)
def test_bodies(target: Target, name: str) -> None:
    target.expect(deliver(target, BODIES[name]), "webhook_malformed")


def test_a_delivery_without_end_is_cut_off(target: Target) -> None:
    target.expect(deliver(target, b" " * (MAX_BODY_BYTES + 1)), "body_too_large")


def test_a_repeated_delivery_changes_nothing(target: Target) -> None:
    first = deliver(target)
    assert (first.status_code, first.json()["action"]) == (200, "pull_updated")
    target.service.work()
    target.before, target.audited = target.service.traces(), len(target.service.rows("audit"))
    again = deliver(target)
    assert (again.status_code, again.json()["action"]) == (200, "repeated")
    target.expect_unchanged()
    assert len(target.service.rows("audit")) == target.audited


def test_events_that_nothing_here_needs_are_ignored(target: Target) -> None:
    for number, (event, action) in enumerate([("star", "created"), ("pull_request", "labeled"), ("ping", None)]):
        body = json.dumps({"action": action, "zen": "Design for failure.", "hook_id": 1}).encode()
        answer = deliver(target, body, X_GitHub_Event=event, X_GitHub_Delivery=f"delivery-{number}")
        assert (answer.status_code, answer.json()["action"]) == (200, "ignored")
    assert target.service.rows("pull") == []


def test_without_a_secret_every_delivery_is_refused(make_service: Any) -> None:
    service = make_service(github_webhook_secret=None)
    answer = service.client.post("/api/v1/github/webhooks", content=BODY, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (403, "webhook_disabled")
