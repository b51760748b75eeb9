"""Which answers are tried again, how long is waited, and what is never done twice."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from worker.bundle.schema import Challenge, Subject
from worker.bundle.signature import NodeKey, generate_key
from worker.errors import ServerError, WorkerError
from worker.messages import Answer
from worker.service import MAX_ANSWER_BYTES, Service
from worker.settings import Settings
from worker.suites import load
from worker.suites.plan import plan_run

PROBLEM = {
    "code": "unauthorized",
    "detail": "The bearer token is missing.\u0007",
    "status": 401,
    "title": "No",
    "type": "x",
}


class Ok(Answer):
    ok: bool


class Script:
    """Plays answers one after the other; the last one stays."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.calls = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.calls += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)


def ask(script: Callable[[httpx.Request], httpx.Response], **settings: Any) -> tuple[Ok | ServerError, list[float]]:
    """Ask once; the answer or the error, and the waits in between."""
    waits: list[float] = []
    chosen = Settings(server_url="http://byogpu.example/base", **settings)  # type: ignore[arg-type]
    transport = httpx.MockTransport(script)
    with Service(chosen, transport=transport, sleep=waits.append, jitter=lambda: 1.0) as service:
        try:
            return service.ask("GET", "/thing", Ok), waits
        except ServerError as error:
            return error, waits


GOOD = httpx.Response(200, json={"ok": True, "more": "ignored"})


@pytest.mark.parametrize(
    "bad", [httpx.ConnectError("x"), httpx.ReadTimeout("x"), *(httpx.Response(s) for s in (429, 500, 502, 503, 504))]
)
def test_what_may_pass_is_tried_again_with_growing_waits(bad: Any) -> None:
    script = Script(bad, bad, bad, GOOD)
    answer, waits = ask(script)
    assert isinstance(answer, Ok)
    assert (script.calls, waits) == (4, [0.5, 1.0, 2.0])


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 301, 501])
def test_a_refusal_is_final(status: int) -> None:
    script = Script(httpx.Response(status, json=PROBLEM))
    answer, waits = ask(script)
    assert isinstance(answer, ServerError)
    assert (script.calls, waits, answer.status) == (1, [], status)
    assert answer.detail == "unauthorized: The bearer token is missing.?"
    assert answer.server_code == "unauthorized"


def test_retry_after_is_honoured_in_seconds_and_as_a_date_and_capped() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    script = Script(
        httpx.Response(429, headers={"Retry-After": "7"}),
        httpx.Response(503, headers={"Retry-After": soon}),
        httpx.Response(503, headers={"Retry-After": "86400"}),
        httpx.Response(503, headers={"Retry-After": "soon"}),
        GOOD,
    )
    _, waits = ask(script, retry_longest_wait_s=20)
    assert waits[0] == 7
    assert 80 < waits[1] <= 100
    assert waits[2] == 200
    assert waits[3] == 4.0


def test_it_gives_up_in_the_end() -> None:
    answer, waits = ask(Script(httpx.ConnectError("x")), retry_attempts=4)
    assert isinstance(answer, ServerError)
    assert (answer.code, answer.exit_code, len(waits)) == ("server_unreachable", 4, 3)
    answer, _ = ask(Script(httpx.Response(503)), retry_attempts=2)
    assert isinstance(answer, ServerError)
    assert (answer.code, answer.exit_code) == ("server_failed", 4)


@pytest.mark.parametrize("body", [b"<html>", b'{"ok": "yes"}', b"[]", b""])
def test_an_answer_in_another_shape_is_an_error(body: bytes) -> None:
    answer, _ = ask(Script(httpx.Response(200, content=body)))
    assert isinstance(answer, ServerError)
    assert answer.code == "server_answer_invalid"


def test_an_endless_answer_is_cut_off() -> None:
    answer, _ = ask(Script(httpx.Response(200, content=b" " * (MAX_ANSWER_BYTES + 1))))
    assert isinstance(answer, ServerError)
    assert answer.code == "server_answer_invalid"


def test_a_redirect_is_not_followed() -> None:
    script = Script(httpx.Response(302, headers={"Location": "http://elsewhere.example/"}))
    answer, _ = ask(script)
    assert isinstance(answer, ServerError)
    assert (answer.code, script.calls) == ("server_refused", 1)


@pytest.mark.parametrize("url", [None, "byogpu.example", "ftp://byogpu.example", "http://"])
def test_a_server_has_to_be_named(url: str | None) -> None:
    with pytest.raises(WorkerError, match="usage"):
        Service(Settings(), url=url)


def test_a_pull_request_becomes_the_subject_of_a_run() -> None:
    page = {
        "pull": {
            "repository_id": 7,
            "repository": "octo/kernels",
            "number": 3,
            "head_sha": "a" * 40,
            "base_sha": "b" * 40,
            "title": "Faster",
        },
        "claims": [{"id": "decode", "metric": "step_latency_us"}],
    }
    paths = []

    def handle(request: httpx.Request) -> httpx.Response:
        paths.append(request.url.path)
        return httpx.Response(200, json=page)

    with Service(Settings(), url="http://byogpu.example/base/", transport=httpx.MockTransport(handle)) as service:
        subject = service.subject("octo/kernels", 3, suite=load("smoke").reference)
    assert paths == ["/base/api/v1/pulls/octo/kernels/3"]
    assert (subject.repository_id, subject.pull_number, subject.claim_ids) == (7, 3, ("decode",))
    assert subject.suite == load("smoke").reference


# ------------------------------------------------------------------ challenges
SMOKE = load("smoke")
NONCE = "n" * 43
SUBJECT = Subject(
    repository_id=1001,
    repository="octo/kernels",
    pull_number=7,
    head_sha="a" * 40,
    base_sha="b" * 40,
    suite=SMOKE.reference,
    claim_ids=(),
)
ISSUED = {
    "id": "c-0123456789abcdef",
    "nonce": NONCE,
    "plan_digest": plan_run(SMOKE, NONCE).digest,
    "repository_id": 1001,
    "head_sha": "a" * 40,
    "expires_at": "2026-01-02T00:00:00Z",
}


class Issuer:
    """Answers one request after the other and keeps what was asked."""

    def __init__(self, *answers: httpx.Response) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append((f"{request.method} {request.url.path}", json.loads(request.content)))
        return self.answers.pop(0)


def issue(issuer: Issuer, key: NodeKey | None = None) -> Challenge:
    settings = Settings(server_url="http://byogpu.example")  # type: ignore[arg-type]
    with Service(settings, transport=httpx.MockTransport(issuer)) as service:
        return service.challenge(SUBJECT, suite=SMOKE, key=key)


def test_a_challenge_is_asked_for_in_the_name_of_the_node(tmp_path: Path) -> None:
    key = generate_key(tmp_path / "node.pem")
    issuer = Issuer(httpx.Response(201, json=ISSUED))
    assert issue(issuer, key) == Challenge(id=ISSUED["id"], nonce=NONCE, plan_digest=ISSUED["plan_digest"])
    body = {"repository": "octo/kernels", "pull_number": 7, "suite_digest": SMOKE.digest, "node_key_id": key.key_id}
    assert issuer.asked == [("POST /api/v1/challenges", body)]


def test_a_node_that_is_not_registered_asks_for_one_that_is_bound_to_none(tmp_path: Path) -> None:
    unknown = httpx.Response(404, json={**PROBLEM, "code": "node_not_found"})
    issuer = Issuer(unknown, httpx.Response(201, json=ISSUED))
    assert issue(issuer, generate_key(tmp_path / "node.pem")).id == ISSUED["id"]
    assert [body["node_key_id"] is None for _, body in issuer.asked] == [False, True]


def test_a_refusal_says_why() -> None:
    issuer = Issuer(httpx.Response(409, json={**PROBLEM, "code": "pull_closed"}))
    with pytest.raises(ServerError, match="pull_closed") as caught:
        issue(issuer)
    assert (caught.value.code, caught.value.server_code) == ("server_refused", "pull_closed")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"head_sha": "c" * 40}, "new commit"),
        ({"repository_id": 77}, "new commit"),
        ({"plan_digest": "9" * 64}, "versions differ"),
        ({"nonce": "m" * 43}, "versions differ"),
        ({"nonce": "short"}, "nonce"),
        ({"id": "../bundles"}, "id"),
    ],
)
def test_a_challenge_this_worker_would_not_follow_is_not_taken(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ServerError, match=words) as caught:
        issue(Issuer(httpx.Response(201, json={**ISSUED, **changes})))
    assert caught.value.code == "server_answer_invalid"


def test_giving_up_proves_that_it_is_ones_own() -> None:
    issuer = Issuer(httpx.Response(201, json=ISSUED), httpx.Response(200, json={"fate": "abandoned"}))
    settings = Settings(server_url="http://byogpu.example")  # type: ignore[arg-type]
    with Service(settings, transport=httpx.MockTransport(issuer)) as service:
        service.give_up(service.challenge(SUBJECT, suite=SMOKE, key=None))
    assert issuer.asked[1] == ("POST /api/v1/challenges/c-0123456789abcdef/abandon", {"nonce": NONCE})
