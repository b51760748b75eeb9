"""Orders: jobs placed, approved and cancelled by people, and why each one stands where it stands.

Slash commands, buttons of a check and the API all come through here. Whether somebody may order or approve is for the
caller to find out, at the time of use. An approval is bound to one commit: a new head of the pull request makes every
order that has not begun *stale*.
"""

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from server import audit
from server.errors import AppError
from server.models import Job, JobState, Lease, Pull
from server.principals import Account
from server.settings import Settings
from server.waiting import JobRef, job_refs
from worker.bundle.canonical import canonical
from worker.bundle.job import Needs, Progress
from worker.suites import Suite, published

OPEN: tuple[JobState, ...] = ("unapproved", "queued", "leased")
OPERATOR = "the operator"
"""Under which name the operator orders and approves; no login has a space."""
UNSTARTED: tuple[JobState, ...] = ("unapproved", "queued")
_DAY = timedelta(days=1)
_FLOORS: Mapping[str, Needs] = {
    "standard": Needs(gpu_count=1, gpu_memory_bytes=80_000_000_000),
    "full": Needs(gpu_count=1, gpu_memory_bytes=140_000_000_000),
}
"""What a machine must have for a suite at least, as the suite's own file says; a smaller one would waste its hours."""


def place(
    session: Session,
    settings: Settings,
    *,
    pull_id: int,
    head_sha: str,
    suite: str,
    requested_by: str,
    approved_by: str | None,
    now: datetime,
    priority: int = 0,
    image: str | None = None,
    needs: Needs | None = None,
) -> Job:
    """Order a suite for the present head of an open pull request. The same order while one is open is that one.

    Args:
        session: A write session.
        settings: For the limits.
        pull_id: The pull request's row.
        head_sha: The commit that whoever orders has seen.
        suite: A published suite, as ``id`` (its newest version) or ``id/version``.
        requested_by: Login of whoever orders; limits count by it.
        approved_by: Login of an authorised user, whose word lets nodes of others run this commit; None: nobody yet.
        now: Now.
        priority: Steps forward in the line; negative: backward.
        image: Image by digest, approved with the commit; None: the operator's image of the suite.
        needs: What the machine must have beside what the suite asks for; None: nothing in particular.

    Raises:
        AppError: ``job_suite_not_found``, ``pull_closed``, ``job_head_moved``, ``orders_of_pull_exhausted``,
            ``orders_exhausted``.
    """
    chosen = _suite(suite)
    wanted = canonical(_at_least(needs or Needs(), _FLOORS.get(chosen.id, Needs()))).decode()
    pull = _pull_at(session, pull_id, head_sha)
    same = session.scalars(
        select(Job).where(
            Job.pull_id == pull_id,
            Job.head_sha == head_sha,
            Job.suite_digest == chosen.digest,
            Job.needs == wanted,
            Job.image.is_(None) if image is None else Job.image == image,
            Job.state.in_(OPEN),
        )
    ).first()
    if same is not None:
        if same.state == "unapproved" and approved_by is not None:
            _approve(session, settings, same, approved_by=approved_by, now=now)
        return same
    _require_room(session, settings, pull_id, requested_by, now)
    job = Job(
        id=f"j-{secrets.token_hex(8)}",
        pull_id=pull.id,
        head_sha=head_sha,
        suite=f"{chosen.id}/{chosen.version}",
        suite_digest=chosen.digest,
        image=image,
        needs=wanted,
        state="unapproved",
        reason="",
        priority=priority,
        requested_by=requested_by,
        requested_at=now,
        rank_at=now,
        run_after=now,
        token=0,
        failures=0,
        interruptions=0,
        progress=canonical(Progress()).decode(),
    )
    session.add(job)
    session.flush()
    _note(session, job, now, "job.ordered", by=requested_by, detail=f"{job.suite} for pull {pull.number} at {head_sha}")
    if approved_by is not None:
        _approve(session, settings, job, approved_by=approved_by, now=now)
    return job


def approve(
    session: Session, settings: Settings, job_id: str, *, head_sha: str, approved_by: str, now: datetime
) -> Job:
    """Let nodes of others run the commit of an order. Doing it again changes nothing.

    Args:
        session: A write session.
        settings: For the line.
        job_id: The job.
        head_sha: The commit that whoever approves has looked at: only that one is approved.
        approved_by: Login of an authorised user.
        now: Now.

    Raises:
        AppError: ``job_not_found``, ``job_head_moved``, ``pull_closed``, ``job_not_waiting``.
    """
    job = find_job(session, job_id)
    if job.head_sha != head_sha:
        raise AppError("job_head_moved", f"The job is for commit {job.head_sha}.")
    _pull_at(session, job.pull_id, head_sha)
    session.refresh(job, with_for_update=True)
    if job.state in ("queued", "leased"):
        return job
    if job.state != "unapproved":
        raise AppError("job_not_waiting", f"The job is {job.state}.")
    _approve(session, settings, job, approved_by=approved_by, now=now)
    return job


def cancel(session: Session, job_id: str, *, by: str, now: datetime) -> Job:
    """Cancel a job: at once if no node has it, else with the node's next heartbeat. Doing it again changes nothing.

    Raises:
        AppError: ``job_not_found``, ``job_ended``.
    """
    job = find_job(session, job_id, lock=True)
    if job.state == "cancelled" or (job.state == "leased" and job.cancelled_by is not None):
        return job
    if job.state not in OPEN:
        raise AppError("job_ended", f"The job is {job.state}.")
    job.cancelled_by = by
    if job.state in UNSTARTED:
        end(job, "cancelled", f"cancelled by {by}", now=now)
    _note(session, job, now, "job.cancelled", by=by)
    return job


def again(session: Session, settings: Settings, job_id: str, *, by: str, now: datetime) -> Job:
    """Put a job that was given up back in line, its counters at zero; it stays bound to its commit.

    Raises:
        AppError: ``job_not_found``, ``job_not_ended``, ``job_head_moved``, ``pull_closed``.
    """
    job = find_job(session, job_id)
    _pull_at(session, job.pull_id, job.head_sha)
    session.refresh(job, with_for_update=True)
    if job.state not in ("dead", "quarantined"):
        raise AppError("job_not_ended", f"The job is {job.state}.")
    job.failures, job.interruptions, job.ended_at, job.cancelled_by = 0, 0, None, None
    _approve(session, settings, job, approved_by=by, now=now)
    return job


def make_stale(session: Session, *, now: datetime, pull_id: int | None = None) -> int:
    """End what has not begun and never will: orders for a head that the pull request no longer has, or that is closed.

    Returns:
        How many.
    """
    passed: ColumnElement[bool] = (Pull.head_sha != Job.head_sha) | (Pull.state != "open")
    query = select(Job, Pull).join(Pull).where(Job.state.in_(UNSTARTED), passed)
    if pull_id is not None:
        query = query.where(Pull.id == pull_id)
    rows = session.execute(query.with_for_update(of=Job)).all()
    for job, pull in rows:
        closed = pull.state != "open"
        end(job, "stale", "the pull request was closed" if closed else f"the head is {pull.head_sha} now", now=now)
        _note(session, job, now, "job.stale", by=None, detail=job.reason)
    return len(rows)


def of_pull(session: Session, settings: Settings, pull_id: int, *, now: datetime) -> tuple[JobRef, ...]:
    """Every job of a pull request, newest first, each with the reason why it waits or how it ended."""
    rows = session.scalars(select(Job).where(Job.pull_id == pull_id).order_by(Job.requested_at.desc(), Job.id)).all()
    return job_refs(session, settings, rows, now=now)


def find_job(session: Session, job_id: str, *, lock: bool = False) -> Job:
    """A job by id.

    Args:
        session: A write session if ``lock``.
        job_id: Its id.
        lock: Whether to hold the row until the transaction ends.

    Raises:
        AppError: ``job_not_found``.
    """
    job = session.get(Job, job_id, with_for_update=True if lock else None)
    if job is None:
        raise AppError("job_not_found", f"There is no job {job_id}.")
    return job


def end(job: Job, state: JobState, reason: str, *, now: datetime) -> None:
    """Bring a job to a final state."""
    job.state, job.reason, job.ended_at = state, reason[:1000], now
    job.node_key_id, job.lease_until = None, None


def rank(settings: Settings, priority: int, since: datetime) -> datetime:
    """Where in the line somebody stands who waits since then."""
    return since - timedelta(seconds=priority * settings.job_ageing_s)


def _approve(session: Session, settings: Settings, job: Job, *, approved_by: str, now: datetime) -> None:
    job.state, job.reason, job.approved_by, job.approved_at = "queued", "", approved_by, now
    job.rank_at, job.run_after = rank(settings, job.priority, now), now
    _note(session, job, now, "job.approved", by=approved_by, detail=f"commit {job.head_sha}")


def _at_least(needs: Needs, floor: Needs) -> Needs:
    return needs.model_copy(
        update={
            "gpu_count": max(needs.gpu_count, floor.gpu_count),
            "gpu_memory_bytes": max(needs.gpu_memory_bytes, floor.gpu_memory_bytes),
        }
    )


def _suite(name: str) -> Suite:
    matching = [suite for suite in published() if name in (suite.id, f"{suite.id}/{suite.version}")]
    if not matching:
        there = ", ".join(sorted({suite.id for suite in published()}))
        raise AppError("job_suite_not_found", f"There is no suite {name[:100]}; there are: {there}.")
    return matching[-1]


def _pull_at(session: Session, pull_id: int, head_sha: str) -> Pull:
    """The pull request, held so that no second order is placed beside this one.

    Whoever holds both locks the pull request before a job: in the other order two of them would wait for one another.
    """
    pull = session.get_one(Pull, pull_id, with_for_update={"key_share": True})
    if pull.state != "open":
        raise AppError("pull_closed", f"Pull request {pull.number} is closed.")
    if pull.head_sha != head_sha:
        raise AppError("job_head_moved", f"The pull request's head is {pull.head_sha}.")
    return pull


def _require_room(session: Session, settings: Settings, pull_id: int, requested_by: str, now: datetime) -> None:
    count = select(func.count()).select_from(Job)
    of_pull = session.scalar(count.where(Job.pull_id == pull_id, Job.state.in_(OPEN))) or 0
    if of_pull >= settings.orders_per_pull:
        raise AppError("orders_of_pull_exhausted", f"{of_pull} jobs of the pull request are open; cancel one.")
    theirs = select(func.count()).select_from(Job)
    ordered = session.scalar(
        theirs.where(Job.requested_by == requested_by, Job.requested_at > now - _DAY, _costs_quota())
    )
    if (ordered or 0) >= settings.orders_per_requester:
        detail = f"{requested_by} ordered {ordered} jobs within a day; an order that never ran does not count."
        raise AppError("orders_exhausted", detail)


def _costs_quota() -> ColumnElement[bool]:
    """Open jobs, and ended ones that a node ran to an end of the job's own making."""
    own_doing = select(Lease.token).where(Lease.job_id == Job.id, Lease.outcome.in_(("finished", "failed")))
    return Job.state.in_(OPEN) | own_doing.exists()


def _note(session: Session, job: Job, now: datetime, action: str, *, by: str | None, detail: str = "") -> None:
    actor: audit.Actor = "service" if by is None else "admin" if by == OPERATOR else Account(f"github:{by}")
    audit.record(session, at=now, actor=actor, action=action, target=job.id, detail=detail)
