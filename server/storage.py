"""Where blobs live: parts while they arrive, whole blobs once they are verified.

`BlobStore` is what the rest of the server knows. `LocalBlobs` keeps them in a folder:

    FOLDER/parts/HEX/NUMBER     parts that arrived whole and matched their digest
    FOLDER/blobs/HE/HEX         verified blobs
    FOLDER/scratch/             what is being written; emptied when a server starts alone

Everything appears by rename, so a crash leaves whole files or none.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from worker.bundle import BundleError

_COPY_BYTES = 1 << 20


class CorruptBlobError(Exception):
    """The parts of a blob do not add up to its digest and size."""


@dataclass(frozen=True)
class Part:
    """One part of a blob's upload plan.

    Attributes:
        number: From 1.
        offset: First byte of the blob that it holds.
        size_bytes: Exactly.
    """

    number: int
    offset: int
    size_bytes: int


def plan(size_bytes: int, part_size_bytes: int) -> tuple[Part, ...]:
    """Cut a blob into parts, all but the last of the same size; an empty blob has one empty part."""
    count = max(1, -(-size_bytes // part_size_bytes))
    return tuple(
        Part(number, offset, min(part_size_bytes, size_bytes - offset))
        for number in range(1, count + 1)
        for offset in [(number - 1) * part_size_bytes]
    )


class PartSink(Protocol):
    """Takes one part's bytes as they arrive."""

    def write(self, data: bytes) -> None:
        """Append."""
        ...

    def keep(self) -> None:
        """Make what was written the part, replacing an earlier one. Without this call nothing stays."""
        ...


class BlobStore(Protocol):
    """Blobs by digest. Every call may be repeated; none of them knows the database."""

    def open(self, sha256: str) -> BinaryIO:
        """Open a verified blob for reading.

        Raises:
            BundleError: ``blob_missing``.
        """
        ...

    def received(self, sha256: str) -> Mapping[int, int]:
        """Parts that have arrived: number to size in bytes."""
        ...

    def part(self, sha256: str, number: int) -> AbstractContextManager[PartSink]:
        """Open a sink for one part."""
        ...

    def assemble(self, sha256: str, parts: Iterable[Part]) -> None:
        """Join the parts, verify the whole, and make it visible. The parts stay until `discard_parts`.

        Raises:
            CorruptBlobError: The parts do not make up this blob; they are discarded.
        """
        ...

    def discard_parts(self, sha256: str) -> None:
        """Remove every part of a blob."""
        ...

    def with_parts(self) -> Sequence[str]:
        """Digests of the blobs that have parts here."""
        ...

    def delete(self, sha256: str) -> None:
        """Remove a verified blob."""
        ...

    def ping(self) -> None:
        """Write, read and remove something.

        Raises:
            OSError: The store is not usable.
        """
        ...


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

    def received(self, sha256: str) -> Mapping[int, int]:
        """See `BlobStore`."""
        try:
            with os.scandir(self._parts / sha256) as entries:
                return {int(entry.name): entry.stat().st_size for entry in entries}
        except FileNotFoundError:
            return {}

    @contextmanager
    def part(self, sha256: str, number: int) -> Iterator[PartSink]:
        """See `BlobStore`."""
        with self._scratch_file() as (stream, path):
            yield _FilePart(stream, path, self._parts / sha256 / str(number))

    def assemble(self, sha256: str, parts: Iterable[Part]) -> None:
        """See `BlobStore`."""
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

    def with_parts(self) -> Sequence[str]:
        """See `BlobStore`."""
        return sorted(os.listdir(self._parts))

    def delete(self, sha256: str) -> None:
        """See `BlobStore`."""
        self._blob(sha256).unlink(missing_ok=True)

    def ping(self) -> None:
        """See `BlobStore`."""
        with self._scratch_file() as (stream, _):
            stream.write(b"ping")
            stream.flush()

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
            raise CorruptBlobError(f"part {part.number} of {sha256} is gone") from error
        if size_bytes != part.size_bytes:
            self.discard_parts(sha256)
            raise CorruptBlobError(f"part {part.number} of {sha256} has {size_bytes} bytes, not {part.size_bytes}")

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
