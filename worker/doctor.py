"""What this machine can run, and why not the rest."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import httpx

from worker import api
from worker.arms import Arm, resolve
from worker.bundle.record import Label, Record, Text
from worker.deadline import Deadline
from worker.engine import EngineServer
from worker.environment import Host, Nvml
from worker.environment.host import cpu_count
from worker.errors import WorkerError
from worker.identity import printable
from worker.processes import run
from worker.service import Service
from worker.settings import Settings
from worker.suites import EvalPlan, published

LEAST_DISK_BYTES = 2_000_000_000
LEAST_MEMORY_BYTES = 2_000_000_000
_START_LIMIT_S = 120.0
_QUESTION_LIMIT_S = 60.0

_NEEDS: Mapping[str, tuple[str, ...]] = {
    "kernel_numerics": ("k3_decode", "torch"),
    "decode_step": ("k3_decode", "torch"),
    "serving": ("k3_decode", "torch", "engine"),
    "accuracy": ("k3_decode", "torch", "engine", "lm-eval"),
}
"""By kind of eval, the capabilities without which it fails."""


class Capability(Record):
    """One thing that a run may need."""

    name: Label
    ok: bool
    needed: bool
    """Whether every run fails without it. A GPU is not needed: the smoke suite runs on any machine."""
    detail: Text
    """What was found."""
    how_to_fix: Text
    """What to do about it; empty where it is ok."""


@dataclass(frozen=True)
class Patient:
    """What is examined.

    Attributes:
        settings: Where state goes, and which server is asked, if any.
        nvml: Where to ask about GPUs.
        host: Where to ask about the rest.
        python: Launcher of the arms; this Python if None.
        tree: Source tree of the arms; what is installed if None.
        transport: Replaces the network.
    """

    settings: Settings
    nvml: Nvml
    host: Host
    python: Path | None = None
    tree: Path | None = None
    transport: httpx.BaseTransport | None = None


def diagnose(patient: Patient) -> tuple[Capability, ...]:
    """Examine this machine.

    Returns:
        Capabilities in the order in which to mend them, then one for each suite.

    Note:
        Starts the engine once with the smallest model, which takes some seconds.
    """
    with tempfile.TemporaryDirectory(prefix="byogpu-") as scratch:
        work = Path(scratch)
        found = [*_machine(patient, work), *_software(patient, work), *_gpus(patient.nvml), _containers()]
    if patient.settings.server_url is not None:
        found.append(_server(patient))
    return (*found, *_suites(found))


def _machine(patient: Patient, work: Path) -> Iterator[Capability]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield _said("Python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer")
    yield _said("CPU", True, f"{cpu_count()} CPUs, {patient.host.cpu_model()}")
    sizes = (patient.host.memory_bytes(), patient.host.container().memory_limit_bytes)
    memory = min((size for size in sizes if isinstance(size, int)), default=0)
    yield _said("memory", memory >= LEAST_MEMORY_BYTES, _gigabytes(memory), "give the machine or container 2 GB")
    disk = shutil.disk_usage(work).free
    yield _said("disk", disk >= LEAST_DISK_BYTES, f"{_gigabytes(disk)} free", "free 2 GB, or point TMPDIR elsewhere")
    yield _writable("state folder", patient.settings.state_folder, variable="BYOGPU_STATE_FOLDER")
    yield _writable("runs folder", patient.settings.runs_folder, variable="BYOGPU_RUNS_FOLDER")
    key = patient.settings.node_key
    if key.is_file():
        fix = f"make {key} readable, or set BYOGPU_NODE_KEY"
        yield _said("node key", os.access(key, os.R_OK), str(key), fix)
    else:
        yield _writable("node key", key.parent, variable="BYOGPU_NODE_KEY")


def _writable(name: str, folder: Path, *, variable: str) -> Capability:
    """Say whether a folder can be written, or made where it is to be."""
    existing = next(parent for parent in (folder.absolute(), *folder.absolute().parents) if parent.exists())
    writable = existing.is_dir() and os.access(existing, os.W_OK)
    return _said(name, writable, str(folder), f"make {existing} writable, or set {variable}")


def _software(patient: Patient, work: Path) -> Iterator[Capability]:
    try:
        arm = resolve("candidate", work=work, python=patient.python, tree=patient.tree)
    except WorkerError as error:
        yield _said("k3_decode", False, error.detail, "install byogpu[eval], or name a tree that holds k3_decode")
    else:
        dirty = {True: ", changed since", False: "", "unknown": ""}[arm.code.dirty]
        yield _said("k3_decode", True, f"commit {arm.code.commit_sha}{dirty}")
        yield _torch(arm, work)
        yield _engine(arm, work)
    lm_eval = find_spec("lm_eval") is not None
    yield _said("lm-eval", lm_eval, "installed" if lm_eval else "not installed", "install byogpu[eval]")


def _torch(arm: Arm, work: Path) -> Capability:
    question = "import torch; print(torch.__version__, '/ CUDA', torch.version.cuda or 'none')"
    command = [str(arm.python), "-c", question]
    limit = Deadline.after(_QUESTION_LIMIT_S)
    try:
        answer = run(command, environment=arm.environment(work), folder=work, deadline=limit)
    except WorkerError as error:
        return _said("torch", False, error.detail, "install torch 2.11 to 2.14 for the Python that runs the arms")
    return _said("torch", True, answer.output.decode("utf-8", "replace").strip())


def _engine(arm: Arm, work: Path) -> Capability:
    limit = Deadline.after(_START_LIMIT_S)
    try:
        with EngineServer(arm, config="k3-tiny", folder=work / "engine") as server:
            try:
                server.wait_ready(limit)
            except WorkerError as error:
                last = (server.child.log.strip().splitlines() or ["it says nothing"])[-1]
                return _said("engine", False, f"{error.detail}: {last}", "start `python -m k3_decode.engine serve`")
    except WorkerError as error:
        return _said("engine", False, error.detail, "start `python -m k3_decode.engine serve`")
    return _said("engine", True, "starts and answers")


def _gpus(nvml: Nvml) -> Iterator[Capability]:
    gpus = nvml.gpus()
    if gpus == "unknown":
        detail, fix = "NVML cannot be asked", "install the NVIDIA driver; in a container, pass the GPUs through"
        yield _said("GPU", False, detail, fix, needed=False)
        return
    names = ", ".join(gpu.name for gpu in gpus)
    yield _said("GPU", bool(gpus), names or "NVML answers: none", "a GPU, for claims about speed on one", needed=False)
    yield _said("driver", True, f"{nvml.driver_version()}, up to CUDA {nvml.cuda_version()}; nvcc is not needed")
    busy = nvml.processes()
    others = 0 if busy == "unknown" else len(busy)
    yield _said("idle GPUs", not others, f"{others} processes on them", "end them before measuring", needed=False)


def _containers() -> Capability:
    found = [name for name in ("podman", "docker") if shutil.which(name)]
    fix = "install podman or docker to run arms that you do not trust"
    return _said("containers", bool(found), ", ".join(found) or "neither podman nor docker", fix, needed=False)


def _server(patient: Patient) -> Capability:
    once = patient.settings.model_copy(update={"retry_attempts": 1})
    try:
        with Service(once, transport=patient.transport) as service:
            status = api.get_health(service).status
    except WorkerError as error:
        return _said("server", False, error.detail, "check BYOGPU_SERVER_URL, and that the server runs", needed=False)
    return _said("server", True, f"{patient.settings.server_url}: {status}")


def _suites(found: Iterable[Capability]) -> Iterator[Capability]:
    """Say of each suite which of its evals can run, and what the others lack."""
    ok = {capability.name: capability.ok for capability in found}
    for suite in published():
        lacking = {plan.id: _lacking(plan, ok) for plan in suite.evals}
        able = [name for name, lacks in lacking.items() if not lacks]
        unable = [f"{name} lacks {' and '.join(lacks)}" for name, lacks in lacking.items() if lacks]
        detail = f"can run {', '.join(able) or 'nothing'}" + (f"; {'; '.join(unable)}" if unable else "")
        yield _said(f"suite {suite.id}", not unable, detail, "mend what is lacking")


def _lacking(plan: EvalPlan, ok: Mapping[str, bool]) -> list[str]:
    return [name for name in _NEEDS[plan.kind] if not ok.get(name, False)]


def _said(name: str, ok: bool, detail: str, how_to_fix: str = "", *, needed: bool = True) -> Capability:
    return Capability(
        name=name, ok=ok, needed=needed, detail=printable(detail)[:1000], how_to_fix="" if ok else how_to_fix
    )


def _gigabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e9:.1f} GB"
