"""Both stores: whole verified blobs or none, whatever is repeated, raced or broken."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from server.storage import CorruptBlobError, IncompleteBlobError, plan
from worker.bundle import BundleError

if TYPE_CHECKING:
    from tests.server.storage.conftest import Shelf


def absent(shelf: Shelf) -> bool:
    with pytest.raises(BundleError, match="blob_missing"):
        shelf.store.open(shelf.digest)
    return list(shelf.store.visible()) == []


def test_parts_make_a_blob_in_any_order_and_however_often_it_is_asked(shelf: Shelf) -> None:
    for number in (3, 1, 1):
        shelf.put(number)
    assert shelf.arrived() == {1, 3}
    with pytest.raises(IncompleteBlobError):
        shelf.assemble()
    shelf.put(2)
    assert shelf.arrived() == {1, 2, 3}
    assert absent(shelf)
    for _ in range(2):
        shelf.assemble()
        assert shelf.read() == shelf.data
        assert shelf.arrived() == {1, 2, 3}
    for _ in range(2):
        shelf.store.discard_parts(shelf.digest)
    assert list(shelf.store.with_parts()) == []
    assert list(shelf.store.visible()) == [shelf.digest]
    assert shelf.read() == shelf.data


def test_any_stretch_can_be_read(shelf: Shelf) -> None:
    shelf.put_all()
    shelf.assemble()
    with shelf.store.open(shelf.digest) as stream:
        stream.seek(-3, 2)
        assert stream.read() == b"end"
        stream.seek(1 << 20)
        assert stream.read(10) == shelf.data[1 << 20 :][:10]
        stream.seek(5)
        assert stream.read(3) == shelf.data[5:8]
        assert stream.tell() == 8


def test_an_empty_blob(shelf: Shelf) -> None:
    shelf.data = b""
    shelf.put_all()
    shelf.assemble()
    assert shelf.read() == b""
    assert list(shelf.store.visible()) == [shelf.digest]


def test_a_part_that_is_not_kept_leaves_nothing(shelf: Shelf) -> None:
    with shelf.store.part(shelf.digest, 1) as sink:
        sink.write(b"x")
    assert shelf.arrived() == set()
    assert list(shelf.store.with_parts()) == []


@pytest.mark.parametrize("damage", ["flipped", "swapped"])
def test_parts_that_do_not_add_up_never_become_a_blob_and_can_be_sent_again(shelf: Shelf, damage: str) -> None:
    shelf.put_all()
    if damage == "flipped":
        shelf.put(3, b"END")
    else:
        shelf.put(1, shelf.piece(2)[:-1] + b"\1")
        shelf.put(2, shelf.piece(1))
    with pytest.raises(CorruptBlobError):
        shelf.assemble()
    assert absent(shelf)
    assert shelf.arrived() == set()
    shelf.put_all()
    shelf.assemble()
    assert shelf.read() == shelf.data


def test_a_part_of_another_size_has_not_arrived(shelf: Shelf) -> None:
    for number, data in ((1, None), (2, None), (3, b"e")):
        shelf.put(number, data)
    assert shelf.arrived() == {1, 2}
    with pytest.raises(IncompleteBlobError):
        shelf.assemble()
    assert absent(shelf)


def test_many_may_assemble_at_once(shelf: Shelf) -> None:
    shelf.put_all()
    with ThreadPoolExecutor(max_workers=4) as beside:
        for done in [beside.submit(shelf.assemble) for _ in range(4)]:
            done.result()
    shelf.store.discard_parts(shelf.digest)
    assert shelf.read() == shelf.data


def test_many_may_bring_the_same_parts_at_once(shelf: Shelf) -> None:
    with ThreadPoolExecutor(max_workers=6) as beside:
        for done in [beside.submit(shelf.put, 1 + n % 3) for n in range(6)]:
            done.result()
    for number in {1, 2, 3} - shelf.arrived():  # of two uploads begun in one moment, one counts
        shelf.put(number)
    shelf.assemble()
    assert shelf.read() == shelf.data


def test_deleting_takes_everything_and_may_be_repeated(shelf: Shelf) -> None:
    shelf.put_all()
    shelf.assemble()
    shelf.put(1)
    for _ in range(2):
        shelf.store.delete(shelf.digest)
        assert absent(shelf)
        assert list(shelf.store.with_parts()) == []
    shelf.put_all()
    shelf.assemble()
    assert shelf.read() == shelf.data


def test_what_is_unfinished_is_found_and_can_be_discarded(shelf: Shelf) -> None:
    shelf.put(1)
    other = sha256(b"other").hexdigest()
    shelf.put(1, b"other", digest=other)
    assert sorted(shelf.store.with_parts()) == sorted([shelf.digest, other])
    shelf.store.discard_parts(shelf.digest)
    assert list(shelf.store.with_parts()) == [other]
    assert shelf.store.arrived(other, plan(5, 100), {1: other}) == {1}


def test_the_store_says_that_it_works(shelf: Shelf) -> None:
    shelf.store.ping()
