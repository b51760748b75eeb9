"""Who is next: of the jobs that wait, the foremost that a node can run and its owner allows.

A job's place is the time it was approved, moved forward by its priority (`orders.rank`), so waiting weighs like
priority and nobody starves. Each job that a pull request has running moves its others back by one step, so that one
pull request with many jobs does not keep the rest waiting.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Select, and_, func, select
from sqlalchemy.orm import Session

from server.jobs.schemas import Hindrance
from server.models import Job, Lease, Pull, Repository
from server.settings import Settings
from server.waiting import image_of, needs_of, progress_of, suite_of, traits_of
from worker.bundle.job import Offer
from worker.bundle.matching import mismatches

_PAGE = 50
_EXPLAINED = 200
"""Most jobs of which it is said why they did not go to this node."""


@dataclass(frozen=True)
class Asker:
    """A node that asks for work.

    Attributes:
        node_key_id: The node.
        owner: Whom its jobs are counted for.
        address: Where it asks from.
        offer: What its machine has and its owner allows.
    """

    node_key_id: str
    owner: str
    address: str
    offer: Offer


@dataclass(frozen=True)
class Waiting:
    """A job in the line.

    Attributes:
        job: The job.
        repository: ``owner/name``.
        author: Of the pull request.
        last_node: Who had it last.
        last_end: When that lease ended.
    """

    job: Job
    repository: str
    author: str | None
    last_node: str | None
    last_end: datetime | None


def choose(
    session: Session, settings: Settings, asker: Asker, *, now: datetime
) -> tuple[Job | None, tuple[Hindrance, ...]]:
    """Choose a job for a node.

    Returns:
        The job, or None and every reason why those that wait do not go to this node.
    """
    full = _full(session, settings, asker)
    if full is not None:
        return None, (full,)
    running = _running(session)
    begun = _begun(session, settings, asker, running, now)
    if begun is not None:
        return begun, ()
    best: Job | None = None
    best_at = datetime.max.replace(tzinfo=now.tzinfo)
    reasons: Counter[str] = Counter()
    examples: dict[str, Hindrance] = {}
    rows = session.execute(_line(now).execution_options(yield_per=_PAGE))
    for row in rows:
        one = Waiting(*row)
        if one.job.rank_at >= best_at:
            break  # a place only ever moves back: nobody behind can be before the best so far
        against = _against(session, settings, asker, one, running.get(one.job.pull_id, 0), now)
        if against:
            if best is None and sum(reasons.values()) < _EXPLAINED:
                reasons.update(hindrance.code for hindrance in against)
                examples.update({hindrance.code: hindrance for hindrance in against})
            continue
        at = one.job.rank_at + timedelta(seconds=running.get(one.job.pull_id, 0) * settings.job_ageing_s)
        if at < best_at:
            best, best_at = one.job, at
    rows.close()
    if best is not None:
        return best, ()
    if not reasons:
        return None, (Hindrance(code="nothing_waits", jobs=0, detail="no approved job waits that may begin now"),)
    return None, tuple(examples[code].model_copy(update={"jobs": count}) for code, count in reasons.most_common())


def _line(now: datetime) -> Select[Job, str, str | None, str | None, datetime | None]:
    startable: ColumnElement[bool] = and_(
        Job.state == "queued", Job.run_after <= now, Pull.state == "open", Pull.head_sha == Job.head_sha
    )
    last = and_(Lease.job_id == Job.id, Lease.token == Job.token)
    return (
        select(Job, Repository.name, Pull.author, Lease.node_key_id, Lease.ended_at)
        .join(Pull, Pull.id == Job.pull_id)
        .join(Repository, Repository.id == Pull.repository_id)
        .outerjoin(Lease, last)
        .where(startable)
        .order_by(Job.rank_at, Job.id)
    )


def _begun(session: Session, settings: Settings, asker: Asker, running: dict[int, int], now: datetime) -> Job | None:
    """A job that this node can go on with; it comes before all others."""
    for row in session.execute(_line(now).where(Lease.node_key_id == asker.node_key_id)):
        one = Waiting(*row)
        done = progress_of(one.job).done
        if done and not _against(session, settings, asker, one, running.get(one.job.pull_id, 0), now):
            return one.job
    return None


def _full(session: Session, settings: Settings, asker: Asker) -> Hindrance | None:
    """Whether owner or address have as many jobs as they may have."""
    held = select(func.count()).select_from(Lease).where(Lease.ended_at.is_(None))
    if (session.scalar(held.where(Lease.owner == asker.owner)) or 0) >= settings.jobs_per_owner:
        detail = f"the owner's nodes run {settings.jobs_per_owner} jobs, as many as they may"
        return Hindrance(code="owner_busy", jobs=0, detail=detail)
    if (session.scalar(held.where(Lease.address == asker.address)) or 0) >= settings.jobs_per_address:
        detail = f"{settings.jobs_per_address} jobs run behind this address, as many as may"
        return Hindrance(code="address_busy", jobs=0, detail=detail)
    return None


def _running(session: Session) -> dict[int, int]:
    counted = select(Job.pull_id, func.count()).where(Job.state == "leased").group_by(Job.pull_id)
    return dict(session.execute(counted).all())


def _against(
    session: Session, settings: Settings, asker: Asker, one: Waiting, running: int, now: datetime
) -> tuple[Hindrance, ...]:
    """Everything that speaks against giving a job to this node now."""
    job, suite, image = one.job, suite_of(one.job), image_of(one.job, settings)
    if suite is None:
        return (_hindrance("suite_gone", f"this release does not publish suite {job.suite}"),)
    if image is None:
        return (_hindrance("no_image", f"the operator has set no image for suite {job.suite}"),)
    if running >= settings.jobs_per_pull:
        return (_hindrance("pull_busy", f"a pull request of {one.repository} has {running} jobs running"),)
    kept = timedelta(seconds=settings.job_resume_s)
    own_progress = one.last_node == asker.node_key_id and bool(progress_of(job).done)
    if not own_progress and progress_of(job).done and now < job.run_after + kept:
        return (_hindrance("kept_for_another", f"another node has evals of {job.id} and may go on"),)
    if job.token and not own_progress and _to_be_spared(session, asker, one, now):
        return (_hindrance("failed_here", f"{job.id} came to nothing here; other nodes may try it first"),)
    traits = traits_of(job, suite, image=image, repository=one.repository, author=one.author)
    found = mismatches(needs_of(job), traits, asker.offer.capabilities, asker.offer.consent)
    return tuple(Hindrance(code=mismatch.code, jobs=1, detail=mismatch.detail) for mismatch in found)


def _to_be_spared(session: Session, asker: Asker, one: Waiting, now: datetime) -> bool:
    """Whether the job came to nothing on this node, and others have not had their chance: twice the back-off."""
    back_off = one.job.run_after - (one.last_end or one.job.run_after)
    if now >= one.job.run_after + back_off:
        return False
    own = select(Lease.token).where(
        Lease.job_id == one.job.id,
        Lease.node_key_id == asker.node_key_id,
        Lease.outcome.in_(("failed", "interrupted", "expired")),
    )
    return session.scalar(own.limit(1)) is not None


def _hindrance(code: str, detail: str) -> Hindrance:
    return Hindrance.model_validate({"code": code, "jobs": 1, "detail": detail})
