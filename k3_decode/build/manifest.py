"""The record beside built kernels: what each is, and what it was built from."""

import json
import pathlib
from typing import TypedDict

from k3_decode.errors import K3Error

FILE = "manifest.json"
LIBRARY = "kernels.so"


class KernelRecord(TypedDict):
    """One built kernel."""

    cubin_sha256: str
    cubin_bytes: int


class Manifest(TypedDict):
    """All built kernels of one architecture."""

    architecture: str
    source_sha256: str
    compilers: dict[str, str]
    kernels: dict[str, KernelRecord]


def write_manifest(folder: pathlib.Path, manifest: Manifest) -> None:
    """Write the manifest, replacing an older one at once or not at all."""
    partial = folder / f"{FILE}.partial"
    partial.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    partial.replace(folder / FILE)


def read_manifest(folder: pathlib.Path) -> Manifest:
    """Read the manifest of a folder.

    Raises:
        K3Error: There is none, or it is not one.
    """
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise K3Error(f"{folder}: expected built kernels, got no readable {FILE}: {error}") from error
    missing = Manifest.__required_keys__ - set(found) if isinstance(found, dict) else Manifest.__required_keys__
    if missing:
        raise K3Error(f"{folder / FILE}: expected a manifest, got one without {sorted(missing)}")
    manifest: Manifest = found
    return manifest
