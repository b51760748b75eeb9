"""The folder of one job: nothing outside it is written, and it is wiped. What a container left in it is not trusted."""

import os
import shutil
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from worker.bundle import Bundle, BundleError, read
from worker.bundle.blobs import MAX_BUNDLE_BYTES, MAX_FILES, MAX_MANIFEST_BYTES
from worker.errors import WorkerError

KEPT_S = 24 * 3600
"""How long the folder of an interrupted job waits for the job to come back."""
_MAX_ENTRIES = 200_000
_HEX = set("0123456789abcdef")
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class Scratch:
    """One job's folder.

    Attributes:
        folder: ``source``: the arms' code, only read by the job; ``out``: what the job writes; ``taken``: what was
            copied out of that.
    """

    folder: Path

    @property
    def source(self) -> Path:
        """The arms' code."""
        return self.folder / "source"

    @property
    def out(self) -> Path:
        """What the job writes: bundle, checkpoints, its own state."""
        return self.folder / "out"

    def begin(self) -> None:
        """Make the folder, or go on with the one that an interruption left; code is always fetched anew."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _remove(self.source)
        _remove(self.folder / "taken")
        self.source.mkdir()
        self.out.mkdir(exist_ok=True)

    def wipe(self) -> None:
        """Remove everything. Links are removed, never followed."""
        _remove(self.folder)

    def source_bytes(self) -> int:
        """Bytes on disk of the arms' code."""
        return _size_bytes(self.source)

    def written_bytes(self) -> int:
        """Bytes on disk that the job wrote so far; too many files count as more than any limit."""
        return _size_bytes(self.out)

    def checkpoint_marks(self) -> tuple[tuple[str, int], ...]:
        """Which checkpoints there are, and when each was written: cheap to ask, so that it disturbs no measurement."""
        try:
            with os.scandir(self.out / "checkpoints") as entries:
                return tuple(sorted((entry.name, entry.stat(follow_symlinks=False).st_mtime_ns) for entry in entries))
        except OSError:
            return ()

    def checkpoints(self) -> tuple[tuple[str, bytes], ...]:
        """Names and contents of the checkpoints that the job wrote so far; at most 100 of at most 4 MB."""
        found = []
        try:
            names = sorted(os.listdir(self.out / "checkpoints"))
        except OSError:
            return ()
        for name in names[:100]:
            if name.endswith(".json") and not name.startswith("."):
                data = _read_plain(self.out / "checkpoints" / name, limit=MAX_MANIFEST_BYTES)
                if data is not None:
                    found.append((name.removesuffix(".json"), data))
        return tuple(found)

    def take_bundle(self) -> Bundle:
        """Copy the bundle to where no container reaches and read it there. Call it when the container has ended.

        Only plain files are taken, by name: a link or a pipe in their place is as good as nothing.

        Raises:
            WorkerError: ``job_output_invalid``.
        """
        made, taken = self.out / "bundle", self.folder / "taken"
        _remove(taken)
        (taken / "blobs").mkdir(parents=True)
        try:
            if (made / "blobs").resolve() != made.parent.resolve() / "bundle" / "blobs":
                raise WorkerError("job_output_invalid", "the bundle's folder is a link")
            names = sorted(os.listdir(made / "blobs"))
        except OSError as error:
            raise WorkerError("job_output_invalid", "the job left no bundle") from error
        blobs = [name for name in names if len(name) == 64 and set(name) <= _HEX]
        if len(blobs) > MAX_FILES:
            raise WorkerError("job_output_invalid", f"the job left more than {MAX_FILES} blobs")
        left = MAX_BUNDLE_BYTES
        for name in ("manifest.json", *(f"blobs/{blob}" for blob in blobs)):
            left -= _copy_plain(made / name, taken / name, limit=left)
        try:
            return read(taken)
        except BundleError as error:
            raise WorkerError("job_output_invalid", f"{error.code}: {error.detail}") from error


def wipe_leftovers(root: Path) -> None:
    """Remove the folders of jobs that will not come back from the folder of all jobs."""
    if not root.is_dir():
        return
    oldest = time.time() - KEPT_S
    for folder in root.iterdir():
        if folder.stat(follow_symlinks=False).st_mtime < oldest:
            _remove(folder)


def _remove(folder: Path) -> None:
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        _make_removable(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _make_removable(folder: Path) -> None:
    """Undo permissions that a job took away from its own folders."""
    for entry in _walk(folder):
        if entry.is_dir(follow_symlinks=False):
            try:
                os.chmod(entry.path, 0o700, follow_symlinks=False)
            except (OSError, NotImplementedError):
                continue


def _size_bytes(folder: Path) -> int:
    total = 0
    for count, entry in enumerate(_walk(folder)):
        if count >= _MAX_ENTRIES:
            return 1 << 62
        try:
            total += entry.stat(follow_symlinks=False).st_blocks * 512
        except FileNotFoundError:
            continue
    return total


def _walk(folder: Path) -> Iterator[os.DirEntry[str]]:
    waiting = [str(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue


def _open_plain(path: Path) -> int | None:
    """Open a regular file that is no link; None: it is something else, or not there."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return None


def _read_plain(path: Path, *, limit: int) -> bytes | None:
    descriptor = _open_plain(path)
    if descriptor is None:
        return None
    with os.fdopen(descriptor, "rb") as stream:
        data = stream.read(limit + 1)
    return data if len(data) <= limit else None


def _copy_plain(path: Path, target: Path, *, limit: int) -> int:
    descriptor = _open_plain(path)
    if descriptor is None:
        raise WorkerError("job_output_invalid", f"{path.name} is missing, or is no plain file")
    copied = 0
    with os.fdopen(descriptor, "rb") as stream, target.open("xb") as out:
        while chunk := stream.read(_CHUNK_BYTES):
            copied += len(chunk)
            if copied > limit:
                raise WorkerError("job_output_invalid", "the bundle is larger than a bundle can be")
            out.write(chunk)
    return copied
