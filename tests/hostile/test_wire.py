"""Bytes on the wire that are not quite HTTP, or stop in the middle, against a real server."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
import uvicorn

if TYPE_CHECKING:
    from tests.hostile.conftest import Target

Address = tuple[str, int]


@pytest.fixture
def address(target: Target) -> Iterator[Address]:
    """The target behind a real server, without its task thread."""
    config = uvicorn.Config(target.service.client.app, host="127.0.0.1", port=0, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    host, port = server.servers[0].sockets[0].getsockname()
    yield host, port
    server.should_exit = True
    thread.join()


def talk(address: Address, data: bytes, *, half_close: bool = True) -> bytes:
    """Send bytes, stop sending if told to, and return what comes back until the server hangs up."""
    answer = b""
    with socket.create_connection(address, timeout=30) as connection, suppress(ConnectionError):
        connection.sendall(data)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        while piece := connection.recv(65536):
            answer += piece
    return answer


HEAD = b"POST /api/v1/bundles HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"

NOT_HTTP: dict[str, bytes] = {
    "noise": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "no version": b"GET /\r\n\r\n",
    "line break in the address": b"GET /health\x0a\x0d HTTP/1.1\r\nHost: x\r\n\r\n",
    "nul in a header": HEAD + b"X-Junk: a\x00b\r\nContent-Length: 2\r\n\r\n{}",
    "header without a name": HEAD + b": b\r\nContent-Length: 2\r\n\r\n{}",
    "folded header": HEAD + b"X-Junk: a\r\n b\r\n\x0b\r\nContent-Length: 2\r\n\r\n{}",
    "two lengths": HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "length below zero": HEAD + b"Content-Length: -2\r\n\r\n{}",
    "length with a plus": HEAD + b"Content-Length: +2\r\n\r\n{}",
    "unknown transfer coding": HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "chunk of no size": HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    "header of 200 kB": HEAD + b"X-Junk: " + b"a" * 200_000 + b"\r\n\r\n",
    "ten thousand headers": HEAD + b"X-Junk: a\r\n" * 10_000 + b"\r\n",
}


@pytest.mark.parametrize("name", NOT_HTTP)
def test_what_is_not_http_is_turned_away_at_the_door(target: Target, address: Address, name: str) -> None:
    answer = talk(address, NOT_HTTP[name])
    assert answer.startswith(b"HTTP/1.1 4") or answer == b""
    target.expect_unchanged()
    assert len(target.service.rows("audit")) <= target.audited + 1


def test_length_and_chunks_together_smuggle_nothing(target: Target, address: Address) -> None:
    """The second request must be read as body, or refused; never answered."""
    hidden = b"POST /api/v1/nodes HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
    body = b"0\r\n\r\n" + hidden
    answer = talk(address, HEAD + b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n" % len(body) + body)
    assert answer.count(b"HTTP/1.1 ") <= 1
    target.expect_unchanged()


def test_a_manifest_that_stops_in_the_middle_leaves_an_audit_row(target: Target, address: Address) -> None:
    body = json.dumps({"manifest": target.bundle.manifest_bytes.decode()}).encode()
    talk(address, HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body[: len(body) // 2])
    expect_refusal(target, "client_gone")


def test_a_part_that_stops_in_the_middle_leaves_an_audit_row(target: Target, address: Address) -> None:
    part = target.part(2)
    head = f"PUT {target.part_url(2)} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(part)}\r\n"
    head += f"Content-Digest: sha-256=:{'A' * 43}=:\r\n\r\n"
    talk(address, head.encode() + part[:100])
    expect_refusal(target, "client_gone")


def test_a_body_that_is_too_large_is_refused_before_it_is_sent(target: Target, address: Address) -> None:
    answer = talk(address, HEAD + b"Content-Length: 99999999999\r\n\r\n" + b"{" * 1000, half_close=False)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"application/problem+json" in answer
    expect_refusal(target, "body_too_large")


def expect_refusal(target: Target, code: str) -> None:
    deadline = time.monotonic() + 30
    while len(rows := target.service.rows("audit")) == target.audited:
        assert time.monotonic() < deadline, "no audit row"
        time.sleep(0.02)
    assert [row["detail"].partition(":")[0] for row in rows[target.audited :]] == [code]
    target.expect_unchanged()
