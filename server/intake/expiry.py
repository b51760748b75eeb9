"""Uploads that stand still, and what they leave behind."""

from datetime import timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from server import audit
from server.models import Blob, Bundle, BundleBlob
from server.services import Services

_BATCH = 200


def sweep(services: Services, key: str) -> None:  # noqa: ARG001
    """Expire uploads without progress, then remove blobs and parts that nothing lists any more."""
    _expire(services)
    _collect_blobs(services)
    _collect_parts(services)


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
        session.execute(delete(BundleBlob).where(BundleBlob.bundle_id.in_(ids)))
        for bundle_id in ids:
            audit.record(session, at=now, actor="service", action="bundle.expired", target=bundle_id)


def _collect_blobs(services: Services) -> None:
    """Remove orphans. File and row go in one transaction, so a manifest that lists the blob meanwhile waits for it."""
    listed = select(BundleBlob.sha256).where(BundleBlob.sha256 == Blob.sha256)
    with services.database.read() as session:
        orphans = session.scalars(select(Blob.sha256).where(~listed.exists()).limit(_BATCH)).all()
    for sha256 in orphans:
        with services.database.write() as session:
            locked = session.scalar(select(Blob.sha256).where(Blob.sha256 == sha256).with_for_update())
            if locked is not None and not _is_listed(session, sha256):
                services.store.discard_parts(sha256)
                services.store.delete(sha256)
                session.execute(delete(Blob).where(Blob.sha256 == sha256))


def _collect_parts(services: Services) -> None:
    """Remove parts that a crash left behind: of blobs that are whole, or that nothing lists."""
    for sha256 in services.store.with_parts():
        with services.database.read() as session:
            blob = session.get(Blob, sha256)
        if blob is None or blob.stored_at is not None:
            services.store.discard_parts(sha256)


def _is_listed(session: Session, sha256: str) -> bool:
    return session.scalar(select(BundleBlob.sha256).where(BundleBlob.sha256 == sha256).limit(1)) is not None
