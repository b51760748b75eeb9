"""``python -m server``: the service on the address that the settings name."""

import errno
import fcntl
import gc
import logging
import signal
import socket
import sys
import threading
from contextlib import suppress
from types import FrameType

import uvicorn

from server.app import create_app
from server.patience import EXIT_STATUS, UnusableDatabaseError
from server.services import Services
from server.settings import Settings
from server.startup import await_database, build
from server.telemetry import logs

_log = logging.getLogger("server")


class DrainingServer(uvicorn.Server):
    """A server that says that it is going before it goes.

    Told to stop, it answers 503 on ``GET /ready`` for ``drain_s`` seconds and serves on; then it accepts nothing more,
    and what runs has ``shutdown_timeout_s`` seconds to end. Told twice, it goes at once.

    Args:
        config: Uvicorn's.
        services: Whose readiness ends.
    """

    def __init__(self, config: uvicorn.Config, services: Services) -> None:
        super().__init__(config)
        self._services = services

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and keep what is there then out of later searches for garbage: each stood still for 170 ms."""
        await super().startup(sockets)
        gc.collect()
        gc.freeze()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop; a signal handler."""
        if self._services.draining.is_set() or self._services.settings.drain_s == 0:
            self._services.draining.set()
            super().handle_exit(sig, frame)
            return
        self._services.draining.set()
        timer = threading.Timer(self._services.settings.drain_s, super().handle_exit, (signal.SIGTERM, None))
        timer.daemon = True
        timer.start()


def serve(settings: Settings) -> None:
    """Serve until told to stop.

    Raises:
        BlockingIOError: Another embedded server runs on the data folder.
        UnusableDatabaseError: The database did not come in time, or refuses us.
    """
    if settings.embedded:
        _require_free(settings)
    logs.configure(settings)
    services = build(settings)
    config = uvicorn.Config(
        create_app(settings, services=services),
        host=settings.host,
        port=settings.port,
        log_level=settings.log_level,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=settings.shutdown_timeout_s,
    )
    with suppress(KeyboardInterrupt):
        await_database(settings)  # here already: within uvicorn, a refusal would be a traceback
        DrainingServer(config, services).run()


def _require_free(settings: Settings) -> None:
    """Say now that the data folder is taken: later, uvicorn would show a traceback. `start` decides it for good."""
    lock = settings.data_dir / "lock"
    if not lock.is_file():
        return
    with lock.open() as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            folder = str(settings.data_dir)
            raise BlockingIOError(errno.EWOULDBLOCK, "another server runs on this data folder", folder) from error


def main() -> int:
    """Serve as the environment says; return the exit status."""
    try:
        serve(Settings())
    except UnusableDatabaseError as error:
        _log.error("%s: %s", error.code, error)
        return EXIT_STATUS
    return 0


if __name__ == "__main__":
    sys.exit(main())
