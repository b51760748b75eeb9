"""What the stand-in sends is what our receiver understands."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import replace

import pytest
from fastapi import FastAPI, Request, Response

from server.github import (
    CheckRunEvent,
    InstallationEvent,
    IssueCommentEvent,
    PingEvent,
    PullRequestEvent,
    receive,
)
from standin import Forge, WebhookTarget, free_port
from standin.acts import Edit, NewComment, NewPull, NewRepository, Press, Push
from standin.records import Action, CheckRun
from standin.serving import served

SECRET = "a secret"


class Receiver:
    """Keeps what arrives and answers with ``status``."""

    def __init__(self):
        self.status = 202
        self.requests = []

    async def take(self, request: Request) -> Response:
        self.requests.append((dict(request.headers), await request.body()))
        return Response(status_code=self.status)

    def events(self):
        return [receive(headers, body, secret=SECRET).event for headers, body in self.requests]


@pytest.fixture
def receiver():
    return Receiver()


@pytest.fixture
def forge(settings, receiver):
    app = FastAPI()
    app.post("/hook")(receiver.take)
    port = free_port()
    target = WebhookTarget(url=f"http://127.0.0.1:{port}/hook", secret=SECRET)
    with served(app, port=port):
        yield Forge(replace(settings, webhook=target))


@pytest.fixture
def pull(forge, receiver):
    return forge.open_pull(NewPull(repository="octo/hello", title="T", body="B", author="kim", files={"a": "1\n"}))


def test_an_opened_pull_request(forge, receiver, pull):
    [event] = receiver.events()
    assert isinstance(event, PullRequestEvent)
    assert (event.action, event.number, event.title, event.body) == ("opened", 1, "T", "B")
    assert (event.head_sha, event.repository_id, event.sender) == (pull.head_sha, pull.repository_id, "kim")
    assert event.installation_id is not None


def test_a_push_says_what_was_before(forge, receiver, pull):
    pushed = forge.push(Push(repository="octo/hello", number=1, files={"a": "2\n"}))
    event = receiver.events()[-1]
    assert (event.action, event.head_sha) == ("synchronize", pushed.head_sha)
    whole = json.loads(receiver.requests[-1][1])
    assert (whole["before"], whole["after"]) == (pull.head_sha, pushed.head_sha)


def test_each_change_sends_its_own_event_and_no_change_sends_none(forge, receiver, pull):
    forge.edit(Edit(repository="octo/hello", number=1, title="T", body="B", state="open"))
    assert len(receiver.requests) == 1
    forge.edit(Edit(repository="octo/hello", number=1, title="New", state="closed"))
    forge.edit(Edit(repository="octo/hello", number=1, state="open"))
    assert [event.action for event in receiver.events()] == ["opened", "edited", "closed", "reopened"]
    assert json.loads(receiver.requests[1][1])["changes"] == {"title": {"from": "T"}}


def test_a_comment(forge, receiver, pull):
    forge.comment(NewComment(repository="octo/hello", number=1, author="eve", body="/byogpu run standard"))
    event = receiver.events()[-1]
    assert isinstance(event, IssueCommentEvent)
    assert (event.action, event.sender, event.sender_type, event.is_on_pull) == ("created", "eve", "User", True)
    assert event.body == "/byogpu run standard"


@pytest.mark.parametrize("identifier", [None, "run-standard"])
def test_a_pressed_check(forge, receiver, pull, identifier):
    with forge.store.changing() as state:
        state.check_runs[5] = CheckRun(
            id=5,
            app_id=77,
            repository_id=pull.repository_id,
            head_sha=pull.head_sha,
            name="byogpu",
            external_id="check-9",
            actions=[Action(label="Run", description="d", identifier="run-standard")],
        )
    forge.press(Press(check_run_id=5, author="marta", identifier=identifier))
    event = receiver.events()[-1]
    assert isinstance(event, CheckRunEvent)
    assert event.action == ("rerequested" if identifier is None else "requested_action")
    assert (event.requested_action, event.external_id, event.app_id) == (identifier, "check-9", 77)


def test_installing_and_removing(forge, receiver, pull):
    forge.uninstall("octo/hello")
    forge.install("octo/hello")
    forge.install("octo/hello", permissions={"metadata": "read"})
    events = receiver.events()[1:]
    assert all(isinstance(event, InstallationEvent) for event in events)
    assert [event.action for event in events] == ["deleted", "created", "new_permissions_accepted"]


def test_a_ping(forge, receiver):
    forge.ping()
    assert isinstance(receiver.events()[0], PingEvent)


def test_the_body_is_signed_and_each_delivery_has_its_own_id(forge, receiver, pull):
    forge.ping()
    for headers, body in receiver.requests:
        expected = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        assert headers["x-hub-signature-256"] == f"sha256={expected}"
    ids = [headers["x-github-delivery"] for headers, _ in receiver.requests]
    assert len(set(ids)) == 2
    assert ids == [delivery.id for delivery in forge.hooks.deliveries()]


def test_a_redelivery_has_the_same_id_and_body(forge, receiver, pull):
    first = forge.hooks.deliveries()[0]
    again = forge.hooks.redeliver(first.id)
    assert (again.id, again.body) == (first.id, first.body)
    assert receiver.requests[0][1] == receiver.requests[1][1]
    assert forge.hooks.redeliver("unknown") is None


def test_a_receiver_that_fails_is_recorded_and_the_act_still_counts(forge, receiver):
    receiver.status = 500
    opened = forge.open_pull(NewPull(repository="octo/hello", title="T", author="kim"))
    [delivery] = forge.hooks.deliveries()
    assert (delivery.status, delivery.error, opened.number) == (500, None, 1)


def test_a_receiver_that_is_gone_is_recorded(settings):
    target = WebhookTarget(url=f"http://127.0.0.1:{free_port()}/hook", secret=SECRET)
    forge = Forge(replace(settings, webhook=target))
    forge.create_repository(NewRepository(repository="octo/hello"))
    delivery = forge.ping()
    assert delivery.status is None
    assert "ConnectError" in delivery.error


def test_without_a_target_nothing_is_sent(settings):
    forge = Forge(settings)
    assert forge.ping() is None
    assert forge.hooks.deliveries() == []
