"""Where bundles stand as evidence, what is left to do for a pull request, and the log of bundles judged again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from judge.lifetime import Lifetime
from judge.policy import Shortfall
from judge.rejudgement import Rejudgement
from judge.rerun import RerunPlan
from judge.scope import ScopeMap
from judge.trust import Placement
from server.models import EvidenceRow, Outlook, Revalidation
from server.pagination import cursor_after, read_numbered_cursor
from server.results.schemas import RevalidationItem, RevalidationList
from server.stored import SHORTFALLS, readable


@dataclass(frozen=True)
class Stand:
    """Where a bundle stands, as of the last judgement of its pull request."""

    lifetime: Lifetime
    placement: Placement | None

    def stale(self, head_sha: str | None, *, now: str) -> bool:
        """Whether it is about another commit than the present head and nothing of it is inherited."""
        return head_sha != now and self.lifetime.standing != "inherited"


@dataclass(frozen=True)
class Left:
    """What is left to do for a pull request; all empty while it is not judged."""

    rerun: RerunPlan | None
    shortfalls: tuple[Shortfall, ...]
    scope: ScopeMap | None


def stands_of(session: Session, bundle_ids: Iterable[str]) -> Mapping[str, Stand]:
    """Where bundles stand; one that no pull request was judged with is missing."""
    rows = session.scalars(select(EvidenceRow).where(EvidenceRow.bundle_id.in_(list(bundle_ids))))
    return {
        row.bundle_id: Stand(lifetime, readable(Placement, row.placement))
        for row in rows
        if (lifetime := readable(Lifetime, row.record)) is not None
    }


def left(session: Session, pull_id: int) -> Left:
    """What is left to do for a pull request."""
    row = session.get(Outlook, pull_id)
    if row is None:
        return Left(None, (), None)
    return Left(readable(RerunPlan, row.rerun), SHORTFALLS.validate_json(row.shortfalls), readable(ScopeMap, row.scope))


def revalidation_list(session: Session, *, cursor: str | None, limit: int) -> RevalidationList:
    """One page of the log of bundles judged again, newest first.

    Raises:
        AppError: ``cursor_invalid``.
    """
    query = select(Revalidation).order_by(Revalidation.at.desc(), Revalidation.id.desc())
    if cursor is not None:
        query = query.where(tuple_(Revalidation.at, Revalidation.id) < read_numbered_cursor(cursor))
    rows = session.scalars(query.limit(limit + 1)).all()
    items = [
        RevalidationItem(
            id=row.id,
            bundle_id=row.bundle_id,
            at=row.at,
            edition_before=row.edition_before,
            edition_after=row.edition_after,
            changed=row.changed,
            difference=readable(Rejudgement, row.record),
        )
        for row in rows[:limit]
    ]
    last = rows[limit - 1] if len(rows) > limit else None
    return RevalidationList(items=tuple(items), next_cursor=cursor_after(last.at, str(last.id)) if last else None)
