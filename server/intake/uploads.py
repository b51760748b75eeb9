"""Blobs on their way: what is missing, where its parts go, and what their senders said about them."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from server.db import inserter
from server.errors import AppError
from server.intake.schemas import MissingBlob, PartAddress, PartAnnouncement, PartPlan, UploadPlan
from server.models import AnnouncedPart, Blob, Bundle, BundleBlob
from server.services import Services
from server.storage import Part, plan


@dataclass(frozen=True)
class Waiting:
    """A blob that is not visible yet, and the digests of the parts that were announced, by number."""

    blob: BundleBlob
    digests: Mapping[int, str]


def waiting_for(session: Session, bundle_id: str) -> Sequence[Waiting]:
    """Blobs of a bundle that are not visible yet, in one order for all."""
    blobs = session.scalars(
        select(BundleBlob)
        .join(Blob, Blob.sha256 == BundleBlob.sha256)
        .where(BundleBlob.bundle_id == bundle_id, Blob.stored_at.is_(None))
        .order_by(BundleBlob.sha256)
    ).all()
    said: dict[str, dict[int, str]] = {}
    listed = select(BundleBlob.sha256).where(BundleBlob.bundle_id == bundle_id)
    for row in session.scalars(select(AnnouncedPart).where(AnnouncedPart.sha256.in_(listed))):
        said.setdefault(row.sha256, {})[row.number] = row.digest
    return [Waiting(blob, said.get(blob.sha256, {})) for blob in blobs]


def missing(services: Services, waiting: Sequence[Waiting]) -> tuple[MissingBlob, ...]:
    """What is still to be sent. The store is asked about blobs of which a part was announced, only."""
    return tuple(_missing_blob(services, one.blob, one.digests) for one in waiting)


def forget(session: Session, bundle_id: str) -> None:
    """Drop what was announced about the blobs of a bundle, which are visible now."""
    listed = select(BundleBlob.sha256).where(BundleBlob.bundle_id == bundle_id)
    session.execute(delete(AnnouncedPart).where(AnnouncedPart.sha256.in_(listed)))


def expected_sizes(services: Services, sha256: str, number: int) -> frozenset[int]:
    """Sizes in bytes that a part may have: one, unless open uploads disagree about the blob's size.

    Raises:
        AppError: ``blob_not_expected``, ``part_out_of_range``.
    """
    with services.database.read() as session:
        plans = _plans(session, services, sha256)
    return _sizes(plans, number)


def announce(services: Services, sha256: str, parts: Sequence[PartAnnouncement]) -> tuple[PartAddress, ...]:
    """Take note of what the parts of a blob will be, and say where each of them goes.

    Raises:
        AppError: ``blob_not_expected``, ``part_out_of_range``, ``part_size_wrong``.
    """
    with services.database.read() as session:
        plans = _plans(session, services, sha256)
    for part in parts:
        if part.size_bytes not in (sizes := _sizes(plans, part.number)):
            raise wrong_size(part.size_bytes, sizes)
    digests = {part.number: part.sha256 for part in parts}
    if not _note(services, sha256, digests):
        raise AppError("blob_not_expected", f"Blob {sha256} is here already.")
    # Only number and size matter to an address.
    wanted = [Part(part.number, 0, part.size_bytes) for part in parts]
    direct = services.store.addresses(sha256, wanted, digests)
    if direct is not None:
        return tuple(PartAddress(number=one.number, url=one.url, headers=dict(one.headers)) for one in direct)
    return tuple(
        PartAddress(number=part.number, url=_route(sha256, part.number), headers=_content_digest(part.sha256))
        for part in parts
    )


def part_arrived(services: Services, sha256: str, number: int, digest: bytes) -> None:
    """Note that a part came through the service, so that the uploads which wait for the blob have moved."""
    _note(services, sha256, {number: digest.hex()})


def wrong_size(size_bytes: int, expected: frozenset[int]) -> AppError:
    """Refuse a part that is not of the planned size."""
    listed = " or ".join(str(size) for size in sorted(expected))
    return AppError("part_size_wrong", f"The part has {size_bytes} bytes, the upload plan says {listed}.")


def _plans(session: Session, services: Services, sha256: str) -> Sequence[Sequence[Part]]:
    sizes = session.scalars(
        select(BundleBlob.size_bytes)
        .join(Bundle, Bundle.id == BundleBlob.bundle_id)
        .where(BundleBlob.sha256 == sha256, Bundle.upload_state == "open")
        .distinct()
    ).all()
    if not sizes:
        raise AppError("blob_not_expected", f"No open upload lists blob {sha256}.")
    return [plan(size_bytes, services.settings.part_size_bytes) for size_bytes in sizes]


def _sizes(plans: Sequence[Sequence[Part]], number: int) -> frozenset[int]:
    allowed = frozenset(parts[number - 1].size_bytes for parts in plans if number <= len(parts))
    if not allowed:
        raise AppError("part_out_of_range", f"The blob has {max(map(len, plans))} parts, there is no part {number}.")
    return allowed


def _note(services: Services, sha256: str, digests: Mapping[int, str]) -> bool:
    """Write down the parts, in the transaction that notes the progress; False: the blob needs none any more."""
    with services.database.write() as session:
        blob = session.scalar(select(Blob).where(Blob.sha256 == sha256).with_for_update())
        if blob is None or blob.stored_at is not None:
            return False
        insert = inserter(session)(AnnouncedPart)
        session.execute(
            insert.on_conflict_do_update(index_elements=["sha256", "number"], set_={"digest": insert.excluded.digest}),
            [{"sha256": sha256, "number": number, "digest": digest} for number, digest in digests.items()],
        )
        waiting = select(BundleBlob.bundle_id).where(BundleBlob.sha256 == sha256)
        session.execute(
            update(Bundle)
            .where(Bundle.id.in_(waiting), Bundle.upload_state == "open")
            .values(progress_at=services.clock())
        )
    return True


def _missing_blob(services: Services, blob: BundleBlob, said: Mapping[int, str]) -> MissingBlob:
    part_size_bytes = services.settings.part_size_bytes
    planned = plan(blob.size_bytes, part_size_bytes)
    here = services.store.arrived(blob.sha256, planned, said) if said else frozenset()
    parts = tuple(
        PartPlan(
            number=part.number,
            url=_route(blob.sha256, part.number),
            offset=part.offset,
            size_bytes=part.size_bytes,
            received=part.number in here,
        )
        for part in planned
    )
    return MissingBlob(
        sha256=blob.sha256,
        size_bytes=blob.size_bytes,
        upload=UploadPlan(part_size_bytes=part_size_bytes, parts=parts),
    )


def _route(sha256: str, number: int) -> str:
    return f"/api/v1/blobs/{sha256}/parts/{number}"


def _content_digest(sha256: str) -> dict[str, str]:
    return {"Content-Digest": f"sha-256=:{b64encode(bytes.fromhex(sha256)).decode()}:"}
