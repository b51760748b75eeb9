"""The server is killed between any two steps and started again on the same data: nothing is lost, nothing doubled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from sqlalchemy import create_engine, text

from worker.bundle import Bundle
from worker.service import Service
from worker.settings import Settings as WorkerSettings
from worker.upload import Receipt, upload, wait

if TYPE_CHECKING:
    from tests.flow.conftest import Site

PULL = "/api/v1/pulls/octo/kernels/1"
PARTS_TO_KILL_AFTER = 2


@dataclass
class Victim:
    """A server in a process of its own."""

    site: Site
    marker: Path
    flow: Any
    nursery: subprocess.Popen[str]
    pid: int | None = None
    kills: list[str] = field(default_factory=list)

    def start(self, point: str = "none") -> None:
        """Start it; it will stop dead at the point, which a waiting client may bring it to before it ever answers."""
        self.marker.unlink(missing_ok=True)
        wanted = {"point": point, "marker": str(self.marker), "environment": self.site.environment()}
        assert self.nursery.stdin is not None
        assert self.nursery.stdout is not None
        self.nursery.stdin.write(json.dumps(wanted) + "\n")
        self.nursery.stdin.flush()
        self.pid = int(self.nursery.stdout.readline())
        self.flow.eventually(lambda: self.marker.exists() or self._answers(), bool)

    def kill(self, after: str) -> None:
        """SIGKILL it now."""
        assert self.pid is not None
        os.kill(self.pid, signal.SIGKILL)
        self.flow.eventually(self._is_dead, bool)
        self.pid = None
        self.kills.append(after)

    def _is_dead(self) -> bool:
        assert self.pid is not None
        return not Path(f"/proc/{self.pid}").exists()

    def kill_at(self, point: str, act: Callable[[], object]) -> None:
        """Start it so that it stops at the point, act, and SIGKILL it once it stands there."""
        self.start(point)
        with suppress(httpx.TimeoutException):
            act()
        self.flow.eventually(self.marker.exists, bool)
        self.kill(point)

    def _answers(self) -> bool:
        assert not self._is_dead(), "the server did not start"
        with suppress(httpx.TransportError):
            return httpx.get(f"{self.site.url}/health", timeout=5).status_code == 200
        return False


@pytest.fixture(scope="module")
def nursery() -> Iterator[subprocess.Popen[str]]:
    """Where servers are forked."""
    script = Path(__file__).with_name("stopping_server.py")
    with subprocess.Popen([sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as one:
        yield one
        assert one.stdin is not None
        one.stdin.close()


@pytest.fixture
def victim(site: Site, tmp_path: Path, flow: Any, nursery: subprocess.Popen[str]) -> Iterator[Victim]:
    one = Victim(site, tmp_path / "marker", flow, nursery)
    yield one
    if one.pid is not None:
        one.kill("test over")


def test_killed_at_every_step(site: Site, api: httpx.Client, evidence: Bundle, victim: Victim, flow: Any) -> None:
    impatient = httpx.Client(base_url=site.url, timeout=2)
    client, hasty = flow.Uploader(api, evidence), flow.Uploader(impatient, evidence)

    # The pull request is read, and its first check posted, across two deaths.
    victim.kill_at("publishing", lambda: api.post(f"{PULL}/sync", headers=flow.admin).raise_for_status())
    assert site.checks() == []
    victim.kill_at("published", lambda: None)
    assert len(site.checks()) == 1

    # Each step of the upload is the last thing a server does.
    victim.start()
    client.post()
    victim.kill("post")
    for _ in range(PARTS_TO_KILL_AFTER):
        victim.start()
        url, data = next(client.parts())
        client.put(url, data)
        victim.kill("part")
    victim.kill_at("receiving", lambda: hasty.put(*next(hasty.parts())))
    victim.start()
    for url, data in list(client.parts()):
        client.put(url, data)
    victim.kill("last part")
    victim.kill_at("assembling", hasty.submit)
    victim.start("validating")
    client.submit()
    flow.eventually(victim.marker.exists, bool)
    assert client.status()["validation_state"] == "running"
    victim.kill("validating")
    victim.kill_at("publishing", lambda: None)
    assert client.bundle.id not in str(site.checks())
    victim.kill_at("published", lambda: None)

    # The last server finds everything done but for its own note of it.
    victim.start()
    assert client.upload()["validation_state"] == "valid"
    page = flow.eventually(lambda: api.get(PULL).json(), lambda page: page["check"]["state"] == "sent")
    ready = flow.eventually(lambda: api.get("/ready").json(), lambda ready: ready["tasks_waiting"] == 0)
    assert ready["tasks_dead"] == 0
    victim.kill("end")
    impatient.close()

    assert victim.kills.count("part") == PARTS_TO_KILL_AFTER
    assert len(victim.kills) == 12
    (check,) = site.checks()
    assert (check.conclusion, page["check"]["conclusion"]) == ("success", "success")
    assert [verdict["outcome"] for verdict in page["verdicts"]] == ["supported"]
    assert [item["bundle"]["bundle_id"] for item in page["evidence"]] == [evidence.id]
    expect_once(site.settings["data_dir"], evidence)


def test_the_workers_own_upload_outlives_every_server(site: Site, evidence: Bundle, victim: Victim, flow: Any) -> None:
    """One call of the worker's client, while the server dies under it at each point and comes back."""
    patient = WorkerSettings(request_timeout_s=60, retry_attempts=100, retry_longest_wait_s=0.2)

    def bring() -> Receipt:
        with Service(patient, url=site.url) as service:
            upload(evidence, service)
            return wait(evidence, service, limit_s=60)

    with ThreadPoolExecutor(max_workers=1) as beside:
        victim.start("receiving")
        receipt = beside.submit(bring)
        for point in ("receiving", "receiving", "assembling", "validating"):
            if victim.pid is None:
                victim.start(point)
            flow.eventually(victim.marker.exists, bool)
            victim.kill(point)
        victim.start()
        assert receipt.result(timeout=60).validation_state == "valid"
    flow.eventually(lambda: httpx.get(f"{site.url}/ready").json(), lambda ready: ready["tasks_waiting"] == 0)
    victim.kill("end")
    expect_once(site.settings["data_dir"], evidence, posts=[])


def expect_once(
    data_dir: Path,
    evidence: Bundle,
    *,
    posts: Sequence[tuple[str, str]] = (("action_required", "sent"), ("success", "sent")),
) -> None:
    """One bundle, one post of each content, each change of state audited once, no litter."""
    engine = create_engine(f"sqlite:///{data_dir / 'byogpu.sqlite3'}")
    with engine.connect() as connection:
        assert connection.execute(text("SELECT id FROM bundle")).scalars().all() == [evidence.id]
        posted = connection.execute(text("SELECT conclusion, state FROM post ORDER BY id")).all()
        audited = connection.execute(text("SELECT action FROM audit WHERE action LIKE 'bundle.%' ORDER BY id"))
        actions = audited.scalars().all()
        stored = set(connection.execute(text("SELECT sha256 FROM blob WHERE stored_at IS NOT NULL")).scalars())
    engine.dispose()
    assert [tuple(post) for post in posted] == list(posts)
    assert actions == ["bundle.opened", "bundle.submitted", "bundle.running", "bundle.valid"]
    assert stored == {entry.sha256 for entry in evidence.manifest.files}
    assert {path.name for path in (data_dir / "blobs").rglob("*") if path.is_file()} == stored
    assert list((data_dir / "parts").iterdir()) == list((data_dir / "scratch").iterdir()) == []
