"""A command from comment to answer, every call to GitHub through its published description."""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta

import pytest

from server.checks import pulls
from standin.acts import NewComment
from standin.events import check_event, comment_event

SECRET = b"webhook-secret-for-tests"
CLAIMS = "```byogpu-claims\n- id: speed\n  metric: step_latency_us\n  relation: '>= 1.2x baseline'\n```"


@pytest.fixture
def service(make_service, contract, app_client, tmp_path):
    (tmp_path / "app.pem").write_text("the client has its own")
    made = make_service(
        github=app_client, github_app_id=contract.forge.settings.app.app_id, github_app_key_file=tmp_path / "app.pem"
    )
    made.clock.now = datetime.now(UTC) - timedelta(minutes=1)
    return made


@pytest.fixture
def known(service, contract, pull, repository):
    """The pull request, claims and all, known to the service since a minute ago."""
    with contract.forge.store.changing() as state:
        state.pulls[pull.id].body = CLAIMS
        state.pulls[pull.id].updated_at = service.clock.now
    pulls.sync(service.services, repository, pull.number)
    service.work()
    return pull


def deliver(service, event, payload, delivery_id):
    body = json.dumps(payload).encode()
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Delivery": delivery_id,
        "X-GitHub-Event": event,
        "X-Hub-Signature-256": "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest(),
    }
    return service.client.post("/api/v1/github/webhooks", content=body, headers=headers).json()["action"]


def answers(contract, pull):
    with contract.forge.store.reading() as state:
        return [one for one in state.comments.values() if one.repository_id == pull.repository_id and one.by_app]


def test_a_comment_is_obeyed_and_answered(service, contract, known, repository):
    asked = contract.forge.comment(
        NewComment(repository=repository, number=known.number, author="marta", body="/byogpu run")
    )
    with contract.forge.store.reading() as state:
        current = state.pulls[known.id]
        payload = comment_event(state, current, asked, "created", sender="marta", app=None, at=contract.forge.addresses)
    assert deliver(service, "issue_comment", payload, "d1") == "heard"
    service.work()
    (answer,) = answers(contract, known)
    assert "Ordered for" in answer.body
    assert [row["approved_by"] for row in service.rows("job")] == ["marta"]
    with contract.forge.store.reading() as state:
        assert [one.content for one in state.reactions.values() if one.comment_id == asked.id] == ["rocket"]


def test_a_button_is_obeyed_and_the_check_gets_new_ones(service, contract, known):
    with contract.forge.store.changing() as state:
        (run,) = [one for one in state.check_runs.values() if one.repository_id == known.repository_id]
        payload = check_event(
            state,
            run,
            sender="marta",
            identifier=run.actions[0].identifier,
            app=contract.forge.app_json(state),
            at=contract.forge.addresses,
        )
    assert deliver(service, "check_run", payload, "d1") == "heard"
    service.work()
    assert "Ordered for" in answers(contract, known)[0].body
    with contract.forge.store.reading() as state:
        assert [one.identifier for one in state.check_runs[run.id].actions] == ["run.1", "again.1", "explain.1"]
