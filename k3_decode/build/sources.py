"""The digest that ties built kernels to the sources they were built from."""

import functools
import hashlib
import importlib.metadata
import pathlib

COMPILER_PACKAGES = ("nvidia-cutlass-dsl-libs-base", "nvidia-cutlass-dsl-libs-cu13", "apache-tvm-ffi")
"""Packages whose version changes the machine code."""

_KERNELS = pathlib.Path(__file__).resolve().parents[1] / "kernels"


@functools.cache
def source_digest() -> str:
    """Return the SHA-256 of every source file that kernels are made of, by path and content."""
    digest = hashlib.sha256()
    for path in sorted(_KERNELS.rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(_KERNELS).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def compiler_versions() -> dict[str, str]:
    """Return the installed version of each compiler package; absent ones are left out."""
    found = {}
    for package in COMPILER_PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
