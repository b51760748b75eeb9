"""Is everything here that the service says it has?"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session, undefer

from server.models import Bundle, BundleBlob
from server.services import Services
from worker.bundle import BundleError, digest

_READ_BYTES = 1 << 20
_PAGE = 100


@dataclass(frozen=True)
class Damage:
    """What is wrong with one bundle."""

    bundle_id: str
    detail: str


@dataclass(frozen=True)
class Verified:
    """What was found.

    Attributes:
        bundles: Complete bundles whose contents were read.
        blobs: Blobs that were read through.
        blob_bytes: Their size together.
        damages: Everything that is wrong; nothing, if all is well.
    """

    bundles: int
    blobs: int
    blob_bytes: int
    damages: tuple[Damage, ...]


def verify(services: Services) -> Verified:
    """Read everything, bundle by bundle: manifests against their ids, blobs against their digests and sizes.

    Raises:
        OSError: The blob store cannot be reached.
    """
    seen: dict[str, int | None] = {}
    damages: list[Damage] = []
    bundles = 0
    for bundle in _bundles(services):
        bundles += 1
        if digest(bundle.manifest) != bundle.id:
            damages.append(Damage(bundle.id, "the manifest is damaged"))
        with services.database.read() as session:
            listed = _listed(session, bundle.id)
        for sha256, size_bytes in listed:
            if sha256 not in seen:
                seen[sha256] = _size_if_whole(services, sha256)
            if seen[sha256] != size_bytes:
                damages.append(Damage(bundle.id, f"blob {sha256} is missing or damaged"))
    found = [size for size in seen.values() if size is not None]
    return Verified(bundles, len(found), sum(found), tuple(damages))


def _bundles(services: Services) -> Iterator[Bundle]:
    """Complete bundles whose contents were not dropped."""
    last = ""
    while True:
        with services.database.read() as session:
            page = session.scalars(
                select(Bundle)
                .where(Bundle.id > last, Bundle.upload_state == "complete", func.length(Bundle.manifest) > 0)
                .order_by(Bundle.id)
                .limit(_PAGE)
                .options(undefer(Bundle.manifest))
            ).all()
        yield from page
        if len(page) < _PAGE:
            return
        last = page[-1].id


def _listed(session: Session, bundle_id: str) -> list[tuple[str, int]]:
    rows = session.execute(select(BundleBlob.sha256, BundleBlob.size_bytes).where(BundleBlob.bundle_id == bundle_id))
    return [(row.sha256, row.size_bytes) for row in rows]


def _size_if_whole(services: Services, sha256: str) -> int | None:
    running, size_bytes = hashlib.sha256(), 0
    try:
        with services.store.open(sha256) as stream:
            while chunk := stream.read(_READ_BYTES):
                running.update(chunk)
                size_bytes += len(chunk)
    except BundleError:
        return None
    return size_bytes if running.hexdigest() == sha256 else None
