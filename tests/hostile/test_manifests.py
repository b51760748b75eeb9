"""Manifests and envelopes nobody honest would post."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from worker.bundle import canonical
from worker.bundle.blobs import MAX_BLOB_BYTES, MAX_FILES

if TYPE_CHECKING:
    from tests.hostile.conftest import Target

JSON = {"Content-Type": "application/json"}
Manifest = dict[str, Any]
OTHER = "c" * 64

BODIES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "json_invalid"),
    "not json": (b"manifest", "json_invalid"),
    "truncated": (b'{"manifest": "{}', "json_invalid"),
    "byte order mark": (b'\xef\xbb\xbf{"manifest": "{}"}', "json_invalid"),
    "not utf-8": (b'{"manifest": "\xff\xfe"}', "json_invalid"),
    "utf-16": ('{"manifest": "{}"}'.encode("utf-16"), "json_invalid"),
    "two values": (b'{"manifest": "{}"} {"manifest": "{}"}', "json_invalid"),
    "duplicate key": (b'{"manifest": "{}", "manifest": "{}"}', "json_invalid"),
    "not a number": (b'{"manifest": NaN}', "json_invalid"),
    "deep": (b'{"manifest": ' + b"[" * 7000 + b"]" * 7000 + b"}", "json_invalid"),
    "wide": (b'{"manifest": [' + b"0," * 20_000 + b"0]}", "json_invalid"),
    "long number": (b'{"manifest": ' + b"9" * 10_000 + b"}", "json_invalid"),
    "array": (b'["{}"]', "body_invalid"),
    "null": (b"null", "body_invalid"),
    "no manifest": (b'{"envelope": null}', "body_invalid"),
    "manifest as an object": (b'{"manifest": {}}', "body_invalid"),
    "manifest as a number": (b'{"manifest": 1}', "body_invalid"),
    "manifest too short": (b'{"manifest": ""}', "body_invalid"),
    "half a surrogate pair": (b'{"manifest": "\\ud800"}', "body_invalid"),
    "unknown field": (b'{"manifest": "{}", "admin": true}', "body_invalid"),
}

TEXTS: dict[str, tuple[Callable[[str], str], str]] = {
    "not json": (lambda text: "manifest", "json_invalid"),
    "truncated": (lambda text: text[:-1], "json_invalid"),
    "two": (lambda text: text + text, "json_invalid"),
    "trailing newline": (lambda text: text + "\n", "manifest_not_canonical"),
    "spaces": (lambda text: text.replace(":", ": ", 1), "manifest_not_canonical"),
    "re-ordered": (lambda text: json.dumps(dict(reversed(json.loads(text).items())), separators=(",", ":")),
                   "manifest_not_canonical"),
    "number spelt otherwise": (lambda text: text.replace('"duration_s":2.5', '"duration_s":2.50'),
                               "manifest_not_canonical"),
    "duplicate key": (lambda text: text.replace('{"arms":[]', '{"arms":[],"arms":[]'), "json_invalid"),
    "infinity": (lambda text: text.replace('"duration_s":2.5', '"duration_s":Infinity'), "json_invalid"),
    "too large a number": (lambda text: text.replace('"duration_s":2.5', '"duration_s":1e999'), "manifest_invalid"),
    "nul": (lambda text: text.replace("octo/kernels", "octo/kernels\\u0000"), "manifest_invalid"),
    "padding": (lambda text: text.replace('"worker_version":"0.1.0"', f'"worker_version":"{"x" * 4_000_000}"'),
                "manifest_too_large"),
    "deep": (lambda text: text.replace('"arms":[]', '"arms":' + "[" * 5000 + "]" * 5000), "json_invalid"),
}  # fmt: skip


def _first_file(**changes: Any) -> Callable[[Manifest], None]:
    return lambda manifest: manifest["files"][0].update(changes)


def _subject(**changes: Any) -> Callable[[Manifest], None]:
    return lambda manifest: manifest["subject"].update(changes)


def _files(count: int, **changes: Any) -> Callable[[Manifest], None]:
    return lambda manifest: manifest.update(files=[{**manifest["files"][0], **changes}] * count)


RECORDS: dict[str, tuple[Callable[[Manifest], object], str]] = {
    "unknown field": (lambda m: m.update(note="hello"), "manifest_invalid"),
    "unknown field inside": (lambda m: m["producer"].update(cluster="x"), "manifest_invalid"),
    "missing field": (lambda m: m.pop("attempts"), "manifest_invalid"),
    "other format": (lambda m: m.update(format="byogpu.bundle/2"), "manifest_invalid"),
    "wrong tag": (lambda m: m["origin"].update(kind="trusted"), "manifest_invalid"),
    "number as text": (_subject(repository_id="7"), "manifest_invalid"),
    "truth as number": (_subject(pull_number=True), "manifest_invalid"),
    "negative pull": (_subject(pull_number=-1), "manifest_invalid"),
    "id beyond 2^53": (_subject(repository_id=2**53), "manifest_invalid"),
    "short sha": (_subject(head_sha="abc"), "manifest_invalid"),
    "repository is a path": (_subject(repository="../../etc"), "manifest_invalid"),
    "repository is markup": (_subject(repository="<b>/x"), "manifest_invalid"),
    "right-to-left override is no control, a line separator is": (_first_file(name="a\u2028b"), "manifest_invalid"),
    "escape sequence": (_first_file(name="\x1b[31mred"), "manifest_invalid"),
    "html file": (_first_file(media_type="text/html"), "manifest_invalid"),
    "svg file": (_first_file(media_type="image/svg+xml"), "manifest_invalid"),
    "role nobody reads": (_first_file(role="executable"), "manifest_invalid"),
    "digest in capitals": (_first_file(sha256="C" * 64), "manifest_invalid"),
    "digest is a path": (_first_file(sha256="../" * 21 + "x"), "manifest_invalid"),
    "negative size": (_first_file(size_bytes=-1), "manifest_invalid"),
    "a blob too large": (_first_file(size_bytes=MAX_BLOB_BYTES + 1), "blob_too_large"),
    "a bundle too large": (_files(5, size_bytes=MAX_BLOB_BYTES), "bundle_too_large"),
    "too many files": (_files(MAX_FILES + 1, size_bytes=0), "manifest_invalid"),
    "one digest, two sizes": (
        lambda m: m["files"].append({**m["files"][0], "size_bytes": 1}), "blob_size_conflict"
    ),
}  # fmt: skip

PAYLOAD = b64encode(b"{}").decode()
SIGNATURE = {"keyid": "a" * 64, "sig": b64encode(b"x" * 64).decode()}
GOOD = {"payload": PAYLOAD, "payloadType": "application/vnd.in-toto+json", "signatures": [SIGNATURE]}

ENVELOPES: dict[str, tuple[Any, str]] = {
    "text": ("signed", "body_invalid"),
    "list": ([], "body_invalid"),
    "empty": ({}, "body_invalid"),
    "no signature": ({**GOOD, "signatures": []}, "body_invalid"),
    "too many signatures": ({**GOOD, "signatures": [SIGNATURE] * 9}, "body_invalid"),
    "other payload type": ({**GOOD, "payloadType": "text/html"}, "body_invalid"),
    "unknown field": ({**GOOD, "trusted": True}, "body_invalid"),
    "key id is a path": ({**GOOD, "signatures": [{**SIGNATURE, "keyid": "../x"}]}, "body_invalid"),
    "payload too large": ({**GOOD, "payload": "A" * 64_004}, "body_invalid"),
    "payload not base64": ({**GOOD, "payload": "%%%"}, "envelope_invalid"),
    "signature not base64": ({**GOOD, "signatures": [{**SIGNATURE, "sig": "%%%"}]}, "envelope_invalid"),
    "same key twice": ({**GOOD, "signatures": [SIGNATURE, SIGNATURE]}, "envelope_invalid"),
}

HEADERS: dict[str, tuple[dict[str, str], str]] = {
    "no type": ({"Content-Type": ""}, "unsupported_media_type"),
    "text": ({"Content-Type": "text/plain"}, "unsupported_media_type"),
    "form": ({"Content-Type": "application/x-www-form-urlencoded"}, "unsupported_media_type"),
    "multipart": ({"Content-Type": "multipart/form-data; boundary=x"}, "unsupported_media_type"),
    "json of another kind": ({"Content-Type": "application/ld+json"}, "unsupported_media_type"),
    "compressed": ({**JSON, "Content-Encoding": "gzip"}, "unsupported_media_type"),
    "compressed twice": ({**JSON, "Content-Encoding": "gzip, gzip"}, "unsupported_media_type"),
    "length is a word": ({**JSON, "Content-Length": "many"}, "header_invalid"),
    "length is signed": ({**JSON, "Content-Length": "+5"}, "header_invalid"),
    "length beyond the limit": ({**JSON, "Content-Length": "99999999999999999999999"}, "body_too_large"),
}


def post(target: Target, body: bytes, headers: dict[str, str] = JSON) -> Any:
    return target.service.client.post("/api/v1/bundles", content=body, headers=headers)


@pytest.mark.parametrize("name", BODIES)
def test_bodies(target: Target, name: str) -> None:
    body, code = BODIES[name]
    target.expect(post(target, body), code)


@pytest.mark.parametrize("name", TEXTS)
def test_manifest_texts(target: Target, name: str) -> None:
    damage, code = TEXTS[name]
    text = damage(target.bundle.manifest_bytes.decode())
    assert text != target.bundle.manifest_bytes.decode()
    target.expect(post(target, json.dumps({"manifest": text}).encode()), code)


@pytest.mark.parametrize("name", RECORDS)
def test_manifest_records(target: Target, name: str) -> None:
    damage, code = RECORDS[name]
    manifest = json.loads(target.bundle.manifest_bytes)
    damage(manifest)
    try:
        text = canonical(manifest).decode()
    except Exception:
        text = json.dumps(manifest, separators=(",", ":"), sort_keys=True)
    target.expect(post(target, json.dumps({"manifest": text}).encode()), code)


@pytest.mark.parametrize("name", ENVELOPES)
def test_envelopes(target: Target, name: str) -> None:
    envelope, code = ENVELOPES[name]
    text = target.bundle.manifest_bytes.decode().replace('"worker_version":"0.1.0"', '"worker_version":"0.1.1"')
    target.expect(post(target, json.dumps({"manifest": text, "envelope": envelope}).encode()), code)


@pytest.mark.parametrize("name", HEADERS)
def test_headers(target: Target, name: str) -> None:
    headers, code = HEADERS[name]
    body = json.dumps({"manifest": target.bundle.manifest_bytes.decode()}).encode()
    target.expect(post(target, body, headers), code)


def test_a_body_without_end_is_cut_off(target: Target) -> None:
    sent = 0

    def endless() -> Any:
        nonlocal sent
        while sent < 100_000_000:
            sent += 1_000_000
            yield b" " * 1_000_000

    target.expect(post(target, endless()), "body_too_large")  # type: ignore[arg-type]


def test_a_name_that_is_a_path_stays_a_name(target: Target) -> None:
    manifest = json.loads(target.bundle.manifest_bytes)
    manifest["files"][0]["name"] = "../../../../etc/passwd"
    answer = post(target, json.dumps({"manifest": canonical(manifest).decode()}).encode())
    assert answer.status_code == 201
    folder = target.service.services.settings.data_dir
    assert {path.name for path in folder.iterdir()} <= {
        "blobs", "parts", "scratch", "byogpu.sqlite3", "byogpu.sqlite3-shm", "byogpu.sqlite3-wal"
    }  # fmt: skip
