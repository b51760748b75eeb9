"""The task table: work that is asked for in the same transaction as the change that makes it necessary.

A task is one row for each ``(kind, key)``. Asking again while it waits changes nothing; asking while it runs makes it
run once more. Runners take a task with a lease, and only the holder of the lease may finish it, so a task that is
delivered twice, or taken over from a runner thought dead, does its effect once.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, Protocol

from sqlalchemy import ColumnElement, and_, case, or_, select, update
from sqlalchemy.orm import Session

from server.db import inserter
from server.models import Task

TaskKind = Literal[
    "validate",
    "read_pull",
    "refresh",
    "publish",
    "obey",
    "check_access",
    "reconcile",
    "sweep_uploads",
    "sweep_sign_ins",
    "collect_orphans",
    "retire",
    "forget",
    "reap_leases",
    "find_outdated",
    "revalidate",
]


class PostponeError(Exception):
    """A task cannot be done now, and says when to try again.

    Attributes:
        after_s: Seconds to wait; None: the queue decides.
    """

    def __init__(self, detail: str, *, after_s: float | None = None) -> None:
        super().__init__(detail)
        self.after_s = after_s


class Bell(Protocol):
    """Tells runners that there is something to do. Losing a ring costs time, never work."""

    def ring(self) -> None:
        """Wake the runners up."""
        ...

    def alive(self) -> bool:
        """Whether rings can be heard."""
        ...


@dataclass(frozen=True)
class Taken:
    """A task that this runner holds.

    Attributes:
        id: The row.
        kind: What to do.
        key: What to do it to.
        lease: Proof of holding it.
        wanted: How often it had been asked for when it was taken.
        attempts: Which attempt this is, from 1.
    """

    id: int
    kind: TaskKind
    key: str
    lease: str
    wanted: int
    attempts: int


def enqueue(session: Session, kind: TaskKind, key: str, *, now: datetime) -> None:
    """Ask for a task, in the caller's transaction."""
    idle = Task.state.in_(("done", "dead"))
    insert = inserter(session)(Task).values(
        kind=kind, key=key, state="queued", wanted=1, attempts=0, run_after=now, detail=""
    )
    session.execute(
        insert.on_conflict_do_update(
            index_elements=["kind", "key"],
            set_={
                "wanted": Task.wanted + 1,
                "state": case((idle, "queued"), else_=Task.state),
                "attempts": case((idle, 0), else_=Task.attempts),
                "run_after": case((idle, insert.excluded.run_after), else_=Task.run_after),
            },
        )
    )


def enqueue_every(session: Session, kind: TaskKind, key: str, *, every_s: float, now: datetime) -> None:
    """Ask for a task that is to be done every so often, unless it was just done, given up, or waits already."""
    task = session.scalar(select(Task).where(Task.kind == kind, Task.key == key))
    last = now - timedelta(seconds=every_s)
    if task is None or (task.state in ("done", "dead") and task.run_after <= last):
        enqueue(session, kind, key, now=now)


def due(session: Session, *, now: datetime, limit: int) -> Sequence[int]:
    """Ids of the tasks that could be taken now, the longest waiting first."""
    return session.scalars(select(Task.id).where(_takeable(now)).order_by(Task.run_after, Task.id).limit(limit)).all()


def next_due(session: Session) -> datetime | None:
    """When the next waiting task may run; None if none waits."""
    return session.scalar(select(Task.run_after).where(Task.state == "queued").order_by(Task.run_after).limit(1))


def take(session: Session, task_id: int, *, now: datetime, lease_s: float) -> Taken | None:
    """Take a task, or learn that somebody else has it or that it need not run."""
    lease = secrets.token_hex(16)
    taken = session.execute(
        update(Task)
        .where(Task.id == task_id, _takeable(now))
        .values(state="running", lease=lease, lease_until=now + timedelta(seconds=lease_s), attempts=Task.attempts + 1)
        .returning(Task.kind, Task.key, Task.wanted, Task.attempts)
    ).one_or_none()
    if taken is None:
        return None
    return Taken(task_id, taken.kind, taken.key, lease, taken.wanted, taken.attempts)


def finish(session: Session, taken: Taken, *, now: datetime) -> None:
    """Record success; a request that came meanwhile puts the task back in line."""
    task = _held(session, taken)
    if task is not None:
        again = task.wanted != taken.wanted
        task.state, task.attempts, task.detail = ("queued" if again else "done"), 0, ""
        task.run_after, task.lease, task.lease_until = now, None, None


def postpone(session: Session, taken: Taken, *, until: datetime, detail: str, counted: bool = True) -> None:
    """Record a failure that another attempt may mend.

    Args:
        session: The caller's transaction.
        taken: The task.
        until: When to try again.
        detail: What failed.
        counted: Whether it was the task's own failure; an outage of what it needs counts for no attempt.
    """
    task = _held(session, taken)
    if task is not None:
        task.state, task.run_after, task.detail = "queued", until, detail
        task.attempts -= 0 if counted else 1
        task.lease, task.lease_until = None, None


def bury(session: Session, taken: Taken, *, detail: str) -> bool:
    """Record a failure that no attempt will mend.

    Returns:
        Whether the task was still held; only then may its burial have consequences.
    """
    task = _held(session, taken)
    if task is None:
        return False
    task.state, task.detail, task.lease, task.lease_until = "dead", detail, None, None
    return True


def release_all(session: Session) -> None:
    """Put every running task back in line: for a process that knows itself to be the only runner, as it starts."""
    session.execute(update(Task).where(Task.state == "running").values(state="queued", lease=None, lease_until=None))


def _held(session: Session, taken: Taken) -> Task | None:
    return session.scalar(select(Task).where(Task.id == taken.id, Task.lease == taken.lease).with_for_update())


def _takeable(now: datetime) -> ColumnElement[bool]:
    return or_(
        and_(Task.state == "queued", Task.run_after <= now), and_(Task.state == "running", Task.lease_until <= now)
    )
