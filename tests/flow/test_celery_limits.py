"""A real Celery worker whose task never ends, listens to nobody, or wants too much memory.

A blob that is a pipe stands for storage that does not answer: whoever opens it waits for ever.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from sqlalchemy import Engine, create_engine, text

from server.administration import requeue
from server.settings import Settings
from server.startup import build, close
from worker.bundle import Bundle
from worker.bundle.samples import KernelTimeRow

if TYPE_CHECKING:
    from tests.flow.conftest import Site

pytestmark = [pytest.mark.postgres, pytest.mark.redis]

LEASE_S = 3


@dataclass(frozen=True)
class Ward:
    """One bundle's validation, and the worker that attempts it."""

    site: Site
    worker: subprocess.Popen[bytes]
    engine: Engine
    eventually: Callable[..., Any]

    def task(self) -> Any:
        """The row of the validation."""
        with self.engine.connect() as connection:
            return connection.execute(text("SELECT * FROM task WHERE kind = 'validate'")).mappings().one()

    def reaches(self, state: str) -> Any:
        """The same, once it is in a state."""
        return self.eventually(self.task, lambda task: task["state"] == state)

    def has_tried(self, attempts: int) -> None:
        """Let the task have had so many attempts, and let its next one not wait for longer."""
        with self.engine.begin() as connection:
            changed = "UPDATE task SET attempts = :attempts, run_after = now() WHERE kind = 'validate'"
            connection.execute(text(changed), {"attempts": attempts})

    def freeze(self) -> int:
        """Stop the process that runs the task in the middle of it, so that it hears nothing any more; returns it."""
        while True:
            self.has_tried(0)
            lease = self.reaches("running")["lease"]
            runner = self.runner()
            os.kill(runner, signal.SIGSTOP)
            task = self.task()
            if (task["state"], task["lease"]) == ("running", lease):
                return runner
            os.kill(runner, signal.SIGCONT)  # it was told to stop before that

    def mend(self) -> None:
        """What an operator does once the cause is gone."""
        services = build(Settings(**self.site.settings))
        assert [one.kind for one in requeue(services)] == ["validate"]
        close(services)
        self.reaches("done")

    def actions(self) -> list[str]:
        """What was noted about bundles and tasks."""
        with self.engine.connect() as connection:
            asked = "SELECT action FROM audit WHERE action LIKE 'bundle.%' OR action LIKE 'task.%' ORDER BY id"
            return list(connection.execute(text(asked)).scalars())

    def runner(self) -> int:
        """The worker's process that runs tasks: the one of its children that was forked, not started."""
        children = Path(f"/proc/{self.worker.pid}/task/{self.worker.pid}/children").read_text().split()
        same = Path(f"/proc/{self.worker.pid}/cmdline").read_bytes()
        (pid,) = [int(one) for one in children if Path(f"/proc/{one}/cmdline").read_bytes() == same]
        return pid


@pytest.fixture
def limits(site: Site) -> None:
    """What a task may use here."""
    site.settings.update(task_lease_s=LEASE_S)


@pytest.fixture
def ward(
    limits: None, site: Site, worker: subprocess.Popen[bytes], database_url: str, api: httpx.Client, flow: Any
) -> Iterator[Ward]:
    """The service, with its worker."""
    engine = create_engine(database_url)
    with flow.serving(Settings(**site.settings)):
        yield Ward(site, worker, engine, flow.eventually)
    engine.dispose()


@pytest.fixture
def pipe(site: Site, evidence: Bundle, api: httpx.Client, flow: Any, ward: Ward) -> Callable[[], object]:
    """Upload a bundle, and put a pipe in the place of one of its blobs before it is validated; mends that if called."""
    client = flow.Uploader(api, evidence)
    for url, data in list(client.parts()):
        client.put(url, data)
    os.killpg(ward.worker.pid, signal.SIGSTOP)
    client.submit()
    sha256 = evidence.manifest.files[0].sha256
    blob = site.settings["data_dir"] / "blobs" / sha256[:2] / sha256
    kept = blob.with_name("kept")
    blob.rename(kept)
    os.mkfifo(blob)
    os.killpg(ward.worker.pid, signal.SIGCONT)
    return lambda: kept.replace(blob)


def test_a_task_that_hangs_is_told_to_stop_until_it_is_given_up(
    ward: Ward, pipe: Callable[[], object], api: httpx.Client, evidence: Bundle
) -> None:
    failed = ward.eventually(ward.task, lambda task: task["state"] == "queued" and task["detail"])
    assert failed["detail"].startswith("it was told to stop")
    assert failed["attempts"] >= 1
    page = f"/api/v1/bundles/{evidence.id}/status"
    assert api.get(page).json()["validation_state"] == "running", "one failure says nothing about the bundle"

    ward.has_tried(4)
    assert ward.reaches("dead")["detail"] == failed["detail"]
    assert api.get(page).json()["validation_state"] == "error"
    assert ward.actions()[-2:] == ["bundle.error", "task.dead"]

    pipe()
    ward.mend()
    assert api.get(page).json()["validation_state"] == "valid"


def test_a_task_that_listens_to_nobody_is_killed_with_its_process(
    ward: Ward, pipe: Callable[[], object], api: httpx.Client, evidence: Bundle
) -> None:
    stuck = ward.freeze()
    ward.has_tried(5)
    ward.eventually(lambda: Path(f"/proc/{stuck}").exists(), lambda lives: not lives)
    assert ward.reaches("dead")["detail"] == "the process that ran it died"
    page = f"/api/v1/bundles/{evidence.id}/status"
    assert api.get(page).json()["validation_state"] == "error"
    assert ward.actions()[-2:] == ["bundle.error", "task.dead"]
    assert ward.runner() != stuck

    pipe()
    ward.mend()
    assert api.get(page).json()["validation_state"] == "valid"


class TestMemory:
    """A task that wants more than its process may have."""

    @pytest.fixture
    def limits(self, site: Site) -> None:
        site.settings.update(task_memory_mib=256, task_lease_s=20)

    @pytest.fixture
    def evidence(self, specimen: Any, tmp_path: Path) -> Bundle:
        """Four million times of a kernel: 25 MB as text, many times that once they were read."""
        times = tuple(n / 8 for n in range(100_000))
        row = KernelTimeRow(cell="b1", arm="candidate", block=0, kernel="k", launches=1, times_us=times)
        line = row.model_dump_json().encode() + b"\n"
        specimen.extra.append(("times.jsonl", "kernel_times", "decode-step", None, line * 40))
        bundle: Bundle = specimen.write(tmp_path / "greedy")
        return bundle

    def test_it_is_given_up_with_the_reason_and_the_worker_goes_on(
        self, ward: Ward, api: httpx.Client, evidence: Bundle, flow: Any
    ) -> None:
        client = flow.Uploader(api, evidence)
        for url, data in list(client.parts()):
            client.put(url, data)
        os.killpg(ward.worker.pid, signal.SIGSTOP)
        client.submit()
        ward.has_tried(4)
        os.killpg(ward.worker.pid, signal.SIGCONT)
        # Python says that there is no memory, and the task fails; other code may abort, and the process is replaced.
        reasons = ("it wanted more memory", "the process that ran it died")
        assert ward.reaches("dead")["detail"].startswith(reasons)
        assert client.status()["validation_state"] == "error"
        assert api.post("/api/v1/pulls/octo/kernels/1/sync", headers=flow.admin).status_code == 200
        ward.eventually(ward.site.checks, bool)
