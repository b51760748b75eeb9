"""Redis forgets everything, again and again, while work of every kind is in flight: all of it completes, once."""

from __future__ import annotations

import copy
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import redis
from sqlalchemy import Engine, create_engine, text

from server.jobs import examples
from server.settings import Settings
from standin.acts import NewComment, NewPull
from standin.faults import Fault
from worker.bundle.signature import NodeKey

if TYPE_CHECKING:
    from tests.flow.conftest import Site

pytestmark = [pytest.mark.postgres, pytest.mark.redis]

PULLS = 3
IMAGE = f"registry.example/eval-smoke@sha256:{'1' * 64}"
IN_FLIGHT = "SELECT kind, key FROM task WHERE state IN ('queued', 'running')"


@dataclass
class Forgetter:
    """A Redis that forgets, and what was in flight when it did."""

    worker: subprocess.Popen[bytes]
    engine: Engine
    redis: redis.Redis
    seen: set[tuple[str, str]] = field(default_factory=set)
    times: int = 0

    def forget(self) -> set[tuple[str, str]]:
        """Hold the worker wherever it is, empty Redis, let it go on; returns the tasks that waited or ran."""
        os.killpg(self.worker.pid, signal.SIGSTOP)
        try:
            found = {(kind, key) for kind, key in self.rows(IN_FLIGHT)}
            self.redis.flushall()
        finally:
            os.killpg(self.worker.pid, signal.SIGCONT)
        self.seen |= found
        self.times += 1
        return found

    def until(self, good: Callable[[], bool], *, limit_s: float = 120) -> None:
        """Forget until something is so."""
        limit = time.monotonic() + limit_s
        while not good():
            assert time.monotonic() < limit, self.rows(IN_FLIGHT)
            self.forget()
            time.sleep(0.1)

    def has_seen(self, *kinds: str) -> bool:
        """Whether tasks of all these kinds were in flight at such a moment."""
        return set(kinds) <= {kind for kind, _ in self.seen}

    def rows(self, query: str) -> list[Any]:
        with self.engine.connect() as connection:
            return list(connection.execute(text(query)))


@pytest.fixture
def forgetter(worker: subprocess.Popen[bytes], database_url: str, redis_url: str, site: Site) -> Iterator[Forgetter]:
    """The site's Redis."""
    engine = create_engine(database_url)
    yield Forgetter(worker, engine, redis.Redis.from_url(redis_url))
    engine.dispose()


def test_a_redis_that_forgets_while_everything_is_in_flight(
    site: Site, api: httpx.Client, specimen: Any, node: NodeKey, forgetter: Forgetter, flow: Any, tmp_path: Path
) -> None:
    forge = site.standin.forge
    with flow.serving(Settings(**site.settings)):
        flow.eventually(lambda: api.get("/ready").json(), lambda ready: ready["ready"])
        pulls = [site.pull, *(forge.open_pull(_another(number, flow.claims)) for number in range(1, PULLS))]
        for pull in pulls:
            api.post(f"/api/v1/pulls/octo/kernels/{pull.number}/sync", headers=flow.admin).raise_for_status()
        flow.eventually(site.checks, lambda checks: len(checks) == PULLS)
        uploads = []
        for pull in pulls:
            bundle = flow.measured(copy.deepcopy(specimen), pull, node, tmp_path / f"evidence-{pull.number}")
            uploads.append(flow.Uploader(api, bundle))
            for url, data in list(uploads[-1].parts()):
                uploads[-1].put(url, data)

        # Held: the worker, and GitHub's answers. So everything that is asked for now waits when Redis forgets it.
        os.killpg(forgetter.worker.pid, signal.SIGSTOP)
        job_id = _leased_job(api, pulls[1].head_sha, node, flow.admin)
        said = forge.comment(NewComment(repository="octo/kernels", number=1, author="kim", body="/byogpu status"))
        flow.eventually(lambda: forgetter.rows("SELECT 1 FROM command"), bool)
        forge.faults.plan(Fault(kind="unavailable", times=1_000_000))
        for upload in uploads:
            upload.submit()
        waiting = forgetter.forget()
        assert Counter(kind for kind, _ in waiting) >= Counter(validate=PULLS, obey=1)
        forgetter.until(lambda: forgetter.has_seen("validate", "refresh", "publish", "obey"))
        assert len([1 for kind, _ in forgetter.seen if kind in ("validate", "publish")]) >= PULLS + 1

        forge.faults.clear()
        forgetter.until(lambda: [run.conclusion for run in site.checks()] == ["success"] * PULLS)
        forgetter.until(lambda: api.get(f"/api/v1/jobs/{job_id}").json()["leases"][0]["outcome"] == "expired")
        forgetter.until(lambda: forgetter.rows("SELECT state FROM command") == [("answered",)])
        flow.eventually(lambda: api.get("/ready").json()["tasks_waiting"], lambda waiting: waiting == 0)

        assert forgetter.times > 10
        assert [upload.status()["validation_state"] for upload in uploads] == ["valid"] * PULLS
        assert sorted(run.head_sha for run in site.checks()) == sorted(pull.head_sha for pull in pulls)
        assert api.get(f"/api/v1/jobs/{job_id}").json()["job"]["state"] == "queued"
        with forge.store.reading() as state:
            [answer] = [one for one in state.comments.values() if one.id != said.id]
        assert "decode-speed" in answer.body
    assert forgetter.rows("SELECT 1 FROM task WHERE state = 'dead'") == []
    assert forgetter.rows(
        "SELECT conclusion, state, count(*) FROM post WHERE conclusion = 'success' GROUP BY 1, 2"
    ) == [("success", "sent", PULLS)]
    once = "SELECT count(*) FROM audit WHERE action = 'bundle.valid' GROUP BY target"
    assert [count for (count,) in forgetter.rows(once)] == [1] * PULLS


def _another(number: int, claims: str) -> NewPull:
    files = {f"a{number}.py": "1\n"}
    return NewPull(repository="octo/kernels", title=f"Faster {number}", author="kim", body=claims, files=files)


def _leased_job(api: httpx.Client, head_sha: str, node: NodeKey, admin: dict[str, str]) -> str:
    """Order a job on the second pull request, and take it as a node that is never heard of again."""
    body = {"public_key": node.public_key, "owner": "volunteer"}
    api.post("/api/v1/nodes", json=body, headers=admin).raise_for_status()
    order = {"repository": "octo/kernels", "pull_number": 2, "head_sha": head_sha, "suite": "smoke", "image": IMAGE}
    job_id: str = api.post("/api/v1/jobs", json=order, headers=admin).raise_for_status().json()["id"]
    claim = {**examples.CLAIM.model_dump(mode="json"), "node_key_id": node.key_id}
    claimed = api.post("/api/v1/jobs/claim", json=claim, headers=admin).raise_for_status().json()
    assert claimed["job"]["job_id"] == job_id, claimed
    return job_id
