"""Leases: a node claims a job, keeps it by heartbeats, and ends it by a bundle or a reason.

A lease ends when its end is noticed, not when its time is over: a node that was silent for too long keeps its job as
long as nobody took it. From then on its fencing token is stale, and nothing it says changes the job any more.
"""

from datetime import datetime, timedelta

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from server import audit
from server.db import inserter
from server.errors import AppError
from server.issued import new_challenge
from server.jobs.endings import come_to_nothing, deliver, notice_expired
from server.jobs.line import Asker, choose
from server.jobs.schemas import (
    ClaimAnswer,
    ClaimPost,
    FailPost,
    FinishPost,
    Grant,
    HeartbeatAnswer,
    HeartbeatPost,
    ProgressPost,
)
from server.jobs.spec import issue_spec
from server.models import Challenge, Job, Lease, Node, NodeStatus, Pull, Repository
from server.orders import find_job
from server.principals import Principal
from server.services import Services
from server.waiting import image_of, progress_of, suite_of, time_limit_s
from worker.bundle.canonical import canonical
from worker.bundle.job import EvalDone, Progress
from worker.suites import Suite

ASK_AGAIN_S = 20.0
_CLAIMS = 7_246_083_116
"""Key of the advisory lock under which claims are decided one after the other, so that the limits hold."""


def claim(services: Services, posted: ClaimPost, *, by: Principal, address: str) -> ClaimAnswer:
    """Give a node the job that is next for it.

    A node that asks while it holds a lease has lost the job's process, or our answer: that lease ends here.

    Raises:
        AppError: ``node_not_found``, ``node_not_yours``.
    """
    now, settings = services.clock(), services.settings
    with services.database.write() as session:
        _one_at_a_time(session)
        node = _own_node(session, by, posted.node_key_id)
        notice_expired(session, settings, now=now)
        for job in session.scalars(select(Job).where(Job.node_key_id == node.key_id).with_for_update()).all():
            detail = "its node asked for work anew"
            come_to_nothing(session, settings, job, outcome="replaced", detail=detail, now=now, at_once=True)
        session.flush()
        asker = Asker(node.key_id, _owner(by, node), address, posted.offer)
        chosen, hindrances = choose(session, settings, asker, now=now)
        grant = None if chosen is None else _grant(session, services, chosen, asker, now)
        _note_status(session, posted, now)
    return ClaimAnswer(job=grant, hindrances=hindrances, ask_again_s=0.0 if grant else ASK_AGAIN_S, server_time=now)


def heartbeat(services: Services, job_id: str, posted: HeartbeatPost, *, by: Principal) -> HeartbeatAnswer:
    """Keep a lease.

    Raises:
        AppError: ``node_not_found``, ``node_not_yours``, ``lease_lost``.
    """
    now = services.clock()
    until = now + timedelta(seconds=services.settings.job_lease_s)
    with services.database.write(durable=False) as session:
        _own_node(session, by, posted.node_key_id)
        held = session.execute(
            update(Job)
            .where(
                Job.id == job_id,
                Job.state == "leased",
                Job.token == posted.token,
                Job.node_key_id == posted.node_key_id,
            )
            .values(lease_until=until)
            .returning(Job.cancelled_by)
        ).one_or_none()
        session.execute(
            update(NodeStatus)
            .where(NodeStatus.node_key_id == posted.node_key_id)
            .values(seen_at=now, skew_s=(posted.sent_at - now).total_seconds())
        )
    if held is None:
        raise _lost()
    return HeartbeatAnswer(cancel=held.cancelled_by is not None, lease_until=until, server_time=now)


def progress(services: Services, job_id: str, posted: ProgressPost, *, by: Principal) -> tuple[EvalDone, ...]:
    """Note which evals are done. What was noted stays, so old messages change nothing.

    Returns:
        All that are noted now, in the suite's order.

    Raises:
        AppError: ``job_not_found``, ``node_not_found``, ``node_not_yours``, ``lease_lost``, ``job_progress_invalid``.
    """
    with services.database.write() as session:
        job = _held(session, by, job_id, posted.node_key_id, posted.token)
        suite = suite_of(job)
        order = [] if suite is None else [plan.id for plan in suite.evals]
        ids = [one.eval_id for one in posted.done]
        if len(set(ids)) != len(ids) or not set(ids) <= set(order):
            raise AppError("job_progress_invalid", f"The suite's evals are {', '.join(order)}, each at most once.")
        noted = {one.eval_id: one for one in (*posted.done, *progress_of(job).done)}
        done = tuple(noted[eval_id] for eval_id in order if eval_id in noted)
        job.progress = canonical(Progress(done=done)).decode()
    return done


def finish(services: Services, job_id: str, posted: FinishPost, *, by: Principal) -> None:
    """Finish a job with a bundle that was submitted for it. The same message again changes nothing.

    A bundle that comes under a lease that has ended is noted with that lease and changes nothing else.

    Raises:
        AppError: ``job_not_found``, ``node_not_found``, ``node_not_yours``, ``job_bundle_unbound``, ``lease_lost``.
    """
    now = services.clock()
    with services.database.write() as session:
        _own_node(session, by, posted.node_key_id)
        job = find_job(session, job_id, lock=True)
        lease = session.get(Lease, (job_id, posted.token))
        if lease is None or lease.node_key_id != posted.node_key_id:
            raise _lost()
        if session.scalar(select(Challenge.used_by).where(Challenge.id == lease.challenge_id)) != posted.bundle_id:
            raise AppError(
                "job_bundle_unbound", "Submit a bundle first that names the job's challenge as it was issued."
            )
        if _holds(job, posted.node_key_id, posted.token):
            deliver(session, job, posted.bundle_id, now=now)
        elif lease.bundle_id is None:
            lease.bundle_id = posted.bundle_id
            detail = f"bundle {posted.bundle_id} under token {posted.token}"
            audit.record(session, at=now, actor=by.actor, action="job.late_bundle", target=job_id, detail=detail)
        counts = job.bundle_id == posted.bundle_id
    if not counts:
        raise _lost()


def fail(services: Services, job_id: str, posted: FailPost, *, by: Principal) -> None:
    """End a lease without a bundle.

    Raises:
        AppError: ``job_not_found``, ``node_not_found``, ``node_not_yours``, ``lease_lost``.
    """
    now = services.clock()
    with services.database.write() as session:
        job = _held(session, by, job_id, posted.node_key_id, posted.token)
        stopped = posted.cause == "cancelled" and job.cancelled_by is not None
        come_to_nothing(
            session,
            services.settings,
            job,
            outcome="cancelled" if stopped else "failed" if posted.cause == "job" else "interrupted",
            detail=posted.detail or posted.cause,
            now=now,
            at_once=posted.cause == "drained",
        )


def _grant(session: Session, services: Services, job: Job, asker: Asker, now: datetime) -> Grant:
    """Lease a job: it gets a new token, and its challenge."""
    settings = services.settings
    pull = session.get_one(Pull, job.pull_id)
    repository = session.get_one(Repository, pull.repository_id)
    suite, image = suite_of(job), image_of(job, settings)
    assert suite is not None
    assert image is not None  # `line.choose` gives no other
    challenge = _same_challenge(session, job, asker, suite, now)
    if challenge is None:
        job.progress = canonical(Progress()).decode()
        challenge = new_challenge(
            session,
            settings,
            pull=pull,
            repository=repository,
            suite=suite,
            node_key_id=asker.node_key_id,
            requester=asker.address,
            actor="service",
            now=now,
        )
    job.state, job.token, job.node_key_id = "leased", job.token + 1, asker.node_key_id
    job.lease_until, job.challenge_id = now + timedelta(seconds=settings.job_lease_s), challenge.id
    session.add(
        Lease(
            job_id=job.id,
            token=job.token,
            node_key_id=asker.node_key_id,
            owner=asker.owner,
            address=asker.address,
            challenge_id=challenge.id,
            image=image,
            began_at=now,
            detail="",
        )
    )
    detail = f"token {job.token}, node {asker.node_key_id}"
    audit.record(session, at=now, actor="service", action="job.leased", target=job.id, detail=detail)
    return Grant(
        job_id=job.id,
        token=job.token,
        envelope=issue_spec(settings, job, pull, repository, suite=suite, image=image, challenge=challenge, now=now),
        lease_until=job.lease_until,
        heartbeat_s=settings.job_lease_s / 4,
        done=progress_of(job).done,
    )


def _same_challenge(session: Session, job: Job, asker: Asker, suite: Suite, now: datetime) -> Challenge | None:
    """The challenge of the lease before, if this node did evals under it and there is time left for the others."""
    if job.challenge_id is None or not progress_of(job).done:
        return None
    challenge = session.get_one(Challenge, job.challenge_id)
    usable = challenge.used_by is None and challenge.abandoned_at is None
    in_time = challenge.expires_at > now + timedelta(seconds=time_limit_s(suite))
    return challenge if usable and in_time and challenge.node_key_id == asker.node_key_id else None


def _held(session: Session, by: Principal, job_id: str, node_key_id: str, token: int) -> Job:
    """The job of a lease that holds, its row held too."""
    _own_node(session, by, node_key_id)
    job = find_job(session, job_id, lock=True)
    if not _holds(job, node_key_id, token):
        raise _lost()
    return job


def _holds(job: Job, node_key_id: str, token: int) -> bool:
    return (job.state, job.token, job.node_key_id) == ("leased", token, node_key_id)


def _lost() -> AppError:
    return AppError("lease_lost", "Stop: the job has ended, or another lease of it has begun.")


def _own_node(session: Session, by: Principal, node_key_id: str) -> Node:
    """The node, if whoever asks may speak for it."""
    node = session.get(Node, node_key_id)
    if node is None or node.revoked_at is not None:
        raise AppError("node_not_found", f"No registered node has key {node_key_id}.")
    if by.kind == "operator":
        return node
    bound_elsewhere = by.node_key_id is not None and by.node_key_id != node_key_id
    if by.account_id is None or node.account_id != by.account_id or bound_elsewhere:
        raise AppError("node_not_yours", "The credential does not speak for this node.")
    return node


def _owner(by: Principal, node: Node) -> str:
    """Whom a node's jobs are counted for: its account, or the owner that the operator wrote down."""
    return by.owner if node.account_id is not None else f"registered:{node.owner}"[:200]


def _note_status(session: Session, posted: ClaimPost, now: datetime) -> None:
    """Keep what the node said of itself. Last, so that claims and heartbeats lock job and node in the same order."""
    said = {
        "seen_at": now,
        "skew_s": (posted.sent_at - now).total_seconds(),
        "record": canonical(posted.offer).decode(),
    }
    insert = inserter(session)(NodeStatus).values(node_key_id=posted.node_key_id, **said)
    session.execute(insert.on_conflict_do_update(index_elements=["node_key_id"], set_=said))


def _one_at_a_time(session: Session) -> None:
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(_CLAIMS)))
