"""What the pages about queue and nodes read."""

from datetime import datetime

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from server import orders
from server.jobs.schemas import JobList, JobPage, LeaseItem, NodeItem, NodeList
from server.models import Job, JobState, Lease, Node, NodeStatus
from server.pagination import cursor_after, read_cursor
from server.pulls import find_pull
from server.services import Services
from server.waiting import LATELY, job_refs
from worker.bundle.canonical import parse_record
from worker.bundle.job import Offer


def jobs(
    services: Services,
    *,
    states: tuple[JobState, ...],
    pull: tuple[str, int] | None,
    cursor: str | None,
    limit: int,
) -> JobList:
    """One page of jobs, newest first.

    Args:
        services: The service.
        states: Only jobs in one of these; empty: any.
        pull: Only of this pull request, ``owner/name`` and number.
        cursor: Where the page before ended.
        limit: Most items.

    Raises:
        AppError: ``pull_not_found``, ``cursor_invalid``.
    """
    query = select(Job).order_by(Job.requested_at.desc(), Job.id.desc())
    if states:
        query = query.where(Job.state.in_(states))
    if cursor is not None:
        query = query.where(tuple_(Job.requested_at, Job.id) < read_cursor(cursor))
    with services.database.read() as session:
        if pull is not None:
            query = query.where(Job.pull_id == find_pull(session, repository=pull[0], number=pull[1])[0].id)
        rows = session.scalars(query.limit(limit + 1)).all()
        shown = rows[:limit]
        items = job_refs(session, services.settings, shown, now=services.clock())
    more = cursor_after(shown[-1].requested_at, shown[-1].id) if len(rows) > limit else None
    return JobList(items=items, next_cursor=more)


def job(services: Services, job_id: str) -> JobPage:
    """One job with its history.

    Raises:
        AppError: ``job_not_found``.
    """
    with services.database.read() as session:
        found = orders.find_job(session, job_id)
        [ref] = job_refs(session, services.settings, [found], now=services.clock())
        rows = session.execute(
            select(Lease, Node.owner).join(Node).where(Lease.job_id == job_id).order_by(Lease.token)
        ).all()
    return JobPage(job=ref, leases=tuple(_lease_item(lease, owner) for lease, owner in rows))


def nodes(services: Services, *, cursor: str | None, limit: int) -> NodeList:
    """One page of the nodes that ask for work, last heard of first.

    Raises:
        AppError: ``cursor_invalid``.
    """
    now = services.clock()
    query = select(NodeStatus, Node).join(Node).order_by(NodeStatus.seen_at.desc(), NodeStatus.node_key_id.desc())
    if cursor is not None:
        query = query.where(tuple_(NodeStatus.seen_at, NodeStatus.node_key_id) < read_cursor(cursor))
    with services.database.read() as session:
        rows = session.execute(query.limit(limit + 1)).all()
        shown = rows[:limit]
        running = _running(session, [status.node_key_id for status, _ in shown])
    items = tuple(_node_item(status, node, running.get(status.node_key_id), now) for status, node in shown)
    more = cursor_after(shown[-1][0].seen_at, shown[-1][0].node_key_id) if len(rows) > limit else None
    return NodeList(items=items, next_cursor=more)


def _running(session: Session, node_key_ids: list[str]) -> dict[str, str]:
    held = session.execute(select(Job.node_key_id, Job.id).where(Job.node_key_id.in_(node_key_ids)))
    return {node: job_id for node, job_id in held if node is not None}


def _lease_item(lease: Lease, owner: str) -> LeaseItem:
    return LeaseItem(
        token=lease.token,
        node_key_id=lease.node_key_id,
        owner=owner,
        image=lease.image,
        began_at=lease.began_at,
        ended_at=lease.ended_at,
        outcome=lease.outcome,
        detail=lease.detail,
        bundle_id=lease.bundle_id,
    )


def _node_item(status: NodeStatus, node: Node, job_id: str | None, now: datetime) -> NodeItem:
    offer = parse_record(status.record.encode(), Offer, code="body_invalid")
    return NodeItem(
        node_key_id=node.key_id,
        owner=node.owner,
        project=node.project,
        seen_at=status.seen_at,
        lately=status.seen_at > now - LATELY,
        skew_s=status.skew_s,
        capabilities=offer.capabilities,
        consent=offer.consent,
        job_id=job_id,
    )
