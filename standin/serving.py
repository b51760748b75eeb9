"""Run a stand-in in a thread of this process."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI

from standin.app import create_app
from standin.forge import Forge
from standin.settings import StandinSettings

START_LIMIT_S = 20.0


@dataclass(frozen=True)
class RunningStandin:
    """A stand-in that answers.

    Attributes:
        url: Where it listens.
        forge: What people do there, as calls.
    """

    url: str
    forge: Forge


def free_port() -> int:
    """Return a TCP port of 127.0.0.1 that nothing listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(settings: StandinSettings, *, port: int) -> Iterator[RunningStandin]:
    """Serve on 127.0.0.1 until the block ends.

    Args:
        settings: How the stand-in is set up.
        port: Where to listen (``free_port()``).

    Raises:
        RuntimeError: It did not start.
    """
    app = create_app(settings)
    with served(app, port=port):
        yield RunningStandin(f"http://127.0.0.1:{port}", app.state.forge)


@contextmanager
def served(app: FastAPI, *, port: int) -> Iterator[None]:
    """Serve any application on 127.0.0.1 until the block ends.

    Args:
        app: The application.
        port: Where to listen.

    Raises:
        RuntimeError: It did not start.
    """
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, name="standin", daemon=True)
    thread.start()
    limit = time.monotonic() + START_LIMIT_S
    while not server.started:
        if not thread.is_alive() or time.monotonic() > limit:
            server.should_exit = True
            raise RuntimeError(f"the GitHub stand-in did not start on port {port}")
        time.sleep(0.01)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(START_LIMIT_S)
