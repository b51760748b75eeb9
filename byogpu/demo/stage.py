"""What the demo runs on: the GitHub stand-in and the service, both serving on this machine, wired to each other."""

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import uvicorn
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from pydantic import SecretStr

from server.app import create_app
from server.settings import Settings
from standin import AppIdentity, RunningStandin, StandinSettings, WebhookTarget, free_port, running
from worker.bundle.signature import NodeKey
from worker.errors import WorkerError

APP_ID = 1
START_LIMIT_S = 30.0


@dataclass(frozen=True)
class Stage:
    """Both services, answering.

    Attributes:
        url: The service.
        github: The stand-in.
        admin_token: Opens the service's administrative routes.
    """

    url: str
    github: RunningStandin
    admin_token: str

    def register_node(self, key: NodeKey) -> None:
        """Make the machine's key known, so that its bundles are signed by a registered node.

        Raises:
            WorkerError: ``server_refused``.
        """
        answer = httpx.post(
            f"{self.url}/api/v1/nodes",
            json={"public_key": key.public_key, "owner": "this machine"},
            headers={"Authorization": f"Bearer {self.admin_token}"},
            timeout=START_LIMIT_S,
        )
        if not answer.is_success:
            raise WorkerError("server_refused", f"the node's key was not registered: {answer.text[:300]}")


@contextmanager
def staged(folder: Path, *, port: int | None) -> Iterator[Stage]:
    """Run both services until the block ends.

    Args:
        folder: Database, blobs, keys and the stand-in's state.
        port: Port of the service; None: a free one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    key_file = folder / "app.pem"
    key_file.write_bytes(
        private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    key_file.chmod(0o600)
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    webhook_secret, admin_token = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    github_port, service_port = free_port(), port or free_port()
    github_url, url = f"http://127.0.0.1:{github_port}", f"http://127.0.0.1:{service_port}"
    standin = StandinSettings(
        api_url=github_url,
        web_url=github_url,
        app=AppIdentity(app_id=APP_ID, public_key_pem=public.decode()),
        webhook=WebhookTarget(f"{url}/api/v1/github/webhooks", webhook_secret),
        state_file=folder / "github.json",
    )
    settings = Settings(
        data_dir=folder / "service",
        database_url="",
        redis_url=None,
        host="127.0.0.1",
        port=service_port,
        public_url=url,
        github_url=github_url,
        github_token=None,
        github_app_id=APP_ID,
        github_app_key_file=key_file,
        github_webhook_secret=SecretStr(webhook_secret),
        admin_token=SecretStr(admin_token),
    )
    with running(standin, port=github_port) as github, _serving(settings):
        yield Stage(url, github, admin_token)


@contextmanager
def _serving(settings: Settings) -> Iterator[None]:
    """Serve the service in a thread; its tasks run in threads of this process too."""
    config = uvicorn.Config(
        create_app(settings), host=settings.host, port=settings.port, log_level="warning", log_config=None
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, name="byogpu-service", daemon=True)
    thread.start()
    limit_s = time.monotonic() + START_LIMIT_S
    while not server.started:
        if not thread.is_alive() or time.monotonic() > limit_s:
            raise WorkerError("process_not_started", f"the service did not start on port {settings.port}")
        time.sleep(0.02)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(START_LIMIT_S)
