"""Parts and submissions that do not fit the plan."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256, sha512
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.hostile.conftest import Target

Put = Callable[["Target"], Any]


def content_digest(data: bytes) -> str:
    return f"sha-256=:{b64encode(sha256(data).digest()).decode()}:"


def put(url: str | None = None, data: bytes | None = None, digest: str | None = "", **headers: str) -> Put:
    """A request like the honest one for part 2 but for what is given; an empty digest is the right one."""

    def send(target: Target) -> Any:
        body = target.part(2) if data is None else data
        sent = dict(headers)
        if digest is not None:
            sent["Content-Digest"] = digest or content_digest(body)
        return target.service.client.put(url or target.part_url(2), content=body, headers=sent)

    return send


def at(number: object) -> Put:
    return lambda target: put(target.part_url(number))(target)


SHA_512 = f"sha-512=:{b64encode(sha512(b'x').digest()).decode()}:"
WRONG = content_digest(b"something else")

PARTS: dict[str, tuple[Put, str]] = {
    "no digest": (put(digest=None), "parameter_invalid"),
    "wrong digest": (put(digest=WRONG), "part_digest_wrong"),
    "digest in hexadecimal": (put(digest="sha-256=" + "a" * 64), "header_invalid"),
    "digest without colons": (put(digest=content_digest(b"x").replace(":", "")), "header_invalid"),
    "digest cut": (put(digest=content_digest(b"x")[:-4] + ":"), "header_invalid"),
    "digest of another kind": (put(digest=SHA_512), "header_invalid"),
    "two digests": (put(digest=f"{WRONG}, {WRONG}"), "header_invalid"),
    "digest of 4 kB": (put(digest=WRONG + ", " + "x" * 4096), "parameter_invalid"),
    "digest that is not ascii": (put(digest="sha-256=:é:".encode("latin-1")), "header_invalid"),  # type: ignore[arg-type]
    "empty": (put(data=b""), "part_size_wrong"),
    "too short": (put(data=b"x" * 1023), "part_size_wrong"),
    "too long": (put(data=b"x" * 1025), "body_too_large"),
    "compressed": (put(**{"Content-Encoding": "gzip"}), "unsupported_media_type"),
    "length is a lie": (put(**{"Content-Length": "5000000000"}), "body_too_large"),
    "blob nobody lists": (put("/api/v1/blobs/" + "0" * 64 + "/parts/1"), "blob_not_expected"),
    "blob is a path": (put("/api/v1/blobs/..%2f..%2fetc/parts/1"), "not_found"),
    "blob in capitals": (put("/api/v1/blobs/" + "A" * 64 + "/parts/1"), "parameter_invalid"),
    "part zero": (at(0), "parameter_invalid"),
    "part minus one": (at(-1), "parameter_invalid"),
    "part one and a half": (at("1.5"), "parameter_invalid"),
    "part in other digits": (at("٢"), "parameter_invalid"),
    "part beyond the plan": (at(999), "part_out_of_range"),
    "part beyond reason": (at(10**30), "parameter_invalid"),
    "part is a path": (at("..%2f..%2fx"), "not_found"),
}


@pytest.mark.parametrize("name", PARTS)
def test_parts(target: Target, name: str) -> None:
    send, code = PARTS[name]
    target.expect(send(target), code)


def test_a_part_without_end_is_cut_off(target: Target) -> None:
    sent = 0

    def endless() -> Any:
        nonlocal sent
        while sent < 10_000_000:
            sent += 1000
            yield b"x" * 1000

    headers = {"Content-Digest": content_digest(b"x")}
    target.expect(target.service.client.put(target.part_url(2), content=endless(), headers=headers), "body_too_large")


def test_a_refused_part_does_not_replace_the_good_one(target: Target) -> None:
    wrong = target.service.put(target.part_url(1), b"x" * 1024, **{"Content-Digest": WRONG})
    target.expect(wrong, "part_digest_wrong")


def test_parts_of_a_complete_bundle_are_refused(target: Target) -> None:
    target.service.put_missing(target.bundle, [target.blob])
    assert target.service.submit(target.bundle).status_code == 202
    target.service.work()
    target.before, target.audited = target.service.traces(), len(target.service.rows("audit"))
    target.expect(target.service.put(target.part_url(1), target.part(1)), "blob_not_expected")


@pytest.mark.parametrize(
    ("bundle_id", "code"),
    [
        ("0" * 64, "bundle_not_found"),
        ("A" * 64, "parameter_invalid"),
        ("abc", "parameter_invalid"),
        ("..%2f" + "0" * 59, "not_found"),
        ("%00" * 64, "parameter_invalid"),
    ],
)
def test_submitting_what_is_not_there(target: Target, bundle_id: str, code: str) -> None:
    target.expect(target.service.client.post(f"/api/v1/bundles/{bundle_id}/submit"), code)


def test_submitting_half_an_upload(target: Target) -> None:
    target.expect(target.service.submit(target.bundle), "bundle_incomplete")


def test_parts_in_each_others_place_never_become_a_blob(target: Target) -> None:
    """Each part is what its own digest says; together they are not the blob."""
    service = target.service
    swapped = {1: 2, 2: 1}
    for part in target.blob["upload"]["parts"]:
        number = part["number"]
        assert service.put(target.part_url(number), target.part(swapped.get(number, number))).status_code == 200
    refused = service.submit(target.bundle)
    assert (refused.status_code, refused.json()["code"]) == (409, "blob_corrupt")
    assert [blob["sha256"] for blob in refused.json()["missing"]] == [target.blob["sha256"]]
    assert not any(part["received"] for part in refused.json()["missing"][0]["upload"]["parts"])
    service.put_missing(target.bundle, refused.json()["missing"])
    assert service.submit(target.bundle).status_code == 202
