"""The outbox against a GitHub that fails in every way: each check stands once, in order, or is dead with a reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from server.checks import outbox
from server.db import inserter
from server.github import CheckPayload, GitHubPermanentError, GitHubRetryableError, PublishedCheck
from server.models import Post, Pull, Repository
from server.queue import enqueue
from server.runner import HANDLERS, sweep

if TYPE_CHECKING:
    from tests.conftest import Service

REPOSITORY_ID = 1001


@dataclass
class FailingGitHub:
    """Fails as told, then answers; remembers what was said."""

    failures: list[Exception] = field(default_factory=list)
    said: list[CheckPayload] = field(default_factory=list)
    calls: int = 0

    def publish(self, payload: CheckPayload) -> PublishedCheck:
        self.calls += 1
        if self.failures:
            raise self.failures.pop(0)
        self.said.append(payload)
        return PublishedCheck(kind="check_run", id=len(self.said), url=f"https://github.example/{len(self.said)}")


def retry(after_s: float | None = None) -> GitHubRetryableError:
    return GitHubRetryableError("GitHub answered 503", code="github_unavailable", status=503, retry_after_s=after_s)


def refuse() -> GitHubPermanentError:
    return GitHubPermanentError("GitHub answered 404", code="github_not_found", status=404)


@pytest.fixture
def github() -> FailingGitHub:
    return FailingGitHub()


@pytest.fixture
def service(make_service: Callable[..., Service], github: FailingGitHub) -> Service:
    return make_service(github=github)


def add_pull(service: Service, number: int = 1) -> int:
    with service.services.database.write() as session:
        now = service.clock()
        repository = inserter(session)(Repository).values(id=REPOSITORY_ID, name="octo/kernels", seen_at=now)
        session.execute(repository.on_conflict_do_nothing())
        pull = Pull(
            repository_id=REPOSITORY_ID, number=number, title="Faster", body="", author=None, state="open",
            merged=False, draft=False, head_sha="a" * 40, base_sha="b" * 40, url="https://github.example", seen_at=now,
        )  # fmt: skip
        session.add(pull)
        session.flush()
        return pull.id


def add_post(service: Service, pull_id: int, title: str, head_sha: str = "a" * 40) -> None:
    payload = CheckPayload(
        repository="octo/kernels", repository_id=REPOSITORY_ID, pull_number=1, head_sha=head_sha, external_id="x",
        name="byogpu", status="completed", conclusion="neutral", title=title, summary="s", details_url="https://x.example",
    )  # fmt: skip
    with service.services.database.write() as session:
        now = service.clock()
        session.add(
            Post(pull_id=pull_id, head_sha=head_sha, digest=title, payload=payload.model_dump_json(),
                 conclusion="neutral", title=title, state="pending", attempts=0, detail="", url="", created_at=now)
        )  # fmt: skip
        enqueue(session, "publish", str(pull_id), now=now)


def states(service: Service) -> list[tuple[str, str]]:
    return [(row["title"], row["state"]) for row in service.rows("post")]


def titles(github: FailingGitHub) -> list[str]:
    return [payload.title for payload in github.said]


def test_a_post_is_sent_once(service: Service, github: FailingGitHub) -> None:
    add_post(service, add_pull(service), "one")
    service.work()
    service.work()
    (row,) = service.rows("post")
    assert (row["state"], row["url"], row["attempts"]) == ("sent", "https://github.example/1", 1)
    assert github.calls == 1


def test_an_older_post_about_the_same_commit_is_left_out(service: Service, github: FailingGitHub) -> None:
    pull = add_pull(service)
    add_post(service, pull, "one")
    add_post(service, pull, "two")
    service.work()
    assert titles(github) == ["two"]
    assert states(service) == [("one", "superseded"), ("two", "sent")]


def test_posts_about_different_commits_go_in_order(service: Service, github: FailingGitHub) -> None:
    pull = add_pull(service)
    add_post(service, pull, "one", head_sha="a" * 40)
    add_post(service, pull, "two", head_sha="c" * 40)
    service.work()
    assert titles(github) == ["one", "two"]


def test_an_outage_delays_and_loses_nothing(service: Service, github: FailingGitHub) -> None:
    github.failures = [retry() for _ in range(12)]
    pull = add_pull(service)
    add_post(service, pull, "one", head_sha="a" * 40)
    add_post(service, pull, "two", head_sha="c" * 40)
    for _ in range(12):
        service.work()
        assert titles(github) == []
        service.clock.advance(400)
    service.work()
    assert titles(github) == ["one", "two"]
    assert [row["attempts"] for row in service.rows("post")] == [13, 1]


def test_waits_grow_and_have_an_end(service: Service, github: FailingGitHub) -> None:
    github.failures = [retry() for _ in range(20)]
    add_post(service, add_pull(service), "one")
    waits = []
    for _ in range(12):
        service.work()
        (task,) = service.rows("task")
        with service.services.database.read() as session:
            from server.queue import next_due

            due = next_due(session)
        assert due is not None
        waits.append((due - service.clock.now).total_seconds())
        service.clock.advance(waits[-1] + 1)
    assert waits[0] < waits[3] < waits[6]
    assert max(waits) < 300 * 1.3
    assert task["state"] == "queued"


def test_what_github_asks_for_is_heeded(service: Service, github: FailingGitHub) -> None:
    github.failures = [retry(after_s=900)]
    add_post(service, add_pull(service), "one")
    service.work()
    service.clock.advance(890)
    service.work()
    assert github.calls == 1
    service.clock.advance(400)
    service.work()
    assert titles(github) == ["one"]


def test_a_refusal_is_final_and_does_not_hold_up_the_rest(service: Service, github: FailingGitHub) -> None:
    github.failures = [refuse()]
    pull = add_pull(service)
    add_post(service, pull, "one", head_sha="a" * 40)
    add_post(service, pull, "two", head_sha="c" * 40)
    service.work()
    assert states(service) == [("one", "dead"), ("two", "sent")]
    assert "404" in service.rows("post")[0]["detail"]
    assert "check.dead" in [row["action"] for row in service.rows("audit")]


def test_an_outage_without_end_ends_in_a_dead_post_with_its_reason(service: Service, github: FailingGitHub) -> None:
    github.failures = [retry() for _ in range(1000)]
    add_post(service, add_pull(service), "one")
    for _ in range(HANDLERS["publish"].attempts):
        service.work()
        service.clock.advance(400)
    assert states(service) == [("one", "dead")]
    assert "503" in service.rows("post")[0]["detail"]
    assert service.rows("task")[0]["state"] == "dead"
    github.failures = []
    add_post(service, 1, "two")
    service.work()
    assert titles(github) == ["two"]


def test_one_pull_request_does_not_hold_up_another(service: Service, github: FailingGitHub) -> None:
    github.failures = [retry(after_s=10_000)]
    add_post(service, add_pull(service, 1), "one")
    add_post(service, add_pull(service, 2), "two")
    service.work()
    assert titles(github) == ["two"]


def test_a_post_whose_task_was_lost_is_found_by_the_sweep(service: Service, github: FailingGitHub) -> None:
    add_post(service, add_pull(service), "one")
    with service.services.database.write() as session:
        from sqlalchemy import text

        session.execute(text("DELETE FROM task"))
    sweep(service.services)
    service.work()
    assert titles(github) == ["one"]


def test_without_credentials_posts_wait(make_service: Callable[..., Any], github: FailingGitHub) -> None:
    service = make_service()
    add_post(service, add_pull(service), "one")
    service.work()
    assert states(service) == [("one", "pending")]
    with service.services.database.read() as session:
        assert outbox.waiting(session) == [1]
