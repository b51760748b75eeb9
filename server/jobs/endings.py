"""How leases and jobs end. Every lease ends once; a job that came to nothing is tried again, until it is given up."""

from datetime import datetime, timedelta

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from server import audit, orders
from server.models import Challenge, Job, Lease, LeaseOutcome
from server.services import Services
from server.settings import Settings

_LONGEST_BACKOFF_S = 3600
_BATCH = 100


def reap(services: Services, key: str) -> None:  # noqa: ARG001
    """End what time has ended: leases whose node went silent, and orders whose pull request moved on."""
    now = services.clock()
    with services.database.write() as session:
        orders.make_stale(session, now=now)
    more = True
    while more:
        with services.database.write() as session:
            more = notice_expired(session, services.settings, now=now) == _BATCH


def notice_expired(session: Session, settings: Settings, *, now: datetime) -> int:
    """End leases that ran out. If the node had submitted its bundle before, the job is done.

    Returns:
        How many.
    """
    run_out = select(Job).where(Job.state == "leased", Job.lease_until <= now).order_by(Job.lease_until).limit(_BATCH)
    jobs = session.scalars(run_out.with_for_update(skip_locked=True)).all()
    for job in jobs:
        delivered = session.scalar(select(Challenge.used_by).where(Challenge.id == job.challenge_id))
        if delivered is not None:
            deliver(session, job, delivered, now=now)
        else:
            come_to_nothing(session, settings, job, outcome="expired", detail="the node went silent", now=now)
    return len(jobs)


def deliver(session: Session, job: Job, bundle_id: str, *, now: datetime) -> None:
    """Finish a job with the bundle that came of it."""
    _close(session, job, "finished", "", now=now, bundle_id=bundle_id)
    job.bundle_id = bundle_id
    orders.end(job, "done", "", now=now)
    audit.record(session, at=now, actor="service", action="job.done", target=job.id, detail=f"bundle {bundle_id}")


def come_to_nothing(
    session: Session,
    settings: Settings,
    job: Job,
    *,
    outcome: LeaseOutcome,
    detail: str,
    now: datetime,
    at_once: bool = False,
) -> None:
    """End a lease without a bundle, and decide what becomes of its job.

    Args:
        session: A write session; the job's row is held.
        settings: For the limits.
        job: The job, leased.
        outcome: ``failed``: the job's own doing; ``interrupted``, ``expired``, ``replaced``: not; ``cancelled``.
        detail: What happened, for a person.
        now: Now.
        at_once: Whether it may be tried again without a wait: its node left in good order.
    """
    _close(session, job, outcome, detail, now=now)
    if job.cancelled_by is not None:
        _abandon(session, job, now)
        orders.end(job, "cancelled", f"cancelled by {job.cancelled_by}", now=now)
    else:
        if outcome == "failed":
            _abandon(session, job, now)
            job.failures += 1
        else:
            job.interruptions += 1
        _retry_or_give_up(session, settings, job, detail, now)
        if at_once and job.state == "queued":
            job.run_after = now
    action = "job.requeued" if job.state == "queued" else f"job.{job.state}"
    said = f"{outcome}: {detail}"
    audit.record(session, at=now, actor="service", action=action, target=job.id, detail=said)


def _retry_or_give_up(session: Session, settings: Settings, job: Job, detail: str, now: datetime) -> None:
    nodes = _failing_nodes(session, job)
    if nodes >= settings.job_failing_nodes:
        orders.end(job, "quarantined", f"it failed on {nodes} nodes, at last with: {detail}", now=now)
    elif job.failures >= settings.job_failures:
        orders.end(job, "dead", f"it failed {job.failures} times, at last with: {detail}", now=now)
    elif job.interruptions >= settings.job_interruptions:
        orders.end(job, "dead", f"it was interrupted {job.interruptions} times, at last because {detail}", now=now)
    else:
        wait_s = settings.job_backoff_s * 2.0 ** (job.failures + job.interruptions - 1)
        job.state, job.reason = "queued", detail[:1000]
        job.run_after = now + timedelta(seconds=min(wait_s, _LONGEST_BACKOFF_S))
        job.node_key_id, job.lease_until = None, None


def _failing_nodes(session: Session, job: Job) -> int:
    """On how many nodes it failed since its counters were at zero: a lease that came to nothing moves one."""
    session.flush()
    before = job.token - job.failures - job.interruptions
    nodes = select(func.count(Lease.node_key_id.distinct())).where(
        Lease.job_id == job.id, Lease.outcome == "failed", Lease.token > before
    )
    return session.scalar(nodes) or 0


def _close(
    session: Session, job: Job, outcome: LeaseOutcome, detail: str, *, now: datetime, bundle_id: str | None = None
) -> None:
    lease = session.get_one(Lease, (job.id, job.token))
    lease.ended_at, lease.outcome, lease.detail, lease.bundle_id = now, outcome, detail[:1000], bundle_id


def _abandon(session: Session, job: Job, now: datetime) -> None:
    """Say of the challenge that no bundle will come."""
    session.execute(
        update(Challenge)
        .where(Challenge.id == job.challenge_id, Challenge.used_by.is_(None), Challenge.abandoned_at.is_(None))
        .values(abandoned_at=now)
    )
