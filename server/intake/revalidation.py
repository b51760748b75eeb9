"""Judging bundles again after rules or limits changed, with a public log of what that changed. Runs as tasks."""

from pydantic import ValidationError
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from judge.assess import edition
from judge.rejudgement import Judged, Rejudgement, judged, read_judged, rejudgement
from server import audit
from server.intake import validation
from server.intake.validation import Judgement
from server.models import AssessmentRow, Bundle, Revalidation, ValidationState
from server.queue import enqueue
from server.services import Services
from server.stored import outdated

_JUDGED: tuple[ValidationState, ...] = ("valid", "invalid", "quarantined")


def find_outdated(services: Services, key: str) -> None:  # noqa: ARG001
    """Ask for every bundle that was judged by other rules or limits than the present ones."""
    with services.database.write() as session:
        for bundle_id in session.scalars(outdated()).all():
            enqueue(session, "revalidate", bundle_id, now=services.clock())
    services.bell.ring()


def revalidate(services: Services, bundle_id: str) -> None:
    """Judge a bundle again, replace its assessment, and log the difference.

    What was stored stays in force until the new judgement is complete. A bundle that was retracted, that is being
    validated anyway, or that is up to date, stays as it is.

    Raises:
        OSError: A blob cannot be read: worth another attempt, and no reason to change a verdict.
    """
    with services.database.read() as session:
        if _stored(session, bundle_id) is None:
            return
        case = validation.read(session, bundle_id)
    judgement = validation.judge(services, case)
    with services.database.write() as session:
        session.get_one(Bundle, bundle_id, with_for_update=True)
        before = _stored(session, bundle_id)
        if before is None:
            return
        values = {"validated_at": services.clock(), **judgement.columns}
        session.execute(update(Bundle).where(Bundle.id == bundle_id).values(**values))
        _log(session, services, judgement, before)
        validation.keep(session, services, judgement)
    services.bell.ring()


def _stored(session: Session, bundle_id: str) -> AssessmentRow | None:
    """The outdated assessment; None: there is none."""
    return session.scalar(
        select(AssessmentRow)
        .join(Bundle, Bundle.id == AssessmentRow.bundle_id)
        .where(
            AssessmentRow.bundle_id == bundle_id,
            AssessmentRow.edition != edition(),
            Bundle.validation_state.in_(_JUDGED),
        )
    )


def _log(session: Session, services: Services, judgement: Judgement, row: AssessmentRow) -> None:
    now, bundle_id = services.clock(), row.bundle_id
    before = _read(row.record)
    found: Rejudgement | None = None
    if before is not None:
        found = rejudgement(bundle_id, before, judged(judgement.assessment))
    changed = found is None or found.changed
    session.add(
        Revalidation(
            bundle_id=bundle_id,
            at=now,
            edition_before=row.edition,
            edition_after=edition(),
            changed=changed,
            record=found.model_dump_json() if found is not None else None,
        )
    )
    detail = "the earlier judgement cannot be read any more"
    if found is not None:
        moved = f"{found.validity_before} to {found.validity_after}, trust {found.trust_before} to {found.trust_after}"
        detail = f"{moved}, {len(found.appeared)} findings appeared, {len(found.gone)} are gone"
    audit.record(session, at=now, actor="service", action="bundle.revalidated", target=bundle_id, detail=detail)


def _read(record: str) -> Judged | None:
    try:
        return read_judged(record)
    except ValidationError:
        return None
