"""Blobs in a folder.

    FOLDER/parts/HEX/NUMBER     parts that arrived whole and matched their digest
    FOLDER/blobs/HE/HEX         verified blobs
    FOLDER/scratch/             what is being written; emptied when a server starts alone

Everything appears by rename, so a crash leaves whole files or none.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from server.storage.store import Address, CorruptBlobError, IncompleteBlobError, Part, PartSink
from worker.bundle import BundleError

_COPY_BYTES = 1 << 20


class LocalBlobs:
    """Blobs in a folder.

    Args:
        folder: Made if it is not there.
    """

    def __init__(self, folder: Path) -> None:
        self._parts = folder / "parts"
        self._blobs = folder / "blobs"
        self._scratch = folder / "scratch"
        for one in (self._parts, self._blobs, self._scratch):
            one.mkdir(parents=True, exist_ok=True)

    def open(self, sha256: str) -> BinaryIO:
        """See `BlobStore`."""
        try:
            return self._blob(sha256).open("rb")
        except FileNotFoundError as error:
            raise BundleError("blob_missing", f"blob {sha256} is not in the store") from error

    def arrived(self, sha256: str, parts: Sequence[Part], digests: Mapping[int, str]) -> frozenset[int]:  # noqa: ARG002
        """See `BlobStore`."""
        if self._blob(sha256).is_file():
            return frozenset(part.number for part in parts)
        try:
            with os.scandir(self._parts / sha256) as entries:
                sizes = {int(entry.name): entry.stat().st_size for entry in entries}
        except FileNotFoundError:
            return frozenset()
        return frozenset(part.number for part in parts if sizes.get(part.number) == part.size_bytes)

    @contextmanager
    def part(self, sha256: str, number: int) -> Iterator[PartSink]:
        """See `BlobStore`."""
        with self._scratch_file() as (stream, path):
            yield _FilePart(stream, path, self._parts / sha256 / str(number))

    def addresses(self, sha256: str, parts: Sequence[Part], digests: Mapping[int, str]) -> Sequence[Address] | None:  # noqa: ARG002
        """See `BlobStore`. A folder has no address."""
        return None

    def assemble(self, sha256: str, parts: Sequence[Part], digests: Mapping[int, str]) -> None:  # noqa: ARG002
        """See `BlobStore`. The whole is hashed, so the digests of the parts add nothing."""
        if self._blob(sha256).is_file():
            return
        with self._scratch_file() as (stream, path):
            running = hashlib.sha256()
            for part in parts:
                self._append(sha256, part, stream, running)
            if running.hexdigest() != sha256:
                self.discard_parts(sha256)
                raise CorruptBlobError(f"the parts of {sha256} add up to another digest")
            _publish(stream, path, self._blob(sha256))

    def discard_parts(self, sha256: str) -> None:
        """See `BlobStore`."""
        shutil.rmtree(self._parts / sha256, ignore_errors=True)

    def with_parts(self) -> Iterator[str]:
        """See `BlobStore`."""
        yield from sorted(os.listdir(self._parts))

    def visible(self) -> Iterator[str]:
        """See `BlobStore`."""
        for folder in sorted(self._blobs.iterdir()):
            yield from sorted(os.listdir(folder))

    def delete(self, sha256: str) -> None:
        """See `BlobStore`."""
        self._blob(sha256).unlink(missing_ok=True)
        self.discard_parts(sha256)

    def ping(self) -> None:
        """See `BlobStore`."""
        with self._scratch_file() as (stream, _):
            stream.write(b"ping")
            stream.flush()

    def close(self) -> None:
        """See `BlobStore`. Nothing is."""

    def clear_scratch(self) -> None:
        """Remove what a killed server was writing. Only for a process that has the folder to itself."""
        for path in self._scratch.iterdir():
            path.unlink()

    def _append(self, sha256: str, part: Part, target: BinaryIO, running: "hashlib._Hash") -> None:
        size_bytes = 0
        try:
            with (self._parts / sha256 / str(part.number)).open("rb") as source:
                while chunk := source.read(_COPY_BYTES):
                    running.update(chunk)
                    target.write(chunk)
                    size_bytes += len(chunk)
        except FileNotFoundError as error:
            raise IncompleteBlobError(f"part {part.number} of {sha256} is not here") from error
        if size_bytes != part.size_bytes:
            raise IncompleteBlobError(f"part {part.number} of {sha256} is not here with {part.size_bytes} bytes")

    @contextmanager
    def _scratch_file(self) -> Iterator[tuple[BinaryIO, Path]]:
        descriptor, name = tempfile.mkstemp(dir=self._scratch)
        path = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                yield stream, path
        finally:
            path.unlink(missing_ok=True)

    def _blob(self, sha256: str) -> Path:
        return self._blobs / sha256[:2] / sha256


class _FilePart:
    """The sink of `LocalBlobs`."""

    def __init__(self, stream: BinaryIO, path: Path, target: Path) -> None:
        self._stream = stream
        self._path = path
        self._target = target

    def write(self, data: bytes) -> None:
        self._stream.write(data)

    def keep(self) -> None:
        _publish(self._stream, self._path, self._target)


def _publish(stream: BinaryIO, path: Path, target: Path) -> None:
    """Force a written file to disk and rename it to where it is found."""
    stream.flush()
    os.fsync(stream.fileno())
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(path, target)
    directory = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
