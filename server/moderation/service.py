"""Decisions about bundles. Each is made once, with its reason, and what rests on the bundle is judged again."""

from collections import Counter
from typing import Literal

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, undefer

from judge.assess import Assessment
from judge.rejudgement import read_judged
from judge.trust import suspicions
from judge.verdict import Verdict
from server import audit
from server.errors import AppError
from server.models import AssessmentRow, Bundle, BundleBlob, Pull, Ruling, RulingKind, VerdictRow
from server.moderation.schemas import RulingReceipt
from server.queue import enqueue
from server.rulings import ClaimOutcome, Release, RuleCount, Tombstone, require_kept
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
        AppError: ``bundle_not_found``, ``bundle_not_validated``, ``bundle_retracted``.
    """
    with services.database.write() as session:
        bundle = _judged(session, bundle_id)
        standing = session.get(Ruling, (bundle_id, kind))
        if standing is None:
            require_kept(session, bundle_id)
            kept = _bury(session, bundle) if kind == "retracted" else ""
            standing = _rule(session, services, bundle, kind, reason, kept)
            if kind == "retracted":
                enqueue(session, "sweep_uploads", "all", now=services.clock())
    services.bell.ring()
    return _receipt(bundle, standing)


def release(services: Services, bundle_id: str, *, reason: str) -> RulingReceipt:
    """Lift a bundle's suspicions and validate it again. They still raise the number of reproductions it needs.

    Raises:
        AppError: ``bundle_not_found``, ``bundle_not_validated``, ``bundle_retracted``, ``bundle_not_quarantined``.
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
    now = services.clock()
    made = Ruling(bundle_id=bundle.id, kind=kind, reason=reason, record=record, at=now)
    session.add(made)
    audit.record(session, at=now, actor="admin", action=f"bundle.{kind}", target=bundle.id, detail=reason)
    pull_id = session.scalar(
        select(Pull.id).where(Pull.repository_id == bundle.repository_id, Pull.number == bundle.pull_number)
    )
    if pull_id is not None:
        enqueue(session, "refresh", str(pull_id), now=now)
    return made


def _bury(session: Session, bundle: Bundle) -> str:
    """Drop what the bundle says, and answer with what is kept. Its blobs go with the next sweep."""
    blobs = session.scalars(
        select(BundleBlob.sha256).where(BundleBlob.bundle_id == bundle.id).order_by(BundleBlob.sha256)
    ).all()
    record = session.scalar(select(AssessmentRow.record).where(AssessmentRow.bundle_id == bundle.id))
    marks = read_judged(record).marks if record is not None else ()
    counts = Counter((one.rule_id, one.rule_version) for one in marks)
    kept = Tombstone(
        bundle_id=bundle.id,
        size_bytes=bundle.size_bytes,
        blobs=tuple(blobs),
        validation_state=bundle.validation_state,
        trust_level=bundle.trust_level,
        findings=tuple(RuleCount(rule_id=rule, rule_version=version, count=n) for (rule, version), n in counts.items()),
        verdicts=_decided(session, bundle),
    )
    session.execute(delete(AssessmentRow).where(AssessmentRow.bundle_id == bundle.id))
    session.execute(delete(BundleBlob).where(BundleBlob.bundle_id == bundle.id))
    bundle.manifest = b""
    return kept.model_dump_json()


def _decided(session: Session, bundle: Bundle) -> tuple[ClaimOutcome, ...]:
    records = session.scalars(
        select(VerdictRow.record)
        .join(Pull, Pull.id == VerdictRow.pull_id)
        .where(Pull.repository_id == bundle.repository_id, Pull.number == bundle.pull_number)
        .order_by(VerdictRow.position)
    )
    verdicts = [one for record in records if (one := readable(Verdict, record)) is not None]
    return tuple(
        ClaimOutcome(claim_id=one.claim_id, outcome=one.outcome)
        for one in verdicts
        if one.bundle_ids and one.bundle_ids[0] == bundle.id
    )


def _receipt(bundle: Bundle, ruling: Ruling) -> RulingReceipt:
    return RulingReceipt(
        bundle_id=bundle.id, kind=ruling.kind, reason=ruling.reason, validation_state=bundle.validation_state
    )
