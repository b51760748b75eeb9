"""The task table: nothing asked for is lost, nothing held is done twice."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

import migrations
from server import queue
from server.db import Database
from server.models import Task

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def ask(database: Database, key: str = "k", *, at: datetime = NOW) -> None:
    with database.write() as session:
        queue.enqueue(session, "validate", key, now=at)


def take(database: Database, *, at: datetime = NOW, lease_s: float = 60) -> queue.Taken | None:
    with database.write() as session:
        for task_id in queue.due(session, now=at, limit=10):
            taken = queue.take(session, task_id, now=at, lease_s=lease_s)
            if taken is not None:
                return taken
    return None


def state(database: Database) -> str:
    with database.read() as session:
        return session.scalars(select(Task.state)).one()


def test_asking_twice_makes_one_task(database: Database) -> None:
    ask(database)
    ask(database)
    assert take(database) is not None
    assert take(database) is None


def test_asking_while_it_runs_makes_it_run_again(database: Database) -> None:
    ask(database)
    taken = take(database)
    assert taken is not None
    ask(database)
    with database.write() as session:
        queue.finish(session, taken, now=NOW)
    again = take(database)
    assert again is not None
    with database.write() as session:
        queue.finish(session, again, now=NOW)
    assert state(database) == "done"
    assert take(database) is None


def test_a_done_task_can_be_asked_for_again(database: Database) -> None:
    ask(database)
    taken = take(database)
    assert taken is not None
    with database.write() as session:
        queue.finish(session, taken, now=NOW)
    ask(database)
    again = take(database)
    assert again is not None
    assert again.attempts == 1


def test_a_lease_that_ran_out_is_taken_over_and_its_old_holder_changes_nothing(database: Database) -> None:
    ask(database)
    first = take(database, lease_s=60)
    assert first is not None
    assert take(database, at=NOW + timedelta(seconds=59)) is None
    second = take(database, at=NOW + timedelta(seconds=60))
    assert second is not None
    assert second.attempts == 2
    with database.write() as session:
        queue.finish(session, first, now=NOW)
        assert not queue.bury(session, first, detail="late")
        queue.postpone(session, first, until=NOW, detail="late")
    assert state(database) == "running"
    with database.write() as session:
        queue.finish(session, second, now=NOW)
    assert state(database) == "done"


def test_a_postponed_task_waits(database: Database) -> None:
    ask(database)
    taken = take(database)
    assert taken is not None
    later = NOW + timedelta(seconds=30)
    with database.write() as session:
        queue.postpone(session, taken, until=later, detail="not yet")
    assert take(database) is None
    with database.read() as session:
        assert queue.next_due(session) == later
    again = take(database, at=later)
    assert again is not None
    assert again.attempts == 2


def test_asking_does_not_hurry_a_postponed_task(database: Database) -> None:
    ask(database)
    taken = take(database)
    assert taken is not None
    with database.write() as session:
        queue.postpone(session, taken, until=NOW + timedelta(seconds=30), detail="not yet")
    ask(database)
    assert take(database) is None


def test_a_dead_task_comes_back_when_asked_for(database: Database) -> None:
    ask(database)
    taken = take(database)
    assert taken is not None
    with database.write() as session:
        assert queue.bury(session, taken, detail="hopeless")
    assert state(database) == "dead"
    assert take(database) is None
    ask(database)
    assert take(database) is not None


def test_a_lone_runner_takes_back_what_its_predecessor_held(database: Database) -> None:
    ask(database)
    assert take(database, lease_s=1e6) is not None
    with database.write() as session:
        queue.release_all(session)
    assert take(database) is not None


@pytest.fixture(scope="module")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> Database:
    url = f"sqlite:///{tmp_path_factory.mktemp('queue')}/queue.sqlite3"
    migrations.upgrade(url)
    return Database(url)


@given(steps=st.lists(st.sampled_from(["ask", "take", "finish", "postpone", "bury", "crash", "wait"]), max_size=30))
def test_whatever_happens_a_request_is_followed_by_a_run(sqlite: Database, steps: list[str]) -> None:
    """After the last request there is a run that began later, a dead task that says why, or one still to come."""
    with sqlite.write() as session:
        session.query(Task).delete()
    now, held, unanswered = NOW, None, False
    for step in steps:
        now += timedelta(seconds=1)
        match step:
            case "ask":
                ask(sqlite, at=now)
                unanswered = True
            case "take" if held is None:
                held = take(sqlite, at=now, lease_s=5)
                unanswered = unanswered and held is None
            case "finish" | "postpone" | "bury" if held is not None:
                with sqlite.write() as session:
                    if step == "finish":
                        queue.finish(session, held, now=now)
                    elif step == "postpone":
                        queue.postpone(session, held, until=now + timedelta(seconds=3), detail="")
                        unanswered = True
                    else:
                        queue.bury(session, held, detail="")
                        unanswered = False
                held = None
            case "crash" if held is not None:
                held, unanswered = None, True
            case "wait":
                now += timedelta(seconds=10)
    if held is not None:
        with sqlite.write() as session:
            queue.finish(session, held, now=now)
    if unanswered:
        assert take(sqlite, at=now + timedelta(seconds=60)) is not None
