"""A job as every part of the API shows it, with the reason why it stands where it stands. No job waits without one."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache

from pydantic import AwareDatetime
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.models import Job, JobState, NodeStatus, Pull, Repository
from server.settings import Settings
from worker.bundle.canonical import parse_record
from worker.bundle.job import EvalDone, JobId, Needs, Offer, Progress
from worker.bundle.matching import Traits, mismatches
from worker.bundle.record import CommitSha, Count, Label, Positive, Record, Sha256
from worker.suites import Suite, UnknownSuiteError, by_digest

OVERHEAD_S = 900
"""What a job may take beside its evals: the image, the code, probing, the upload."""
LATELY = timedelta(minutes=10)
"""A node that was not heard of for so long is not counted on."""
_NODES = 200
"""Most nodes that are asked whether they fit."""


class JobRef(Record):
    """A job in short."""

    id: JobId
    repository: str
    pull_number: Positive
    suite: Label
    """``id/version``."""
    head_sha: CommitSha
    """The commit that was ordered; an approval is for no other."""
    image: str | None
    """The image it runs in, by digest; null: the operator has set none yet."""
    needs: Needs
    state: JobState
    """``unapproved``: an authorised user has to approve the commit; ``queued``: a node may take it; ``leased``: one
    has it; ``done``: ``bundle_id`` came of it; ``cancelled``; ``stale``: the pull request moved on before it began;
    ``quarantined``: it failed on several nodes, somebody has to look; ``dead``: it was given up."""
    reason: str
    """Why it waits, what it is doing, or why it ended, in a sentence."""
    priority: int
    requested_by: Label
    requested_at: AwareDatetime
    approved_by: Label | None
    approved_at: AwareDatetime | None
    node_key_id: Sha256 | None
    """The node that has it now."""
    lease_until: AwareDatetime | None
    tries: Count
    """How often a node took it."""
    evals_done: tuple[EvalDone, ...]
    evals: tuple[Label, ...]
    """All evals of the suite, in order."""
    bundle_id: Sha256 | None
    ended_at: AwareDatetime | None


@dataclass(frozen=True)
class Surroundings:
    """What has to be known to say why jobs wait.

    Attributes:
        pulls: Pull requests and repositories of the jobs, by the pull request's row id.
        offers: What the nodes offer that were heard of lately.
        running: How many jobs each pull request has running.
        settings: For limits and images.
        now: Now.
    """

    pulls: Mapping[int, tuple[Pull, Repository]]
    offers: Sequence[Offer]
    running: Mapping[int, int]
    settings: Settings
    now: datetime


def job_refs(session: Session, settings: Settings, jobs: Sequence[Job], *, now: datetime) -> tuple[JobRef, ...]:
    """Jobs in short, in the order given."""
    around = _surroundings(session, settings, jobs, now)
    return tuple(_ref(job, around) for job in jobs)


def suite_of(job: Job) -> Suite | None:
    """The suite of a job; None: this release does not publish it any more."""
    return _published(job.suite_digest)


@cache
def _published(digest: str) -> Suite | None:
    """A suite by its digest, looked up once: a digest is computed from the whole suite, and queues are long."""
    try:
        return by_digest(digest)
    except UnknownSuiteError:
        return None


def image_of(job: Job, settings: Settings) -> str | None:
    """The image a job runs in; None: nobody has named one."""
    return job.image or settings.job_images.get(job.suite.partition("/")[0])


def time_limit_s(suite: Suite) -> int:
    """Longest time that a run of a suite may take."""
    return int(sum(plan.time_limit_s for plan in suite.evals)) + OVERHEAD_S


def traits_of(job: Job, suite: Suite, *, image: str, repository: str, author: str | None) -> Traits:
    """What a node's owner may want to know of a job."""
    return Traits(suite=job.suite, image=image, repository=repository, author=author, time_limit_s=time_limit_s(suite))


def needs_of(job: Job) -> Needs:
    """What a job's machine must have."""
    return parse_record(job.needs.encode(), Needs, code="body_invalid")


def progress_of(job: Job) -> Progress:
    """Which evals of a job are done."""
    return parse_record(job.progress.encode(), Progress, code="body_invalid")


def _surroundings(session: Session, settings: Settings, jobs: Sequence[Job], now: datetime) -> Surroundings:
    pull_ids = {job.pull_id for job in jobs}
    pulls = session.execute(select(Pull, Repository).join(Repository).where(Pull.id.in_(pull_ids))).all()
    offers: Iterable[str] = ()
    if any(job.state == "queued" for job in jobs):
        seen = select(NodeStatus.record).where(NodeStatus.seen_at > now - LATELY)
        offers = session.scalars(seen.order_by(NodeStatus.seen_at.desc()).limit(_NODES)).all()
    running = session.execute(
        select(Job.pull_id, func.count()).where(Job.state == "leased", Job.pull_id.in_(pull_ids)).group_by(Job.pull_id)
    )
    return Surroundings(
        pulls={pull.id: (pull, repository) for pull, repository in pulls},
        offers=[parse_record(record.encode(), Offer, code="body_invalid") for record in offers],
        running=dict(running.all()),
        settings=settings,
        now=now,
    )


def _ref(job: Job, around: Surroundings) -> JobRef:
    pull, repository = around.pulls[job.pull_id]
    suite = suite_of(job)
    return JobRef(
        id=job.id,
        repository=repository.name,
        pull_number=pull.number,
        suite=job.suite,
        head_sha=job.head_sha,
        image=image_of(job, around.settings),
        needs=needs_of(job),
        state=job.state,
        reason=_why(job, suite, around),
        priority=job.priority,
        requested_by=job.requested_by,
        requested_at=job.requested_at,
        approved_by=job.approved_by,
        approved_at=job.approved_at,
        node_key_id=job.node_key_id,
        lease_until=job.lease_until,
        tries=job.token,
        evals_done=progress_of(job).done,
        evals=() if suite is None else tuple(plan.id for plan in suite.evals),
        bundle_id=job.bundle_id,
        ended_at=job.ended_at,
    )


def _why(job: Job, suite: Suite | None, around: Surroundings) -> str:
    match job.state:
        case "unapproved":
            return f"An authorised user of the repository has to approve commit {job.head_sha[:12]}."
        case "queued":
            return _why_queued(job, suite, around)
        case "leased" if job.cancelled_by is not None:
            return f"Cancelled by {job.cancelled_by}; the node hears of it with its next heartbeat."
        case "leased":
            return "A node runs it."
        case "done":
            return "A node delivered a bundle."
        case "cancelled" | "stale" | "quarantined" | "dead":
            return f"{job.reason[:1].upper()}{job.reason[1:]}."


def _why_queued(job: Job, suite: Suite | None, around: Surroundings) -> str:
    pull, repository = around.pulls[job.pull_id]
    image = image_of(job, around.settings)
    if pull.state != "open":
        return "The pull request is closed; the order ends with the next sweep."
    if pull.head_sha != job.head_sha:
        return f"The pull request's head is {pull.head_sha[:12]} by now; the order ends with the next sweep."
    if suite is None:
        return f"This release of the service does not publish suite {job.suite}."
    if image is None:
        return f"The operator has set no image for suite {job.suite}."
    if job.run_after > around.now:
        again = f"{job.run_after.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
        return f"It is tried again at {again}; the last time: {job.reason}."
    if around.running.get(job.pull_id, 0) >= around.settings.jobs_per_pull:
        return f"The pull request has {around.settings.jobs_per_pull} jobs running, as many as it may have."
    traits = traits_of(job, suite, image=image, repository=repository.name, author=pull.author)
    return _why_no_node(needs_of(job), traits, around)


def _why_no_node(needs: Needs, traits: Traits, around: Surroundings) -> str:
    if not around.offers:
        return f"No node asked for work within the last {LATELY.seconds // 60} minutes."
    reasons: Counter[str] = Counter()
    fitting = 0
    for offer in around.offers:
        found = mismatches(needs, traits, offer.capabilities, offer.consent)
        fitting += not found
        reasons.update({one.detail for one in found})
    if fitting:
        return f"Waits for its turn: {fitting} of {len(around.offers)} nodes can run it."
    [(commonest, count)] = reasons.most_common(1)
    return f"None of {len(around.offers)} nodes fits. The commonest reason, of {count}: {commonest}."


EXAMPLE = JobRef(
    id="j-0123456789abcdef",
    repository="octo/kernels",
    pull_number=7,
    suite="smoke/1",
    head_sha="a94a8fe5ccb19ba61c4c0873d391e987982fbbd3",
    image="registry.example/byogpu/eval-smoke@sha256:3f0a6ce0c1b7e2a4c69a7e1b3a5b4d7cf2f0d8f6f3f4c2a1908f7e6d5c4b3a29",
    needs=Needs(gpu_count=1, gpu_model="H200"),
    state="queued",
    reason="Waits for its turn: 2 of 5 nodes can run it.",
    priority=0,
    requested_by="octocat",
    requested_at=datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC),
    approved_by="maintainer",
    approved_at=datetime(2026, 3, 14, 9, 30, 0, tzinfo=UTC),
    node_key_id=None,
    lease_until=None,
    tries=0,
    evals_done=(),
    evals=("numerics", "decode-step", "serving", "accuracy"),
    bundle_id=None,
    ended_at=None,
)
"""For OpenAPI."""
