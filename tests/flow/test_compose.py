"""What the compose file starts, started: each container's entry point with its settings, on real services.

No tool for compose files is at hand here, so containers become processes: the image's programs are those of this
environment, the names of containers become addresses of the loopback interface, the volume becomes a folder.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import yaml
from sqlalchemy import make_url

from standin import free_port
from worker.bundle import Bundle

if TYPE_CHECKING:
    from tests.flow.conftest import Site

pytestmark = [pytest.mark.postgres, pytest.mark.redis, pytest.mark.s3]

CONTAINERS = Path(__file__).parents[2] / "containers"
ADMIN_TOKEN = "admin-token-for-tests"
METRICS_TOKEN = "metrics-token-for-tests"


@dataclass
class Composed:
    """The compose file's services as processes.

    Attributes:
        ports: Where those that are reached listen, by name.
    """

    services: dict[str, Any]
    environment: dict[str, str]
    folder: Path
    ports: dict[str, int]
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, name: str) -> subprocess.Popen[bytes]:
        """Start a service as its container would be started."""
        program, *arguments = self.services[name].get("entrypoint") or _entry_point()
        command = [str(Path(sys.executable).with_name(program)), *arguments]
        environment = {**self.environment, "BYOGPU_PORT": str(self.ports.get(name, 0))}
        with (self.folder / f"{name}.log").open("wb") as log:
            self.running[name] = subprocess.Popen(
                command, env=environment, cwd=self.folder, stdout=log, stderr=log, start_new_session=True
            )
        return self.running[name]

    def said(self, name: str) -> str:
        """What it wrote."""
        return (self.folder / f"{name}.log").read_text(errors="replace")[-3000:]

    def stop(self, name: str) -> int:
        """Stop it politely, within the time that its container has."""
        grace_s = int(self.services[name]["stop_grace_period"].removesuffix("s"))
        self.running[name].send_signal(signal.SIGTERM)
        return self.running.pop(name).wait(grace_s)


def _entry_point() -> list[str]:
    """The image's own."""
    found = re.search(r'^ENTRYPOINT \["(.*)"\]$', (CONTAINERS / "server" / "Dockerfile").read_text(), flags=re.M)
    assert found is not None
    return found[1].split('", "')


def _image_settings() -> dict[str, str]:
    """What the image sets."""
    return dict(re.findall(r"(BYOGPU_[A-Z_]+)=(\S+)", (CONTAINERS / "server" / "Dockerfile").read_text()))


def _filled(names: list[str], values: dict[str, str]) -> dict[str, str]:
    """The example of an environment file, filled in; it asks for nothing that the test does not know."""
    return {name: values[name] for name in names}


@pytest.fixture
def composed(
    site: Site,
    new_postgres: Callable[[], str],
    redis_url: str,
    new_bucket: Callable[[], dict[str, Any]],
    tmp_path: Path,
) -> Iterator[Composed]:
    """The compose file, with blobs in S3."""
    services = yaml.safe_load((CONTAINERS / "compose.yaml").read_text())["services"]
    url, ports = make_url(new_postgres()), {name: free_port() for name, one in services.items() if "ports" in one}
    asked = re.findall(r"^([A-Z_0-9]+)=", (CONTAINERS / "byogpu.env.example").read_text(), flags=re.M)
    place = {f"BYOGPU_{name.upper()}": str(value) for name, value in new_bucket().items()}
    filled = _filled(
        asked,
        {
            **place, "POSTGRES_PASSWORD": "password", "BYOGPU_PUBLIC_URL": f"http://127.0.0.1:{ports['server']}",
            "BYOGPU_CLIENT_ADDRESS_HEADER": "X-Forwarded-For", "BYOGPU_ADMIN_TOKEN": ADMIN_TOKEN,
            "BYOGPU_METRICS_TOKEN": METRICS_TOKEN, "BYOGPU_GITHUB_APP_ID": "77",
            "BYOGPU_GITHUB_APP_KEY_FILE": "/run/keys/app.pem",
            "BYOGPU_GITHUB_WEBHOOK_SECRET": "webhook-secret-for-tests", "BYOGPU_GITHUB_OAUTH_CLIENT_ID": "client",
            "BYOGPU_GITHUB_OAUTH_CLIENT_SECRET": "secret-of-the-client", "BYOGPU_JOB_IMAGES": "{}",
        },
    )  # fmt: skip
    here = {  # what is named in the containers, and where it is on this machine
        "byogpu:${POSTGRES_PASSWORD:?set it in byogpu.env and export it}@postgres/byogpu": (
            f"{url.username}@{url.host}:{url.port}/{url.database}"
        ),
        "redis://redis:6379/0": redis_url,
        "/run/keys": str(tmp_path),
        "/var/lib/byogpu": str(tmp_path / "volume"),
    }
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BYOGPU_")}
    for name, value in {**_image_settings(), **filled, **services["server"]["environment"]}.items():
        for there, replacement in here.items():
            value = value.replace(there, replacement)
        environment[name] = value
    environment |= {
        "BYOGPU_HOST": "127.0.0.1", "BYOGPU_GITHUB_URL": site.settings["github_url"],
        "BYOGPU_WEB_DIR": str(tmp_path / "none"), "BYOGPU_S3_PREFIX": place["BYOGPU_S3_PREFIX"],
        "BYOGPU_DRAIN_S": "0.2",
    }  # fmt: skip
    (tmp_path / "volume").mkdir()
    one = Composed(services, environment, tmp_path, ports)
    yield one
    for process in one.running.values():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_every_container_of_ours_starts_works_and_stops(
    composed: Composed, site: Site, evidence: Bundle, flow: Any
) -> None:
    ours = [name for name, one in composed.services.items() if one["image"] == "byogpu-server"]
    assert ours == ["migrate", "server", "agents", "uploads", "worker", "beat"]
    assert composed.start("migrate").wait(120) == 0, composed.said("migrate")
    del composed.running["migrate"]
    for name in ours[1:]:
        composed.start(name)

    admin = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
    with _of(composed, "server", admin) as api:
        flow.eventually(lambda: _is_ready(api), bool)
        api.post("/api/v1/pulls/octo/kernels/1/sync").raise_for_status()
        with _of(composed, "uploads", admin) as uploads:
            flow.eventually(lambda: _is_ready(uploads), bool)
            assert flow.Uploader(uploads, evidence).upload()["validation_state"] == "valid"
        with _of(composed, "agents", admin) as agents:
            flow.eventually(lambda: _is_ready(agents), bool)
            assert agents.post("/api/v1/jobs/claim", json={}).json()["code"] == "body_invalid"
        (check,) = flow.eventually(site.checks, lambda checks: checks and checks[0].conclusion == "success")
        assert check.details_url.startswith(composed.environment["BYOGPU_PUBLIC_URL"])
        figures = api.get("/metrics", headers={"Authorization": f"Bearer {METRICS_TOKEN}"}).raise_for_status().text
        assert "byogpu_database_up 1.0" in figures
    flow.eventually(lambda: list((composed.folder / "volume").glob("celerybeat-schedule*")), bool)
    ended = {name: composed.stop(name) for name in ours[1:]}
    assert set(ended.values()) <= {0, -signal.SIGTERM}, ended  # both say: stopped as it was asked to


def _of(composed: Composed, name: str, headers: dict[str, str]) -> httpx.Client:
    """A client of one of the servers."""
    return httpx.Client(base_url=f"http://127.0.0.1:{composed.ports[name]}", headers=headers, timeout=60)


def _is_ready(api: httpx.Client) -> bool:
    try:
        return api.get("/ready").status_code == 200
    except httpx.TransportError:
        return False
