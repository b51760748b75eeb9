"""What only an S3 store has: signed addresses, secrets, connections, markers."""

from __future__ import annotations

import hmac
import socket
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx
import pytest
from botocore.exceptions import IncompleteReadError

from server.storage import Address, BlobStore, StoreUnavailableError
from server.storage.s3_reader import ObjectReader

if TYPE_CHECKING:
    from tests.server.storage.conftest import Shelf

pytestmark = pytest.mark.s3


@pytest.fixture
def place(new_bucket: Callable[[], dict[str, Any]]) -> Mapping[str, Any]:
    """S3 only."""
    return new_bucket()


def address(shelf: Shelf, number: int) -> Address:
    shelf.said[number] = sha256(shelf.piece(number)).hexdigest()
    found = shelf.store.addresses(shelf.digest, [shelf.parts[number - 1]], shelf.said)
    assert found is not None
    return found[0]


def send(to: Address, data: bytes, headers: Mapping[str, str] | None = None) -> int:
    return httpx.put(to.url, content=data, headers=to.headers if headers is None else headers).status_code


def test_parts_go_to_signed_addresses_without_the_service(shelf: Shelf) -> None:
    for number in (1, 2, 3):
        to = address(shelf, number)
        assert [send(to, shelf.piece(number)), send(to, shelf.piece(number))] == [200, 200]
    assert shelf.arrived() == {1, 2, 3}
    shelf.assemble()
    assert shelf.read() == shelf.data


def test_parts_stay_where_they_are_if_another_request_begins_an_upload_late(shelf: Shelf) -> None:
    shelf.put(1)
    for _ in range(10):
        shelf.store._begin(shelf.digest)  # type: ignore[attr-defined]  # its request saw no upload, and was held up
        assert shelf.arrived() == {1}
    shelf.put(2)
    shelf.put(3)
    shelf.assemble()
    assert shelf.read() == shelf.data


def test_an_address_takes_exactly_the_bytes_it_was_made_for(shelf: Shelf) -> None:
    to, data = address(shelf, 3), shelf.piece(3)
    others = {"x-amz-checksum-sha256": address(shelf, 1).headers["x-amz-checksum-sha256"]}
    assert send(to, b"END") == 400
    assert send(to, data + b"!") == 403
    assert send(to, data, headers={}) == 403
    assert send(to, data, headers=others) == 403
    assert send(Address(1, to.url.replace("partNumber=3", "partNumber=1"), to.headers), data) == 403
    assert httpx.get(to.url).status_code == 403
    assert shelf.arrived() == set()


def test_an_address_expires(place: Mapping[str, Any], shelf: Shelf) -> None:
    to, now = address(shelf, 3), datetime.now(UTC)
    fresh = signed_again(to, now, size_bytes=3, secret=place["s3_secret_key"])
    stale = signed_again(to, now - timedelta(seconds=901), size_bytes=3, secret=place["s3_secret_key"])
    answer = httpx.put(stale.url, content=b"end", headers=stale.headers)
    assert (answer.status_code, "expired" in answer.text) == (403, True)
    assert shelf.arrived() == set()
    assert send(fresh, b"end") == 200


def signed_again(to: Address, when: datetime, *, size_bytes: int, secret: str) -> Address:
    """The address as the service would have signed it at another time (AWS signature version 4)."""
    url = httpx.URL(to.url)
    stamp = when.strftime("%Y%m%dT%H%M%SZ")
    who, _, *scope = url.params["X-Amz-Credential"].split("/")
    scope = [stamp[:8], *scope]
    query = dict(url.params) | {"X-Amz-Date": stamp, "X-Amz-Credential": "/".join([who, *scope])}
    del query["X-Amz-Signature"]
    named = {"content-length": str(size_bytes), "host": url.netloc.decode(), **to.headers}
    asked = "&".join(f"{quote(key, safe='')}={quote(value, safe='')}" for key, value in sorted(query.items()))
    headers = "".join(f"{key}:{named[key]}\n" for key in query["X-Amz-SignedHeaders"].split(";"))
    request = "\n".join(["PUT", url.path, asked, headers, query["X-Amz-SignedHeaders"], "UNSIGNED-PAYLOAD"])
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, "/".join(scope), sha256(request.encode()).hexdigest()])
    key = f"AWS4{secret}".encode()
    for word in (*scope, text):
        key = hmac.digest(key, word.encode(), "sha256")
    return Address(to.number, f"{url.copy_with(query=None)}?{asked}&X-Amz-Signature={key.hex()}", to.headers)


def test_no_addresses_are_given_where_parts_go_through_the_service(
    place: Mapping[str, Any], shelf: Shelf, open_store: Callable[..., BlobStore]
) -> None:
    shelf.store = open_store(**place, s3_direct=False)
    assert shelf.store.addresses(shelf.digest, shelf.parts[:1], {1: "0" * 64}) is None


def test_addresses_name_the_host_that_contributors_reach(
    place: Mapping[str, Any], shelf: Shelf, open_store: Callable[..., BlobStore]
) -> None:
    shelf.store = open_store(**place, s3_public_url="https://store.example/")
    assert address(shelf, 1).url.startswith("https://store.example/byogpu-tests/")


def test_an_address_is_void_once_its_upload_was_completed(shelf: Shelf) -> None:
    shelf.put_all()
    to = address(shelf, 3)
    shelf.assemble()
    assert send(to, shelf.piece(3)) == 404
    assert shelf.read() == shelf.data


def test_a_connection_that_breaks_within_a_part_leaves_nothing(shelf: Shelf) -> None:
    to = address(shelf, 1)
    url = httpx.URL(to.url)
    checksum = to.headers["x-amz-checksum-sha256"]
    head = (
        f"PUT {url.raw_path.decode()} HTTP/1.1\r\nHost: {url.host}:{url.port}\r\n"
        f"x-amz-checksum-sha256: {checksum}\r\nContent-Length: {len(shelf.piece(1))}\r\n\r\n"
    )
    with socket.create_connection((url.host, url.port)) as wire:
        wire.sendall(head.encode() + shelf.piece(1)[:100_000])
    assert shelf.arrived() == set()
    assert send(to, shelf.piece(1)) == 200
    assert shelf.arrived() == {1}


def test_a_wrong_secret_is_an_outage_not_an_empty_store(
    place: Mapping[str, Any], shelf: Shelf, open_store: Callable[..., BlobStore]
) -> None:
    shelf.put_all()
    shelf.assemble()
    stranger = open_store(**{**place, "s3_secret_key": "not-the-secret"})
    for act in (lambda: stranger.open(shelf.digest), lambda: list(stranger.visible()), stranger.ping):
        with pytest.raises(StoreUnavailableError, match="SignatureDoesNotMatch"):
            act()
    to = address(shelf, 3)
    forged = signed_again(to, datetime.now(UTC), size_bytes=3, secret="not-the-secret")
    assert send(forged, shelf.piece(3)) == 403
    assert send(signed_again(to, datetime.now(UTC), size_bytes=3, secret=place["s3_secret_key"]), b"end") == 200


def test_a_store_that_is_away_is_an_outage(place: Mapping[str, Any], open_store: Callable[..., BlobStore]) -> None:
    away = open_store(**{**place, "s3_url": "http://127.0.0.1:1"})
    with pytest.raises(StoreUnavailableError, match="does not answer"):
        away.ping()


def test_a_marker_whose_object_is_gone_is_replaced(shelf: Shelf) -> None:
    shelf.put_all()
    shelf.assemble()
    client = shelf.store._bucket  # type: ignore[attr-defined]
    for found in list(client.objects("data/")):
        client.delete(found.key)
    shelf.put_all()
    shelf.assemble()
    assert shelf.read() == shelf.data


class Breaking:
    """An object whose connection breaks after so many bytes."""

    def __init__(self, data: bytes, after: int) -> None:
        self.data, self.left = data, after

    def read(self, amount: int) -> bytes:
        if self.left <= 0:
            raise IncompleteReadError(actual_bytes=0, expected_bytes=1)
        taken, self.data = self.data[: min(amount, self.left)], self.data[min(amount, self.left) :]
        self.left -= len(taken)
        return taken

    def close(self) -> None:
        pass


def test_reading_goes_on_where_a_connection_broke() -> None:
    data = bytes(range(200))
    offsets: list[int] = []

    def fetch(offset: int) -> Breaking:
        offsets.append(offset)
        return Breaking(data[offset:], after=70)

    assert ObjectReader(fetch, len(data)).read() == data
    assert offsets == [0, 70, 140]


def test_reading_gives_up_on_a_store_that_always_breaks_off() -> None:
    with pytest.raises(StoreUnavailableError):
        ObjectReader(lambda _: Breaking(b"x", after=0), 1).read()
