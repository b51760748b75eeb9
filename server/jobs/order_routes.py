"""Where people order, approve and cancel jobs, and everybody sees the queue and the nodes."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response

from server.auth import Principal, require
from server.bodies import answer, described, json_body
from server.errors import document
from server.jobs import examples, people, queries
from server.jobs.routes import BODY, JobIdPath
from server.jobs.schemas import ApprovalPost, JobList, JobPage, NodeList, OrderPost, ServiceKey
from server.models import JobState
from server.pagination import Cursor, Limit
from server.services import InService
from server.signing import service_key
from server.waiting import EXAMPLE, JobRef

router = APIRouter(prefix="/api/v1", tags=["jobs"])

Orderer = Annotated[Principal, Depends(require("jobs:request"))]
_ASKED = ("unauthorized", "scope_missing", "credential_confined", "github_failed")
_OWN = (*_ASKED, "parameter_invalid", "job_not_found", "permission_missing")
_CANCELLED = EXAMPLE.model_copy(update={"state": "cancelled", "reason": "Cancelled by octocat."})


def _approvable(*codes: str) -> dict[int | str, dict[str, Any]]:
    return {**document(*_OWN, "pull_closed", "job_head_moved", *codes), 200: answer(EXAMPLE)}


@router.post(
    "/jobs",
    summary="Order a suite for a pull request",
    responses={
        **document(
            *BODY,
            *_ASKED,
            "pull_not_found",
            "pull_closed",
            "job_suite_not_found",
            "job_head_moved",
            "orders_of_pull_exhausted",
            "orders_exhausted",
        ),
        200: answer(EXAMPLE, description="The order, or the one that is open already"),
    },
    openapi_extra=described(OrderPost, example=examples.ORDER.model_dump(mode="json")),
)
def order_job(
    services: InService, by: Orderer, posted: Annotated[OrderPost, Depends(json_body(OrderPost, limit=4096))]
) -> JobRef:
    """Have a suite run on a node that somebody lends, for the commit that you name and no other.

    It is approved at once if you may write to the repository; else it waits for somebody who may. The same order while
    one is open is that one.
    """
    return people.order(services, posted, by=by)


@router.post(
    "/jobs/{job_id}/approve",
    summary="Approve the commit of a job",
    responses=_approvable(*BODY, "job_not_waiting"),
    openapi_extra=described(ApprovalPost, example=examples.APPROVAL.model_dump(mode="json")),
)
def approve_job(
    services: InService,
    by: Orderer,
    job_id: JobIdPath,
    posted: Annotated[ApprovalPost, Depends(json_body(ApprovalPost, limit=1024))],
) -> JobRef:
    """Let nodes of others run a commit that you have looked at. A later head needs another approval."""
    return people.approve(services, job_id, posted, by=by)


@router.post(
    "/jobs/{job_id}/cancel",
    summary="Cancel a job",
    responses={**document(*_OWN, "job_ended"), 200: answer(_CANCELLED)},
)
def cancel_job(services: InService, by: Orderer, job_id: JobIdPath) -> JobRef:
    """Cancel at once what no node has; a node that runs it hears of it with its next heartbeat."""
    return people.cancel(services, job_id, by=by)


@router.post("/jobs/{job_id}/again", summary="Order a job again", responses=_approvable("job_not_ended"))
def repeat_job(services: InService, by: Orderer, job_id: JobIdPath) -> JobRef:
    """Put a job that was given up or quarantined back in line, if its commit is still the head."""
    return people.again(services, job_id, by=by)


@router.get(
    "/jobs",
    summary="List jobs",
    responses={
        **document("parameter_invalid", "cursor_invalid", "pull_not_found"),
        200: answer(examples.JOBS),
    },
)
def list_jobs(
    services: InService,
    state: Annotated[list[JobState] | None, Query(max_length=8, description="Only jobs in one of these.")] = None,
    pull: Annotated[
        str | None,
        Query(
            pattern=r"^[A-Za-z0-9_-]{1,100}/[A-Za-z0-9_.-]{1,100}/[1-9][0-9]{0,14}$",
            description="Only of this pull request, as `owner/name/number`.",
        ),
    ] = None,
    cursor: Cursor = None,
    limit: Limit = 30,
) -> JobList:
    """Every job, newest first, each with the reason why it waits or how it ended."""
    repository, _, number = (pull or "").rpartition("/")
    named = (repository, int(number)) if pull is not None else None
    return queries.jobs(services, states=tuple(state or ()), pull=named, cursor=cursor, limit=limit)


@router.get(
    "/jobs/{job_id}",
    summary="Read a job",
    responses={**document("parameter_invalid", "job_not_found"), 200: answer(examples.PAGE)},
)
def get_job(services: InService, job_id: JobIdPath) -> JobPage:
    """A job with every lease it had."""
    return queries.job(services, job_id)


@router.get(
    "/offers",
    summary="List the nodes that ask for work",
    responses={**document("parameter_invalid", "cursor_invalid"), 200: answer(examples.NODES)},
)
def list_offers(services: InService, cursor: Cursor = None, limit: Limit = 30) -> NodeList:
    """Machines that are lent, what they have and what their owners allow, last heard of first."""
    return queries.nodes(services, cursor=cursor, limit=limit)


@router.get("/service-key", summary="Read the service's key", responses={**document(), 200: answer(examples.KEY)})
def get_service_key(services: InService, response: Response) -> ServiceKey:
    """The key that signs jobs. An agent's owner compares it with what the operator publishes, once."""
    response.headers["Cache-Control"] = "no-cache"
    key = service_key(services.settings)
    return ServiceKey(key_id=key.key_id, public_key=key.public_key)
