"""A bundle as the judge reads it, from the database and the blob store."""

from dataclasses import dataclass
from typing import BinaryIO

from server.models import Bundle
from server.services import Services
from server.storage import BlobStore
from worker.bundle import Bundle as StoredBundle
from worker.bundle import BundleError, parse_manifest


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
