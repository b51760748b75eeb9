"""Finding bundles on this machine: by folder, by exported file, or by the beginning of their id."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from worker.bundle import Bundle, BundleError, read
from worker.bundle.export import import_archive
from worker.settings import Settings

_ID_START = re.compile(r"[0-9a-f]{6,64}\Z")


@contextmanager
def opened(reference: str, settings: Settings, *, verify: bool = True) -> Iterator[Bundle]:
    """Open a bundle; an exported file is read into a folder that goes away afterwards.

    Args:
        reference: A folder, a ``.byogpu`` file, or at least six characters of the id of a bundle that ran here.
        settings: Say where runs are kept.
        verify: Recompute every digest.

    Raises:
        BundleError: ``bundle_missing`` when nothing, or more than one bundle, fits; and what reading raises.
    """
    path = Path(reference)
    if path.is_file():
        with tempfile.TemporaryDirectory(prefix="byogpu-") as scratch:
            yield import_archive(path, Path(scratch) / "bundle")
    else:
        yield read(_folder(reference, settings), verify=verify)


def _folder(reference: str, settings: Settings) -> Path:
    path = Path(reference)
    if path.is_dir():
        return path
    if not _ID_START.match(reference):
        raise BundleError(
            "bundle_missing", f"{reference} is no folder, no file, and no beginning of an id (6 or more of its digits)"
        )
    found = sorted(entry for entry in _kept(settings.runs_folder) if entry.name.startswith(reference))
    if len(found) != 1:
        how_many = f"{len(found)} bundles begin" if found else "no bundle begins"
        raise BundleError("bundle_missing", f"{how_many} with {reference} in {settings.runs_folder}")
    return found[0]


def _kept(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (entry for entry in folder.iterdir() if (entry / "manifest.json").is_file())
