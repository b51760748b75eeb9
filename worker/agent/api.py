"""The server's API as typed functions. Written by scripts/write_client.py, never by hand."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from worker.bundle.job import EvalDone, Offer
from worker.messages import Answer, Body, Caller, at

# What is raised: see `worker.service.Service.ask`.


class Hindrance(Answer):
    """Why jobs that wait were not given to this node."""

    code: str
    """Stable. ``nothing_waits``: no approved job does; ``no_image``: the operator has set none for the suite;
``suite_gone``: this release does not publish it; ``pull_busy``: its pull request has enough jobs running;
``kept_for_another``: another node has evals of it and may go on; ``failed_here``: other nodes may try it first;
``owner_busy`` and ``address_busy``: the owner, or the address, has as many jobs as it may have. The rest: what the
machine lacks, or its owner does not allow."""
    detail: Annotated[str, Field(max_length=4096)]
    """Of one of them, for a person."""
    jobs: Annotated[int, Field(le=9007199254740991, ge=0)]
    """How many of the jobs that were looked at."""


class Grant(Answer):
    """A job with the lease under which it is run."""

    done: Annotated[tuple[EvalDone, ...], Field(max_length=100)]
    """Evals that this node has done under the same challenge: it may go on after them."""
    envelope: Annotated[str, Field(max_length=64000)]
    """The job, signed by the service: a DSSE envelope whose payload is a `byogpu.job/1`."""
    heartbeat_s: Annotated[float, Field(gt=0, le=3600)]
    """Seconds between two heartbeats."""
    job_id: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9._-]{0,79}$")]
    token: Annotated[int, Field(le=2147483647, ge=1)]


class ClaimAnswer(Answer):
    """What a node gets: a job, or the reasons why not."""

    ask_again_s: Annotated[float, Field(ge=0)]
    """Seconds after which asking again makes sense."""
    hindrances: Annotated[tuple[Hindrance, ...], Field(max_length=100)]
    """Empty if there is a job."""
    job: Grant | None


class ClaimPost(Body):
    """Body of ``POST /api/v1/jobs/claim``."""

    node_key_id: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """A registered node of whoever asks."""
    offer: Offer
    sent_at: AwareDatetime
    """The node's clock; only the skew is made of it."""


class HeartbeatAnswer(Answer):
    """A lease that holds on."""

    cancel: bool
    """Whether to stop: somebody cancelled the job."""


class HeartbeatPost(Body):
    """Body of ``POST /api/v1/jobs/{job_id}/heartbeat``."""

    node_key_id: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    sent_at: AwareDatetime
    token: Annotated[int, Field(le=2147483647, ge=1)]


class JobPage(Answer):
    """A job with its history."""


class ProgressPost(Body):
    """Body of ``POST /api/v1/jobs/{job_id}/progress``."""

    done: Annotated[tuple[EvalDone, ...], Field(max_length=100)]
    """Every eval that is done so far."""
    node_key_id: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    token: Annotated[int, Field(le=2147483647, ge=1)]


class FinishPost(Body):
    """Body of ``POST /api/v1/jobs/{job_id}/finish``."""

    bundle_id: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    """The bundle, submitted; it has used the job's challenge."""
    node_key_id: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    token: Annotated[int, Field(le=2147483647, ge=1)]


class FailPost(Body):
    """Body of ``POST /api/v1/jobs/{job_id}/fail``."""

    cause: Literal["job", "node", "drained", "cancelled"]
    """``job``: it broke by itself; ``node``: the machine or the network did; ``drained``: the owner wants the machine;
``cancelled``: the heartbeat said so. Only ``job`` counts against the job."""
    detail: Annotated[str, Field(max_length=4096)]
    """What happened, for a person."""
    node_key_id: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    token: Annotated[int, Field(le=2147483647, ge=1)]


def claim_job(caller: Caller, body: ClaimPost) -> ClaimAnswer:
    """Ask for a job."""
    return caller.ask("POST", "/api/v1/jobs/claim", ClaimAnswer, body=body)


def post_heartbeat(caller: Caller, job_id: str, body: HeartbeatPost) -> HeartbeatAnswer:
    """Keep a lease."""
    return caller.ask("POST", at("/api/v1/jobs/{job_id}/heartbeat", job_id=job_id), HeartbeatAnswer, body=body)


def post_progress(caller: Caller, job_id: str, body: ProgressPost) -> JobPage:
    """Say which evals are done."""
    return caller.ask("POST", at("/api/v1/jobs/{job_id}/progress", job_id=job_id), JobPage, body=body)


def finish_job(caller: Caller, job_id: str, body: FinishPost) -> JobPage:
    """Deliver a bundle."""
    return caller.ask("POST", at("/api/v1/jobs/{job_id}/finish", job_id=job_id), JobPage, body=body)


def fail_job(caller: Caller, job_id: str, body: FailPost) -> JobPage:
    """Give a job back."""
    return caller.ask("POST", at("/api/v1/jobs/{job_id}/fail", job_id=job_id), JobPage, body=body)
