"""Going down in order: first not ready, then no new requests, then the end of what runs, and never for ever."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from server.embedded import LocalBell, embedded
from server.queue import enqueue
from standin import free_port

if TYPE_CHECKING:
    from tests.conftest import Service

LIMIT_S = 60
MANY = 100_000
"""Objects that modules, routes and models come to; fewer than a running server has."""


@dataclass
class Running:
    """``python -m server`` in a process of its own.

    Attributes:
        log: Lines that it has written, from when it accepted requests on.
    """

    process: subprocess.Popen[bytes]
    url: str
    log: list[bytes] = field(default_factory=list)

    def get(self, path: str) -> httpx.Response:
        return httpx.get(f"{self.url}{path}", timeout=LIMIT_S, trust_env=False)

    def refuses(self) -> bool:
        try:
            self.get("/health")
        except httpx.TransportError:
            return True
        return False


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    """A server that accepts requests."""
    port = free_port()
    chosen = {"DATA_DIR": str(tmp_path), "PORT": str(port), "DRAIN_S": "120", "LOG_FORMAT": "json"}
    env = {**os.environ, **{f"BYOGPU_{name}": value for name, value in chosen.items()}}
    process = subprocess.Popen([sys.executable, "-m", "server"], env=env, stderr=subprocess.PIPE)
    assert process.stderr is not None
    running = Running(process, f"http://127.0.0.1:{port}")
    try:
        for line in process.stderr:
            if b"Uvicorn running on" in line:
                break
        reader = threading.Thread(target=running.log.extend, args=(process.stderr,))
        reader.start()
        yield running
    finally:
        process.kill()
        process.wait()
        reader.join()
        process.stderr.close()


def test_a_server_that_is_told_to_stop(server: Running) -> None:
    body = b'{"manifest": "", "envelope": null}'
    head = f"POST /api/v1/bundles HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    with socket.create_connection(("127.0.0.1", httpx.URL(server.url).port or 0), timeout=LIMIT_S) as running:
        running.sendall(f"{head}\r\n\r\n".encode() + body[:10])
        server.process.send_signal(signal.SIGTERM)
        while (answer := server.get("/ready")).status_code == 200:
            continue  # until the signal has arrived
        assert (answer.status_code, answer.json()["draining"]) == (503, True)
        assert server.get("/api/v1/pulls").status_code == 200, "it serves on"
        server.process.send_signal(signal.SIGTERM)  # told twice, it waits no longer
        while not server.refuses():
            continue
        assert server.process.poll() is None, "a request is still running"
        running.sendall(body[10:])
        assert running.recv(65536).startswith(b"HTTP/1.1 422")
    assert server.process.wait(LIMIT_S) in (0, -signal.SIGTERM)
    assert any(b"Finished server process" in line for line in server.log)


class StuckGitHub:
    """Answers when told to, and not before."""

    def __init__(self) -> None:
        self.asked, self.released = threading.Event(), threading.Event()

    def fetch_pull(self, repository: str, number: int) -> Any:
        self.asked.set()
        self.released.wait(LIMIT_S)
        raise RuntimeError("too late")


@pytest.mark.parametrize("in_time", [True, False])
def test_the_running_task_has_some_time_and_then_goes_back_in_line(
    make_service: Callable[..., Service], in_time: bool
) -> None:
    github = StuckGitHub()
    service = make_service(github=github, shutdown_timeout_s=30 if in_time else 1)
    pull_id = add_pull(service)
    with service.services.database.write() as session:
        enqueue(session, "read_pull", str(pull_id), now=service.clock())
    bell = service.services.bell
    assert isinstance(bell, LocalBell)
    with embedded(service.services, bell):
        assert github.asked.wait(LIMIT_S)
        (running,) = [row for row in service.rows("task") if row["kind"] == "read_pull"]
        assert (running["state"], running["lease"] is not None) == ("running", True)
        if in_time:
            github.released.set()
    (after,) = [row for row in service.rows("task") if row["kind"] == "read_pull"]
    assert (after["state"], after["lease"]) == ("queued", None)
    assert after["detail"] == ("RuntimeError: too late" if in_time else "")
    github.released.set()
    assert bell.thread is not None
    bell.thread.join(LIMIT_S)
    (last,) = [row for row in service.rows("task") if row["kind"] == "read_pull"]
    assert last["detail"] == after["detail"], "a runner that lost its lease changes nothing"


def add_pull(service: Service) -> int:
    from server.seen import Seen, note

    seen = Seen(
        repository_id=1, repository="octo/kernels", number=1, title="t", body="", state="open", head_sha="a" * 40,
        base_sha="b" * 40,
    )  # fmt: skip
    with service.services.database.write() as session:
        pull_id = note(session, seen, actor="github", now=service.clock())
    service.work()
    return pull_id


def test_what_is_there_at_the_start_is_never_searched_for_garbage(tmp_path: Path) -> None:
    script = (
        "import asyncio, gc, uvicorn\n"
        "from server.__main__ import DrainingServer\n"
        "from server.app import create_app\n"
        "from server.settings import Settings\n"
        "from server.startup import build\n"
        "settings = Settings()\n"
        "services = build(settings)\n"
        "config = uvicorn.Config(create_app(settings, services=services), port=0, log_level='critical')\n"
        "config.load()\n"
        "server = DrainingServer(config, services)\n"
        "server.lifespan = config.lifespan_class(config)\n"
        "async def start():\n"
        "    await server.startup()\n"
        "    print(gc.get_freeze_count())\n"
        "    await server.shutdown()\n"
        "asyncio.run(start())\n"
    )
    env = {**os.environ, "BYOGPU_DATA_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, check=True, timeout=LIMIT_S)
    assert int(done.stdout) > MANY
