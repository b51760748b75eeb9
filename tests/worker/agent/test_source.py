"""The code of a job comes by commit, and nothing of it runs while it is fetched."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from worker.agent.source import fetch_arms
from worker.bundle.job import Source
from worker.errors import WorkerError


@pytest.fixture
def origin(tmp_path: Path) -> Callable[..., tuple[Path, str]]:
    """Makes a repository of files and returns it with its commit."""

    def make(**files: str) -> tuple[Path, str]:
        folder = tmp_path / "origin"
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
        git = ["git", "-C", str(folder), "-c", "user.name=Test", "-c", "user.email=test@example.invalid"]
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "config", "uploadpack.allowAnySHA1InWant", "true"], check=True)
        subprocess.run([*git, "add", "--all"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "One"], check=True)
        found = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
        return folder, found.stdout.strip()

    return make


def source(commit: str, base: str | None = None) -> Source:
    return Source(clone_url="https://github.invalid/octo/kernels", head_sha=commit, base_sha=base or commit)


def test_both_arms_are_checked_out(origin, tmp_path: Path) -> None:
    folder, commit = origin(**{"a.py": "A = 1\n"})
    work = tmp_path / "work"
    work.mkdir()
    baseline, candidate = fetch_arms(source(commit), work, mirror=str(folder))
    assert (baseline / "a.py").read_text() == (candidate / "a.py").read_text() == "A = 1\n"
    assert not (candidate / ".git").exists()


def test_a_commit_that_is_not_there_is_an_error(origin, tmp_path: Path) -> None:
    folder, commit = origin(**{"a.py": ""})
    with pytest.raises(WorkerError, match="source_unavailable"):
        fetch_arms(source("d" * 40, commit), tmp_path, mirror=str(folder))


def test_only_the_protocols_that_the_address_needs_are_allowed(tmp_path: Path) -> None:
    for address in ("ext::sh -c 'touch /tmp/never' ", "ssh://host.invalid/x", "file:///etc"):
        with pytest.raises(WorkerError, match="source_unavailable"):
            fetch_arms(source("d" * 40), tmp_path, mirror=address)
        for left in tmp_path.iterdir():
            subprocess.run(["rm", "-r", str(left)], check=True)


def test_filters_that_the_code_names_do_not_run(origin, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    folder, commit = origin(**{".gitattributes": "* filter=evil\n", "a.py": "A = 1\n"})
    subprocess.run(["git", "-C", str(folder), "config", "filter.evil.smudge", f"touch {trace}; cat"], check=True)
    work = tmp_path / "work"
    work.mkdir()
    fetch_arms(source(commit), work, mirror=str(folder))
    assert not trace.exists()
