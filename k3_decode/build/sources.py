"""The digest that ties built kernels to the sources they were built from."""

import functools
import hashlib
import importlib.metadata
import inspect
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


@functools.cache
def kernel_digest(kernel: type) -> str:
    """Return the SHA-256 of what one kernel's machine code depends on: its own file and the parts all kernels share.

    Args:
        kernel: Class of the operator. The modules of kernels do not import one another.
    """
    own = pathlib.Path(inspect.getfile(kernel))
    digest = hashlib.sha256()
    for path in [*sorted((_KERNELS / "parts").glob("*.py")), _KERNELS / "operator.py", own]:
        content = path.read_bytes()
        digest.update(f"{path.name}\0{len(content)}\0".encode())
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
