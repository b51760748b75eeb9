"""Merge policies of repositories: read by everybody, set by the operator."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judge.policy import MergePolicy
from server import audit
from server.db import inserter
from server.errors import AppError
from server.models import Policy, Pull, Repository
from server.queue import enqueue
from server.services import Services
from server.stored import policy_of


def read(services: Services, name: str) -> MergePolicy:
    """A repository's policy, by name.

    Raises:
        AppError: ``repository_not_found``.
    """
    with services.database.read() as session:
        return policy_of(session, _find(session, name).id)


def put(services: Services, name: str, policy: MergePolicy) -> MergePolicy:
    """Set a repository's policy, and judge its open pull requests by it.

    Raises:
        AppError: ``repository_not_found``, ``policy_repeated``.
    """
    kinds = [need.kind for need in policy.needs]
    if len(set(kinds)) != len(kinds):
        raise AppError("policy_repeated", "Name every kind of claim once.")
    now = services.clock()
    with services.database.write() as session:
        repository = _find(session, name)
        record = policy.model_dump_json()
        values = {"record": record, "set_at": now}
        row = inserter(session)(Policy).values(repository_id=repository.id, **values)
        session.execute(row.on_conflict_do_update(index_elements=["repository_id"], set_=values))
        audit.record(session, at=now, actor="admin", action="policy.set", target=repository.name, detail=record)
        for pull_id in session.scalars(
            select(Pull.id).where(Pull.repository_id == repository.id, Pull.state == "open")
        ):
            enqueue(session, "refresh", str(pull_id), now=now)
    services.bell.ring()
    return policy


def _find(session: Session, name: str) -> Repository:
    found = session.scalar(
        select(Repository)
        .where(func.lower(Repository.name) == name.lower())
        .order_by(Repository.seen_at.desc())
        .limit(1)
    )
    if found is None:
        raise AppError("repository_not_found", f"No pull request of {name} is known here.")
    return found
