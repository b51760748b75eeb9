"""Running tasks: what each kind does, how often it is tried, and what follows when it is given up.

The same code runs in the embedded thread and in Celery workers; both only decide when `run_next` is called.
"""

import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from celery.exceptions import SoftTimeLimitExceeded
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from server import audit, queue
from server.accounts import signin
from server.checks import access, outbox, pulls, reconciliation, verdicts
from server.conversation import obedience
from server.db import overran
from server.intake import expiry, orphans, revalidation, validation
from server.jobs import endings
from server.moderation import forgetting, retention
from server.queue import PostponeError, Taken, TaskKind
from server.services import Services
from server.storage import StoreUnavailableError
from server.telemetry.logs import bound

_log = logging.getLogger(__name__)
_LONGEST_WAIT_S = 300.0
_OUTAGE_WAIT_S = 10.0
_DAY_S = 24 * 3600


@dataclass(frozen=True)
class Handler:
    """What one kind of task does.

    Attributes:
        run: Does it; may be repeated at any point.
        give_up: What follows when it has failed for the last time, in the same transaction.
        attempts: How often it is tried.
    """

    run: Callable[[Services, str], None]
    give_up: Callable[[Session, Services, str, str], None]
    attempts: int


def _nothing(session: Session, services: Services, key: str, detail: str) -> None:
    """The dead task row and its audit row say it all."""


HANDLERS: Mapping[TaskKind, Handler] = {
    "validate": Handler(validation.validate, validation.give_up, attempts=5),
    "read_pull": Handler(pulls.reread, _nothing, attempts=40),
    "refresh": Handler(verdicts.refresh, _nothing, attempts=10),
    "publish": Handler(outbox.publish, outbox.give_up, attempts=60),
    "obey": Handler(obedience.obey, obedience.give_up, attempts=60),
    "check_access": Handler(access.check, _nothing, attempts=40),
    "reconcile": Handler(reconciliation.reconcile, _nothing, attempts=5),
    "reap_leases": Handler(endings.reap, _nothing, attempts=3),
    "sweep_sign_ins": Handler(signin.sweep, _nothing, attempts=3),
    "sweep_uploads": Handler(expiry.sweep, _nothing, attempts=3),
    "collect_orphans": Handler(orphans.collect_orphans, _nothing, attempts=3),
    "retire": Handler(retention.retire, _nothing, attempts=3),
    "forget": Handler(forgetting.forget, _nothing, attempts=3),
    "find_outdated": Handler(revalidation.find_outdated, _nothing, attempts=5),
    "revalidate": Handler(revalidation.revalidate, _nothing, attempts=5),
}


def run_next(services: Services) -> bool:
    """Take the task that has waited longest and run it.

    Returns:
        Whether there was one.
    """
    taken = _take(services)
    if taken is None:
        return False
    handler = HANDLERS[taken.kind]
    if taken.attempts > handler.attempts:  # its runner died every time: nobody was left to say why
        _give_up(services, taken, "the process that ran it died")
        return True
    try:
        with (
            bound(task_id=taken.id, task=taken.kind, **_about(taken)),
            services.tracer.span(f"task {taken.kind}", key=taken.key),
        ):
            handler.run(services, taken.key)
    except PostponeError as error:
        _fail(services, taken, str(error), wait_s=error.after_s)
    except Exception as error:  # whatever it is, the task must not be lost
        if _is_outage(error):
            _log.warning("task %s %s waits for an outage to end: %s", taken.kind, taken.key, error)
            until = services.clock() + timedelta(seconds=_OUTAGE_WAIT_S)
            with services.database.write() as session:
                queue.postpone(session, taken, until=until, detail=str(error)[:500], counted=False)
        else:
            _log.exception("task %s %s failed", taken.kind, taken.key)
            _fail(services, taken, _reason(error), wait_s=None)
    else:
        with services.database.write() as session:
            queue.finish(session, taken, now=services.clock())
    return True


def _is_outage(error: Exception) -> bool:
    """Whether what failed is something that the task needs; one whose statements take too long fails by itself."""
    return isinstance(error, StoreUnavailableError | OperationalError) and not overran(error)


def _reason(error: Exception) -> str:
    """Why a task failed, in a row of the task table."""
    match error:
        case SoftTimeLimitExceeded():
            return "it was told to stop, for it took too long (BYOGPU_TASK_LEASE_S)"
        case MemoryError():
            return "it wanted more memory than BYOGPU_TASK_MEMORY_MIB"
        case _:
            return f"{type(error).__name__}: {error}"[:500]


def _about(taken: Taken) -> dict[str, str]:
    """What a task's key names, for the log."""
    return {"bundle_id" if taken.kind in ("validate", "revalidate") else "key": taken.key}


def sweep(services: Services) -> int:
    """Ask for what must happen regularly, and for what lost its task. Call every ``sweep_interval_s``.

    Returns:
        How many tasks are due, at most 100.
    """
    now = services.clock()
    with services.database.write() as session:
        queue.enqueue(session, "sweep_uploads", "all", now=now)
        queue.enqueue(session, "sweep_sign_ins", "all", now=now)
        queue.enqueue(session, "reap_leases", "all", now=now)
        orphans_every_s = services.settings.orphan_interval_s
        queue.enqueue_every(session, "collect_orphans", "all", every_s=orphans_every_s, now=now)
        queue.enqueue_every(session, "retire", "all", every_s=_DAY_S, now=now)
        queue.enqueue_every(session, "forget", "all", every_s=_DAY_S, now=now)
        for pull_id in verdicts.overtaken(session, now=now):
            queue.enqueue(session, "refresh", str(pull_id), now=now)
        if services.github is not None:
            for pull_id in outbox.waiting(session):
                queue.enqueue(session, "publish", str(pull_id), now=now)
            reconcile_every_s = services.settings.reconcile_interval_s
            for repository_id in reconciliation.known(session):
                queue.enqueue_every(session, "reconcile", str(repository_id), every_s=reconcile_every_s, now=now)
            for key in obedience.waiting(session):
                queue.enqueue(session, "obey", key, now=now)
        return len(queue.due(session, now=now, limit=100))


def _take(services: Services) -> Taken | None:
    now = services.clock()
    with services.database.write() as session:
        for task_id in queue.due(session, now=now, limit=10):
            taken = queue.take(session, task_id, now=now, lease_s=services.settings.task_lease_s)
            if taken is not None:
                return taken
    return None


def _fail(services: Services, taken: Taken, detail: str, *, wait_s: float | None) -> None:
    if taken.attempts >= HANDLERS[taken.kind].attempts:
        _give_up(services, taken, detail)
        return
    wait = min(2.0 ** (taken.attempts - 1), _LONGEST_WAIT_S) if wait_s is None else wait_s
    jitter = 1 + secrets.randbelow(250) / 1000  # so that what failed together does not come back together
    with services.database.write() as session:
        queue.postpone(session, taken, until=services.clock() + timedelta(seconds=wait * jitter), detail=detail)


def _give_up(services: Services, taken: Taken, detail: str) -> None:
    with services.database.write() as session:
        if queue.bury(session, taken, detail=detail):
            HANDLERS[taken.kind].give_up(session, services, taken.key, detail)
            audit.record(
                session,
                at=services.clock(),
                actor="service",
                action="task.dead",
                target=f"{taken.kind} {taken.key}",
                detail=detail,
            )
