"""Starting beside a PostgreSQL that does not answer yet: it is waited for, but not for ever, nor if it says no."""

import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Literal

from psycopg import pq
from psycopg.conninfo import make_conninfo
from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError, OperationalError

_log = logging.getLogger(__name__)

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 2.0
_SLICE_S = 0.1
"""How long a pause goes on after it was no longer wanted."""
_SAY_AGAIN_S = 60.0
_PING_S = 2
_OUTAGES = ("08", "53", "55P03", "57P")
"""How the SQLSTATEs begin that pass: connection lost, too many of something, a lock held, shutting down or starting."""
_CROWDED = ("too many clients", "too many connections", "remaining connection slots")
"""What it says when it is full; refused connections carry no SQLSTATE."""

EXIT_STATUS = 4
"""What a process ends with whose database is not usable, as `byogpu` does (docs/exit-codes.md)."""


class UnusableDatabaseError(Exception):
    """The database did not become usable.

    Attributes:
        code: ``database_absent``: it did not answer in time. ``database_refused``: it is there and does not let us in,
            for a wrong password or a missing database.
    """

    def __init__(self, code: Literal["database_absent", "database_refused"], detail: str) -> None:
        super().__init__(detail)
        self.code = code


class StoppedError(Exception):
    """The process was told to stop while it waited."""


def patiently(
    url: str, action: Callable[[], None], *, limit_s: float, stopping: Callable[[], bool] = lambda: False
) -> None:
    """Do something to a database that may still be starting; again and again, as long as it does not answer.

    SQLite has no such state: there the action is simply done.

    Args:
        url: The database's address.
        action: What to do. It may be repeated: what fails has left nothing.
        limit_s: Seconds after which it is not tried again.
        stopping: Whether the process was told to stop. In a main thread that minds no SIGTERM, that signal interrupts
            the wait like Ctrl-C.

    Raises:
        UnusableDatabaseError: It did not come in time, or refuses us.
        StoppedError: ``stopping`` says so.
        KeyboardInterrupt: Ctrl-C, or SIGTERM.
    """
    if not url.startswith("postgresql"):
        action()
        return
    with _minding_sigterm():
        waiter = _Waiter(url, limit_s, stopping)
        while True:
            try:
                action()
            except OperationalError as error:
                waiter.wait(error)
            else:
                waiter.done()
                return


class _Waiter:
    """Decides after each failure whether to go on, says so sparingly, and pauses."""

    def __init__(self, url: str, limit_s: float, stopping: Callable[[], bool]) -> None:
        self._url, self._limit_s, self._stopping = url, limit_s, stopping
        self._began = time.monotonic()
        self._pause_s = _FIRST_PAUSE_S
        self._say_at: float | None = None
        self._refused = False

    def wait(self, error: OperationalError) -> None:
        """Pause, if there is a point in it."""
        where, reason = make_url(self._url).set(query={}).render_as_string(), _reason(error)
        waited_s = time.monotonic() - self._began
        if passes(self._url, error):
            self._refused = False
        elif self._refused:
            raise UnusableDatabaseError("database_refused", f"{where}: {reason}") from error
        else:  # it may have come up between the failure and the question why: only the second refusal counts
            self._refused, self._pause_s = True, _FIRST_PAUSE_S
        if waited_s >= self._limit_s and not self._refused:
            detail = f"{where} did not answer within {self._limit_s:g} s (BYOGPU_DATABASE_WAIT_S): {reason}"
            raise UnusableDatabaseError("database_absent", detail) from error
        if not self._refused and (self._say_at is None or waited_s >= self._say_at):
            _log.warning("waiting for the database at %s: %s", where, reason)
            self._say_at = waited_s + _SAY_AGAIN_S
        self._rest()

    def done(self) -> None:
        """Say that it came, if it was said that it was waited for."""
        if self._say_at is not None:
            _log.warning("the database is there, after %.1f s", time.monotonic() - self._began)

    def _rest(self) -> None:
        ends = time.monotonic() + self._pause_s
        self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)
        while not self._stopping() and (left_s := ends - time.monotonic()) > 0:
            time.sleep(min(left_s, _SLICE_S))
        if self._stopping():
            raise StoppedError("told to stop while the database was waited for")


def passes(url: str, error: DBAPIError) -> bool:
    """Whether an error of PostgreSQL ends by itself: it is starting, stopping, full, or out of reach."""
    state = getattr(error.orig, "sqlstate", None)
    if error.connection_invalidated or (state is not None and state.startswith(_OUTAGES)):
        return True
    if state is not None:
        return False
    return any(words in str(error.orig) for words in _CROWDED) or not _welcomes(url)


def _welcomes(url: str) -> bool:
    """Whether a PostgreSQL is there and takes connections; whether it would take ours is not asked."""
    address = make_url(url)
    _, parameters = address.get_dialect()().create_connect_args(address)
    conninfo = make_conninfo(**{**parameters, "connect_timeout": _PING_S})
    return pq.PGconn.ping(conninfo.encode()) == pq.Ping.OK


def _reason(error: OperationalError) -> str:
    """The driver's words on one line."""
    return " ".join(str(error.orig).split())[:300]


@contextmanager
def _minding_sigterm() -> Iterator[None]:
    """Let SIGTERM interrupt, where nothing else is arranged: the first process of a container would ignore it."""
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    raise KeyboardInterrupt
