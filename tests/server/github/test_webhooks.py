"""Deliveries as GitHub sends them, and as it never would."""

from __future__ import annotations

import hashlib
import hmac
import json
import sys

import pytest

from server.github import (
    CheckRunEvent,
    IgnoredEvent,
    InstallationEvent,
    IssueCommentEvent,
    PingEvent,
    PullRequestEvent,
    WebhookError,
    receive,
)
from server.github.webhooks import MAX_BODY_BYTES, signature

SECRET = "it's a secret to everybody"
HEAD = "ec26c3e57ca3a959ca5aad62de7213c562f8c821"


@pytest.fixture(scope="module")
def example(request):
    """Return the raw body of one of GitHub's published examples."""
    folder = request.config.rootpath / "tests" / "data" / "webhooks"
    return lambda name: (folder / f"{name}.json").read_bytes()


def headers_for(body, event, **changes):
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
        "X-GitHub-Event": event,
        "X-Hub-Signature-256": "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest(),
    }
    return {name: value for name, value in (headers | changes).items() if value is not None}


def read(body, event, **changes):
    return receive(headers_for(body, event, **changes), body, secret=SECRET)


def changed(body, path, value):
    whole = json.loads(body)
    inner = whole
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return json.dumps(whole).encode()


def test_signature_is_githubs_documented_example():
    assert signature(b"Hello, World!", "It's a Secret to Everybody") == (
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    )


@pytest.mark.parametrize("action", ["opened", "synchronize", "closed"])
def test_a_pull_request_event(example, action):
    delivery = read(example(f"pull_request.{action}"), "pull_request")
    assert (delivery.delivery_id, delivery.name) == ("72d3162e-cc78-11e3-81ab-4c9367dc0958", "pull_request")
    event = delivery.event
    assert isinstance(event, PullRequestEvent)
    assert (event.action, event.number, event.head_sha) == (action, 2, HEAD)
    assert (event.repository, event.repository_id) == ("Codertocat/Hello-World", 186853002)
    assert (event.sender, event.sender_id) == ("Codertocat", 21031067)
    assert event.state == ("closed" if action == "closed" else "open")
    assert event.body.startswith("This is a pretty simple change")
    assert event.installation_id is not None


def test_a_pull_request_without_a_body_has_an_empty_one(example):
    assert read(example("pull_request.opened.without-body"), "pull_request").event.body == ""


def test_a_pressed_rerun(example):
    event = read(example("check_run.rerequested"), "check_run").event
    assert isinstance(event, CheckRunEvent)
    assert (event.action, event.requested_action, event.external_id) == ("rerequested", None, "")
    assert (event.app_id, event.repository) == (2, "github/hello-world")
    assert event.head_sha == json.loads(example("check_run.rerequested"))["check_run"]["head_sha"]


def test_a_pressed_button(example):
    event = read(example("check_run.requested_action"), "check_run").event
    assert isinstance(event, CheckRunEvent)
    assert (event.action, event.requested_action, event.app_id) == ("requested_action", "lgtm|26764", 25811)


def test_the_external_id_comes_back_as_we_chose_it(example, payload):
    with_digest = payload.model_copy(update={"annotations": ()}).external_id + "#0123456789abcdef"
    body = changed(example("check_run.rerequested"), ["check_run", "external_id"], with_digest)
    assert read(body, "check_run").event.external_id == payload.external_id


@pytest.mark.parametrize("on_pull", [False, True])
def test_a_comment_knows_whether_it_is_on_a_pull_request(example, on_pull):
    body = example("issue_comment.created")
    if on_pull:
        body = changed(body, ["issue", "pull_request"], {"url": "https://api.github.example/pulls/1"})
    event = read(body, "issue_comment").event
    assert isinstance(event, IssueCommentEvent)
    assert (event.action, event.number, event.is_on_pull) == ("created", 1, on_pull)
    assert (event.sender, event.sender_type) == ("Codertocat", "User")
    assert event.body == "You are totally right! I'll get this fixed right away."


@pytest.mark.parametrize("action", ["created", "suspend"])
def test_an_installation_event(example, action):
    event = read(example(f"installation.{action}"), "installation").event
    assert isinstance(event, InstallationEvent)
    assert event.action == action
    assert event.installation_id > 0
    assert event.account


def test_a_ping(example):
    event = read(example("ping"), "ping").event
    assert isinstance(event, PingEvent)
    assert event.zen == "Anything added dilutes everything else."


@pytest.mark.parametrize(
    ("name", "event", "action"),
    [
        ("pull_request.labeled", "pull_request", "labeled"),
        ("check_run.completed", "check_run", "completed"),
        ("ping", "star", None),
    ],
)
def test_what_we_do_not_act_on_is_ignored_not_refused(example, name, event, action):
    assert read(example(name), event).event == IgnoredEvent(event=event, action=action)


@pytest.mark.parametrize(
    ("header", "code"),
    [
        (None, "webhook_signature_missing"),
        ("", "webhook_signature_invalid"),
        ("sha256=", "webhook_signature_invalid"),
        ("sha256=" + "0" * 64, "webhook_signature_invalid"),
        ("sha1=7d38cdd689735b008b3c702edd92eea23791c5f6", "webhook_signature_invalid"),
        ("sha256=\u00e9", "webhook_signature_invalid"),
    ],
)
def test_a_wrong_or_missing_signature(example, header, code):
    with pytest.raises(WebhookError) as refused:
        read(example("ping"), "ping", **{"X-Hub-Signature-256": header})
    assert (refused.value.code, refused.value.status) == (code, 401)


def test_a_sha1_signature_alone_is_missing_the_real_one(example):
    body = example("ping")
    sha1 = "sha1=" + hmac.new(SECRET.encode(), body, hashlib.sha1).hexdigest()
    with pytest.raises(WebhookError) as refused:
        read(body, "ping", **{"X-Hub-Signature-256": None, "X-Hub-Signature": sha1})
    assert refused.value.code == "webhook_signature_missing"


def test_a_right_signature_over_another_body(example):
    body = example("ping")
    with pytest.raises(WebhookError) as refused:
        receive(headers_for(body, "ping"), body + b" ", secret=SECRET)
    assert refused.value.code == "webhook_signature_invalid"


def test_another_secret(example):
    body = example("ping")
    with pytest.raises(WebhookError) as refused:
        receive(headers_for(body, "ping"), body, secret="another")
    assert refused.value.code == "webhook_signature_invalid"


def test_an_empty_secret_is_our_mistake_and_verifies_nothing():
    body = b"{}"
    signed = {"X-Hub-Signature-256": "sha256=" + hmac.new(b"", body, hashlib.sha256).hexdigest()}
    with pytest.raises(ValueError, match="secret is empty"):
        receive(headers_for(body, "ping") | signed, body, secret="")


@pytest.mark.parametrize(
    ("changes", "code", "status"),
    [
        ({"Content-Type": "application/x-www-form-urlencoded"}, "webhook_media_type", 415),
        ({"Content-Type": None}, "webhook_media_type", 415),
        ({"X-GitHub-Delivery": None}, "webhook_delivery_missing", 400),
        ({"X-GitHub-Delivery": "a b"}, "webhook_delivery_missing", 400),
        ({"X-GitHub-Delivery": "a" * 65}, "webhook_delivery_missing", 400),
        ({"X-GitHub-Event": None}, "webhook_event_missing", 400),
        ({"X-GitHub-Event": "ping\n"}, "webhook_event_missing", 400),
    ],
)
def test_wrong_headers(example, changes, code, status):
    with pytest.raises(WebhookError) as refused:
        read(example("ping"), "ping", **changes)
    assert (refused.value.code, refused.value.status) == (code, status)


def test_header_names_are_read_in_any_case_and_charset_is_allowed(example):
    body = example("ping")
    headers = headers_for(body, "ping", **{"Content-Type": "application/json; charset=utf-8"})
    lower = {name.lower(): value for name, value in headers.items()}
    assert receive(lower, body, secret=SECRET).name == "ping"


def test_a_body_too_large_is_refused_before_anything_else():
    with pytest.raises(WebhookError) as refused:
        receive({}, b" " * (MAX_BODY_BYTES + 1), secret=SECRET)
    assert (refused.value.code, refused.value.status) == ("webhook_too_large", 413)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"opened"',
        b"\xff\xfe",
        b'{"action": "opened"}',
        b'{"action": 7}',
        b'{"action": ["opened"]}',
        b'{"action": "opened", "pull_request": null, "repository": null, "sender": null}',
        b'{"action": "opened"' + b', "a": [' * sys.getrecursionlimit() + b"]" * sys.getrecursionlimit() + b"}",
    ],
    ids=lambda body: repr(body[:24]),
)
def test_a_signed_body_in_the_wrong_shape(body):
    with pytest.raises(WebhookError) as refused:
        read(body, "pull_request")
    assert (refused.value.code, refused.value.status) == ("webhook_malformed", 422)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["pull_request", "head", "sha"], "main"),
        (["pull_request", "head", "sha"], HEAD.upper()),
        (["pull_request", "number"], "two"),
        (["repository", "full_name"], "a/../b"),
        (["repository", "id"], None),
        (["sender"], None),
    ],
)
def test_a_field_with_the_wrong_content(example, path, value):
    with pytest.raises(WebhookError, match=path[-1]) as refused:
        read(changed(example("pull_request.opened"), path, value), "pull_request")
    assert refused.value.code == "webhook_malformed"
    assert HEAD.upper() not in str(refused.value)


def test_events_are_frozen(example):
    event = read(example("ping"), "ping").event
    with pytest.raises(ValueError, match="frozen"):
        event.zen = "x"
