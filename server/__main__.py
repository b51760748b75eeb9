"""``python -m server``: the service on the address that the settings name."""

import errno
import fcntl
import logging

import uvicorn

from server.app import create_app
from server.settings import Settings


def serve(settings: Settings) -> None:
    """Serve until told to stop.

    Raises:
        BlockingIOError: Another embedded server runs on the data folder.
    """
    if settings.embedded:
        _require_free(settings)
    logging.basicConfig(level=settings.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    uvicorn.run(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        log_level=settings.log_level,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
    )


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


if __name__ == "__main__":
    serve(Settings())
