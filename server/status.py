"""What the public may know of the service's health, and what Prometheus may."""

import hmac
from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import AwareDatetime

from server.auth import principal_of
from server.bodies import answer
from server.errors import AppError, document
from server.services import InService
from server.telemetry import figures
from server.telemetry.exposition import MEDIA_TYPE, exposition
from server.telemetry.troubles import Trouble, troubles
from worker.bundle.record import Amount, Count, Record

router = APIRouter(tags=["health"])
_FRESH = timedelta(seconds=5)
_BEARER = HTTPBearer(auto_error=False, scheme_name="metrics", description="`BYOGPU_METRICS_TOKEN`.")


class Status(Record):
    """How the service does, without anything that is not everybody's business."""

    at: AwareDatetime
    troubles: tuple[Trouble, ...]
    """What is missing or late, the widest first; empty: nothing."""
    tasks_waiting: Count
    """Tasks that could run now."""
    oldest_waiting_s: Amount
    """How long the oldest of them has waited."""
    uploads_open: Count
    """Bundles that are being uploaded."""
    checks_waiting: Count
    """Checks that are not on GitHub yet."""
    jobs_waiting: Count
    """Approved orders that no node has taken."""
    jobs_running: Count
    nodes: Count
    """Nodes that asked for work within ten minutes."""


_EXAMPLE = Status(
    at=datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC),
    troubles=(
        Trouble(
            code="github_failing",
            sentence="GitHub does not answer; checks and answers are late.",
            count=1,
            since_s=420.0,
        ),
    ),
    tasks_waiting=2,
    oldest_waiting_s=3.5,
    uploads_open=4,
    checks_waiting=7,
    jobs_waiting=5,
    jobs_running=3,
    nodes=6,
)


@router.get(
    "/api/v1/status",
    summary="How is the service?",
    responses={**document(), 200: answer(_EXAMPLE)},
    dependencies=[Depends(principal_of)],
)
def get_service_status(request: Request, services: InService) -> Status:
    """Say what is missing or late; counted anew every five seconds at most, as anybody may ask."""
    now = services.clock()
    kept: Status | None = getattr(request.app.state, "status", None)
    if kept is not None and timedelta() <= now - kept.at < _FRESH:
        return kept
    with services.database.read() as session:
        found = figures.read(session, now=now)
    made = Status(
        at=now,
        troubles=troubles(found),
        tasks_waiting=found.tasks_due,
        oldest_waiting_s=max(found.task_oldest_s.values(), default=0.0),
        uploads_open=found.uploads.get("open", 0),
        checks_waiting=found.posts.get("pending", 0),
        jobs_waiting=found.jobs.get("queued", 0),
        jobs_running=found.jobs.get("leased", 0),
        nodes=found.nodes,
    )
    request.app.state.status = made
    return made


@router.get("/metrics", include_in_schema=False)
def get_metrics(
    request: Request,
    services: InService,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)],
) -> Response:
    """Everything in Prometheus' format, for whoever has the metrics token."""
    expected = services.settings.metrics_token
    if expected is None:
        raise AppError("metrics_disabled", "Set BYOGPU_METRICS_TOKEN to open this route.")
    given = credentials.credentials if credentials is not None else ""
    if not hmac.compare_digest(given.encode(), expected.get_secret_value().encode()):
        raise AppError("unauthorized", "Send the metrics token.", headers={"WWW-Authenticate": "Bearer"})
    return Response(exposition(services, request.app.state.meters), headers={"Content-Type": MEDIA_TYPE})
