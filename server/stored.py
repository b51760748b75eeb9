"""Bundles as the judge reads them, from the database and the blob store; and what it made of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO, TypeVar

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Select, delete, func, select, update
from sqlalchemy.orm import Session

from judge.assess import edition
from judge.policy import OPEN_POLICY, MergePolicy, Shortfall
from server.models import AssessmentRow, Blob, Bundle, BundleBlob, Policy
from server.services import Services
from server.storage import BlobStore
from worker.bundle import Bundle as StoredBundle
from worker.bundle import BundleError, parse_manifest
from worker.bundle.record import Record

Stored = TypeVar("Stored", bound=Record)
SHORTFALLS = TypeAdapter(tuple[Shortfall, ...])
"""How an `Outlook` keeps them."""


@dataclass(frozen=True)
class _VerifiedBlobs:
    """Blobs that were all here once: one that is missing now is our failure, not the bundle's."""

    store: BlobStore

    def open(self, sha256: str) -> BinaryIO:
        try:
            return self.store.open(sha256)
        except BundleError as error:
            raise OSError(f"the store has lost blob {sha256}") from error


def stored(services: Services, bundle: Bundle) -> StoredBundle:
    """Give the judge a bundle whose blobs are read from the store.

    Args:
        services: The service.
        bundle: The row of a complete upload, with manifest and envelope loaded.
    """
    blobs = _VerifiedBlobs(services.store)
    return StoredBundle(parse_manifest(bundle.manifest), bundle.manifest, bundle.envelope, blobs)


def let_go(session: Session, bundle_ids: Sequence[str]) -> None:
    """Drop what bundles list. The next sweep removes those of their blobs that nobody lists any more."""
    listed = select(BundleBlob.sha256).where(BundleBlob.bundle_id.in_(bundle_ids))
    session.execute(update(Blob).where(Blob.sha256.in_(listed)).values(loose=True))
    session.execute(delete(BundleBlob).where(BundleBlob.bundle_id.in_(bundle_ids)))


def readable(kind: type[Stored], record: str | None) -> Stored | None:
    """Read a stored record of the judge; None: there is none, or an earlier release wrote it in another shape.

    Such a record is not repaired but made again: `outdated` bundles are judged again when a server starts.
    """
    if record is None:
        return None
    try:
        return kind.model_validate_json(record)
    except ValidationError:
        return None


def policy_of(session: Session, repository_id: int) -> MergePolicy:
    """A repository's policy; one that asks for nothing if it has set none. One that cannot be read is no such one."""
    row = session.get(Policy, repository_id)
    return OPEN_POLICY if row is None else MergePolicy.model_validate_json(row.record)


SET_ASIDE = "Set aside by an operator: "
"""How the detail of a bundle begins that a person quarantined: no change of rules releases it."""


def outdated() -> Select[str]:
    """Ids of bundles that were judged by other rules or limits than this code's.

    Retracted ones have no contents, and those that a person set aside stay so.
    """
    return (
        select(AssessmentRow.bundle_id)
        .join(Bundle, Bundle.id == AssessmentRow.bundle_id)
        .where(~Bundle.validation_detail.startswith(SET_ASIDE))
        .where(AssessmentRow.edition != edition(), Bundle.validation_state.in_(("valid", "invalid", "quarantined")))
    )


def count_outdated(session: Session) -> int:
    """How many there are."""
    return session.scalar(select(func.count()).select_from(outdated().subquery())) or 0
