"""The bundle format: a manifest, content-addressed blobs, a signature."""

from worker.bundle.blobs import BlobSource, Bundle, Draft, FolderBlobs, parse_manifest, read, verify_blobs, write
from worker.bundle.canonical import canonical, check_json, digest, digest_stream, parse_record
from worker.bundle.errors import BundleError
from worker.bundle.samples import read_rows, write_rows
from worker.bundle.schema import Manifest

__all__ = [
    "BlobSource",
    "Bundle",
    "BundleError",
    "Draft",
    "FolderBlobs",
    "Manifest",
    "canonical",
    "check_json",
    "digest",
    "digest_stream",
    "parse_manifest",
    "parse_record",
    "read",
    "read_rows",
    "verify_blobs",
    "write",
    "write_rows",
]
