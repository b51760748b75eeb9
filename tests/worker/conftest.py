"""Fixtures of the worker's tests: small git repositories, stand-ins for pynvml and for an arm's code."""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pynvml
import pytest

from worker.arms import Arm, resolve
from worker.deadline import Deadline

STAND_IN = Path(__file__).parents[1] / "data" / "worker" / "arm"
Commit = Callable[[Path], str]


@pytest.fixture
def python() -> str:
    return sys.executable


@pytest.fixture
def soon() -> Deadline:
    """Long enough for a small program on a busy machine, short enough to fail a hung test."""
    return Deadline.after(30)


@pytest.fixture
def package_tree(tmp_path: Path) -> Path:
    """A source tree with a `k3_decode` package of two modules."""
    tree = tmp_path / "tree"
    (tree / "k3_decode").mkdir(parents=True)
    (tree / "k3_decode" / "__init__.py").write_text('"""A package."""\n')
    (tree / "k3_decode" / "decoder.py").write_text("FAST = True\n")
    return tree


@pytest.fixture
def commit() -> Commit:
    """Makes a folder a git repository with everything in it committed, and returns the commit."""

    def make(folder: Path) -> str:
        git = ["git", "-C", str(folder), "-c", "user.name=Test", "-c", "user.email=test@example.invalid"]
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "add", "--all"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "First"], check=True)
        found = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
        return found.stdout.strip()

    return make


class FakeNvml:
    """Answers what the worker asks of pynvml; names listed in ``refused`` answer "not supported"."""

    def __init__(self, gpus: int, *, refused: frozenset[str] = frozenset(), linked: bool = True) -> None:
        self.gpus = gpus
        self.refused = refused
        self.linked = linked

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("NVML_", "nvmlClocks")) or name == "NVMLError":
            return getattr(pynvml, name)
        answer = getattr(self, f"_{name}", None)
        if answer is None or name in self.refused:
            raise pynvml.NVMLError_NotSupported()
        return answer

    def _nvmlDeviceGetCount(self) -> int:
        return self.gpus

    def _nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        return index

    def _nvmlSystemGetDriverVersion(self) -> str:
        return "580.65.06"

    def _nvmlSystemGetCudaDriverVersion_v2(self) -> int:
        return 13_020

    def _nvmlDeviceGetName(self, handle: int) -> str:
        return "NVIDIA H200"

    def _nvmlDeviceGetUUID(self, handle: int) -> str:
        return f"GPU-00000000-0000-0000-0000-00000000000{handle}"

    def _nvmlDeviceGetPciInfo(self, handle: int) -> Any:
        return SimpleNamespace(busId=f"00000000:0{handle}:00.0", pciDeviceId=0x233510DE)

    def _nvmlDeviceGetMemoryInfo(self, handle: int) -> Any:
        return SimpleNamespace(total=150_754_820_096)

    def _nvmlDeviceGetNumGpuCores(self, handle: int) -> int:
        return 16_896

    def _nvmlDeviceGetCudaComputeCapability(self, handle: int) -> tuple[int, int]:
        return (9, 0)

    def _nvmlDeviceGetVbiosVersion(self, handle: int) -> str:
        return "96.00.CF.00.01"

    def _nvmlDeviceGetMaxClockInfo(self, handle: int, clock: int) -> int:
        return 1_980 if clock == pynvml.NVML_CLOCK_SM else 3_201

    def _nvmlDeviceGetClockInfo(self, handle: int, clock: int) -> int:
        return 1_500 if clock == pynvml.NVML_CLOCK_SM else 3_201

    def _nvmlDeviceGetEnforcedPowerLimit(self, handle: int) -> int:
        return 700_000

    def _nvmlDeviceGetPowerUsage(self, handle: int) -> int:
        return 121_500

    def _nvmlDeviceGetTemperature(self, handle: int, sensor: int) -> int:
        return 41

    def _nvmlDeviceGetEccMode(self, handle: int) -> list[int]:
        return [1, 1]

    def _nvmlDeviceGetMigMode(self, handle: int) -> list[int]:
        return [0, 0]

    def _nvmlDeviceGetComputeMode(self, handle: int) -> int:
        return pynvml.NVML_COMPUTEMODE_DEFAULT

    def _nvmlDeviceGetCurrentClocksThrottleReasons(self, handle: int) -> int:
        return int(pynvml.nvmlClocksThrottleReasonSwPowerCap | pynvml.nvmlClocksThrottleReasonHwThermalSlowdown)

    def _nvmlDeviceGetComputeRunningProcesses(self, handle: int) -> list[Any]:
        return [SimpleNamespace(pid=4_242, usedGpuMemory=1_048_576), SimpleNamespace(pid=4_243, usedGpuMemory=None)]

    def _nvmlDeviceGetGraphicsRunningProcesses(self, handle: int) -> list[Any]:
        return []

    def _nvmlDeviceGetP2PStatus(self, first: int, second: int, index: int) -> int:
        return pynvml.NVML_P2P_STATUS_OK if self.linked else pynvml.NVML_P2P_STATUS_NOT_SUPPORTED

    def _nvmlDeviceGetTopologyCommonAncestor(self, first: int, second: int) -> int:
        return pynvml.NVML_TOPOLOGY_SYSTEM

    def _nvmlDeviceGetNvLinkState(self, handle: int, link: int) -> int:
        if link >= 18:
            raise pynvml.NVMLError_NotSupported()
        return 1

    def _nvmlDeviceGetNvLinkRemotePciInfo(self, handle: int, link: int) -> Any:
        return SimpleNamespace(busId="00000000:C5:00.0")

    def _nvmlDeviceGetNvLinkRemoteDeviceType(self, handle: int, link: int) -> int:
        return pynvml.NVML_NVLINK_DEVICE_TYPE_SWITCH


@pytest.fixture
def fake_nvml() -> Callable[..., FakeNvml]:
    return FakeNvml


@pytest.fixture
def make_arm(tmp_path: Path) -> Callable[..., Arm]:
    """Makes an arm whose programs behave as one word says."""

    def make(name: Any, behaviour: str = "well") -> Arm:
        tree = tmp_path / name
        shutil.copytree(STAND_IN, tree, ignore=shutil.ignore_patterns("__pycache__"))
        (tree / "k3_decode" / "behaviour").write_text(behaviour)
        return resolve(name, work=tmp_path, tree=tree)

    return make


def programs_of(folder: Path) -> list[str]:
    """Command lines that name a folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in command:
            found.append(entry.name)
    return found


@pytest.fixture
def no_program_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Puts scratch folders into the test's, and fails the test if a program that names it outlives the test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield
    for _ in range(100):
        if not programs_of(tmp_path):
            return
        time.sleep(0.02)
    pytest.fail(f"still running: {programs_of(tmp_path)}")
