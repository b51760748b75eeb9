"""Validation: every rule applied, every number recomputed, trust placed. Runs as a task."""

from sqlalchemy import select, update
from sqlalchemy.orm import Session, undefer

from judge.assess import Assessment, assess
from judge.evidence import Context, PullState, collect
from server import audit
from server.db import inserter
from server.intake import binding, signatures
from server.models import AssessmentRow, Bundle, Pull
from server.queue import enqueue
from server.services import Services
from server.stored import stored


def validate(services: Services, bundle_id: str) -> None:
    """Judge a bundle by itself and store the result. A bundle that was judged already stays as it is.

    Raises:
        OSError: A blob cannot be read: the infrastructure's fault, worth another attempt, never the bundle's.
    """
    with services.database.write() as session:
        if not _begin(session, services, bundle_id):
            return
        bundle = session.get_one(Bundle, bundle_id, options=[undefer(Bundle.manifest), undefer(Bundle.envelope)])
        signed = signatures.check(session, bundle.envelope, bundle.manifest)
        pull = _pull_of(session, bundle)
        issued = binding.issued(session, bundle)
    context = Context(
        place="server", signature=signed.state, node_key_id=signed.key_id, challenge=issued, pull=_state(pull)
    )
    assessment = assess(collect(stored(services, bundle), context=context))
    with services.database.write() as session:
        if _end(session, services, bundle_id, assessment, signed):
            _store(session, bundle_id, assessment)
            if (pull := _pull_of(session, bundle)) is not None:
                enqueue(session, "refresh", str(pull.id), now=services.clock())
    services.bell.ring()


def give_up(session: Session, services: Services, bundle_id: str, detail: str) -> None:
    """Record that validation itself failed: an error of ours says nothing about the bundle."""
    session.execute(
        update(Bundle)
        .where(Bundle.id == bundle_id, Bundle.validation_state.in_(("pending", "running")))
        .values(validation_state="error", validation_detail="Validation failed on our side; an operator has to look.")
    )
    audit.record(session, at=services.clock(), actor="service", action="bundle.error", target=bundle_id, detail=detail)


def _begin(session: Session, services: Services, bundle_id: str) -> bool:
    """Move to ``running``; a runner that died in there left it so."""
    moved = session.execute(
        update(Bundle)
        .where(Bundle.id == bundle_id, Bundle.validation_state == "pending", Bundle.upload_state == "complete")
        .values(validation_state="running")
        .returning(Bundle.id)
    ).one_or_none()
    if moved is not None:
        audit.record(session, at=services.clock(), actor="service", action="bundle.running", target=bundle_id)
        return True
    return session.scalar(select(Bundle.validation_state).where(Bundle.id == bundle_id)) == "running"


def _end(
    session: Session, services: Services, bundle_id: str, assessment: Assessment, signed: signatures.Signature
) -> bool:
    suspicions = dict.fromkeys(one.title for one in assessment.findings if one.effect == "quarantines")
    state = "quarantined" if suspicions else assessment.validity  # also when invalid: its contents stay unseen
    moved = session.execute(
        update(Bundle)
        .where(Bundle.id == bundle_id, Bundle.validation_state == "running")
        .values(
            validation_state=state,
            validation_detail="; ".join(suspicions)[:500],
            validated_at=services.clock(),
            signature=signed.state,
            node_key_id=signed.key_id,
            trust_level=assessment.trust.level,
            trust_reason=assessment.trust.reason,
        )
        .returning(Bundle.id)
    ).one_or_none()
    if moved is None:
        return False
    audit.record(
        session,
        at=services.clock(),
        actor="service",
        action=f"bundle.{state}",
        target=bundle_id,
        detail=f"{len(assessment.findings)} findings, trust {assessment.trust.level}",
    )
    return True


def _store(session: Session, bundle_id: str, assessment: Assessment) -> None:
    severities = [finding.severity for finding in assessment.findings]
    values = {
        "errors": severities.count("error"),
        "warnings": severities.count("warning"),
        "notes": severities.count("info"),
        "record": assessment.model_dump_json(),
    }
    row = inserter(session)(AssessmentRow).values(bundle_id=bundle_id, **values)
    session.execute(row.on_conflict_do_update(index_elements=["bundle_id"], set_=values))


def _pull_of(session: Session, bundle: Bundle) -> Pull | None:
    return session.scalar(
        select(Pull).where(Pull.repository_id == bundle.repository_id, Pull.number == bundle.pull_number)
    )


def _state(pull: Pull | None) -> PullState | None:
    if pull is None:
        return None
    return PullState(repository_id=pull.repository_id, number=pull.number, head_sha=pull.head_sha)
