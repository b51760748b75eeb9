"""Bundles in a folder: a draft being filled, and a finished one.

    FOLDER/manifest.json      canonical JSON; its SHA-256 is the bundle's id
    FOLDER/envelope.json      DSSE envelope over the manifest's digest (absent: unsigned)
    FOLDER/blobs/HEX          each distinct blob, by digest

Nothing is unpacked, so there is nothing to traverse; nothing is trusted but digests.
"""

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from worker.bundle.canonical import canonical, digest, digest_stream, parse_record
from worker.bundle.errors import BundleError
from worker.bundle.record import Record
from worker.bundle.samples import write_rows
from worker.bundle.schema import ArmName, FileEntry, Manifest, Role

MAX_MANIFEST_BYTES = 4_000_000
MAX_BLOB_BYTES = 512_000_000
MAX_BUNDLE_BYTES = 2_000_000_000
MAX_FILES = 2_000
MAX_ENVELOPE_BYTES = 64_000


class BlobSource(Protocol):
    """Where blobs can be read from: a folder here, a store on the server."""

    def open(self, sha256: str) -> BinaryIO:
        """Open a blob for reading from its start.

        Raises:
            BundleError: ``blob_missing``.
        """
        ...


@dataclass(frozen=True)
class Bundle:
    """A manifest with access to its blobs.

    Attributes:
        manifest: The parsed manifest.
        manifest_bytes: Its canonical bytes.
        envelope: The DSSE envelope as received, or None when unsigned. Not verified here.
        blobs: Where the files' contents are.
    """

    manifest: Manifest
    manifest_bytes: bytes
    envelope: bytes | None
    blobs: BlobSource

    @property
    def id(self) -> str:
        """SHA-256 of the canonical manifest."""
        return digest(self.manifest_bytes)


@dataclass(frozen=True)
class FolderBlobs:
    """Blobs in ``FOLDER/blobs``."""

    folder: Path

    def open(self, sha256: str) -> BinaryIO:
        """Open ``blobs/HEX``; see `BlobSource`."""
        try:
            return (self.folder / "blobs" / sha256).open("rb")
        except FileNotFoundError as error:
            raise BundleError("blob_missing", f"blob {sha256} is not in the bundle") from error


@dataclass
class Draft:
    """A bundle being filled: files go to disk at once, the manifest comes last.

    Attributes:
        folder: Where the bundle is written; made if it is not there.
    """

    folder: Path
    _files: list[FileEntry] = field(default_factory=list)

    def add(
        self,
        data: bytes,
        *,
        name: str,
        role: Role,
        eval_id: str | None = None,
        arm: ArmName | None = None,
        media_type: str = "application/x-ndjson",
    ) -> FileEntry:
        """Store a file and list it.

        Raises:
            BundleError: ``blob_too_large``.
        """
        if len(data) > MAX_BLOB_BYTES:
            raise BundleError("blob_too_large", f"{name} has {len(data)} bytes, {MAX_BLOB_BYTES} are allowed")
        sha256 = digest(data)
        target = self.folder / "blobs" / sha256
        if not target.exists():
            write_atomically(target, data)
        entry = FileEntry.model_validate(
            {
                "name": name,
                "role": role,
                "media_type": media_type,
                "size_bytes": len(data),
                "sha256": sha256,
                "eval_id": eval_id,
                "arm": arm,
            }
        )
        self._files.append(entry)
        return entry

    def add_rows(
        self, rows: Iterable[Record], *, name: str, role: Role, eval_id: str | None = None, arm: ArmName | None = None
    ) -> FileEntry:
        """Store rows as newline-delimited JSON and list the file."""
        return self.add(write_rows(rows), name=name, role=role, eval_id=eval_id, arm=arm)

    def keep(self, entries: Iterable[FileEntry]) -> None:
        """List files whose blobs an earlier run left in the folder.

        Raises:
            BundleError: ``blob_missing``, ``blob_corrupt``; nothing is listed then.
        """
        kept = tuple(entries)
        for entry in kept:
            verify_blob(FolderBlobs(self.folder), entry.sha256, entry.size_bytes)
        self._files.extend(kept)

    @property
    def files(self) -> tuple[FileEntry, ...]:
        """What has been added so far, in order; goes into the manifest's ``files``."""
        return tuple(self._files)


def write(folder: Path, manifest: Manifest, *, envelope: bytes | None = None) -> Bundle:
    """Finish a bundle whose blobs are already in ``folder`` (see `Draft`).

    Raises:
        BundleError: ``blob_missing``, ``not_canonical``.
    """
    blobs = FolderBlobs(folder)
    for entry in manifest.files:
        blobs.open(entry.sha256).close()
    data = canonical(manifest)
    if envelope is not None:
        write_atomically(folder / "envelope.json", envelope)
    write_atomically(folder / "manifest.json", data)
    return Bundle(manifest, data, envelope, blobs)


def read(folder: Path, *, verify: bool = True) -> Bundle:
    """Read a bundle from a folder.

    Args:
        folder: Holds ``manifest.json`` and ``blobs/``.
        verify: Recompute the digest and size of every blob.

    Raises:
        BundleError: ``bundle_missing``, ``manifest_too_large``, ``manifest_invalid``, ``manifest_not_canonical``,
            ``blob_missing``, ``blob_corrupt``.
    """
    path = folder / "manifest.json"
    if not path.is_file():
        raise BundleError("bundle_missing", f"{folder} holds no manifest.json")
    if path.stat().st_size > MAX_MANIFEST_BYTES:
        raise BundleError("manifest_too_large", f"the manifest has more than {MAX_MANIFEST_BYTES} bytes")
    data = path.read_bytes()
    manifest = parse_manifest(data)
    envelope_path = folder / "envelope.json"
    envelope = envelope_path.read_bytes() if envelope_path.is_file() else None
    bundle = Bundle(manifest, data, envelope, FolderBlobs(folder))
    if verify:
        verify_blobs(bundle)
    return bundle


def parse_manifest(data: bytes) -> Manifest:
    """Parse manifest bytes and demand that they are the canonical ones.

    Raises:
        BundleError: ``manifest_too_large``, ``json_invalid``, ``manifest_invalid``, ``manifest_not_canonical``.
    """
    if len(data) > MAX_MANIFEST_BYTES:
        raise BundleError("manifest_too_large", f"the manifest has more than {MAX_MANIFEST_BYTES} bytes")
    manifest = parse_record(data, Manifest, code="manifest_invalid")
    if len(manifest.files) > MAX_FILES:
        raise BundleError("manifest_invalid", f"files: more than {MAX_FILES} files")
    if sum(entry.size_bytes for entry in manifest.files) > MAX_BUNDLE_BYTES:
        raise BundleError("bundle_too_large", f"the files have more than {MAX_BUNDLE_BYTES} bytes together")
    if any(entry.size_bytes > MAX_BLOB_BYTES for entry in manifest.files):
        raise BundleError("blob_too_large", f"a file has more than {MAX_BLOB_BYTES} bytes")
    if canonical(manifest) != data:
        raise BundleError("manifest_not_canonical", "the manifest is not canonical JSON (RFC 8785)")
    return manifest


def verify_blobs(bundle: Bundle) -> None:
    """Check every listed file against its digest and size.

    Raises:
        BundleError: ``blob_missing``, ``blob_corrupt``.
    """
    for sha256, size_bytes in {(entry.sha256, entry.size_bytes) for entry in bundle.manifest.files}:
        verify_blob(bundle.blobs, sha256, size_bytes)


def verify_blob(blobs: BlobSource, sha256: str, size_bytes: int) -> None:
    """Check one blob against its digest and size.

    Raises:
        BundleError: ``blob_missing``, ``blob_corrupt``.
    """
    with blobs.open(sha256) as stream:
        found, found_bytes = digest_stream(stream)
    if (found, found_bytes) != (sha256, size_bytes):
        raise BundleError("blob_corrupt", f"blob {sha256} has digest {found} and {found_bytes} bytes")


def write_atomically(target: Path, data: bytes) -> None:
    """Write a file so that a crash leaves the old one or the new one, never a half."""
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, scratch = tempfile.mkstemp(dir=target.parent, prefix=".partial-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(scratch, target)
    except BaseException:
        os.unlink(scratch)
        raise
