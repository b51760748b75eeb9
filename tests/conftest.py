"""A service without a network and bundles for it: what tests of the server, the flow and hostile input share.

The server is imported inside the fixtures: most tests of this tree need none of it.
"""

from __future__ import annotations

import shutil
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

if TYPE_CHECKING:
    import httpx2
    from starlette.testclient import TestClient

    from server.services import Services
    from worker.bundle import Bundle

hypothesis.settings.register_profile("project", deadline=None, derandomize=True)
hypothesis.settings.load_profile("project")

ADMIN_TOKEN = "admin-token-for-tests"
WEBHOOK_SECRET = "webhook-secret-for-tests"
REPOSITORY_ID = 1001
HEAD_SHA = "a" * 40


@dataclass
class Clock:
    """Time that moves when told to."""

    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass
class Service:
    """A service in this process, its task thread replaced by `work`."""

    services: Services
    client: TestClient
    clock: Clock
    admin: dict[str, str] = field(default_factory=lambda: {"Authorization": f"Bearer {ADMIN_TOKEN}"})

    def work(self) -> None:
        """Run every task that is due, and those that they ask for."""
        from server.runner import run_next

        while run_next(self.services):
            pass

    def post(self, bundle: Bundle) -> httpx2.Response:
        envelope = None if bundle.envelope is None else bundle.envelope.decode()
        body = f'{{"manifest": {_quoted(bundle.manifest_bytes.decode())}, "envelope": {envelope or "null"}}}'
        return self.client.post("/api/v1/bundles", content=body, headers={"Content-Type": "application/json"})

    def put(self, url: str, data: bytes, **headers: str) -> httpx2.Response:
        return self.client.put(url, content=data, headers={"Content-Digest": content_digest(data), **headers})

    def put_missing(self, bundle: Bundle, missing: list[dict[str, Any]]) -> None:
        for blob in missing:
            with bundle.blobs.open(blob["sha256"]) as stream:
                data = stream.read()
            for part in blob["upload"]["parts"]:
                if not part["received"]:
                    piece = data[part["offset"] : part["offset"] + part["size_bytes"]]
                    assert self.put(part["url"], piece).status_code == 200

    def submit(self, bundle: Bundle) -> httpx2.Response:
        return self.client.post(f"/api/v1/bundles/{bundle.id}/submit")

    def upload(self, bundle: Bundle) -> dict[str, Any]:
        """The whole protocol; the bundle's status afterwards."""
        posted = self.post(bundle)
        assert posted.status_code == 201, posted.text
        self.put_missing(bundle, posted.json()["missing"])
        submitted = self.submit(bundle)
        assert submitted.status_code == 202, submitted.text
        self.work()
        status: dict[str, Any] = self.client.get(f"/api/v1/bundles/{bundle.id}/status").json()
        return status

    def rows(self, table: str) -> list[Any]:
        from sqlalchemy import text

        with self.services.database.read() as session:
            return list(session.execute(text(f"SELECT * FROM {table} ORDER BY 1, 2")).mappings())

    def traces(self) -> dict[str, Any]:
        """Everything the service keeps but the audit log: rows of every table, and every file beside the database."""
        from server.models import Table

        tables = {name: self.rows(name) for name in Table.metadata.tables if name != "audit"}
        folder = self.services.settings.data_dir
        files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        return {**tables, "files": {name: data for name, data in files.items() if "sqlite3" not in name}}


def content_digest(data: bytes) -> str:
    return f"sha-256=:{b64encode(sha256(data).digest()).decode()}:"


def _quoted(text: str) -> str:
    import json

    return json.dumps(text)


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite database to copy."""
    import migrations

    path = tmp_path_factory.mktemp("database") / "empty.sqlite3"
    migrations.upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture
def make_service(tmp_path: Path, empty_database: Path) -> Iterator[Callable[..., Service]]:
    """Start a service; keyword arguments are settings, but for ``github``: what stands for GitHub."""
    from starlette.testclient import TestClient

    import migrations
    from server.app import create_app
    from server.embedded import LocalBell
    from server.services import Services
    from server.settings import Settings
    from server.startup import database_of, store_of

    made: list[Service] = []

    def make(*, github: Any = None, **settings: Any) -> Service:
        data_dir = tmp_path / f"service-{len(made)}"
        data_dir.mkdir()
        shutil.copy(empty_database, data_dir / "byogpu.sqlite3")
        usual = {
            "public_url": "https://byogpu.example",
            "admin_token": ADMIN_TOKEN,
            "github_webhook_secret": WEBHOOK_SECRET,
            "web_dir": data_dir / "no-dashboard",
        }
        chosen = Settings(data_dir=data_dir, **{**usual, **settings})
        if chosen.database_url:
            migrations.upgrade(chosen.database_url)
        clock = Clock()
        services = Services(
            settings=chosen,
            database=database_of(chosen),
            store=store_of(chosen),
            github=github,
            bell=LocalBell(),
            clock=clock,
        )
        client = TestClient(create_app(chosen, services=services), raise_server_exceptions=False)
        made.append(Service(services, client, clock))
        return made[-1]

    yield make
    for service in made:
        service.client.close()
        service.services.database.close()


@pytest.fixture
def service(make_service: Callable[..., Service]) -> Service:
    """A service with small parts, so that every blob has several."""
    return make_service(part_size_bytes=1024)


@pytest.fixture
def make_bundle(tmp_path: Path) -> Callable[..., Bundle]:
    """Write a small bundle; further keyword arguments change the manifest's subject."""
    from worker.bundle import Draft, Manifest, canonical, write
    from worker.bundle.samples import StepRow

    made = []

    def make(
        *, rows: int = 40, log: bytes = b"", challenge: Any = None, node: str = "unknown", **subject: Any
    ) -> Bundle:
        draft = Draft(tmp_path / f"bundle-{len(made)}")
        made.append(draft)
        draft.add_rows(
            (
                StepRow(cell="b1", arm="baseline", block=0, step=n, latency_us=100.0 + n, start_ns=1_000_000 * n)
                for n in range(rows)
            ),
            name="steps.jsonl",
            role="steps",
            eval_id="decode-step",
        )
        if log:
            draft.add(log, name="run.log", role="log", media_type="text/plain")
        plain = _manifest(draft, subject)
        plain["challenge"], plain["producer"]["node_key_id"] = challenge, node
        manifest = Manifest.model_validate_json(canonical(plain))
        return write(draft.folder, manifest)

    return make


def _manifest(draft: Any, subject: dict[str, Any]) -> dict[str, Any]:
    cell = {
        "id": "b1", "metric": "step_latency_us", "phase": "decode", "tensor_parallel": 1, "context_parallel": 1,
        "batch": 1, "context_tokens": 64, "input_tokens": "unknown", "output_tokens": "unknown",
        "speculation": {"kind": "none"}, "task": None, "arms": ["baseline"],
    }  # fmt: skip
    return {
        "format": "byogpu.bundle/1",
        "origin": {"kind": "measured"},
        "subject": {
            "repository_id": REPOSITORY_ID, "repository": "octo/kernels", "pull_number": 1, "head_sha": HEAD_SHA,
            "base_sha": "b" * 40, "suite": None, "claim_ids": [], **subject,
        },
        "challenge": None,
        "producer": {
            "worker_version": "0.1.0", "image_digest": "unknown", "node_key_id": "unknown", "started_at": "unknown",
            "ended_at": "unknown", "duration_s": 1.0,
        },
        "environment": "unknown",
        "arms": [],
        "evals": [
            {
                "id": "decode-step", "kind": "decode_step", "outcome": {"outcome": "completed", "duration_s": 2.5},
                "cells": [cell], "blocks": [{"index": 0, "arm": "baseline", "purpose": "measure"}],
            }
        ],
        "files": [entry.model_dump(mode="json") for entry in draft.files],
        "redaction": {"rules_version": 1, "masked": []},
        "attempts": [],
    }  # fmt: skip


@pytest.fixture
def new_postgres() -> Iterator[Callable[[], str]]:
    """Make empty PostgreSQL databases; they are dropped at the end."""
    import os
    import secrets

    from sqlalchemy import create_engine, make_url, text

    server = os.environ.get("BYOGPU_TEST_POSTGRES_URL")
    if not server:
        pytest.fail("BYOGPU_TEST_POSTGRES_URL is not set: run `make test`, or leave out with -m 'not postgres'")
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    names: list[str] = []

    def make() -> str:
        names.append(f"byogpu_{secrets.token_hex(6)}")
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {names[-1]}"))
        return make_url(server).set(database=names[-1]).render_as_string(hide_password=False)

    yield make
    with engine.connect() as connection:
        for name in names:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


@pytest.fixture(scope="session")
def s3_server() -> dict[str, Any]:
    """The S3 store that `make test` started, as settings of a service but for the bucket."""
    import os

    url = os.environ.get("BYOGPU_TEST_S3_URL")
    if not url:
        pytest.fail("BYOGPU_TEST_S3_URL is not set: run `make test`, or leave out with -m 'not s3'")
    return {
        "s3_url": url,
        "s3_access_key": os.environ["BYOGPU_TEST_S3_ACCESS_KEY"],
        "s3_secret_key": os.environ["BYOGPU_TEST_S3_SECRET_KEY"],
    }


@pytest.fixture
def new_bucket(s3_server: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    """Make empty places in the S3 store: settings of a service that keeps its blobs there."""
    import secrets

    import boto3
    from botocore.config import Config

    client = boto3.client(
        "s3",
        endpoint_url=s3_server["s3_url"],
        aws_access_key_id=s3_server["s3_access_key"],
        aws_secret_access_key=s3_server["s3_secret_key"],
        region_name="us-east-1",
        config=Config(signature_version="s3v4", s3={"addressing_style": "path"}),
    )
    if not any(one["Name"] == "byogpu-tests" for one in client.list_buckets()["Buckets"]):
        client.create_bucket(Bucket="byogpu-tests")
    client.close()
    return lambda: {**s3_server, "s3_bucket": "byogpu-tests", "s3_prefix": f"{secrets.token_hex(6)}/"}


@pytest.fixture
def redis_url() -> str:
    """The Redis that `make test` started."""
    import os

    url = os.environ.get("BYOGPU_TEST_REDIS_URL")
    if not url:
        pytest.fail("BYOGPU_TEST_REDIS_URL is not set: run `make test`, or leave out with -m 'not redis'")
    return url


@pytest.fixture(scope="session")
def lending() -> Any:
    """A machine that is lent to a server: the context manager of tests/flow/lending.py."""
    import importlib.util
    import sys

    spec = importlib.util.spec_from_file_location("tests_flow_lending", Path(__file__).parent / "flow" / "lending.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.lending


@pytest.fixture
def lender(lending: Any, tmp_path: Path) -> Iterator[Any]:
    """One of those."""
    with lending(tmp_path) as one:
        yield one
