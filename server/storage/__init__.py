"""Where blobs live. The rest of the server knows the protocol; `server.startup` chooses the store."""

from server.storage.local import LocalBlobs
from server.storage.store import (
    Address,
    BlobStore,
    CorruptBlobError,
    IncompleteBlobError,
    Part,
    PartSink,
    StoreUnavailableError,
    plan,
)

__all__ = [
    "Address",
    "BlobStore",
    "CorruptBlobError",
    "IncompleteBlobError",
    "LocalBlobs",
    "Part",
    "PartSink",
    "StoreUnavailableError",
    "plan",
]
