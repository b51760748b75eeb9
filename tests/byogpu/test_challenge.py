"""Which runs ask for a challenge, and what is said of one that comes to nothing."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from worker.suites import load
from worker.suites.plan import plan_run

NONCE = "n" * 43
PULL = {"repository_id": 1001, "repository": "octo/kernels", "number": 7, "head_sha": "a" * 40, "base_sha": "b" * 40}
ISSUED = {
    "id": "c-0123456789abcdef",
    "nonce": NONCE,
    "plan_digest": plan_run(load("smoke"), NONCE).digest,
    "repository_id": 1001,
    "head_sha": "a" * 40,
}


class Answering(ThreadingHTTPServer):
    """A server that knows one pull request, issues one challenge and keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, Any]] = []
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    """Answers by path."""

    def do_GET(self) -> None:
        self._answer(200, {"pull": PULL, "claims": []})

    def do_POST(self) -> None:
        self._answer(201, ISSUED if self.path == "/api/v1/challenges" else {"fate": "abandoned"})

    def _answer(self, status: int, document: dict[str, Any]) -> None:
        assert isinstance(self.server, Answering)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((f"{self.command} {self.path}", json.loads(body or "null")))
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Answering]:
    with Answering() as one:
        thread = threading.Thread(target=one.serve_forever)
        thread.start()
        yield one
        one.shutdown()
        thread.join()


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """A folder with something in it, which ends a run before it begins."""
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / "something").touch()
    return folder


def test_a_run_that_comes_to_nothing_gives_its_challenge_up(byogpu: Any, server: Answering, full: Path) -> None:
    ended = byogpu("run", "--server", server.url, "--pull", "octo/kernels#7", "--out", full)
    assert (ended.code, "out_not_empty" in ended.err) == (2, True), ended.err
    assert [what for what, _ in server.asked] == [
        "GET /api/v1/pulls/octo/kernels/7",
        "POST /api/v1/challenges",
        "POST /api/v1/challenges/c-0123456789abcdef/abandon",
    ]
    asked, given_up = server.asked[1][1], server.asked[2][1]
    assert (asked["repository"], asked["pull_number"], asked["suite_digest"]) == (
        "octo/kernels",
        7,
        load("smoke").digest,
    )
    assert len(asked["node_key_id"]) == 64
    assert given_up == {"nonce": NONCE}


def test_no_challenge_is_asked_for_when_none_is_wanted(byogpu: Any, server: Answering, full: Path) -> None:
    ended = byogpu("run", "--server", server.url, "--pull", "octo/kernels#7", "--no-challenge", "--out", full)
    assert ended.code == 2, ended.err
    assert [what for what, _ in server.asked] == ["GET /api/v1/pulls/octo/kernels/7"]


def test_a_run_about_no_pull_request_needs_no_server(byogpu: Any, server: Answering, full: Path) -> None:
    assert byogpu("run", "--server", server.url, "--out", full).code == 2
    assert server.asked == []
