"""Every example delivery that GitHub publishes for the events we know, signed and sent to the service."""

from __future__ import annotations

import hashlib
import hmac
import json
import random

import pytest

EVENTS = (
    "check_run",
    "check_suite",
    "installation",
    "installation_repositories",
    "issue_comment",
    "ping",
    "pull_request",
    "repository",
)
SECRET = b"webhook-secret-for-tests"


@pytest.fixture(scope="module")
def examples(request):
    """Event name and body of each example."""
    package = request.path.parent / "node_modules" / "@octokit" / "webhooks-examples" / "api.github.com" / "index.json"
    if not package.exists():
        pytest.fail("The examples are missing: run `npm ci --prefix tests/contracts`.", pytrace=False)
    known = {one["name"]: one["examples"] for one in json.loads(package.read_text())}
    found = [(name, json.dumps(example).encode()) for name in EVENTS for example in known[name]]
    assert len(found) >= 80
    return found


def deliver(service, event, body, delivery_id, **changes):
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Delivery": delivery_id,
        "X-GitHub-Event": event,
        "X-Hub-Signature-256": "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest(),
    }
    return service.client.post("/api/v1/github/webhooks", content=body, headers=headers | changes)


def kept(service):
    return {name: service.rows(name) for name in ("repository", "pull", "task", "command", "post", "delivery")}


def test_every_example_is_understood_or_ignored_and_none_is_refused(service, examples):
    acted = {}
    for number, (event, body) in enumerate(examples):
        answer = deliver(service, event, body, f"example-{number}")
        assert answer.status_code == 200, (event, answer.text)
        acted.setdefault(event, set()).add(answer.json()["action"])
    assert acted["pull_request"] == {"pull_updated", "ignored"}
    assert acted["installation"] == acted["installation_repositories"] == {"access_checked"}
    assert acted["ping"] == acted["check_suite"] == acted["repository"] == {"ignored"}
    assert acted["check_run"] == {"ignored"}, "they belong to other Apps"
    assert acted["issue_comment"] == {"ignored"}, "none of them is a command"
    assert len(service.rows("delivery")) == len(examples)


def test_shuffled_and_repeated_deliveries_change_nothing_more(service, examples):
    for number, (event, body) in enumerate(examples):
        deliver(service, event, body, f"example-{number}")
    before = kept(service)
    again = list(enumerate(examples))
    random.Random(7).shuffle(again)
    for number, (event, body) in again:
        assert deliver(service, event, body, f"example-{number}").json()["action"] == "repeated"
    assert kept(service) == before


def test_a_forged_or_altered_example_changes_nothing(service, examples):
    for number, (event, body) in enumerate(examples[::8]):
        for changes in ({"X-Hub-Signature-256": "sha256=" + "0" * 64}, {"X-Hub-Signature-256": "sha1=00"}):
            refused = deliver(service, event, body, f"forged-{number}", **changes)
            assert refused.status_code == 401
        signature = "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        altered = body.replace(b'"action"', b'"Action"', 1) + b" "
        refused = deliver(service, event, altered, f"altered-{number}", **{"X-Hub-Signature-256": signature})
        assert refused.json()["code"] == "webhook_signature_invalid"
    assert not any(kept(service).values())
