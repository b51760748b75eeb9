"""What the routes around jobs say and hear."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from server.models import LeaseOutcome
from server.waiting import JobRef
from worker.bundle.dsse import PublicKey
from worker.bundle.job import Capabilities, Consent, EvalDone, ImageReference, Needs, Offer
from worker.bundle.matching import MismatchCode
from worker.bundle.record import (
    Amount,
    CommitSha,
    Count,
    Identifier,
    Label,
    Positive,
    Record,
    RepositoryName,
    Sha256,
    Text,
    Time,
)

Token = Annotated[int, Field(ge=1, le=2**31 - 1)]
"""The fencing token of a lease."""


class ClaimPost(Record):
    """Body of ``POST /api/v1/jobs/claim``."""

    node_key_id: Sha256
    """A registered node of whoever asks."""
    offer: Offer
    sent_at: Time
    """The node's clock; only the skew is made of it."""


class Hindrance(Record):
    """Why jobs that wait were not given to this node."""

    code: Literal[
        MismatchCode,
        "nothing_waits",
        "no_image",
        "suite_gone",
        "pull_busy",
        "kept_for_another",
        "failed_here",
        "owner_busy",
        "address_busy",
    ]
    """Stable. ``nothing_waits``: no approved job does; ``no_image``: the operator has set none for the suite;
    ``suite_gone``: this release does not publish it; ``pull_busy``: its pull request has enough jobs running;
    ``kept_for_another``: another node has evals of it and may go on; ``failed_here``: other nodes may try it first;
    ``owner_busy`` and ``address_busy``: the owner, or the address, has as many jobs as it may have. The rest: what the
    machine lacks, or its owner does not allow."""
    jobs: Count
    """How many of the jobs that were looked at."""
    detail: Text
    """Of one of them, for a person."""


class Grant(Record):
    """A job with the lease under which it is run."""

    job_id: Identifier
    token: Token
    envelope: Annotated[str, Field(max_length=64_000)]
    """The job, signed by the service: a DSSE envelope whose payload is a `byogpu.job/1`."""
    lease_until: AwareDatetime
    heartbeat_s: Annotated[float, Field(gt=0, le=3600)]
    """Seconds between two heartbeats."""
    done: Annotated[tuple[EvalDone, ...], Field(max_length=100)]
    """Evals that this node has done under the same challenge: it may go on after them."""


class ClaimAnswer(Record):
    """What a node gets: a job, or the reasons why not."""

    job: Grant | None
    hindrances: Annotated[tuple[Hindrance, ...], Field(max_length=100)]
    """Empty if there is a job."""
    ask_again_s: Amount
    """Seconds after which asking again makes sense."""
    server_time: AwareDatetime


class HeartbeatPost(Record):
    """Body of ``POST /api/v1/jobs/{job_id}/heartbeat``."""

    node_key_id: Sha256
    token: Token
    sent_at: Time


class HeartbeatAnswer(Record):
    """A lease that holds on."""

    cancel: bool
    """Whether to stop: somebody cancelled the job."""
    lease_until: AwareDatetime
    server_time: AwareDatetime


class ProgressPost(Record):
    """Body of ``POST /api/v1/jobs/{job_id}/progress``."""

    node_key_id: Sha256
    token: Token
    done: Annotated[tuple[EvalDone, ...], Field(max_length=100)]
    """Every eval that is done so far."""


class FinishPost(Record):
    """Body of ``POST /api/v1/jobs/{job_id}/finish``."""

    node_key_id: Sha256
    token: Token
    bundle_id: Sha256
    """The bundle, submitted; it has used the job's challenge."""


class FailPost(Record):
    """Body of ``POST /api/v1/jobs/{job_id}/fail``."""

    node_key_id: Sha256
    token: Token
    cause: Literal["job", "node", "drained", "cancelled"]
    """``job``: it broke by itself; ``node``: the machine or the network did; ``drained``: the owner wants the machine;
    ``cancelled``: the heartbeat said so. Only ``job`` counts against the job."""
    detail: Text
    """What happened, for a person."""


class OrderPost(Record):
    """Body of ``POST /api/v1/jobs``."""

    repository: RepositoryName
    pull_number: Positive
    head_sha: CommitSha
    """The pull request's head as you have seen it; no other commit is run."""
    suite: Label
    """``id``, or ``id/version``."""
    priority: Annotated[int, Field(ge=-5, le=5)] = 0
    image: ImageReference | None = None
    """Null: the operator's image of the suite."""
    needs: Needs = Needs()


class ApprovalPost(Record):
    """Body of ``POST /api/v1/jobs/{job_id}/approve``."""

    head_sha: CommitSha
    """The commit that you have looked at: only this one is approved."""


class LeaseItem(Record):
    """One node's turn at a job."""

    token: Token
    node_key_id: Sha256
    owner: Label
    image: str
    began_at: AwareDatetime
    ended_at: AwareDatetime | None
    outcome: LeaseOutcome | None
    """Null: it holds."""
    detail: str
    bundle_id: Sha256 | None
    """What the node delivered. Of a lease that had ended before, it is evidence that this job does not count."""


class JobPage(Record):
    """A job with its history."""

    job: JobRef
    leases: tuple[LeaseItem, ...]
    """Oldest first."""


class JobList(Record):
    """One page of jobs, newest first."""

    items: tuple[JobRef, ...]
    next_cursor: str | None
    """Null: this is the last page."""


class NodeItem(Record):
    """A machine that asks for work, or did."""

    node_key_id: Sha256
    owner: Label
    project: bool
    """Whether the project runs it itself."""
    seen_at: AwareDatetime
    """When it was last heard of."""
    lately: bool
    """Whether that is so short ago that it is counted on."""
    skew_s: float
    """How far its clock is ahead of the service's; negative: behind."""
    capabilities: Capabilities
    consent: Consent
    job_id: Identifier | None
    """What it runs now."""


class NodeList(Record):
    """One page of nodes, last heard of first."""

    items: tuple[NodeItem, ...]
    next_cursor: str | None
    """Null: this is the last page."""


class ServiceKey(Record):
    """The key that signs jobs. Compare it with what the operator publishes before an agent trusts it."""

    key_id: Sha256
    public_key: PublicKey
