"""What operators decided about bundles, as every part of the service reads it."""

from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import AwareDatetime, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from server.errors import AppError
from server.models import Ruling, RulingKind, ValidationState
from worker.bundle.record import Count, Record, Sha256

Reason = Annotated[str, Field(min_length=3, max_length=500)]


class RuleCount(Record):
    """How often a rule of one version found something."""

    rule_id: str
    rule_version: int
    count: Count


class ClaimOutcome(Record):
    """What a claim's verdict was that rested on the bundle."""

    claim_id: str
    outcome: str


class Tombstone(Record):
    """What is kept of a retracted or retired bundle: digests and what was made of it, nothing that it said itself."""

    bundle_id: Sha256
    size_bytes: Count
    blobs: tuple[Sha256, ...]
    """Digests of its files. A file that another bundle lists as well is still there."""
    validation_state: ValidationState
    trust_level: int | None
    findings: tuple[RuleCount, ...]
    verdicts: tuple[ClaimOutcome, ...]
    """Verdicts it decided when it was retracted; they were made again without it."""


class Release(Record):
    """Suspicions that a person lifted. A rule that is not among them can quarantine the bundle again."""

    rules: tuple[str, ...]


class Undone(Record):
    """That an operator took a decision back."""

    reason: str
    """In the operator's words."""
    at: AwareDatetime


class RulingRef(Record):
    """One decision about a bundle."""

    kind: RulingKind
    """``retracted``: contents are gone; ``invalidated``: shown, and counts for nothing; ``released``: suspicions were
    looked at and lifted; ``retired``: contents were not kept any longer."""
    reason: str
    """In the operator's words, or the retention policy's."""
    at: AwareDatetime
    undone: Undone | None
    """Null: it stands. Only an invalidation can be taken back."""


def rulings_of(session: Session, bundle_ids: Iterable[str]) -> Mapping[str, tuple[RulingRef, ...]]:
    """Decisions about bundles, oldest first; a bundle without one is missing."""
    found: dict[str, tuple[RulingRef, ...]] = {}
    rows = session.scalars(select(Ruling).where(Ruling.bundle_id.in_(list(bundle_ids))).order_by(Ruling.at))
    for row in rows:
        undone = Undone.model_validate_json(row.record) if row.kind == "invalidated" and row.record else None
        one = RulingRef(kind=row.kind, reason=row.reason, at=row.at, undone=undone)
        found[row.bundle_id] = (*found.get(row.bundle_id, ()), one)
    return found


def tombstone(session: Session, bundle_id: str) -> Tombstone | None:
    """What is kept of a bundle; None: its contents are here."""
    row = _burial(session, bundle_id)
    return Tombstone.model_validate_json(row.record) if row is not None else None


def released_rules(session: Session, bundle_id: str) -> tuple[str, ...]:
    """Rules whose suspicion was lifted."""
    row = session.get(Ruling, (bundle_id, "released"))
    return Release.model_validate_json(row.record).rules if row is not None else ()


def require_kept(session: Session, bundle_id: str) -> None:
    """Let only bundles pass whose contents are still here.

    Raises:
        AppError: ``bundle_retracted`` or ``bundle_retired``, with the tombstone.
    """
    found = _burial(session, bundle_id)
    if found is not None:
        kept = Tombstone.model_validate_json(found.record).model_dump(mode="json")
        extra = {"tombstone": kept}
        if found.kind == "retracted":
            raise AppError("bundle_retracted", f"Retracted: {found.reason[:200]}", extra=extra)
        raise AppError("bundle_retired", found.reason[:200], extra=extra)


def _burial(session: Session, bundle_id: str) -> Ruling | None:
    return session.scalar(
        select(Ruling).where(Ruling.bundle_id == bundle_id, Ruling.kind.in_(("retracted", "retired"))).limit(1)
    )
