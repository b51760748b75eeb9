"""What a job left in its folder is not trusted: only plain files are taken, and everything is wiped."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from worker.agent.scratch import KEPT_S, Scratch, wipe_leftovers
from worker.bundle import Bundle
from worker.errors import WorkerError


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    one = Scratch(tmp_path / "jobs" / "j-1")
    one.begin()
    return one


@pytest.fixture
def made(scratch: Scratch, make_bundle: Callable[..., Bundle]) -> tuple[Scratch, Bundle]:
    """A job's folder with a good bundle in it."""
    bundle = make_bundle()
    os.rename(bundle.blobs.folder, scratch.out / "bundle")
    return scratch, bundle


def test_a_good_bundle_is_taken(made) -> None:
    scratch, bundle = made
    taken = scratch.take_bundle()
    assert taken.id == bundle.id
    assert taken.blobs.folder == scratch.folder / "taken"


def test_links_pipes_and_strangers_are_not_followed(made, tmp_path: Path) -> None:
    scratch, _ = made
    secret = tmp_path / "secret"
    secret.write_text("of the host")
    blob = next((scratch.out / "bundle" / "blobs").iterdir())
    for put in (
        lambda: blob.symlink_to(secret),
        lambda: os.mkfifo(blob),
        lambda: blob.mkdir(),
    ):
        blob.unlink(missing_ok=True) if not blob.is_dir() or blob.is_symlink() else blob.rmdir()
        put()
        with pytest.raises(WorkerError, match="job_output_invalid"):
            scratch.take_bundle()
    blob.rmdir()
    with pytest.raises(WorkerError, match="blob_missing"):
        scratch.take_bundle()


@pytest.mark.parametrize("where", ["bundle", "bundle/blobs"])
def test_a_folder_that_is_a_link_is_refused(made, tmp_path: Path, where: str) -> None:
    scratch, _ = made
    real = scratch.out / where
    moved = tmp_path / "elsewhere"
    os.rename(real, moved)
    real.symlink_to(moved)
    with pytest.raises(WorkerError, match="job_output_invalid"):
        scratch.take_bundle()


def test_no_bundle_is_no_bundle(scratch: Scratch) -> None:
    with pytest.raises(WorkerError, match="left no bundle"):
        scratch.take_bundle()


def test_wiping_removes_links_and_not_what_they_point_to(scratch: Scratch, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    (scratch.out / "link").symlink_to(outside)
    closed = scratch.out / "closed"
    closed.mkdir()
    (closed / "file").write_text("x")
    closed.chmod(0)
    scratch.wipe()
    assert not scratch.folder.exists()
    assert (outside / "kept").exists()


def test_the_size_counts_what_is_written(scratch: Scratch) -> None:
    before = scratch.written_bytes()
    (scratch.out / "big").write_bytes(b"x" * 1_000_000)
    assert scratch.written_bytes() - before >= 1_000_000


def test_checkpoints_are_read_without_following_links(scratch: Scratch, tmp_path: Path) -> None:
    folder = scratch.out / "checkpoints"
    folder.mkdir()
    (folder / "numerics.json").write_text("{}")
    (tmp_path / "secret.json").write_text("{}")
    (folder / "serving.json").symlink_to(tmp_path / "secret.json")
    assert [name for name, _ in scratch.checkpoints()] == ["numerics"]


def test_folders_of_jobs_that_do_not_come_back_are_removed(scratch: Scratch) -> None:
    root = scratch.folder.parent
    new = Scratch(root / "j-2")
    new.begin()
    old = scratch.folder.stat().st_mtime - KEPT_S - 60
    os.utime(scratch.folder, (old, old))
    wipe_leftovers(root)
    assert [entry.name for entry in root.iterdir()] == ["j-2"]
