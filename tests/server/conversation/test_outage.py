"""Thirty minutes in which GitHub fails in every way, while people go on: nothing is lost and nothing doubled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.contact import contact_of
from standin.acts import NewComment, Push
from standin.faults import Fault

if TYPE_CHECKING:
    from tests.server.conversation.conftest import World

REPOSITORY = "octo/hello"
MINUTES = 30
FAULTS = (
    Fault(kind="unavailable", times=3),
    Fault(kind="server_error", times=2),
    Fault(kind="lost_answer", times=1, method="POST"),
    Fault(kind="garbage", times=2),
    Fault(kind="secondary_limit", times=1),
    Fault(kind="too_many_requests", times=1, retry_after_s=90),
    Fault(kind="lost_answer", times=1, method="PATCH"),
)


def test_an_outage_loses_nothing_and_doubles_nothing(world: World) -> None:
    asked = []
    heads = [world.pull.head_sha]
    for minute in range(MINUTES):
        for fault in FAULTS[minute % len(FAULTS) :]:
            world.forge.faults.plan(fault)
        if minute % 10 == 3:
            heads.append(
                world.forge.push(Push(repository=REPOSITORY, number=1, files={"a.py": f"{minute}\n"})).head_sha
            )
        if minute % 6 == 5:
            body = f"/byogpu run at {heads[-1]}" if minute % 4 == 1 else "/byogpu status"
            asked.append(world.forge.comment(NewComment(repository=REPOSITORY, number=1, author="marta", body=body)))
        world.work()
        world.service.clock.advance(60)
    world.forge.faults.clear()
    for _ in range(12):
        world.work()
        world.service.clock.advance(400)
    assert world.commands() == ["answered"] * len(asked)
    assert [len(world.reactions(one)) for one in asked] == [1] * len(asked)
    marks = [body.partition("\n")[0] for body in world.answers()]
    assert sorted(marks) == [f"<!-- byogpu:answer:{number} -->" for number in range(1, len(asked) + 1)]
    assert {row["state"] for row in world.service.rows("post")} <= {"sent", "superseded"}
    assert world.runs()[-1].head_sha == heads[-1]
    by_head = [run.head_sha for run in world.runs()]
    assert len(by_head) == len(set(by_head)), "one check run for each commit"
    assert {row["state"] for row in world.service.rows("task")} == {"done"}


def test_while_github_asks_for_patience_nobody_calls_it(world: World) -> None:
    world.forge.faults.plan(Fault(kind="secondary_limit", retry_after_s=120))
    world.say("/byogpu help")
    world.work()
    before = world.forge.calls
    world.forge.push(Push(repository=REPOSITORY, number=1, files={"a.py": "2\n"}))
    for _ in range(11):
        world.service.clock.advance(10)
        world.work()
    assert world.forge.calls == before
    world.service.clock.advance(60)
    world.work()
    assert world.commands() == ["answered"]
    assert world.forge.calls > before


@pytest.mark.parametrize(("times", "longest_s"), [(3, 240), (9, 3600)])
def test_patience_doubles_while_a_limit_persists(world: World, times: int, longest_s: float) -> None:
    from server.github import GitHubRetryableError

    github, clock = world.service.services.github, world.service.clock
    assert github is not None
    for _ in range(times):
        world.forge.faults.plan(Fault(kind="secondary_limit"))
        with pytest.raises(GitHubRetryableError):
            github.fetch_pull(REPOSITORY, 1)
        with world.service.services.database.read() as session:
            contact = contact_of(session)
        assert contact is not None
        assert contact.quiet_until is not None
        wait_s = (contact.quiet_until - clock.now).total_seconds()
        clock.now = contact.quiet_until
    assert wait_s == pytest.approx(longest_s, abs=1)
    assert github.fetch_pull(REPOSITORY, 1).number == 1
    with world.service.services.database.read() as session:
        contact = contact_of(session)
    assert contact is not None
    assert (contact.failing_since, contact.quiet_until, contact.limited) == (None, None, 0)
    assert contact.rate_limit == 5000


def test_a_check_that_github_refuses_is_an_answer_and_no_outage(world: World) -> None:
    from server.github import GitHubPermanentError

    github = world.service.services.github
    assert github is not None
    with pytest.raises(GitHubPermanentError):
        github.fetch_pull(REPOSITORY, 99)
    with world.service.services.database.read() as session:
        contact = contact_of(session)
    assert contact is not None
    assert contact.failing_since is None
