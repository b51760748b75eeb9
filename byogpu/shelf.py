"""Where a new bundle goes: a folder the user names, or one among the runs, named by the bundle's id."""

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from worker.bundle import Bundle, read
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
    """Give a folder to write a bundle to, and shelve it under its id when it is finished.

    Args:
        settings: Say where runs are kept.
        out: The user's own folder; the bundle then stays there. What was empty is emptied again if the block breaks, so
            that the same command can be given once more.
    """
    if out is not None:
        was_empty = not out.exists() or (out.is_dir() and not any(out.iterdir()))
        try:
            yield Target(out)
        except BaseException:
            if was_empty and out.is_dir():
                _empty(out)
            raise
        return
    settings.runs_folder.mkdir(parents=True, exist_ok=True)
    scratch = settings.runs_folder / f".new-{uuid.uuid4().hex}"
    target = Target(scratch)
    try:
        yield target
        target.folder = settings.runs_folder / read(scratch, verify=False).id
        if not target.folder.exists():
            scratch.replace(target.folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _empty(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()
