"""The local blob store: whole files or none."""

from hashlib import sha256
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.storage import LocalBlobs, plan

DATA = bytes(range(256)) * 10
DIGEST = sha256(DATA).hexdigest()


@pytest.fixture
def store(tmp_path: Path) -> LocalBlobs:
    return LocalBlobs(tmp_path)


def put(store: LocalBlobs, number: int, data: bytes, digest: str = DIGEST) -> None:
    with store.part(digest, number) as sink:
        sink.write(data)
        sink.keep()


@given(size_bytes=st.integers(0, 5000), part_size_bytes=st.integers(1, 600))
def test_a_plan_covers_the_blob_once(size_bytes: int, part_size_bytes: int) -> None:
    parts = plan(size_bytes, part_size_bytes)
    assert [part.number for part in parts] == list(range(1, len(parts) + 1))
    assert [part.offset for part in parts] == [0, *accumulate(part.size_bytes for part in parts)][:-1]
    assert sum(part.size_bytes for part in parts) == size_bytes
    assert all(0 < part.size_bytes <= part_size_bytes for part in parts) or size_bytes == 0


def test_a_part_that_is_not_kept_leaves_nothing(store: LocalBlobs, tmp_path: Path) -> None:
    with store.part(DIGEST, 1) as sink:
        sink.write(b"x")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_part_is_replaced_by_a_newer_one(store: LocalBlobs, tmp_path: Path) -> None:
    put(store, 1, b"first")
    put(store, 1, b"second")
    assert (tmp_path / "parts" / DIGEST / "1").read_bytes() == b"second"


def test_scratch_of_a_killed_server_is_cleared(store: LocalBlobs, tmp_path: Path) -> None:
    (tmp_path / "scratch" / "left").write_bytes(b"half")
    store.clear_scratch()
    assert list((tmp_path / "scratch").iterdir()) == []


def test_ping_fails_when_the_folder_is_gone(store: LocalBlobs, tmp_path: Path) -> None:
    store.ping()
    (tmp_path / "scratch").rmdir()
    with pytest.raises(OSError, match="scratch"):
        store.ping()
