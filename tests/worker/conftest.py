"""Fixtures of the worker's tests: scratch folders, small git repositories, programs that misbehave."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from worker.deadline import Deadline

Commit = Callable[[Path], str]


@pytest.fixture
def python() -> str:
    return sys.executable


@pytest.fixture
def soon() -> Deadline:
    """Long enough for a small program on a busy machine, short enough to fail a hung test."""
    return Deadline.after(30)


@pytest.fixture
def package_tree(tmp_path: Path) -> Path:
    """A source tree with a `k3_decode` package of two modules."""
    tree = tmp_path / "tree"
    (tree / "k3_decode").mkdir(parents=True)
    (tree / "k3_decode" / "__init__.py").write_text('"""A package."""\n')
    (tree / "k3_decode" / "decoder.py").write_text("FAST = True\n")
    return tree


@pytest.fixture
def commit() -> Commit:
    """Makes a folder a git repository with everything in it committed, and returns the commit."""

    def make(folder: Path) -> str:
        git = ["git", "-C", str(folder), "-c", "user.name=Test", "-c", "user.email=test@example.invalid"]
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "add", "--all"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "First"], check=True)
        found = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
        return found.stdout.strip()

    return make
