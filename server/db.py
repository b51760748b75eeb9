"""The database: one engine, and sessions that say whether they will write.

SQLite and PostgreSQL behave alike here: a write session holds the right to write from its first statement (SQLite:
``BEGIN IMMEDIATE``), so that nothing fails half-way for a lock; a read session sees one snapshot.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, DateTime, Dialect, Engine, create_engine, event, make_url, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from sqlalchemy.types import TypeDecorator

_BUSY_TIMEOUT_S = 30
_WRITE = "byogpu_write"
_CONNECTION = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""Within about a minute a PostgreSQL that vanished from the network is given up, whatever was asked of it."""
_OVERRUN = ("57014", "55P03", "25P03", "40P01")
"""SQLSTATEs: a statement took too long, or waited too long for a lock; a transaction stood still; a deadlock."""


@dataclass(frozen=True)
class TimeLimits:
    """How long PostgreSQL lets a session go on, in seconds; 0: for ever.

    Attributes:
        statement_s: With one statement.
        lock_s: With waiting for one lock.
        idle_s: With an open transaction in which nothing is asked.
    """

    statement_s: float = 0
    lock_s: float = 0
    idle_s: float = 0

    def options(self) -> str:
        """What the server is told as a connection begins."""
        wanted = {
            "statement_timeout": self.statement_s,
            "lock_timeout": self.lock_s,
            "idle_in_transaction_session_timeout": self.idle_s,
        }
        return " ".join(f"-c {name}={round(1000 * limit_s)}" for name, limit_s in wanted.items())


class UtcDateTime(TypeDecorator[datetime]):
    """A point in time; aware and in UTC on both databases."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Refuse naive times: they would mean different moments on different hosts."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored time needs its zone")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Give the zone back that SQLite drops."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Database:
    """An engine with the two kinds of session.

    Args:
        url: ``sqlite:///PATH`` or ``postgresql+psycopg://...``.
        limits: For PostgreSQL.
    """

    def __init__(self, url: str, limits: TimeLimits = TimeLimits()) -> None:
        self.engine = _engine(url, limits)
        self._writer = self.engine.execution_options(**{_WRITE: True})
        postgres = self.engine.dialect.name == "postgresql"
        self._reader = self.engine.execution_options(isolation_level="REPEATABLE READ") if postgres else self.engine

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Open a session that only reads."""
        with Session(self._reader, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[Session]:
        """Open a session that commits at the end of the block, or rolls back if the block raises.

        Args:
            durable: Whether to wait until PostgreSQL's log is on the disk. Without, a crash of the database may forget
                the last half second; for what is said again soon anyway, so that it never waits behind a busy disk.
        """
        with Session(self._writer, expire_on_commit=False) as session, session.begin():
            if not durable and self.engine.dialect.name == "postgresql":
                session.execute(text("SET LOCAL synchronous_commit = off"))
            yield session

    def close(self) -> None:
        """Close every pooled connection."""
        self.engine.dispose()


def inserter(session: Session) -> Any:
    """The dialect's ``insert``, whose ``on_conflict_...`` both databases understand alike."""
    return postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert


def unhurried(connection: Connection) -> None:
    """Let the rest of a transaction take as long as it takes: for who copies whole tables."""
    if connection.dialect.name == "postgresql":
        for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
            connection.exec_driver_sql(f"SET LOCAL {name} = 0")


def overran(error: Exception) -> bool:
    """Whether PostgreSQL ended what was asked for a limit of time, or a deadlock; it is well itself."""
    return getattr(getattr(error, "orig", None), "sqlstate", None) in _OVERRUN


ConflictError = IntegrityError


def _engine(url: str, limits: TimeLimits) -> Engine:
    if not url.startswith("sqlite"):
        given = make_url(url).query
        connect_args: dict[str, Any] = {name: value for name, value in _CONNECTION.items() if name not in given}
        connect_args["options"] = f"{limits.options()} {given.get('options', '')}".strip()  # the last one counts
        return create_engine(url, pool_pre_ping=True, pool_size=20, max_overflow=30, connect_args=connect_args)
    engine = create_engine(url, connect_args={"timeout": _BUSY_TIMEOUT_S}, pool_size=10, max_overflow=50)

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, record: object) -> None:  # noqa: ARG001
        connection.isolation_level = None  # transactions begin below, not where the driver guesses
        cursor = connection.cursor()
        for pragma in ("journal_mode = WAL", "foreign_keys = ON", "synchronous = FULL"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        immediate = connection.get_execution_options().get(_WRITE, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return engine
