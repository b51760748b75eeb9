"""Sessions and times, alike on both databases."""

import threading
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import event, func, select
from sqlalchemy.exc import StatementError

from server.db import Database
from server.models import Audit

NOW = datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))


def row(action: str, at: datetime = NOW) -> Audit:
    return Audit(at=at, actor="service", action=action, target="t", detail="")


def test_times_come_back_aware_and_in_utc(database: Database) -> None:
    with database.write() as session:
        session.add(row("a"))
    with database.read() as session:
        assert session.scalars(select(Audit.at)).one() == datetime(2026, 1, 1, 10, tzinfo=UTC)


def test_a_naive_time_is_refused(database: Database) -> None:
    with pytest.raises(StatementError, match="zone"), database.write() as session:
        session.add(row("a", at=datetime(2026, 1, 1)))


def test_a_write_that_raises_leaves_nothing(database: Database) -> None:
    def fail_half_way() -> None:
        with database.write() as session:
            session.add(row("a"))
            session.flush()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Audit)) == 0


@pytest.mark.parametrize("durable", [True, False])
def test_only_who_says_so_does_not_wait_for_the_disk(database: Database, durable: bool) -> None:
    """For the one transaction, and on PostgreSQL only: SQLite has no such choice within a connection."""
    said: list[str] = []

    @event.listens_for(database.engine, "before_cursor_execute")
    def note(*call: object) -> None:
        said.append(str(call[2]))

    with database.write(durable=durable) as session:
        session.add(row("a"))
    spared = not durable and database.engine.dialect.name == "postgresql"
    assert ("SET LOCAL synchronous_commit = off" in said) == spared
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Audit)) == 1


def test_a_read_sees_one_snapshot(database: Database) -> None:
    with database.read() as reader:
        assert reader.scalar(select(func.count()).select_from(Audit)) == 0
        with database.write() as writer:
            writer.add(row("a"))
        assert reader.scalar(select(func.count()).select_from(Audit)) == 0


def test_writers_wait_for_each_other(database: Database) -> None:
    def write(number: int) -> None:
        with database.write() as session:
            session.scalar(select(func.count()).select_from(Audit))
            session.add(row(f"a{number}"))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Audit)) == 16
