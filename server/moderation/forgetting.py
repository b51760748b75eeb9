"""Events that have had their effect are forgotten in time, so that no table grows with every event for ever.

What people look up later stays: bundles, verdicts, rulings, challenges, jobs and their leases. Runs as a task, once a
day.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, delete, exists, or_, select

from server.models import ApiToken, Audit, Command, Delivery, Post, Pull, PullKey, Table, Task
from server.services import Services

BATCH = 1000
"""Rows that one transaction removes, so that nothing else waits for it."""
_Old = tuple[type[Table], Any, tuple[ColumnElement[bool], ...]]


def forget(services: Services, key: str) -> None:  # noqa: ARG001  a task's signature
    """Remove rows of events whose time is over."""
    now, settings = services.clock(), services.settings
    since = settings.events_since(now)
    old = list(_events(since)) if since is not None else []
    if settings.retention_audit_days:
        old.append((Audit, Audit.id, (Audit.at < now - timedelta(days=settings.retention_audit_days),)))
    for table, row_id, over in old:
        while _remove(services, table, row_id, over) == BATCH:
            pass


def _events(since: datetime) -> Iterator[_Old]:
    yield Delivery, Delivery.id, (Delivery.received_at < since,)
    yield Command, Command.id, _answered_before(since)
    yield Post, Post.id, (Post.created_at < since, Post.state.in_(("superseded", "dead")))
    yield Task, Task.id, (Task.run_after < since, Task.state == "done")
    for credential in (ApiToken, PullKey):
        ended = or_(credential.expires_at < since, credential.revoked_at < since)
        yield credential, credential.id, (ended,)


def _answered_before(since: datetime) -> tuple[ColumnElement[bool], ...]:
    """Commands that cannot come again: a comment says when it was written, and an older one is not heard.

    The press of a button does not; so it is remembered as long as its pull request is open, for nothing can be ordered
    on one that is closed.
    """
    is_open = exists().where(
        Pull.repository_id == Command.repository_id, Pull.number == Command.pull_number, Pull.state == "open"
    )
    ended = Command.state.in_(("answered", "ignored", "dead"))
    return Command.heard_at < since, Command.asked_at < since, ended, or_(Command.comment_id.is_not(None), ~is_open)


def _remove(services: Services, table: type[Table], row_id: Any, over: tuple[ColumnElement[bool], ...]) -> int:
    """Remove a batch; returns how many there were."""
    with services.database.write() as session:
        ids = session.scalars(select(row_id).where(*over).limit(BATCH)).all()
        session.execute(delete(table).where(row_id.in_(ids)))
        return len(ids)
