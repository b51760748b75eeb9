"""A bundle as one file, ``ID.byogpu``: a plain zip for carrying it where there is no network.

Writing is deterministic. Reading trusts nothing but digests: entries are streamed in counted pieces, a name
only says which digest is expected, and every file is written under the digest of what really came out.
"""

import errno
import re
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from worker.bundle.blobs import (
    MAX_BLOB_BYTES,
    MAX_BUNDLE_BYTES,
    MAX_ENVELOPE_BYTES,
    MAX_FILES,
    MAX_MANIFEST_BYTES,
    Bundle,
    parse_manifest,
    read,
    write_atomically,
)
from worker.bundle.canonical import digest_stream
from worker.bundle.errors import BundleError
from worker.bundle.schema import Manifest

MAX_ARCHIVE_BYTES = MAX_BUNDLE_BYTES
MAX_RATIO = 200
"""Most bytes out for each byte in. Raw samples in JSON compress 5 to 20 times; a bomb starts at 1,000."""
_RATIO_GRACE_BYTES = 1_000_000
_EPOCH = (1980, 1, 1, 0, 0, 0)
_BLOB_NAME = re.compile(r"blobs/([0-9a-f]{64})\Z")
_CHUNK_BYTES = 1 << 18
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_UNREADABLE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, ValueError)
"""What `zipfile` raises for a hostile archive; a name that is not UTF-8 is a `ValueError`."""
_BAD_OFFSET = (None, errno.EINVAL)
"""What an `OSError` says when a hostile archive leads to a place that is not in the file."""


def export(bundle: Bundle, target: Path) -> Path:
    """Write a bundle as a zip; the same bundle gives the same bytes.

    Raises:
        BundleError: ``blob_missing``, ``export_exists``.
    """
    if target.exists():
        raise BundleError("export_exists", f"{target} exists already")
    scratch = target.with_name(target.name + ".partial")
    try:
        with zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            _put(archive, "manifest.json", bundle.manifest_bytes)
            if bundle.envelope is not None:
                _put(archive, "envelope.json", bundle.envelope)
            for sha256 in sorted({entry.sha256 for entry in bundle.manifest.files}):
                info = _entry(f"blobs/{sha256}")
                with bundle.blobs.open(sha256) as source, archive.open(info, "w") as sink:
                    shutil.copyfileobj(source, sink, _CHUNK_BYTES)
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)
    return target


def import_archive(source: Path, folder: Path) -> Bundle:
    """Read a zip written by `export` into a new folder.

    Args:
        source: The archive.
        folder: Where the bundle goes; must not exist. It appears complete or not at all.

    Raises:
        BundleError: ``archive_invalid``, ``archive_too_large``, ``archive_bomb``, ``archive_entry_refused``,
            ``archive_missing``, ``folder_exists``, and what `worker.bundle.read` raises.
        OSError: The disk is full or may not be written to: nothing is wrong with the archive.
    """
    if folder.exists():
        raise BundleError("folder_exists", f"{folder} exists already")
    if not source.is_file():
        raise BundleError("archive_missing", f"{source} is not a file")
    if source.stat().st_size > MAX_ARCHIVE_BYTES:
        raise BundleError("archive_too_large", f"the archive has more than {MAX_ARCHIVE_BYTES} bytes")
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".import-", dir=folder.parent))
    try:
        with zipfile.ZipFile(source) as archive:
            _extract(archive, scratch)
        read(scratch)
        scratch.replace(folder)
    except (*_UNREADABLE, OSError) as error:
        if isinstance(error, OSError) and error.errno not in _BAD_OFFSET:
            raise
        raise BundleError("archive_invalid", f"not a readable zip archive: {str(error)[:150]}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return read(folder)


def _extract(archive: zipfile.ZipFile, folder: Path) -> None:
    entries = _entries(archive)
    manifest_entry = entries.get("manifest.json")
    if manifest_entry is None:
        raise BundleError("archive_invalid", "the archive holds no manifest.json")
    manifest_bytes = b"".join(_stream(archive, manifest_entry, MAX_MANIFEST_BYTES))
    manifest = parse_manifest(manifest_bytes)
    if (envelope := entries.get("envelope.json")) is not None:
        write_atomically(folder / "envelope.json", b"".join(_stream(archive, envelope, MAX_ENVELOPE_BYTES)))
    _extract_blobs(archive, entries, manifest, folder / "blobs")
    write_atomically(folder / "manifest.json", manifest_bytes)


def _extract_blobs(
    archive: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo], manifest: Manifest, folder: Path
) -> None:
    folder.mkdir()
    sizes = {entry.sha256: entry.size_bytes for entry in manifest.files}
    expected = {f"blobs/{sha256}" for sha256 in sizes}
    if extra := sorted(set(entries) - expected - {"manifest.json", "envelope.json"}):
        raise BundleError("archive_entry_refused", f"{len(extra)} entries are not listed in the manifest")
    for sha256, size_bytes in sizes.items():
        entry = entries.get(f"blobs/{sha256}")
        if entry is None:
            raise BundleError("blob_missing", f"blob {sha256} is not in the archive")
        target = folder / sha256
        with target.open("xb") as sink:
            for chunk in _stream(archive, entry, min(size_bytes, MAX_BLOB_BYTES)):
                sink.write(chunk)
        with target.open("rb") as stream:
            found, found_bytes = digest_stream(stream)
        if (found, found_bytes) != (sha256, size_bytes):
            raise BundleError("blob_corrupt", f"blob {sha256} has digest {found} and {found_bytes} bytes")


def _entries(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    listed = archive.infolist()
    if len(listed) > MAX_FILES + 2:
        raise BundleError("archive_entry_refused", f"more than {MAX_FILES + 2} entries")
    found: dict[str, zipfile.ZipInfo] = {}
    for info in listed:
        name = info.filename
        mode = info.external_attr >> 16
        if name not in {"manifest.json", "envelope.json"} and not _BLOB_NAME.match(name):
            raise BundleError("archive_entry_refused", "an entry has a name that no bundle has")
        if info.orig_filename != name:
            raise BundleError("archive_entry_refused", "an entry's name holds a NUL byte or a backslash")
        if mode and not (stat.S_ISREG(mode) or stat.S_IFMT(mode) == 0):
            raise BundleError("archive_entry_refused", "an entry is not a regular file")
        if info.flag_bits & 0x1:
            raise BundleError("archive_entry_refused", "an entry is encrypted")
        if info.compress_type not in _COMPRESSIONS:
            raise BundleError("archive_entry_refused", "an entry is compressed in a way that `export` never does")
        if name in found:
            raise BundleError("archive_entry_refused", "two entries have the same name")
        found[name] = info
    return found


def _stream(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit_bytes: int) -> Iterator[bytes]:
    """Yield an entry's bytes, counting what really comes out: the sizes in the headers are only claims."""
    total = 0
    with archive.open(info) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            total += len(chunk)
            if total > limit_bytes:
                raise BundleError("archive_entry_refused", f"an entry holds more than the {limit_bytes} bytes allowed")
            if total > _RATIO_GRACE_BYTES and total > MAX_RATIO * max(info.compress_size, 1):
                raise BundleError("archive_bomb", f"an entry grows more than {MAX_RATIO} times")
            yield chunk


def _entry(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    return info


def _put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    archive.writestr(_entry(name), data)
