"""A whole deployment on this machine, process by process, each of which can be killed and started again on its data.

PostgreSQL (as durable as in production), Redis (keeps nothing), SeaweedFS, servers, a Celery worker with its beat; the
GitHub stand-in runs in the process that imports this. For the campaigns in tests/faults and tests/load, which are
commands of their own: `python -m faults`, `python -m load`, with tests/ on the path.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import boto3
import httpx
from botocore.config import Config
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from standin import AppIdentity, RunningStandin, StandinSettings, WebhookTarget, free_port, running

ROOT = Path(__file__).resolve().parents[1]
PATIENCE_S = 120.0
ADMIN_TOKEN = "admin-token-of-the-campaign"
WEBHOOK_SECRET = "webhook-secret-of-the-campaign"
APP_ID = 77
BUCKET = "byogpu-campaign"
SERVERS = ("server", "agents", "uploads")
"""One service in three processes, as a proxy may split it: pages and webhooks, nodes, blobs."""


def load_module(path: Path) -> ModuleType:
    """Import a file that belongs to no package."""
    spec = importlib.util.spec_from_file_location(f"byogpu_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


SERVICES = load_module(ROOT / "scripts" / "with_services.py")


@dataclass
class Member:
    """One process of the deployment, and those that it starts."""

    name: str
    command: list[str]
    ready: Callable[[], bool]
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    user: str | None = None
    process: subprocess.Popen[bytes] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    """For whoever kills it and starts it again."""

    def start(self) -> None:
        """Start it; `wait` says when it works."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command, env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                user=self.user, start_new_session=True, cwd=ROOT,
            )  # fmt: skip

    def wait(self) -> None:
        """Wait until it works."""
        limit = time.monotonic() + PATIENCE_S
        while not self.ready():
            if self.process is None or self.process.poll() is not None:
                raise RuntimeError(f"{self.name} ended: {self.log.read_text(errors='replace')[-3000:]}")
            if time.monotonic() > limit:
                raise RuntimeError(f"{self.name} does not answer: {self.log.read_text(errors='replace')[-3000:]}")
            time.sleep(0.05)

    def cpu_s(self) -> float:
        """Processor seconds that it and its children have used so far."""
        parents, used = {}, {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):  # it may end meanwhile
                fields = path.read_text().rpartition(")")[2].split()
                pid = int(path.parent.name)
                parents[pid], used[pid] = int(fields[1]), int(fields[11]) + int(fields[12])
        mine = {self.process.pid} if self.process is not None else set()
        while more := {pid for pid, parent in parents.items() if parent in mine} - mine:
            mine |= more
        return sum(used.get(pid, 0) for pid in mine) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """SIGKILL it and all of its children."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None


@dataclass
class Cluster:
    """The deployment.

    Attributes:
        members: Its processes, by name.
        settings: Of the service.
        standin: GitHub.
        url: The service.
        agents_url: The same, answered by a process of its own, "agents".
        uploads_url: The same, answered by a process of its own, "uploads".
    """

    folder: Path
    members: dict[str, Member]
    settings: dict[str, Any]
    standin: RunningStandin
    url: str
    agents_url: str
    uploads_url: str

    def start(self, *names: str) -> None:
        """Start processes, and wait until each works."""
        for name in names:
            self.members[name].start()
            self.members[name].wait()


@contextlib.contextmanager
def cluster(folder: Path, *, s3: bool = True, **settings: Any) -> Iterator[Cluster]:
    """Run a deployment until the block ends; its servers and workers have yet to be started.

    Args:
        folder: Everything is kept there; new.
        s3: Whether blobs are in the S3 store; else in a folder.
        settings: Of the service, beyond the usual ones.
    """
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    github_port, redis_port, *ports = (free_port() for _ in range(5))
    github_url, *urls = (f"http://127.0.0.1:{one}" for one in (github_port, *ports))
    url = urls[0]
    members = {"postgres": _postgres(folder), "redis": _redis(folder, redis_port)}
    place: dict[str, Any] = {}
    if s3:
        members["s3"], place = _s3(folder)
    key_file, public = _app_key(folder)
    usual = {
        "data_dir": folder / "data",
        "database_url": f"postgresql+psycopg://postgres@127.0.0.1:{members['postgres'].environment['PORT']}/postgres",
        "redis_url": f"redis://127.0.0.1:{redis_port}/0",
        "host": "127.0.0.1",
        "public_url": url,
        "admin_token": ADMIN_TOKEN,
        "github_url": github_url,
        "github_app_id": APP_ID,
        "github_app_key_file": key_file,
        "github_webhook_secret": WEBHOOK_SECRET,
        "web_dir": folder / "no-dashboard",
        "anonymous_uploads": True,
        "log_level": "warning",
        **dict.fromkeys(_LIMITS, 0),
        **place,
        **settings,
    }
    environment = {f"BYOGPU_{name.upper()}": str(value) for name, value in usual.items()}
    for name, its_url, port in zip(SERVERS, urls, ports, strict=True):
        members[name] = _server(folder, name, its_url, {**environment, "BYOGPU_PORT": str(port)})
    worker = [sys.executable, "-m", "celery", "-A", "server.tasks", "worker", "--beat", "--concurrency", "1"]
    members["worker"] = Member("worker", worker, lambda: True, folder / "worker.log", environment)
    standin = StandinSettings(
        api_url=github_url,
        web_url=github_url,
        app=AppIdentity(app_id=APP_ID, public_key_pem=public),
        webhook=WebhookTarget(url=f"{url}/api/v1/github/webhooks", secret=WEBHOOK_SECRET),
    )
    try:
        with running(standin, port=github_port) as github:
            one = Cluster(folder, members, usual, github, *urls)
            one.start("postgres", "redis")
            if s3:
                one.start("s3")
                make_bucket(usual)
            yield one
    finally:
        for member in reversed(members.values()):
            member.kill()


def _server(folder: Path, name: str, url: str, environment: Mapping[str, str]) -> Member:
    command = [sys.executable, "-m", "server"]
    return Member(name, command, lambda: _answers(f"{url}/health"), folder / f"{name}.log", environment)


_LIMITS = (
    "bundles_per_owner", "bundles_per_address", "open_bytes_per_owner", "open_bytes_per_address",
    "stored_bytes_per_owner", "stored_bytes_per_address", "reads_per_minute", "writes_per_minute", "parts_per_minute",
)  # fmt: skip
"""Everything comes from one address here."""


def make_bucket(settings: Mapping[str, Any]) -> None:
    """Make the bucket that the settings name."""
    client = boto3.client(
        "s3", endpoint_url=settings["s3_url"], aws_access_key_id=settings["s3_access_key"],
        aws_secret_access_key=settings["s3_secret_key"], region_name="us-east-1",
        config=Config(signature_version="s3v4", s3={"addressing_style": "path"}),
    )  # fmt: skip
    client.create_bucket(Bucket=settings["s3_bucket"])
    client.close()


def _postgres(folder: Path) -> Member:
    user = "postgres" if os.geteuid() == 0 else None
    home = folder / "postgres"
    home.mkdir()
    if user:
        shutil.chown(home, user)
    made = [SERVICES.program("initdb"), "-D", str(home / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8"]
    subprocess.run([*made, "--locale=C.UTF-8"], user=user, check=True, capture_output=True)
    port = free_port()
    command = [
        SERVICES.program("postgres"), "-D", str(home / "data"), "-p", str(port), "-c", "listen_addresses=127.0.0.1",
        "-c", f"unix_socket_directories={home}", "-c", "max_connections=200", "-c", "fsync=on",
        "-c", "synchronous_commit=on", "-c", "full_page_writes=on",
    ]  # fmt: skip
    ready = [SERVICES.program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
    return Member(
        "postgres", command, lambda: subprocess.run(ready, check=False).returncode == 0, folder / "postgres.log",
        {"PORT": str(port)}, user,
    )  # fmt: skip


def _redis(folder: Path, port: int) -> Member:
    command = [SERVICES.program("redis-server"), "--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder)]
    command += ["--save", "", "--appendonly", "no"]
    return Member("redis", command, lambda: SERVICES.accepts(port), folder / "redis.log")


def _s3(folder: Path) -> tuple[Member, dict[str, Any]]:
    home = folder / "s3"
    home.mkdir()
    keys = {"accessKey": SERVICES.S3_ACCESS_KEY, "secretKey": SERVICES.S3_SECRET_KEY}
    identity = {"name": "campaign", "credentials": [keys], "actions": ["Admin", "Read", "Write", "List", "Tagging"]}
    config = folder / "s3.json"
    config.write_text(json.dumps({"identities": [identity]}))
    master, volume, filer, port = (SERVICES.free_port_pair() for _ in range(4))
    command = [
        SERVICES.program("weed"), f"-logdir={home}", "server", f"-dir={home}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
        "-master.telemetry=false", f"-master.port={master}", f"-volume.port={volume}", f"-filer.port={filer}",
        "-master.volumeSizeLimitMB=1024", "-volume.max=60", "-s3", f"-s3.port={port}", f"-s3.config={config}",
        "-s3.port.iceberg=0", "-s3.port.lance=0",
    ]  # fmt: skip
    member = Member("s3", command, lambda: SERVICES.answers(port, "/status"), folder / "s3.log")
    place = {
        "s3_url": f"http://127.0.0.1:{port}",
        "s3_bucket": BUCKET,
        "s3_access_key": SERVICES.S3_ACCESS_KEY,
        "s3_secret_key": SERVICES.S3_SECRET_KEY,
    }
    return member, place


def _app_key(folder: Path) -> tuple[Path, str]:
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    key_file = folder / "app.pem"
    key_file.write_bytes(
        private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return key_file, public.decode()


def _answers(url: str) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(url, timeout=5).status_code == 200
    return False
