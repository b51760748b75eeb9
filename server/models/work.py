"""Work that is to be done, and the record of what was done."""

from datetime import datetime
from typing import Literal

from sqlalchemy import Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from server.db import UtcDateTime
from server.models.table import DIGEST, SERIAL, STATE, Table, one_of

TaskState = Literal["queued", "running", "done", "dead"]


class Task(Table):
    """Work that must be done, whatever crashes. The brokers only carry hints about these rows."""

    __tablename__ = "task"
    __table_args__ = (
        UniqueConstraint("kind", "key"),
        Index("ix_task_state", "state", "run_after"),
        one_of("state", TaskState),
    )

    id: Mapped[int] = mapped_column(SERIAL, primary_key=True)
    kind: Mapped[str] = mapped_column(String(32))
    key: Mapped[str] = mapped_column(DIGEST)
    """What the task is about: a bundle's or a pull's id."""
    state: Mapped[TaskState] = mapped_column(STATE)
    wanted: Mapped[int]
    """Counts requests, so that one that comes while the task runs is not forgotten."""
    attempts: Mapped[int]
    """Attempts since the last success."""
    run_after: Mapped[datetime] = mapped_column(UtcDateTime)
    lease: Mapped[str | None] = mapped_column(String(32))
    """Names the runner that holds the task; a runner whose lease was taken over changes nothing any more."""
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    detail: Mapped[str] = mapped_column(Text)
    """Why the last attempt failed; else empty."""


class Audit(Table):
    """One change of state, or one refusal. Only ever added to."""

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(SERIAL, primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
    actor: Mapped[str] = mapped_column(String(100))
    """See `server.principals.Actor`."""
    action: Mapped[str] = mapped_column(String(64))
    target: Mapped[str] = mapped_column(String(200))
    detail: Mapped[str] = mapped_column(Text)
