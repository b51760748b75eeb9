import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx
import pytest


class Server:
    """A server process of the real command."""

    def __init__(self, folder, *options: str) -> None:
        port_file = folder / "port"
        command = [
            sys.executable,
            "-m",
            "k3_decode.engine",
            "serve",
            "--device",
            "cpu",
            "--port",
            "0",
            "--port-file",
            str(port_file),
        ]
        self.process = subprocess.Popen(
            [*command, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )
        self.url = self._await(port_file)

    def _await(self, port_file) -> str:
        deadline = time.monotonic() + 120
        while not port_file.exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.process.kill()
                raise AssertionError(f"the server did not start: {self.process.communicate()}")
            time.sleep(0.05)
        return f"http://127.0.0.1:{port_file.read_text().strip()}"

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str, str]:
        if self.process.poll() is None:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@pytest.fixture(scope="session")
def start_server() -> type[Server]:
    return Server


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[Server]:
    """One server for all tests, stopped with SIGTERM; it must end with status 0 and without a traceback."""
    running = Server(tmp_path_factory.mktemp("server"), "--config", "k3-tiny", "--decode", "specialized")
    yield running
    status, out, err = running.stop()
    assert status == 0
    assert "Traceback" not in err, err
    assert out == f"k3_decode engine ready at {running.url}\n"


@pytest.fixture
def client(server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=60) as connection:
        yield connection
