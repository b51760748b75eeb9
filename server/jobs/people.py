"""What people do with jobs: order, approve, cancel, order again. Whether they may is read at the time of use."""

from sqlalchemy.orm import Session

from server import orders
from server.errors import AppError
from server.jobs.schemas import ApprovalPost, OrderPost
from server.models import Job, Pull, Repository
from server.permission import may_write, name_of
from server.principals import Principal
from server.pulls import find_pull
from server.services import Services
from server.waiting import JobRef, job_refs


def order(services: Services, posted: OrderPost, *, by: Principal) -> JobRef:
    """Order a suite for the head of a pull request; approved at once if whoever orders may approve.

    Raises:
        AppError: ``pull_not_found``, ``credential_confined``, ``github_failed``, and those of `orders.place`.
    """
    with services.database.read() as session:
        pull, repository = find_pull(session, repository=posted.repository, number=posted.pull_number)
    by.require_inside(repository_id=repository.id, pull_number=pull.number, head_sha=posted.head_sha)
    approves, now = may_write(services, by, repository.name), services.clock()
    with services.database.write() as session:
        job = orders.place(
            session,
            services.settings,
            pull_id=pull.id,
            head_sha=posted.head_sha,
            suite=posted.suite,
            requested_by=name_of(by),
            approved_by=name_of(by) if approves else None,
            now=now,
            priority=posted.priority,
            image=posted.image,
            needs=posted.needs,
        )
        return _ref(session, services, job)


def approve(services: Services, job_id: str, posted: ApprovalPost, *, by: Principal) -> JobRef:
    """Approve the commit of an order.

    Raises:
        AppError: ``permission_missing``, ``credential_confined``, ``github_failed``, and those of `orders.approve`.
    """
    _require_permission(services, job_id, by)
    with services.database.write() as session:
        job = orders.approve(
            session,
            services.settings,
            job_id,
            head_sha=posted.head_sha,
            approved_by=name_of(by),
            now=services.clock(),
        )
        return _ref(session, services, job)


def cancel(services: Services, job_id: str, *, by: Principal) -> JobRef:
    """Cancel a job; whoever ordered it may, and whoever may approve.

    Raises:
        AppError: ``permission_missing``, ``credential_confined``, ``github_failed``, and those of `orders.cancel`.
    """
    with services.database.read() as session:
        own = orders.find_job(session, job_id).requested_by == name_of(by)
    if not own:
        _require_permission(services, job_id, by)
    with services.database.write() as session:
        return _ref(session, services, orders.cancel(session, job_id, by=name_of(by), now=services.clock()))


def again(services: Services, job_id: str, *, by: Principal) -> JobRef:
    """Order a job again that was given up.

    Raises:
        AppError: ``permission_missing``, ``credential_confined``, ``github_failed``, and those of `orders.again`.
    """
    _require_permission(services, job_id, by)
    with services.database.write() as session:
        job = orders.again(session, services.settings, job_id, by=name_of(by), now=services.clock())
        return _ref(session, services, job)


def _require_permission(services: Services, job_id: str, by: Principal) -> None:
    with services.database.read() as session:
        job = orders.find_job(session, job_id)
        pull = session.get_one(Pull, job.pull_id)
        repository = session.get_one(Repository, pull.repository_id)
    by.require_inside(repository_id=repository.id, pull_number=pull.number, head_sha=job.head_sha)
    if not may_write(services, by, repository.name):
        raise AppError("permission_missing", f"It takes the right to write to {repository.name}.")


def _ref(session: Session, services: Services, job: Job) -> JobRef:
    session.flush()
    return job_refs(session, services.settings, [job], now=services.clock())[0]
