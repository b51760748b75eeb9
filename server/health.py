"""Is the process alive, and can it work?"""

from importlib.metadata import version
from typing import Literal

from fastapi import APIRouter, Response
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from server.bodies import answer
from server.errors import document
from server.models import Task
from server.services import InService
from worker.bundle.record import Count, Record

router = APIRouter(tags=["health"])


class Health(Record):
    """The process answers."""

    status: Literal["ok"]
    version: str


class Readiness(Record):
    """Whether each part the service needs works."""

    ready: bool
    database: Literal["ok", "down"]
    storage: Literal["ok", "down"]
    queue: Literal["ok", "down"]
    """Embedded: the task thread lives. Otherwise: the broker answers."""
    draining: bool
    """Whether the process was told to stop: it answers what it is asked, and wants no more."""
    tasks_waiting: Count
    tasks_dead: Count


_HEALTHY = Health(status="ok", version=version("byogpu"))
_READY = Readiness(ready=True, database="ok", storage="ok", queue="ok", draining=False, tasks_waiting=2, tasks_dead=0)
_BROKEN = Readiness(
    ready=False, database="ok", storage="ok", queue="down", draining=False, tasks_waiting=9, tasks_dead=0
)


@router.get("/health", summary="Is the process alive?", responses={**document(database=False), 200: answer(_HEALTHY)})
def get_health() -> Health:
    """Answers as long as the process does; touches nothing else."""
    return _HEALTHY


@router.get(
    "/ready",
    summary="Can the service work?",
    responses={
        **document(database=False),
        200: answer(_READY),
        503: {"model": Readiness, **answer(_BROKEN, description="A part is down; its field says which")},
    },
)
def get_ready(services: InService, response: Response) -> Readiness:
    """Try the database, the blob store and the task queue."""
    waiting = dead = 0
    try:
        with services.database.read() as session:
            states = dict(session.execute(select(Task.state, func.count()).group_by(Task.state)).all())
        waiting, dead = states.get("queued", 0) + states.get("running", 0), states.get("dead", 0)
        database = True
    except SQLAlchemyError:
        database = False
    try:
        services.store.ping()
        storage = True
    except OSError:
        storage = False
    queue = services.bell.alive()
    draining = services.draining.is_set()
    ready = database and storage and queue and not draining
    response.status_code = 200 if ready else 503
    return Readiness(
        ready=ready,
        database="ok" if database else "down",
        storage="ok" if storage else "down",
        queue="ok" if queue else "down",
        draining=draining,
        tasks_waiting=waiting,
        tasks_dead=dead,
    )
