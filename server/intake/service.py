"""Taking bundles in: the manifest, the parts, the submission. All of it may be repeated and raced."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session, undefer

from server import audit
from server.db import ConflictError, inserter
from server.errors import AppError
from server.intake import binding, quotas, signatures, uploads
from server.intake.schemas import BundleReceipt
from server.models import Blob, Bundle, BundleBlob
from server.principals import Principal
from server.queue import enqueue
from server.rulings import require_kept
from server.services import Services
from server.storage import CorruptBlobError, IncompleteBlobError, plan
from worker.bundle import BundleError, Manifest, digest, parse_manifest


def accept(
    services: Services, *, manifest_bytes: bytes, envelope: bytes | None, by: Principal, address: str
) -> tuple[BundleReceipt, bool]:
    """Register a manifest, or recognise it.

    Args:
        services: The service.
        manifest_bytes: As received; must be canonical.
        envelope: DSSE envelope, or None when unsigned.
        by: Who posts it.
        address: From where, see `server.addresses`.

    Returns:
        The receipt, and whether the bundle is new.

    Raises:
        AppError: The manifest or envelope is refused, or the bundle is known with another envelope, or was retracted;
            ``credential_confined``; there is no room for it (`quotas.require_room`).
    """
    posted = _parse(manifest_bytes, envelope, by, address)
    try:
        with services.database.write() as session:
            created = _register(session, services, posted)
    except ConflictError:  # an orphan blob that this manifest lists was collected in the same moment
        with services.database.write() as session:
            created = _register(session, services, posted)
    return receipt(services, posted.bundle_id), created


def receipt(services: Services, bundle_id: str) -> BundleReceipt:
    """Say where a bundle stands.

    Raises:
        AppError: ``bundle_not_found``.
    """
    with services.database.read() as session:
        bundle = _find(session, bundle_id)
        waiting = () if bundle.upload_state == "complete" else uploads.waiting_for(session, bundle.id)
    return BundleReceipt(
        bundle_id=bundle.id,
        upload_state=bundle.upload_state,
        validation_state=bundle.validation_state,
        trust_level=bundle.trust_level,
        missing=uploads.missing(services, waiting),
        url=f"{services.settings.public_url}/bundles/{bundle.id}",
    )


def submit(services: Services, bundle_id: str, *, by: Principal) -> BundleReceipt:
    """Close an upload: verify every blob, make all of them visible, and ask for validation.

    Raises:
        AppError: ``bundle_not_found``, ``upload_expired``, ``bundle_incomplete`` with the missing blobs,
            ``blob_corrupt``, ``credential_confined``.
    """
    with services.database.read() as session:
        bundle = _find(session, bundle_id)
        by.require_inside(repository_id=bundle.repository_id, pull_number=bundle.pull_number, head_sha=bundle.head_sha)
        waiting = uploads.waiting_for(session, bundle_id)
    if bundle.upload_state == "expired":
        raise AppError("upload_expired", "The upload stood still for too long; post the manifest again.")
    if bundle.upload_state == "open":
        for one in waiting:
            _assemble(services, one)
        _complete(services, bundle_id, by)
        for one in waiting:
            services.store.discard_parts(one.blob.sha256)
        services.bell.ring()
    return receipt(services, bundle_id)


# ------------------------------------------------------------------ steps of accept
@dataclass(frozen=True)
class _Posted:
    """A manifest that may be registered."""

    bundle_id: str
    manifest: Manifest
    manifest_bytes: bytes
    envelope: bytes | None
    sizes: Mapping[str, int]
    by: Principal
    address: str

    @property
    def size_bytes(self) -> int:
        """Of all blobs."""
        return sum(self.sizes.values())


def _parse(manifest_bytes: bytes, envelope: bytes | None, by: Principal, address: str) -> _Posted:
    try:
        manifest = parse_manifest(manifest_bytes)
    except BundleError as error:
        raise AppError(error.code, error.detail) from error
    about = manifest.subject
    known = about.repository_id if isinstance(about.repository_id, int) else None
    by.require_inside(repository_id=known, pull_number=about.pull_number, head_sha=about.head_sha)
    sizes: dict[str, int] = {}
    for entry in manifest.files:
        if sizes.setdefault(entry.sha256, entry.size_bytes) != entry.size_bytes:
            raise AppError("blob_size_conflict", f"Blob {entry.sha256} is listed with two sizes.")
    return _Posted(digest(manifest_bytes), manifest, manifest_bytes, envelope, sizes, by, address)


def _register(session: Session, services: Services, posted: _Posted) -> bool:
    """Insert the bundle and its blobs, or recognise it; whether it is new."""
    now = services.clock()
    known = session.scalar(
        select(Bundle).where(Bundle.id == posted.bundle_id).options(undefer(Bundle.envelope)).with_for_update()
    )
    if known is not None:
        _reconcile(session, services, known, posted)
        return False
    _require_room(session, services, posted)
    inserted = session.execute(
        inserter(session)(Bundle)
        .values(**_columns(posted), **_signed(session, posted, now), created_at=now, progress_at=now)
        .on_conflict_do_nothing()
        .returning(Bundle.id)
    ).one_or_none()
    if inserted is None:  # the same manifest, posted in the same moment, was first
        return False
    _list_blobs(session, posted)
    audit.record(session, at=now, actor=posted.by.actor, action="bundle.opened", target=posted.bundle_id)
    return True


def _require_room(session: Session, services: Services, posted: _Posted) -> None:
    quotas.require_room(
        session,
        services.settings,
        owner=posted.by.owner,
        address=posted.address,
        size_bytes=posted.size_bytes,
        now=services.clock(),
    )


def _columns(posted: _Posted) -> dict[str, object]:
    subject = posted.manifest.subject
    return {
        "id": posted.bundle_id,
        "manifest": posted.manifest_bytes,
        "envelope": posted.envelope,
        "repository_id": _known(subject.repository_id),
        "repository": _known(subject.repository),
        "pull_number": subject.pull_number,
        "head_sha": _known(subject.head_sha),
        "suite": f"{subject.suite.id}/{subject.suite.version}" if subject.suite else None,
        "origin": posted.manifest.origin.kind,
        "size_bytes": posted.size_bytes,
        "owner": posted.by.owner,
        "address": posted.address,
        "upload_state": "open",
        "validation_state": "pending",
        "validation_detail": "",
        "trust_reason": "",
    }


def _signed(session: Session, posted: _Posted, now: datetime) -> dict[str, object]:
    signed = signatures.check(session, posted.envelope, posted.manifest_bytes, at=now)
    return {"signature": signed.state, "node_key_id": signed.key_id}


def _reconcile(session: Session, services: Services, known: Bundle, posted: _Posted) -> None:
    """Bring a known bundle together with the same manifest posted again."""
    now = services.clock()
    require_kept(session, known.id)
    if posted.envelope is not None and posted.envelope != known.envelope:
        if known.upload_state == "complete" or known.signature == "valid":
            raise AppError("envelope_conflict", "The bundle is known with another envelope, or as an unsigned one.")
        signed = signatures.check(session, posted.envelope, posted.manifest_bytes, at=now)
        known.envelope, known.signature, known.node_key_id = posted.envelope, signed.state, signed.key_id
        audit.record(session, at=now, actor=posted.by.actor, action="bundle.envelope_attached", target=known.id)
    if known.upload_state == "expired":
        _require_room(session, services, posted)
        known.upload_state, known.progress_at = "open", now
        _list_blobs(session, posted)
        audit.record(session, at=now, actor=posted.by.actor, action="bundle.reopened", target=known.id)


def _list_blobs(session: Session, posted: _Posted) -> None:
    insert = inserter(session)
    ordered = sorted(posted.sizes.items())  # one order for all, so that two manifests never wait for each other
    if ordered:
        session.execute(insert(Blob).on_conflict_do_nothing(), [{"sha256": sha256} for sha256, _ in ordered])
        listed = [
            {"bundle_id": posted.bundle_id, "sha256": sha256, "size_bytes": size_bytes}
            for sha256, size_bytes in ordered
        ]
        session.execute(insert(BundleBlob).on_conflict_do_nothing(), listed)


def _known(value: object) -> object | None:
    return None if value == "unknown" else value


# ------------------------------------------------------------------ steps of submit
def _assemble(services: Services, waiting: uploads.Waiting) -> None:
    sha256 = waiting.blob.sha256
    parts = plan(waiting.blob.size_bytes, services.settings.part_size_bytes)
    try:
        services.store.assemble(sha256, parts, waiting.digests)
    except (CorruptBlobError, IncompleteBlobError) as error:
        with services.database.read() as session:
            if _is_stored(session, sha256):  # by another submission, which then took the parts away
                return
            left = uploads.waiting_for(session, waiting.blob.bundle_id)
        code = "blob_corrupt" if isinstance(error, CorruptBlobError) else "bundle_incomplete"
        missing = [one.model_dump(mode="json") for one in uploads.missing(services, left)]
        raise AppError(code, f"{error}.", extra={"missing": missing}) from error


def _complete(services: Services, bundle_id: str, by: Principal) -> None:
    """Make the blobs visible and the upload complete, once, however many submit at the same time."""
    now = services.clock()
    with services.database.write() as session:
        listed = select(BundleBlob.sha256).where(BundleBlob.bundle_id == bundle_id)
        session.execute(select(Blob.sha256).where(Blob.sha256.in_(listed)).order_by(Blob.sha256).with_for_update())
        session.execute(update(Blob).where(Blob.sha256.in_(listed), Blob.stored_at.is_(None)).values(stored_at=now))
        uploads.forget(session, bundle_id)
        moved = session.execute(
            update(Bundle)
            .where(Bundle.id == bundle_id, Bundle.upload_state == "open")
            .values(upload_state="complete", completed_at=now, progress_at=now)
            .returning(Bundle.id)
        ).one_or_none()
        if moved is not None:
            binding.use(session, bundle_id, now=now, by=by)
            enqueue(session, "validate", bundle_id, now=now)
            audit.record(session, at=now, actor=by.actor, action="bundle.submitted", target=bundle_id)


def _is_stored(session: Session, sha256: str) -> bool:
    return session.scalar(select(Blob.stored_at).where(Blob.sha256 == sha256)) is not None


def _find(session: Session, bundle_id: str) -> Bundle:
    bundle = session.get(Bundle, bundle_id)
    if bundle is None:
        raise AppError("bundle_not_found", f"There is no bundle {bundle_id}.")
    return bundle
