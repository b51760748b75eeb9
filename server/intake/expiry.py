"""Uploads that stand still, and what bundles leave behind."""

from datetime import timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from server import audit
from server.models import AnnouncedPart, Blob, Bundle, BundleBlob
from server.services import Services
from server.stored import let_go

_BATCH = 200


def sweep(services: Services, key: str) -> None:  # noqa: ARG001
    """Expire uploads without progress, then remove blobs that nothing lists any more."""
    _expire(services)
    collect(services)


def collect(services: Services) -> None:
    """Look at every loose blob, and remove those that nothing lists.

    Contents and row go in one transaction, so a manifest that lists the blob meanwhile waits for it.
    """
    while True:
        with services.database.read() as session:
            loose = session.scalars(select(Blob.sha256).where(Blob.loose).limit(_BATCH)).all()
        for sha256 in loose:
            with services.database.write() as session:
                blob = session.scalar(select(Blob).where(Blob.sha256 == sha256).with_for_update())
                if blob is None:
                    continue
                if _is_listed(session, sha256):
                    blob.loose = False
                    continue
                services.store.delete(sha256)
                session.execute(delete(AnnouncedPart).where(AnnouncedPart.sha256 == sha256))
                session.execute(delete(Blob).where(Blob.sha256 == sha256))
        if len(loose) < _BATCH:
            return


def _expire(services: Services) -> None:
    now = services.clock()
    stood_still = now - timedelta(seconds=services.settings.upload_ttl_s)
    with services.database.write() as session:
        ids = session.scalars(
            update(Bundle)
            .where(Bundle.upload_state == "open", Bundle.progress_at < stood_still)
            .values(upload_state="expired")
            .returning(Bundle.id)
        ).all()
        let_go(session, ids)
        for bundle_id in ids:
            audit.record(session, at=now, actor="service", action="bundle.expired", target=bundle_id)


def _is_listed(session: Session, sha256: str) -> bool:
    return session.scalar(select(BundleBlob.sha256).where(BundleBlob.sha256 == sha256).limit(1)) is not None
