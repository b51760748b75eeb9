"""The Celery worker's side: ``celery -A server.tasks worker --beat``.

A message says no more than that there may be something to do; what it is stands in the task table.
"""

import logging
import resource
from functools import cache

from celery import Celery
from celery.signals import worker_init, worker_process_init, worker_process_shutdown

from server import runner
from server.broker import RUN_NEXT, SWEEP, create_celery
from server.patience import EXIT_STATUS, UnusableDatabaseError
from server.services import Services
from server.settings import Settings
from server.startup import build, close, make_ready
from server.telemetry import logs

_log = logging.getLogger(__name__)


def run_next() -> None:
    """Run one task; while there are more, ask for another turn."""
    services = _services()
    if runner.run_next(services):
        services.bell.ring()


def sweep() -> None:
    """Ask for what must happen regularly, and ring once for each task that is due."""
    services = _services()
    for _ in range(runner.sweep(services)):
        services.bell.ring()


def create_worker(settings: Settings) -> Celery:
    """Make the Celery application with its two tasks."""
    logs.configure(settings)
    app = create_celery(settings)
    app.task(name=RUN_NEXT)(run_next)
    app.task(name=SWEEP)(sweep)
    worker_init.connect(_on_worker_init)
    worker_process_init.connect(_on_process_init)
    worker_process_shutdown.connect(_on_process_shutdown)
    return app


def limit_memory(mib: int) -> None:
    """Let this process have that much memory of its own: a task that wants more fails with `MemoryError`. 0: any."""
    if mib:
        resource.setrlimit(resource.RLIMIT_DATA, (mib << 20, mib << 20))


@cache
def _services() -> Services:
    """The services of this worker process; built after the fork, as connections must not be shared."""
    return build(Settings())


def _on_worker_init(**_: object) -> None:
    """Wait for the database. Celery goes on after any other exception than this one's."""
    try:
        make_ready(Settings())
    except UnusableDatabaseError as error:
        _log.error("%s: %s", error.code, error)
        raise SystemExit(EXIT_STATUS) from error


def _on_process_init(**_: object) -> None:
    limit_memory(Settings().task_memory_mib)


def _on_process_shutdown(**_: object) -> None:
    close(_services())


def __getattr__(name: str) -> Celery:
    """Make the application when Celery's command line asks for it, and not on import."""
    if name == "celery":
        return create_worker(Settings())
    raise AttributeError(name)
