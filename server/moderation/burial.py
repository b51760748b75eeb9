"""Dropping what a bundle says, and keeping what it was."""

from collections import Counter

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from judge.rejudgement import read_judged
from judge.verdict import Verdict
from server.models import AssessmentRow, Bundle, BundleBlob, Pull, VerdictRow
from server.rulings import ClaimOutcome, RuleCount, Tombstone
from server.stored import let_go, readable


def bury(session: Session, bundle: Bundle) -> str:
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
    let_go(session, [bundle.id])
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
