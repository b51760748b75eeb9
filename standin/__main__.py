"""Run a stand-in: ``python -m standin --port 8700 --app-id 1 --app-public-key app.pub.pem --state github.json``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from standin.app import create_app
from standin.settings import AppIdentity, StandinSettings, WebhookTarget


def parse(arguments: Sequence[str] | None = None) -> tuple[StandinSettings, int]:
    """Return the settings and the port that the command line asks for.

    Args:
        arguments: The command line, by default the process's own.

    Raises:
        SystemExit: It cannot be understood.
    """
    parser = argparse.ArgumentParser(prog="python -m standin", description="A small stateful GitHub for one machine.")
    parser.add_argument("--port", type=int, required=True, help="port on 127.0.0.1")
    parser.add_argument("--state", type=Path, metavar="FILE", help="keep the state here, as JSON")
    parser.add_argument("--app-id", type=int, default=1, help="id of the GitHub App (default 1)")
    parser.add_argument("--app-public-key", type=Path, metavar="FILE", help="the App's RSA public key, PEM")
    parser.add_argument(
        "--token", action="append", default=[], metavar="LOGIN:TOKEN", help="accept this personal token; repeatable"
    )
    parser.add_argument("--webhook-url", metavar="URL", help="send webhooks here")
    parser.add_argument("--webhook-secret-file", type=Path, metavar="FILE", help="secret that signs webhooks")
    parser.add_argument("--api-url", metavar="URL", help="address of the API in answers, where a proxy is in front")
    options = parser.parse_args(arguments)
    if bool(options.webhook_url) != bool(options.webhook_secret_file):
        parser.error("--webhook-url and --webhook-secret-file belong together")
    if any(":" not in token for token in options.token):
        parser.error("--token takes LOGIN:TOKEN")
    own_url = f"http://127.0.0.1:{options.port}"
    app = None
    if options.app_public_key:
        app = AppIdentity(app_id=options.app_id, public_key_pem=options.app_public_key.read_text())
    webhook = None
    if options.webhook_url:
        webhook = WebhookTarget(url=options.webhook_url, secret=options.webhook_secret_file.read_text().strip())
    settings = StandinSettings(
        api_url=options.api_url or own_url,
        web_url=own_url,
        app=app,
        tokens={token: login for login, _, token in (given.partition(":") for given in options.token)},
        webhook=webhook,
        state_file=options.state,
    )
    return settings, options.port


def main() -> None:
    """Serve until interrupted."""
    settings, port = parse()
    uvicorn.run(create_app(settings), host="127.0.0.1", port=port, log_level="info")


if __name__ == "__main__":
    main()
