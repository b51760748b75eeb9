"""Whether a bundle may use the challenge that it names, and what the judge is told about that challenge."""

from datetime import datetime

from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session, undefer

from judge.evidence import IssuedChallenge
from server import audit
from server.intake import signatures
from server.issued import fate
from server.models import Bundle, Challenge, Pull
from server.principals import Principal
from worker.bundle import parse_manifest


def use(session: Session, bundle_id: str, *, now: datetime, by: Principal) -> None:
    """Let a bundle use its challenge, in the transaction that completes its upload.

    One statement compares everything that the challenge binds and writes the bundle's id, so of two bundles that come
    at once one is first. A bundle that is bound otherwise, comes too late or second changes nothing here: rules say so.
    """
    bundle = session.get_one(Bundle, bundle_id, options=[undefer(Bundle.manifest), undefer(Bundle.envelope)])
    manifest = parse_manifest(bundle.manifest)
    named, subject = manifest.challenge, manifest.subject
    if named is None or subject.suite is None or subject.repository_id == "unknown":
        return
    signed = signatures.check(session, bundle.envelope, bundle.manifest, at=now)
    pull = select(Pull.id).where(Pull.repository_id == subject.repository_id, Pull.number == subject.pull_number)
    used = session.execute(
        update(Challenge)
        .where(
            Challenge.id == named.id,
            Challenge.nonce == named.nonce,
            Challenge.plan_digest == named.plan_digest,
            Challenge.suite_digest == subject.suite.digest,
            Challenge.pull_id.in_(pull),
            Challenge.head_sha == subject.head_sha,
            or_(Challenge.node_key_id.is_(None), Challenge.node_key_id == signed.key_id),
            Challenge.used_by.is_(None),
            Challenge.abandoned_at.is_(None),
            Challenge.expires_at > now,
        )
        .values(used_by=bundle_id, used_at=now)
        .returning(Challenge.id)
    ).one_or_none()
    if used is not None:
        audit.record(
            session, at=now, actor=by.actor, action="challenge.used", target=named.id, detail=f"by {bundle_id}"
        )


def issued(session: Session, bundle: Bundle) -> IssuedChallenge | None:
    """The challenge that a submitted bundle names, as it was issued; None: it names none, or one of somebody else."""
    named = parse_manifest(bundle.manifest).challenge
    if named is None:
        return None
    found = session.execute(select(Challenge, Pull).join(Pull).where(Challenge.id == named.id)).one_or_none()
    if found is None:
        return None
    challenge, pull = found
    became = fate(challenge, at=bundle.completed_at or bundle.progress_at)
    return IssuedChallenge(
        id=challenge.id,
        nonce=challenge.nonce,
        plan_digest=challenge.plan_digest,
        suite_digest=challenge.suite_digest,
        repository_id=pull.repository_id,
        pull_number=pull.number,
        head_sha=challenge.head_sha,
        node_key_id=challenge.node_key_id,
        used_by=challenge.used_by,
        closed=became if became in ("abandoned", "expired") else None,
    )
