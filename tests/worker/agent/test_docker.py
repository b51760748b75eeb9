"""The agent with docker: on a stand-in that refuses whatever docker's command line does not know."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from worker.agent.policy import Policy
from worker.agent.runners import UNPRIVILEGED, Runner, Work, make_runner
from worker.agent.scratch import Scratch
from worker.errors import WorkerError

STAND_IN = Path(__file__).with_name("stand_in_docker.py")


def image(name: str) -> str:
    return f"registry.example/{name}@sha256:{'3' * 64}"


@dataclass
class Docker:
    """The stand-in's state, and a folder for jobs."""

    state: Path
    jobs: Path

    def runner(self, *, mark: str = "mine", **changes: Any) -> Runner:
        chosen = Policy.model_validate({"service_key": "0" * 64, "runner": "docker", "allow_root": True, **changes})
        return make_runner(chosen, mark=mark)

    def work(self, name: str, number: int = 1) -> Work:
        scratch = Scratch(self.jobs / f"j-{number}")
        scratch.begin()
        return Work(name=f"byogpu-j-{number}-1", image=image(name), scratch=scratch, order=b'{"signed": "order"}')

    def containers(self) -> set[str]:
        return {path.name for path in (self.state / "containers").iterdir()}


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Docker:
    programs, state, jobs = (tmp_path / name for name in ("programs", "state", "jobs"))
    for folder in (programs, state, state / "containers", jobs):
        folder.mkdir()
    (state / "images").touch()
    program = programs / "docker"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {STAND_IN} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    monkeypatch.setenv("STAND_IN_DOCKER", str(state))
    return Docker(state, jobs)


@pytest.mark.parametrize(("name", "status"), [("good", 0), ("failing", 3)])
def test_a_job_is_fetched_by_digest_run_and_heard(docker: Docker, name: str, status: int) -> None:
    runner, work = docker.runner(gpus=[0, 2], cpus=4), docker.work(name)
    assert runner.version() == "27.5.1"
    for _ in range(2):
        runner.prepare(work.image)
    assert (docker.state / "images").read_text().split() == [work.image], "fetched once"
    running = runner.start(work)
    running.close()
    assert (running.ended(), running.said().strip()) == (status, "the job says something")
    ran = json.loads((work.scratch.out / "ran.json").read_text())
    assert ran["order"] == '{"signed": "order"}'
    assert ran["command"][:2] == ["run-job", "--out=/out"]
    assert ran["gpus"] == "device=0,2"
    assert ran["user"] == (f"{UNPRIVILEGED}:{UNPRIVILEGED}" if os.geteuid() == 0 else f"{os.geteuid()}:{os.getegid()}")
    assert docker.containers() == set()


def test_an_image_that_is_not_there_is_an_error_with_dockers_words(docker: Docker) -> None:
    with pytest.raises(WorkerError, match=r"image_unavailable: .*manifest unknown"):
        docker.runner().prepare(image("missing"))


def test_an_image_that_was_not_fetched_is_not_fetched_by_running_it(docker: Docker) -> None:
    running = docker.runner().start(docker.work("good"))
    running.close()
    assert running.ended() == 125, "docker's own failure"
    assert "No such image" in running.said()


def test_a_job_is_stopped_with_its_container(docker: Docker) -> None:
    runner, work = docker.runner(), docker.work("endless")
    runner.prepare(work.image)
    running = runner.start(work)
    while not docker.containers():
        assert running.ended() is None, running.said()
    for _ in range(2):
        runner.stop(work, running)
    assert running.ended() not in (None, 0)
    assert docker.containers() == set()


def test_what_a_killed_agent_left_is_ended_and_others_are_left_alone(docker: Docker) -> None:
    mine, theirs = docker.runner(), docker.runner(mark="theirs")
    left, other = docker.work("endless", 1), docker.work("endless", 2)
    mine.prepare(left.image)
    running, others = mine.start(left), theirs.start(other)
    while len(docker.containers()) < 2:
        assert (running.ended(), others.ended()) == (None, None)
    docker.runner().clean()
    assert docker.containers() == {other.name}
    running.close()
    assert others.ended() is None
    theirs.stop(other, others)


def test_a_docker_that_is_missing_or_does_not_work(docker: Docker, monkeypatch: pytest.MonkeyPatch) -> None:
    (docker.state / "no-daemon").touch()
    with pytest.raises(WorkerError, match=r"runner_missing: .*Cannot connect to the Docker daemon"):
        docker.runner().version()
    monkeypatch.setenv("PATH", str(docker.jobs))
    with pytest.raises(WorkerError, match="runner_missing: docker is not installed"):
        docker.runner()
