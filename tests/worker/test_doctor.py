from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from worker.doctor import Capability, Patient, diagnose
from worker.environment import Host, Nvml
from worker.settings import Settings


@pytest.fixture
def examine(make_arm: Callable[..., Any], tmp_path: Path, no_program_is_left: None) -> Callable[..., dict[str, Any]]:
    def go(behaviour: str = "well", *, server: Any = None, nvml: Any = None, **changes: Any) -> dict[str, Capability]:
        make_arm("candidate", behaviour)
        settings = Settings(
            state_folder=tmp_path / "state",
            runs_folder=tmp_path / "runs",
            node_key=tmp_path / "keys" / "node.pem",
            server_url="http://byogpu.example" if server else None,
        )
        usual: dict[str, Any] = {"tree": tmp_path / "candidate", "host": Host()}
        patient = Patient(
            settings=settings,
            nvml=Nvml(nvml),
            transport=httpx.MockTransport(server) if server else None,
            **{**usual, **changes},
        )
        return {capability.name: capability for capability in diagnose(patient)}

    return go


def test_a_machine_without_a_gpu_can_run_smoke(examine: Callable[..., Any]) -> None:
    found = examine()
    assert found["suite smoke"].ok
    assert found["suite smoke"].detail == "can run numerics, decode-step, serving, accuracy"
    assert not found["GPU"].ok
    assert not found["GPU"].needed
    assert {name for name, capability in found.items() if capability.needed and not capability.ok} == set()
    assert found["engine"].detail == "starts and answers"
    assert "server" not in found


def test_a_node_key_that_cannot_be_made_is_said(examine: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "keys").touch()
    found = examine()["node key"]
    assert not found.ok
    assert "BYOGPU_NODE_KEY" in found.how_to_fix


def test_a_node_key_that_is_there_is_enough(examine: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "node.pem").touch()
    assert examine()["node key"].detail.endswith("node.pem")


def test_gpus_are_named_with_their_driver(examine: Callable[..., Any], fake_nvml: Callable[..., Any]) -> None:
    found = examine(nvml=fake_nvml(2))
    assert found["GPU"].detail == "NVIDIA H200, NVIDIA H200"
    assert found["driver"].detail == "580.65.06, up to CUDA 13.2; nvcc is not needed"
    assert found["idle GPUs"].detail == "4 processes on them"


def test_an_engine_that_does_not_start_takes_its_evals_with_it(examine: Callable[..., Any]) -> None:
    found = examine("stillborn")
    assert not found["engine"].ok
    assert "no model" in found["engine"].detail
    assert found["engine"].how_to_fix
    assert found["suite smoke"].detail == ("can run numerics, decode-step; serving lacks engine; accuracy lacks engine")


def test_a_launcher_that_is_missing_leaves_nothing_to_run(examine: Callable[..., Any], tmp_path: Path) -> None:
    found = examine(python=tmp_path / "no-python")
    assert not found["k3_decode"].ok
    assert found["suite smoke"].detail.startswith("can run nothing; numerics lacks k3_decode and torch")


def test_a_small_container_is_too_small(examine: Callable[..., Any], tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text("0::/\n")
    (root / "sys/fs/cgroup").mkdir(parents=True)
    (root / "sys/fs/cgroup/memory.max").write_text("500000000\n")
    (root / "proc/meminfo").write_text("MemTotal: 64000000 kB\n")
    memory = examine(host=Host(root))["memory"]
    assert (memory.ok, memory.detail) == (False, "0.5 GB")


def test_a_server_is_asked_once(examine: Callable[..., Any]) -> None:
    paths = []

    def well(request: httpx.Request) -> httpx.Response:
        paths.append(request.url.path)
        return httpx.Response(200, json={"status": "ok", "version": "0.1.0"})

    assert examine(server=well)["server"].detail == "http://byogpu.example/: ok"
    assert paths == ["/health"]


def test_a_server_that_is_down_is_said_to_be(examine: Callable[..., Any]) -> None:
    def down(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    server = examine(server=down)["server"]
    assert (server.ok, server.needed) == (False, False)
    assert "server_unreachable" not in server.detail
    assert "ConnectError" in server.detail
