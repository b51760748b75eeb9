"""Serves an application until SIGTERM or SIGINT, and says when it is ready."""

import signal
import socket
from pathlib import Path

import uvicorn
from fastapi import FastAPI

SHUTDOWN_GRACE_S = 5
"""Time that answers under way have left after the signal, in seconds."""


def serve(app: FastAPI, *, host: str, port: int, port_file: Path | None = None) -> None:
    """Serve until told to stop; requests under way may finish within `SHUTDOWN_GRACE_S`.

    Args:
        app: The application.
        host: Address to listen on.
        port: Port to listen on; 0 takes a free one.
        port_file: File that receives the port, whole at once, when the server is ready.

    Raises:
        OSError: The address cannot be taken.
    """
    # uvicorn raises a caught signal again once it has shut down; without these the process would die of it.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    with _listen(host, port) as listener:
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, lifespan="on", timeout_graceful_shutdown=SHUTDOWN_GRACE_S
        )
        _AnnouncingServer(config, host=host, port=listener.getsockname()[1], port_file=port_file).run([listener])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    return listener


class _AnnouncingServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, *, host: str, port: int, port_file: Path | None) -> None:
        super().__init__(config)
        self._url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        self._port = port
        self._port_file = port_file

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.started:
            return
        if self._port_file is not None:
            partial = self._port_file.with_name(self._port_file.name + ".partial")
            partial.write_text(f"{self._port}\n")
            partial.replace(self._port_file)
        print(f"k3_decode engine ready at {self._url}", flush=True)
