"""An agent lends this machine to a real server: a job is ordered, run, interrupted, gone on with, and delivered.

The jobs run as plain processes here, with a stand-in for the model's code; tests/containers runs them in containers.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from worker.agent.client import Leases
from worker.agent.machine import make_offer
from worker.agent.runners import Running, Work
from worker.environment import Host, Nvml
from worker.service import Service

Lender = Any
"""What the fixture gives: tests/flow/lending.py."""
REPOSITORY = "octo/kernels"
ADMIN_TOKEN = "admin-token-for-tests"


class Sleeper:
    """A runner whose jobs never end by themselves."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.running: Running | None = None

    def version(self) -> str:
        return "0"

    def prepare(self, image: str) -> None:
        pass

    def clean(self) -> None:
        pass

    def command(self, work: Work) -> list[str]:
        return [sys.executable, "-c", "import time; time.sleep(600)"]

    def start(self, work: Work) -> Running:
        self.running = Running(self.command(work), work.order, environment={}, folder=work.scratch.folder)
        self.started.set()
        return self.running

    def stop(self, work: Work, running: Running) -> None:
        running.process.kill()
        running.close()


def test_a_job_is_interrupted_gone_on_with_and_delivered(lender: Lender) -> None:
    job_id = lender.order()
    first = lender.agent()
    lender.on_line = lambda line: first.drain() if "numerics" in line else None
    assert first.run(once=True) is False
    page = lender.page(job_id)
    assert page["job"]["state"] == "queued"
    assert page["leases"][0]["outcome"] == "interrupted"
    done = [one["eval_id"] for one in page["job"]["evals_done"]]
    assert done[:1] == ["numerics"]
    [kept] = lender.left()

    lender.on_line = lambda _: None
    second = lender.agent()
    assert second.run(once=True) is True, lender.said
    page = lender.page(job_id)
    assert page["job"]["state"] == "done"
    assert [one["eval_id"] for one in page["job"]["evals_done"]] == page["job"]["evals"]
    assert [lease["outcome"] for lease in page["leases"]] == ["interrupted", "finished"]
    assert lender.left() == [], "the job's folder was not wiped"
    assert kept.startswith(job_id)

    bundle = lender.judged(page["job"]["bundle_id"])
    assert bundle["bundle"]["validation_state"] == "valid"
    manifest = bundle["manifest"]
    assert bundle["bundle"]["signature"] == "valid"
    assert manifest["subject"]["head_sha"] == lender.commits[1]
    assert [arm["code"]["commit_sha"] for arm in manifest["arms"]] == list(lender.commits)
    assert manifest["producer"]["node_key_id"] == second.node_key_id
    [challenge] = lender.api.get("/api/v1/challenges", params={"pull": f"{REPOSITORY}/1"}).json()["items"]
    assert (challenge["fate"], challenge["bundle_id"]) == ("used", page["job"]["bundle_id"])


def test_a_cancelled_job_is_stopped(lender: Lender) -> None:
    job_id, sleeper = lender.order(), Sleeper()
    agent = lender.agent(sleeper)
    thread = threading.Thread(target=agent.run, kwargs={"once": True})
    thread.start()
    assert sleeper.started.wait(60)
    assert lender.api.post(f"/api/v1/jobs/{job_id}/cancel").json()["state"] == "leased"
    thread.join(60)
    assert sleeper.running is not None
    assert sleeper.running.ended() is not None, "the job still runs"
    page = lender.page(job_id)
    assert (page["job"]["state"], page["leases"][0]["outcome"]) == ("cancelled", "cancelled")
    assert lender.left() == []


def test_an_agent_that_lost_its_lease_stops_and_tells_nobody(lender: Lender) -> None:
    job_id, sleeper = lender.order(), Sleeper()
    agent = lender.agent(sleeper)
    thread = threading.Thread(target=agent.run, kwargs={"once": True})
    thread.start()
    assert sleeper.started.wait(60)
    other = lender.agent(Sleeper())  # the same node asks anew: its earlier process counts as gone
    with Service(lender.settings) as service:
        offer = make_offer(lender.policy(), Sleeper(), nvml=Nvml.load(), host=Host())
        claimed = Leases(service, other.node_key_id).claim(offer)
    assert claimed.job is not None
    assert claimed.job.token == 2
    thread.join(60)
    assert any("lost" in line for line in lender.said)
    assert sleeper.running is not None
    assert sleeper.running.ended() is not None
    page = lender.page(job_id)
    assert (page["job"]["state"], page["job"]["tries"]) == ("leased", 2)
    assert [lease["outcome"] for lease in page["leases"]] == ["replaced", None]


def test_nothing_runs_without_the_owners_consent(lender: Lender) -> None:
    lender.order()
    sleeper = Sleeper()
    assert lender.agent(sleeper, repositories=("octo/other",)).run(once=True) is True
    assert not sleeper.started.is_set()
    assert any(line.startswith("no job: repository_refused") for line in lender.said)


def test_an_order_signed_by_another_key_is_not_run(lender: Lender) -> None:
    job_id, sleeper = lender.order(), Sleeper()
    assert lender.agent(sleeper, service_key="1" * 64).run(once=True) is False
    assert not sleeper.started.is_set()
    assert lender.page(job_id)["leases"][0]["outcome"] == "interrupted"
    assert any("not signed by the service" in line for line in lender.said)


def test_sigterm_drains_the_command(lender: Lender, tmp_path: Path) -> None:
    lender.agent()  # registers the key
    policy = tmp_path / "agent.toml"
    key = lender.policy().service_key
    policy.write_text(f'service_key = "{key}"\nrunner = "process"\nsuites = ["smoke"]\n')
    environment = {
        **os.environ, "BYOGPU_SERVER_URL": str(lender.api.base_url), "BYOGPU_TOKEN": ADMIN_TOKEN,
        "BYOGPU_NODE_KEY": str(lender.settings.node_key), "BYOGPU_STATE_FOLDER": str(tmp_path / "state"),
        "PYTHONUNBUFFERED": "1",
    }  # fmt: skip
    command = [sys.executable, "-m", "byogpu.cli", "agent", "--policy", str(policy)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as agent:
        assert agent.stdout is not None
        said = [next(agent.stdout), next(agent.stdout)]
        agent.send_signal(signal.SIGTERM)
        said += list(agent.stdout)
    assert agent.returncode == 0, said
    assert said[1].startswith("no job: nothing_waits")
    assert said[-2:] == ["SIGTERM: no new jobs\n", "drained\n"]
