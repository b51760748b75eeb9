"""What nodes say to the service. They only ever ask; the service never calls them.

A claim that finds nothing answers 200 and not 204: the reasons need a body.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request

from server.addresses import address_of
from server.auth import Principal, require
from server.bodies import answer, described, json_body
from server.errors import document
from server.jobs import examples, leases, queries
from server.jobs.schemas import (
    ClaimAnswer,
    ClaimPost,
    FailPost,
    FinishPost,
    HeartbeatAnswer,
    HeartbeatPost,
    JobPage,
    ProgressPost,
)
from server.services import InService
from worker.bundle.record import Record

router = APIRouter(prefix="/api/v1", tags=["jobs"])

JobIdPath = Annotated[str, Path(pattern=r"^j-[0-9a-f]{16}$", description="As it was ordered.")]
Agent = Annotated[Principal, Depends(require("jobs:work"))]
BODY = ("unsupported_media_type", "body_too_large", "json_invalid", "body_invalid")
_NODE = ("unauthorized", "scope_missing", "node_not_found", "node_not_yours")
_LEASE = (*BODY, *_NODE, "parameter_invalid", "lease_lost")


def _described(body: Record, said: Record, *codes: str) -> dict[str, Any]:
    return {
        "responses": {**document(*codes), 200: answer(said)},
        "openapi_extra": described(type(body), example=body.model_dump(mode="json")),
    }


@router.post("/jobs/claim", summary="Ask for a job", **_described(examples.CLAIM, examples.CLAIMED, *BODY, *_NODE))
def claim_job(
    request: Request,
    services: InService,
    by: Agent,
    posted: Annotated[ClaimPost, Depends(json_body(ClaimPost, limit=262_144))],
) -> ClaimAnswer:
    """Get the next job that machine and owner allow, with a lease and a challenge; or every reason why not.

    A node has one job at a time: asking again ends the lease that it holds.
    """
    return leases.claim(services, posted, by=by, address=address_of(request, services.settings))


@router.post(
    "/jobs/{job_id}/heartbeat",
    summary="Keep a lease",
    **_described(examples.HEARTBEAT, examples.ALIVE, *_LEASE),
)
def post_heartbeat(
    services: InService,
    by: Agent,
    job_id: JobIdPath,
    posted: Annotated[HeartbeatPost, Depends(json_body(HeartbeatPost, limit=1024))],
) -> HeartbeatAnswer:
    """Say that the job is being run, and hear whether it was cancelled and what time it is here."""
    return leases.heartbeat(services, job_id, posted, by=by)


@router.post(
    "/jobs/{job_id}/progress",
    summary="Say which evals are done",
    **_described(examples.PROGRESS, examples.PAGE, *_LEASE, "job_not_found", "job_progress_invalid"),
)
def post_progress(
    services: InService,
    by: Agent,
    job_id: JobIdPath,
    posted: Annotated[ProgressPost, Depends(json_body(ProgressPost, limit=32_768))],
) -> JobPage:
    """Note evals that have ended. If the lease is lost, this node gets the job first and goes on after them."""
    leases.progress(services, job_id, posted, by=by)
    return queries.job(services, job_id)


@router.post(
    "/jobs/{job_id}/finish",
    summary="Deliver a bundle",
    **_described(examples.FINISH, examples.PAGE, *_LEASE, "job_not_found", "job_bundle_unbound"),
)
def finish_job(
    services: InService,
    by: Agent,
    job_id: JobIdPath,
    posted: Annotated[FinishPost, Depends(json_body(FinishPost, limit=1024))],
) -> JobPage:
    """Finish a job with a bundle that was submitted and has used the job's challenge.

    Under a lease that has ended the answer is `lease_lost`; the bundle is then kept with that lease as evidence that no
    job counts.
    """
    leases.finish(services, job_id, posted, by=by)
    return queries.job(services, job_id)


@router.post(
    "/jobs/{job_id}/fail",
    summary="Give a job back",
    **_described(examples.FAIL, examples.PAGE, *_LEASE, "job_not_found"),
)
def fail_job(
    services: InService,
    by: Agent,
    job_id: JobIdPath,
    posted: Annotated[FailPost, Depends(json_body(FailPost, limit=16_384))],
) -> JobPage:
    """Say that no bundle will come, and whose fault it is. Faults of machine or network do not count against a job."""
    leases.fail(services, job_id, posted, by=by)
    return queries.job(services, job_id)
