"""The owner's file decides; the container's command says so."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from worker.agent import load_policy, sample_policy, unit_file
from worker.agent.policy import Policy
from worker.agent.runners import ContainerRunner, Work, make_runner
from worker.agent.scratch import Scratch
from worker.errors import WorkerError

IMAGE = f"registry.example/eval-smoke@sha256:{'3' * 64}"


def policy(**changes: Any) -> Policy:
    return Policy.model_validate({"service_key": "0" * 64, **changes})


def command(**changes: Any) -> list[str]:
    work = Work(name="byogpu-j-1-1", image=IMAGE, scratch=Scratch(Path("/scratch/j-1")), order=b"")
    return ContainerRunner(policy(**changes), mark="m").command(work)


def test_the_sample_is_a_policy_that_allows_nothing_of_anybody(tmp_path: Path) -> None:
    path = tmp_path / "agent.toml"
    path.write_text(sample_policy())
    loaded = load_policy(path)
    assert loaded.consent.repositories == loaded.consent.authors == loaded.consent.images == ()
    assert set(tomllib.loads(sample_policy())) <= set(Policy.model_fields)


@pytest.mark.parametrize("text", ["", "service_key = 1", 'service_key = "00"', "surprise = 1", "not toml ="])
def test_a_wrong_policy_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "agent.toml"
    path.write_text(text)
    with pytest.raises(WorkerError, match="policy_invalid"):
        load_policy(path)
    with pytest.raises(WorkerError, match="--print-policy"):
        load_policy(tmp_path / "missing.toml")


def test_a_container_has_no_network_no_rights_and_only_its_own_folder() -> None:
    words = command()
    for word in (
        "--network=none", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--pull=never",
        "--memory=32g", "--memory-swap=32g", "--pids-limit=2048", "--log-driver=none",
    ):  # fmt: skip
        assert word in words
    mounts = [word for word in words if word.startswith(("--mount", "--volume", "-v"))]
    assert mounts == [
        "--mount=type=bind,source=/scratch/j-1/source,target=/source,readonly,relabel=private",
        "--mount=type=bind,source=/scratch/j-1/out,target=/out,relabel=private",
    ]
    assert not any("sock" in word or "privileged" in word.replace("no-new-privileges", "") for word in words)
    assert not any(word.startswith("--user=0") for word in words)
    assert IMAGE in words


@pytest.mark.parametrize(
    ("runner", "gpus", "expected"),
    [
        ("podman", "none", []),
        ("podman", [0, 2], ["--device=nvidia.com/gpu=0", "--device=nvidia.com/gpu=2"]),
        ("docker", [0, 2], ['--gpus="device=0,2"']),
        ("docker", "none", []),
    ],
)
def test_only_the_lent_gpus_are_passed(runner: str, gpus: Any, expected: list[str]) -> None:
    words = command(runner=runner, gpus=gpus)
    assert [word for word in words if "gpu" in word and word.startswith(("--device", "--gpus"))] == expected


def test_root_needs_the_owners_leave() -> None:
    if os.geteuid() != 0:
        assert make_runner(policy(runner="process"), mark="m").version().startswith("Python")
        return
    with pytest.raises(WorkerError, match="do not run the agent as root"):
        make_runner(policy(runner="podman"), mark="m")


def test_the_unit_drains_as_long_as_the_policy_says_and_names_this_installation(tmp_path: Path) -> None:
    unit = unit_file(30)
    assert "byogpu agent\n" in unit
    assert "KillMode=mixed\nTimeoutStopSec=31min\n" in unit
    elsewhere = tmp_path / "100% mine" / "agent.toml"
    assert f"byogpu agent '--policy={elsewhere}'\n".replace("%", "%%") in unit_file(5, elsewhere)


def test_nothing_in_the_unit_turns_on_what_would_end_rootless_podman() -> None:
    """Without CAP_SYS_ADMIN systemd sets NoNewPrivileges for each of these: newuidmap then gains nothing."""
    names = {line.partition("=")[0] for line in unit_file(5).splitlines() if not line.startswith("#")}
    implying = {"NoNewPrivileges", "LockPersonality", "MemoryDenyWriteExecute", "DynamicUser", "PrivateDevices"}
    assert names & implying == set()
    assert not any(name.startswith(("Protect", "Restrict", "SystemCall")) for name in names)
