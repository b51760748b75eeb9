"""The local blob store: whole files or none."""

from hashlib import sha256
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.storage import CorruptBlobError, LocalBlobs, plan
from worker.bundle import BundleError

DATA = bytes(range(256)) * 10
DIGEST = sha256(DATA).hexdigest()


@pytest.fixture
def store(tmp_path: Path) -> LocalBlobs:
    return LocalBlobs(tmp_path)


def put(store: LocalBlobs, number: int, data: bytes, digest: str = DIGEST) -> None:
    with store.part(digest, number) as sink:
        sink.write(data)
        sink.keep()


def put_all(store: LocalBlobs, *, part_size_bytes: int = 1000) -> None:
    for part in plan(len(DATA), part_size_bytes):
        put(store, part.number, DATA[part.offset : part.offset + part.size_bytes])


@given(size_bytes=st.integers(0, 5000), part_size_bytes=st.integers(1, 600))
def test_a_plan_covers_the_blob_once(size_bytes: int, part_size_bytes: int) -> None:
    parts = plan(size_bytes, part_size_bytes)
    assert [part.number for part in parts] == list(range(1, len(parts) + 1))
    assert [part.offset for part in parts] == [0, *accumulate(part.size_bytes for part in parts)][:-1]
    assert sum(part.size_bytes for part in parts) == size_bytes
    assert all(0 < part.size_bytes <= part_size_bytes for part in parts) or size_bytes == 0


def test_parts_make_a_blob(store: LocalBlobs) -> None:
    put_all(store)
    with pytest.raises(BundleError, match="blob_missing"):
        store.open(DIGEST)
    store.assemble(DIGEST, plan(len(DATA), 1000))
    with store.open(DIGEST) as stream:
        assert stream.read() == DATA
    store.assemble(DIGEST, plan(len(DATA), 1000))
    store.discard_parts(DIGEST)
    assert store.received(DIGEST) == {}
    assert store.with_parts() == []


def test_a_part_that_is_not_kept_leaves_nothing(store: LocalBlobs, tmp_path: Path) -> None:
    with store.part(DIGEST, 1) as sink:
        sink.write(b"x")
    assert store.received(DIGEST) == {}
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_part_is_replaced_by_a_newer_one(store: LocalBlobs) -> None:
    put(store, 1, b"first")
    put(store, 1, b"second")
    assert store.received(DIGEST) == {1: 6}


@pytest.mark.parametrize("damage", ["flipped", "swapped", "short", "missing"])
def test_parts_that_do_not_add_up_never_become_a_blob(store: LocalBlobs, damage: str, tmp_path: Path) -> None:
    put_all(store)
    match damage:
        case "flipped":
            put(store, 2, b"\0" * 1000)
        case "swapped":
            put(store, 1, DATA[1000:2000])
            put(store, 2, DATA[:1000])
        case "short":
            put(store, 2, DATA[1000:1999])
        case _:
            (tmp_path / "parts" / DIGEST / "2").unlink()
    with pytest.raises(CorruptBlobError):
        store.assemble(DIGEST, plan(len(DATA), 1000))
    with pytest.raises(BundleError, match="blob_missing"):
        store.open(DIGEST)
    assert list((tmp_path / "scratch").iterdir()) == []


def test_deleting_is_repeatable(store: LocalBlobs) -> None:
    put_all(store)
    store.assemble(DIGEST, plan(len(DATA), 1000))
    store.delete(DIGEST)
    store.delete(DIGEST)
    with pytest.raises(BundleError, match="blob_missing"):
        store.open(DIGEST)


def test_scratch_of_a_killed_server_is_cleared(store: LocalBlobs, tmp_path: Path) -> None:
    (tmp_path / "scratch" / "left").write_bytes(b"half")
    store.clear_scratch()
    assert list((tmp_path / "scratch").iterdir()) == []


def test_ping_fails_when_the_folder_is_gone(store: LocalBlobs, tmp_path: Path) -> None:
    store.ping()
    (tmp_path / "scratch").rmdir()
    with pytest.raises(OSError, match="scratch"):
        store.ping()
