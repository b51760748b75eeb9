"""What the tests of the tree itself share."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def files(root: Path) -> list[Path]:
    """Every file of the repository that git tracks or would track, relative to the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        check=True,
    )
    found = {Path(name.decode()) for name in listed.stdout.split(b"\0") if name}
    present = sorted(path for path in found if (root / path).is_file())
    assert len(present) > 100, "git lists too few files for the tests below to mean anything"
    return present


@pytest.fixture(scope="session")
def texts(root: Path, files: list[Path]) -> dict[Path, str]:
    """The text files among them, with their content."""
    read: dict[Path, str] = {}
    for path in files:
        data = (root / path).read_bytes()
        if b"\0" not in data:
            read[path] = data.decode("utf-8")
    return read


@pytest.fixture(scope="session")
def make(root: Path) -> Callable[..., str]:
    """Run make with some arguments and return what it printed."""

    def run(*arguments: str) -> str:
        ended = subprocess.run(["make", *arguments], cwd=root, capture_output=True, text=True, check=True)
        return ended.stdout

    return run
