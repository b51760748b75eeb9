"""Community compute: jobs that were ordered, the leases under which nodes ran them, and what nodes last offered."""

from datetime import datetime
from typing import Literal

from sqlalchemy import ForeignKey, Index, Integer, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from server.db import UtcDateTime
from server.models.table import DIGEST, STATE, Table, one_of

JobState = Literal["unapproved", "queued", "leased", "done", "cancelled", "stale", "quarantined", "dead"]
LeaseOutcome = Literal["finished", "failed", "interrupted", "expired", "cancelled", "replaced"]


class Job(Table):
    """One suite that is to be run for one commit of a pull request."""

    __tablename__ = "job"
    __table_args__ = (
        Index("ix_job_line", "state", "rank_at"),
        Index("ix_job_pull", "pull_id", "requested_at"),
        Index("ix_job_requested", "requested_at", "id"),
        Index("ix_job_requester", "requested_by", "requested_at"),
        one_of("state", JobState),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    pull_id: Mapped[int] = mapped_column(ForeignKey("pull.id"))
    head_sha: Mapped[str] = mapped_column(DIGEST)
    """The commit that was asked for and approved; no other is ever run."""
    suite: Mapped[str] = mapped_column(String(100))
    """``id/version``, for lists."""
    suite_digest: Mapped[str] = mapped_column(DIGEST)
    image: Mapped[str | None] = mapped_column(String(400))
    """``name@sha256:...``, approved with the commit; None: the operator's image of the suite."""
    needs: Mapped[str] = mapped_column(Text)
    """A `worker.bundle.job` Needs."""
    state: Mapped[JobState] = mapped_column(STATE)
    reason: Mapped[str] = mapped_column(Text)
    """Why it ended as it did, or why its last lease ended; else empty."""
    priority: Mapped[int]
    requested_by: Mapped[str] = mapped_column(String(200))
    requested_at: Mapped[datetime] = mapped_column(UtcDateTime)
    approved_by: Mapped[str | None] = mapped_column(String(200))
    approved_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    cancelled_by: Mapped[str | None] = mapped_column(String(200))
    """Who asked that it be cancelled; a node that runs it hears of it with its next heartbeat."""
    rank_at: Mapped[datetime] = mapped_column(UtcDateTime)
    """Its place in the line: when it was approved, moved forward by its priority. Whoever waits overtakes in time."""
    run_after: Mapped[datetime] = mapped_column(UtcDateTime)
    """No node gets it earlier: the back-off after a lease that came to nothing."""
    token: Mapped[int]
    """The fencing token: how many leases there have been. Only the newest may change anything."""
    node_key_id: Mapped[str | None] = mapped_column(ForeignKey("node.key_id"), index=True)
    """Who holds the lease."""
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    failures: Mapped[int]
    """Leases that the job itself brought to nothing."""
    interruptions: Mapped[int]
    """Leases that came to nothing through no fault of the job."""
    challenge_id: Mapped[str | None] = mapped_column(ForeignKey("challenge.id"))
    """What the present or last lease was issued with."""
    progress: Mapped[str] = mapped_column(Text)
    """A `worker.bundle.job` Progress: evals that are done under this challenge, kept by the node it was issued to."""
    bundle_id: Mapped[str | None] = mapped_column(ForeignKey("bundle.id"))
    """What came of it."""
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class Lease(Table):
    """One node's turn at a job. Written once when it begins and once when it ends."""

    __tablename__ = "lease"
    __table_args__ = (
        Index("ix_lease_owner", "owner", "ended_at"),
        Index("ix_lease_address", "address", "ended_at"),
        one_of("outcome", LeaseOutcome),
    )

    job_id: Mapped[str] = mapped_column(ForeignKey("job.id"), primary_key=True)
    token: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    node_key_id: Mapped[str] = mapped_column(ForeignKey("node.key_id"), index=True)
    owner: Mapped[str] = mapped_column(String(200))
    address: Mapped[str] = mapped_column(String(64))
    """Address that claimed it, for the limits; never shown."""
    challenge_id: Mapped[str] = mapped_column(ForeignKey("challenge.id"))
    image: Mapped[str] = mapped_column(String(400))
    """The image it was told to run."""
    began_at: Mapped[datetime] = mapped_column(UtcDateTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    outcome: Mapped[LeaseOutcome | None] = mapped_column(STATE)
    """None: it holds, or its end has not been noticed yet."""
    detail: Mapped[str] = mapped_column(Text)
    """Why it came to nothing; else empty."""
    bundle_id: Mapped[str | None] = mapped_column(ForeignKey("bundle.id"))
    """What the node delivered. Of a lease that had ended before, it is evidence that no job counts."""


class NodeStatus(Table):
    """What a node's agent last said about its machine. Overwritten whenever it asks for work."""

    __tablename__ = "node_status"

    node_key_id: Mapped[str] = mapped_column(ForeignKey("node.key_id"), primary_key=True)
    seen_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
    skew_s: Mapped[float]
    """How far the node's clock was ahead of the service's; negative: behind."""
    record: Mapped[str] = mapped_column(Text)
    """A `worker.bundle.job` Offer."""
