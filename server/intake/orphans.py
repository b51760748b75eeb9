"""What the blob store holds and nobody knows: left by a crash, or by a database that was restored from a backup."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from sqlalchemy import select

from server.db import inserter
from server.intake.expiry import collect
from server.models import Blob
from server.services import Services

_BATCH = 500


def collect_orphans(services: Services, key: str) -> None:  # noqa: ARG001
    """Go through the whole store, and remove what no bundle lists.

    A digest without a row gets one first, marked as loose: from then on a manifest that lists it and the removal
    exclude one another, as for any other blob.
    """
    for found in _batches(services.store.with_parts()):
        for sha256 in found:
            with services.database.read() as session:
                blob = session.get(Blob, sha256)
            if blob is not None and blob.stored_at is not None:
                services.store.discard_parts(sha256)
        _adopt(services, found)
    for found in _batches(services.store.visible()):
        _adopt(services, found)
    collect(services)


def _adopt(services: Services, found: Sequence[str]) -> None:
    with services.database.read() as session:
        known = set(session.scalars(select(Blob.sha256).where(Blob.sha256.in_(found))))
    if strangers := sorted(set(found) - known):
        with services.database.write() as session:
            session.execute(
                inserter(session)(Blob).on_conflict_do_nothing(),
                [{"sha256": sha256, "loose": True} for sha256 in strangers],
            )


def _batches(digests: Iterator[str]) -> Iterable[Sequence[str]]:
    while batch := list(islice(digests, _BATCH)):
        yield batch
