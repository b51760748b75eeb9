"""The embedded task runner: one thread of the one server process. The database holds the tasks."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from server import queue, runner
from server.patience import patiently
from server.services import Services

_log = logging.getLogger(__name__)


class LocalBell:
    """Rings in the same process."""

    def __init__(self) -> None:
        self._rung = threading.Event()
        self.thread: threading.Thread | None = None

    def ring(self) -> None:
        """See `queue.Bell`."""
        self._rung.set()

    def alive(self) -> bool:
        """See `queue.Bell`."""
        return self.thread is not None and self.thread.is_alive()

    def wait(self, timeout_s: float) -> None:
        """Sleep until rung, or for that many seconds."""
        self._rung.wait(timeout_s)
        self._rung.clear()


@contextmanager
def embedded(services: Services, bell: LocalBell) -> Iterator[None]:
    """Run tasks in a thread while the block lasts. The caller vouches that no other process runs any."""
    stop, settings = threading.Event(), services.settings
    patiently(
        settings.resolved_database_url,
        lambda: _release_all(services),
        limit_s=settings.database_wait_s,
        stopping=services.draining.is_set,
    )
    bell.thread = threading.Thread(target=_serve, args=(services, bell, stop), name="byogpu-tasks", daemon=True)
    bell.thread.start()
    try:
        yield
    finally:
        stop.set()
        bell.ring()
        bell.thread.join(settings.shutdown_timeout_s)
        if bell.thread.is_alive():  # it holds a lease that nobody will see the end of: the next server takes the task
            _log.warning("the running task did not end in time and will be run again")
            _release_all(services)


def _release_all(services: Services) -> None:
    with services.database.write() as session:
        queue.release_all(session)


def _serve(services: Services, bell: LocalBell, stop: threading.Event) -> None:
    next_sweep = time.monotonic()
    while not stop.is_set():
        try:
            if time.monotonic() >= next_sweep:
                runner.sweep(services)
                next_sweep = time.monotonic() + services.settings.sweep_interval_s
            while not stop.is_set() and runner.run_next(services):
                pass
            bell.wait(_rest_s(services, longest_s=next_sweep - time.monotonic()))
        except Exception:  # the database is down: nothing is lost, the loop must live to see it come back
            _log.exception("the task thread could not work")
            stop.wait(1.0)


def _rest_s(services: Services, *, longest_s: float) -> float:
    """Seconds until there may be something to do; the wall clock may jump, so never more than ``longest_s``."""
    with services.database.read() as session:
        due = queue.next_due(session)
    rest_s = longest_s if due is None else (due - services.clock()).total_seconds()
    return max(0.0, min(rest_s, longest_s))
