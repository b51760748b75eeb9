"""The same flow with real Celery workers, Redis and PostgreSQL."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import redis
from sqlalchemy import create_engine, text

from server.settings import Settings
from worker.bundle import Bundle

if TYPE_CHECKING:
    from tests.flow.conftest import Site

pytestmark = [pytest.mark.postgres, pytest.mark.redis]

PULL = "/api/v1/pulls/octo/kernels/1"


def test_the_flow_with_celery_and_a_redis_that_forgets(
    site: Site, api: httpx.Client, evidence: Bundle, worker: subprocess.Popen[bytes], database_url: str, redis_url: str,
    flow: Any,
) -> None:  # fmt: skip
    with flow.serving(Settings(**site.settings)):
        assert flow.eventually(lambda: api.get("/ready").json(), lambda ready: ready["ready"])["queue"] == "ok"
        api.post(f"{PULL}/sync", headers=flow.admin).raise_for_status()
        flow.eventually(site.checks, bool)

        client = flow.Uploader(api, evidence)
        for url, data in list(client.parts()):
            client.put(url, data)
        os.kill(worker.pid, signal.SIGSTOP)
        client.submit()
        redis.Redis.from_url(redis_url).flushall()  # the message that rang for the task is gone; the task is not
        os.kill(worker.pid, signal.SIGCONT)

        (check,) = flow.eventually(site.checks, lambda checks: checks[0].conclusion == "success")
        assert client.status()["validation_state"] == "valid"
        page = flow.eventually(lambda: api.get(PULL).json(), lambda page: page["check"]["state"] == "sent")
        assert [verdict["outcome"] for verdict in page["verdicts"]] == ["supported"]
        assert check.details_url == page["pull"]["url"]
    engine = create_engine(database_url)
    with engine.connect() as connection:
        posts = connection.execute(text("SELECT conclusion, state FROM post ORDER BY id")).all()
    engine.dispose()
    assert [tuple(post) for post in posts] == [("action_required", "sent"), ("success", "sent")]


def test_a_broker_that_is_down_loses_nothing_and_is_reported(
    site: Site, api: httpx.Client, evidence: Bundle, database_url: str, flow: Any
) -> None:
    site.settings.update(redis_url="redis://127.0.0.1:1/0", anonymous_uploads=True)
    with flow.serving(Settings(**site.settings)):
        ready = api.get("/ready")
        assert (ready.status_code, ready.json()["queue"]) == (503, "down")
        client = flow.Uploader(api, evidence)
        for url, data in list(client.parts()):
            client.put(url, data)
        assert client.submit().status_code == 202
        assert api.get("/ready").json()["tasks_waiting"] == 1
