"""The retention policy: contents that nobody needs any longer go; digests and verdicts stay.

A bundle that is evidence for an open pull request is never touched. Runs as a task, once a day.
"""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, exists, or_, select
from sqlalchemy.orm import Session

from server import audit
from server.models import Bundle, Pull, Ruling
from server.moderation.burial import bury
from server.queue import enqueue
from server.services import Services
from server.settings import Settings

_BATCH = 100
_REFUSED = ("invalid", "quarantined", "error")
_ENDED = ("valid", *_REFUSED)


def retire(services: Services, key: str) -> None:  # noqa: ARG001
    """Drop the contents of every bundle whose time is over."""
    now = services.clock()
    for reason, over in _policies(services.settings, now):
        while True:
            with services.database.read() as session:
                ids = session.scalars(select(Bundle.id).where(*over).order_by(Bundle.completed_at).limit(_BATCH)).all()
            for bundle_id in ids:
                with services.database.write() as session:
                    _retire(session, bundle_id, over, reason, now=now)
            if len(ids) < _BATCH:
                break
    with services.database.write() as session:
        enqueue(session, "sweep_uploads", "all", now=now)


def _policies(settings: Settings, now: datetime) -> list[tuple[str, list[ColumnElement[bool]]]]:
    """Why, and which: the policies that are switched on."""
    found = []
    if settings.retention_days:
        open_pull = exists().where(
            Pull.repository_id == Bundle.repository_id, Pull.number == Bundle.pull_number, Pull.state == "open"
        )
        over = _completed_before(now - timedelta(days=settings.retention_days))
        found.append((f"Contents are kept for {settings.retention_days} days.", [*over, ~open_pull]))
    if settings.retention_refused_days:
        over = _completed_before(now - timedelta(days=settings.retention_refused_days))
        refused = Bundle.validation_state.in_(_REFUSED)
        reason = f"Contents that were refused are kept for {settings.retention_refused_days} days."
        found.append((reason, [*over, refused]))
    return found


def _completed_before(moment: datetime) -> list[ColumnElement[bool]]:
    gone = exists().where(Ruling.bundle_id == Bundle.id, or_(Ruling.kind == "retracted", Ruling.kind == "retired"))
    ended = and_(Bundle.upload_state == "complete", Bundle.validation_state.in_(_ENDED))
    return [Bundle.completed_at < moment, ended, ~gone]


def _retire(session: Session, bundle_id: str, over: list[ColumnElement[bool]], reason: str, *, now: datetime) -> None:
    """Retire a bundle, if its time is still over: its pull request may have been opened again."""
    bundle = session.scalar(select(Bundle).where(Bundle.id == bundle_id, *over).with_for_update())
    if bundle is None:
        return
    kept = bury(session, bundle)
    session.add(Ruling(bundle_id=bundle_id, kind="retired", reason=reason, record=kept, at=now))
    audit.record(session, at=now, actor="service", action="bundle.retired", target=bundle_id, detail=reason)
