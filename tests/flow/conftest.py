"""A GitHub stand-in, a service that talks to it over HTTP, and a client that uploads bundles the documented way."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import uvicorn
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from server.app import create_app
from server.settings import Settings
from standin import AppIdentity, RunningStandin, StandinSettings, WebhookTarget, free_port, running
from standin.acts import NewPull
from standin.records import CheckRun, Pull
from worker.bundle import Bundle
from worker.bundle.signature import NodeKey, generate_key, sign

ROOT = Path(__file__).parents[2]
APP_ID = 77
WEBHOOK_SECRET = "webhook-secret-for-tests"
ADMIN_TOKEN = "admin-token-for-tests"
PATIENCE_S = 120

CLAIMS = """Decode steps take less time.

```byogpu-claims
- id: decode-speed
  metric: step_latency_us
  cells: {batch: [1, 4]}
  relation: ">= 1.2x baseline"
```
"""


@dataclass(frozen=True)
class Site:
    """A stand-in with one pull request, and the settings of a service that watches it."""

    standin: RunningStandin
    pull: Pull
    settings: dict[str, Any]
    url: str

    def checks(self) -> list[CheckRun]:
        """Check runs as they stand, oldest first."""
        with self.standin.forge.store.reading() as state:
            return [run.model_copy(deep=True) for _, run in sorted(state.check_runs.items())]

    def environment(self) -> dict[str, str]:
        """The settings as a server in another process reads them."""
        return {f"BYOGPU_{name.upper()}": str(value) for name, value in self.settings.items()}


@dataclass
class Uploader:
    """The upload protocol, step by step. Every step can be repeated."""

    api: httpx.Client
    bundle: Bundle

    def post(self) -> dict[str, Any]:
        envelope = None if self.bundle.envelope is None else self.bundle.envelope.decode()
        text = httpx.Request("POST", "http://x", json=self.bundle.manifest_bytes.decode()).content.decode()
        body = f'{{"manifest": {text}, "envelope": {envelope or "null"}}}'
        answer = self.api.post("/api/v1/bundles", content=body, headers={"Content-Type": "application/json"})
        answer.raise_for_status()
        receipt: dict[str, Any] = answer.json()
        return receipt

    def parts(self) -> Iterator[tuple[str, bytes]]:
        """Address and bytes of every part that is still missing."""
        for blob in self.post()["missing"]:
            with self.bundle.blobs.open(blob["sha256"]) as stream:
                data = stream.read()
            for part in blob["upload"]["parts"]:
                if not part["received"]:
                    yield part["url"], data[part["offset"] : part["offset"] + part["size_bytes"]]

    def put(self, url: str, data: bytes) -> None:
        digest = f"sha-256=:{b64encode(sha256(data).digest()).decode()}:"
        self.api.put(url, content=data, headers={"Content-Digest": digest}).raise_for_status()

    def submit(self) -> httpx.Response:
        return self.api.post(f"/api/v1/bundles/{self.bundle.id}/submit").raise_for_status()

    def status(self) -> dict[str, Any]:
        answer: dict[str, Any] = self.api.get(f"/api/v1/bundles/{self.bundle.id}/status").raise_for_status().json()
        return answer

    def upload(self) -> dict[str, Any]:
        """All steps; the status once validation has ended."""
        for url, data in list(self.parts()):
            self.put(url, data)
        self.submit()
        return eventually(self.status, lambda status: status["validation_state"] not in ("pending", "running"))


def eventually(ask: Callable[[], Any], good: Callable[[Any], bool]) -> Any:
    """Ask until the answer is good."""
    limit = time.monotonic() + PATIENCE_S
    while True:
        answer = ask()
        if good(answer):
            return answer
        assert time.monotonic() < limit, f"still {answer}"
        time.sleep(0.05)


@contextmanager
def serving(settings: Settings) -> Iterator[None]:
    """Serve in a thread of this process."""
    server = uvicorn.Server(
        uvicorn.Config(create_app(settings), host="127.0.0.1", port=settings.port, log_level="warning")
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    eventually(lambda: server.started or not thread.is_alive(), bool)
    assert server.started
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def private_key() -> rsa.RSAPrivateKey:
    """The App's key."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def site(tmp_path: Path, private_key: rsa.RSAPrivateKey) -> Iterator[Site]:
    """A stand-in with a pull request that claims something; its webhooks go where the service will listen."""
    key_file = tmp_path / "app.pem"
    key_file.write_bytes(
        private_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    public = private_key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    github_port, port = free_port(), free_port()
    github_url, url = f"http://127.0.0.1:{github_port}", f"http://127.0.0.1:{port}"
    standin = StandinSettings(
        api_url=github_url,
        web_url=github_url,
        app=AppIdentity(app_id=APP_ID, public_key_pem=public.decode()),
        webhook=WebhookTarget(url=f"{url}/api/v1/github/webhooks", secret=WEBHOOK_SECRET),
    )
    with running(standin, port=github_port) as one:
        pull = one.forge.open_pull(
            NewPull(repository="octo/kernels", title="Decode faster", author="kim", body=CLAIMS, files={"a.py": "1\n"})
        )
        settings = {
            "data_dir": tmp_path / "service",
            "host": "127.0.0.1",
            "port": port,
            "public_url": url,
            "part_size_bytes": 65536,
            "admin_token": ADMIN_TOKEN,
            "github_url": github_url,
            "github_app_id": APP_ID,
            "github_app_key_file": key_file,
            "github_webhook_secret": WEBHOOK_SECRET,
            "web_dir": tmp_path / "no-dashboard",
        }
        yield Site(one, pull, settings, url)


@pytest.fixture
def api(site: Site) -> Iterator[httpx.Client]:
    """A client of the service."""
    with httpx.Client(base_url=site.url, timeout=60, transport=httpx.HTTPTransport(retries=0)) as client:
        yield client


@pytest.fixture
def specimen() -> Any:
    """A complete valid bundle of the smoke suite (tests/judge/specimen.py), not yet written."""
    path = ROOT / "tests" / "judge" / "specimen.py"
    spec = importlib.util.spec_from_file_location("tests_judge_specimen", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules.get(spec.name) or importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.build()


@pytest.fixture
def node(tmp_path: Path) -> NodeKey:
    """The key of the machine that measures."""
    return generate_key(tmp_path / "node.pem")


def measured(specimen: Any, pull: Pull, node: NodeKey, folder: Path) -> Bundle:
    """Write and sign the specimen as a measurement of a pull request."""
    specimen.manifest["producer"]["node_key_id"] = node.key_id
    specimen.manifest["subject"].update(
        repository_id=pull.repository_id,
        repository="octo/kernels",
        pull_number=pull.number,
        head_sha=pull.head_sha,
        base_sha=pull.base_sha,
    )
    specimen.manifest["challenge"] = None
    specimen.arm("candidate")["code"]["commit_sha"] = pull.head_sha
    specimen.arm("baseline")["code"]["commit_sha"] = pull.base_sha
    bundle: Bundle = specimen.write(folder)
    return replace(bundle, envelope=sign(bundle.manifest_bytes, node))


@pytest.fixture
def evidence(specimen: Any, site: Site, node: NodeKey, tmp_path: Path) -> Bundle:
    """The specimen, measured for the pull request and signed."""
    return measured(specimen, site.pull, node, tmp_path / "evidence")


@pytest.fixture
def database_url(site: Site, new_postgres: Callable[[], str], redis_url: str) -> str:
    """The site's service on PostgreSQL and Redis."""
    url = new_postgres()
    site.settings.update(
        database_url=url, redis_url=redis_url, sweep_interval_s=1, anonymous_uploads=True, job_lease_s=8
    )
    return url


@pytest.fixture
def worker(site: Site, database_url: str, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A Celery worker with one process for tasks; its beat runs beside it."""
    options = {"worker": ["--concurrency", "1"], "beat": []}
    with ExitStack() as stack:
        started = [
            stack.enter_context(_celery(name, *more, site=site, folder=tmp_path)) for name, more in options.items()
        ]
        yield started[0]


@contextmanager
def _celery(name: str, *options: str, site: Site, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "celery", "-A", "server.tasks", name, *options]
    environment = {**os.environ, **site.environment()}
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
    yield process
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture
def flow() -> SimpleNamespace:
    """The tools above."""
    admin = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
    tools = {"Uploader": Uploader, "eventually": eventually, "serving": serving, "measured": measured}
    return SimpleNamespace(admin=admin, claims=CLAIMS, **tools)
