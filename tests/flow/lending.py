"""A server in this process that knows one pull request with real commits, and this machine, lent to it."""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from server.app import create_app
from server.models import Pull, Repository
from server.services import Services
from server.settings import Settings as ServerSettings
from server.startup import build
from standin import free_port
from worker.agent import Agent
from worker.agent.policy import Policy
from worker.settings import Settings

ADMIN_TOKEN = "admin-token-for-tests"
IMAGE = f"registry.example/eval-smoke@sha256:{'1' * 64}"
REPOSITORY = "octo/kernels"
PATIENCE_S = 120
STAND_IN = Path(__file__).parents[1] / "data" / "worker" / "arm"


@dataclass
class Lender:
    """A service with one pull request, whose commits are real, and a machine that is lent to it."""

    services: Services
    api: httpx.Client
    folder: Path
    commits: tuple[str, str]
    said: list[str] = field(default_factory=list)
    on_line: Callable[[str], None] = lambda _: None

    @property
    def settings(self) -> Settings:
        return Settings.model_validate(
            {
                "server_url": str(self.api.base_url),
                "token": ADMIN_TOKEN,
                "node_key": self.folder / "node.pem",
                "state_folder": self.folder / "state",
                "retry_longest_wait_s": 0.1,
            }
        )

    def policy(self, **changes: Any) -> Policy:
        key = self.api.get("/api/v1/service-key").json()["public_key"]
        usual = {
            "service_key": key, "runner": "process", "suites": ("smoke",), "images": ("*",), "authors": ("*",),
            "repositories": (REPOSITORY,), "mirrors": {REPOSITORY: str(self.folder / "mirror")}, "drain_minutes": 0,
        }  # fmt: skip
        return Policy.model_validate({**usual, **changes})

    def agent(self, runner: Any = None, **changes: Any) -> Agent:
        agent = Agent(self.settings, self.policy(**changes), say=self._say, runner=runner, jitter=lambda: 0.0)
        body = {"public_key": agent.public_key, "owner": "lender"}
        assert self.api.post("/api/v1/nodes", json=body).status_code in (200, 201)
        return agent

    def _say(self, line: str) -> None:
        self.said.append(line)
        self.on_line(line)

    def order(self) -> str:
        body = {"repository": REPOSITORY, "pull_number": 1, "head_sha": self.commits[1], "suite": "smoke"}
        answer = self.api.post("/api/v1/jobs", json=body)
        assert answer.status_code == 200, answer.text
        job_id: str = answer.json()["id"]
        return job_id

    def page(self, job_id: str) -> dict[str, Any]:
        page: dict[str, Any] = self.api.get(f"/api/v1/jobs/{job_id}").raise_for_status().json()
        return page

    def judged(self, bundle_id: str) -> dict[str, Any]:
        """A bundle's page once it has been validated."""
        limit = time.monotonic() + PATIENCE_S
        while True:
            page: dict[str, Any] = self.api.get(f"/api/v1/bundles/{bundle_id}").raise_for_status().json()
            if page["bundle"]["validation_state"] not in ("pending", "running"):
                return page
            assert time.monotonic() < limit, "the bundle is not judged"
            time.sleep(0.05)

    def left(self) -> list[str]:
        """Folders of jobs that were not wiped."""
        jobs = self.folder / "state" / "jobs"
        return sorted(entry.name for entry in jobs.iterdir()) if jobs.is_dir() else []


def commits(folder: Path, changed: dict[str, str]) -> tuple[str, str]:
    """A repository with two commits of the stand-in's code."""
    shutil.copytree(STAND_IN, folder, ignore=shutil.ignore_patterns("__pycache__"))
    git = ["git", "-C", str(folder), "-c", "user.name=Test", "-c", "user.email=test@example.invalid"]
    made = []
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "config", "uploadpack.allowAnySHA1InWant", "true"], check=True)
    for files in ({"CHANGES": "base"}, changed):
        for name, text in files.items():
            (folder / name).write_text(text)
        subprocess.run([*git, "add", "--all"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "One"], check=True)
        made.append(
            subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
        )
    return made[0], made[1]


@contextmanager
def lending(
    tmp_path: Path, *, image: str = IMAGE, changed: dict[str, str] | None = None, port: int | None = None
) -> Iterator[Lender]:
    """Serve, and know the pull request.

    Args:
        tmp_path: Everything is kept there.
        image: The smoke suite's image.
        changed: Files that the head has and the base has not.
        port: Of the server; None: any.
    """
    port = port or free_port()
    settings = ServerSettings(
        data_dir=tmp_path / "service", port=port, public_url=f"http://127.0.0.1:{port}", admin_token=ADMIN_TOKEN,
        web_dir=tmp_path / "none", job_images={"smoke": image}, job_lease_s=8, anonymous_uploads=True,
    )  # fmt: skip
    services = build(settings)
    config = uvicorn.Config(create_app(settings, services=services), host="127.0.0.1", port=port, log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    admin = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
    base, head = commits(tmp_path / "mirror", changed or {"CHANGES": "head"})
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=admin, timeout=60) as api:
        while not server.started:
            assert thread.is_alive()
            thread.join(timeout=0.02)
        now = services.clock()
        with services.database.write() as session:
            session.add(Repository(id=1001, name=REPOSITORY, seen_at=now))
            session.flush()
            session.add(
                Pull(
                    repository_id=1001,
                    number=1,
                    title="Faster",
                    body="",
                    author="octocat",
                    state="open",
                    merged=False,
                    draft=False,
                    head_sha=head,
                    base_sha=base,
                    seen_at=now,
                    url=f"https://github.com/{REPOSITORY}/pull/1",
                )
            )
        yield Lender(services, api, tmp_path, (base, head))
        server.should_exit = True
        thread.join()
