"""Where a new bundle goes: a folder the user names, or one among the runs, named by the bundle's id."""

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from worker.bundle import Bundle, read
from worker.errors import WorkerError
from worker.settings import Settings


@dataclass
class Target:
    """A place to write a bundle to.

    Attributes:
        folder: Write here. After the block it is where the bundle lies.
    """

    folder: Path

    @property
    def bundle(self) -> Bundle:
        """The finished bundle."""
        return read(self.folder)


@contextmanager
def shelved(settings: Settings, out: Path | None) -> Iterator[Target]:
    """Give a folder to write a bundle to, and put the bundle in its place when it is finished.

    It is written to a folder of its own beside its place, so what was begun and broken leaves nothing, and two runs
    never write to one folder.

    Args:
        settings: Say where runs are kept, each under its id.
        out: The user's own folder, new or empty, which may be a mount.

    Raises:
        WorkerError: ``out_not_empty``.
    """
    place = settings.runs_folder if out is None else out
    if out is not None and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise WorkerError("out_not_empty", f"{out} exists and is not an empty folder; name another one")
    is_new = not place.exists()
    place.mkdir(parents=True, exist_ok=True)
    scratch = place / f".new-{uuid.uuid4().hex}"
    target = Target(scratch)
    try:
        yield target
        if out is not None:
            _move_into(out, scratch)
            target.folder = out
        else:
            target.folder = place / read(scratch, verify=False).id
            if not target.folder.exists():
                scratch.replace(target.folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        if out is not None and is_new and not any(out.iterdir()):
            out.rmdir()


def _move_into(place: Path, scratch: Path) -> None:
    """Move a bundle's parts, the manifest last: with it the bundle is there."""
    for entry in sorted(scratch.iterdir(), key=lambda entry: entry.name == "manifest.json"):
        entry.rename(place / entry.name)
