"""``python -m server``: the service on the address that the settings name."""

import logging

import uvicorn

from server.app import create_app
from server.settings import Settings


def serve(settings: Settings) -> None:
    """Serve until told to stop."""
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


if __name__ == "__main__":
    serve(Settings())
