"""Serves an application until SIGTERM or SIGINT, and says when it is ready."""

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import uvicorn
from fastapi import FastAPI

SHUTDOWN_GRACE_S = 3
"""Time that answers under way have left after the signal, in seconds; then they end with an error."""

_HANG_UP_S = 3
"""Time clients have to take that error before their connections are cut, in seconds."""


def serve(
    app: FastAPI,
    *,
    host: str,
    port: int,
    end_requests: Callable[[], Awaitable[None]],
    port_file: Path | None = None,
) -> None:
    """Serve until told to stop; requests under way may finish within `SHUTDOWN_GRACE_S`.

    Args:
        app: The application.
        end_requests: Makes the application end all requests that are still open.
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
            app,
            log_level="warning",
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=SHUTDOWN_GRACE_S + _HANG_UP_S,
        )
        server = _Server(config, end_requests)
        server.announce_at(host, listener.getsockname()[1], port_file)
        server.run([listener])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns Nagle's delay off only for sockets that name TCP; with it, small answers wait for 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    return listener


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, end_requests: Callable[[], Awaitable[None]]) -> None:
        super().__init__(config)
        self._end_requests = end_requests
        self._host = ""
        self._port = 0
        self._port_file: Path | None = None

    def announce_at(self, host: str, port: int, port_file: Path | None) -> None:
        self._host, self._port, self._port_file = host, port, port_file

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.started:
            return
        if self._port_file is not None:
            partial = self._port_file.with_name(self._port_file.name + ".partial")
            partial.write_text(f"{self._port}\n")
            partial.replace(self._port_file)
        host = f"[{self._host}]" if ":" in self._host else self._host
        print(f"k3_decode engine ready at http://{host}:{self._port}", flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        deadline = asyncio.create_task(self._end_after_grace())
        await super().shutdown(sockets)
        deadline.cancel()

    async def _end_after_grace(self) -> None:
        await asyncio.sleep(SHUTDOWN_GRACE_S)
        await self._end_requests()
