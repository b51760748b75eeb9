"""Decisions about bundles. Each is made once, with its reason, and what rests on the bundle is judged again."""

from typing import Literal

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, undefer

from judge.assess import Assessment
from judge.trust import suspicions
from server import audit
from server.errors import AppError
from server.models import Answer, AssessmentRow, Bundle, Pull, Ruling, RulingKind
from server.moderation.burial import bury
from server.moderation.schemas import RulingReceipt
from server.queue import enqueue
from server.rulings import Release, Undone, require_kept
from server.services import Services
from server.stored import readable


def withdraw(
    services: Services, bundle_id: str, *, kind: Literal["retracted", "invalidated"], reason: str
) -> RulingReceipt:
    """Make a bundle count for nothing, and drop its contents if it is retracted.

    Withdrawing again changes nothing; an invalidated bundle may still be retracted.

    Args:
        services: The service.
        bundle_id: A bundle that was judged.
        kind: ``retracted`` keeps a tombstone only.
        reason: Shown to everybody.

    Raises:
        AppError: ``bundle_not_found``, ``bundle_not_validated``, ``bundle_retracted``, ``bundle_retired``.
    """
    with services.database.write() as session:
        bundle = _judged(session, bundle_id)
        standing = session.get(Ruling, (bundle_id, kind))
        if standing is not None and kind == "invalidated" and standing.record:  # it was taken back meanwhile
            session.delete(standing)
            session.flush()
            standing = None
        if standing is None:
            require_kept(session, bundle_id)
            session.execute(delete(Answer).where(Answer.bundle_id == bundle_id))
            kept = bury(session, bundle) if kind == "retracted" else ""
            standing = _rule(session, services, bundle, kind, reason, kept)
            if kind == "retracted":
                enqueue(session, "sweep_uploads", "all", now=services.clock())
    services.bell.ring()
    return _receipt(bundle, standing)


def reinstate(services: Services, bundle_id: str, *, reason: str) -> RulingReceipt:
    """Take an invalidation back: the bundle counts again as it did. Both decisions stay visible with their reasons.

    Taking it back twice changes nothing.

    Raises:
        AppError: ``bundle_not_found``, ``bundle_not_validated``, ``bundle_retracted``, ``bundle_retired``,
            ``bundle_not_invalidated``.
    """
    with services.database.write() as session:
        bundle = _judged(session, bundle_id)
        require_kept(session, bundle_id)
        standing = session.get(Ruling, (bundle_id, "invalidated"))
        if standing is None:
            raise AppError("bundle_not_invalidated", "There is no invalidation to take back.")
        if not standing.record:
            standing.record = Undone(reason=reason, at=services.clock()).model_dump_json()
            _follow(session, services, bundle, "reinstated", reason)
    services.bell.ring()
    return _receipt(bundle, standing)


def release(services: Services, bundle_id: str, *, reason: str) -> RulingReceipt:
    """Lift a bundle's suspicions and validate it again. They still raise the number of reproductions it needs.

    Raises:
        AppError: ``bundle_not_found``, ``bundle_not_validated``, ``bundle_retracted``, ``bundle_retired``,
            ``bundle_not_quarantined``.
    """
    with services.database.write() as session:
        bundle = _judged(session, bundle_id)
        require_kept(session, bundle_id)
        if bundle.validation_state != "quarantined":
            raise AppError("bundle_not_quarantined", f"Validation ended in {bundle.validation_state}.")
        record = session.scalar(select(AssessmentRow.record).where(AssessmentRow.bundle_id == bundle_id))
        assessment = readable(Assessment, record)
        if assessment is None:
            raise AppError("bundle_not_validated", "It was judged by another release; judge it again first.")
        earlier = session.get(Ruling, (bundle_id, "released"))
        if earlier is not None:  # by fewer rules: the audit log keeps it
            session.delete(earlier)
            session.flush()
        kept = Release(rules=suspicions(assessment.findings)).model_dump_json()
        standing = _rule(session, services, bundle, "released", reason, kept)
        bundle.validation_state, bundle.validation_detail = "pending", ""
        enqueue(session, "validate", bundle_id, now=services.clock())
    services.bell.ring()
    return _receipt(bundle, standing)


def _judged(session: Session, bundle_id: str) -> Bundle:
    bundle = session.get(Bundle, bundle_id, with_for_update=True, options=[undefer(Bundle.manifest)])
    if bundle is None:
        raise AppError("bundle_not_found", f"There is no bundle {bundle_id}.")
    if bundle.upload_state != "complete" or bundle.validation_state in ("pending", "running"):
        raise AppError("bundle_not_validated", "Decide once validation has ended.")
    return bundle


def _rule(session: Session, services: Services, bundle: Bundle, kind: RulingKind, reason: str, record: str) -> Ruling:
    made = Ruling(bundle_id=bundle.id, kind=kind, reason=reason, record=record, at=services.clock())
    session.add(made)
    _follow(session, services, bundle, kind, reason)
    return made


def _follow(session: Session, services: Services, bundle: Bundle, what: str, reason: str) -> None:
    """Log a decision, and judge again what rests on the bundle."""
    now = services.clock()
    audit.record(session, at=now, actor="admin", action=f"bundle.{what}", target=bundle.id, detail=reason)
    pull_id = session.scalar(
        select(Pull.id).where(Pull.repository_id == bundle.repository_id, Pull.number == bundle.pull_number)
    )
    if pull_id is not None:
        enqueue(session, "refresh", str(pull_id), now=now)


def _receipt(bundle: Bundle, ruling: Ruling) -> RulingReceipt:
    return RulingReceipt(
        bundle_id=bundle.id, kind=ruling.kind, reason=ruling.reason, validation_state=bundle.validation_state
    )
