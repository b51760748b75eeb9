"""Arms made of the stand-in for k3_decode, and a check that no eval leaves a program behind."""

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from worker.arms import Arm, Arms, resolve
from worker.bundle import Draft
from worker.bundle.redaction import Redactor
from worker.environment import Nvml
from worker.evals import EvalResult, Setting, run_eval
from worker.progress import Silent
from worker.seeds import Seeds
from worker.suites import EvalPlan

STAND_IN = Path(__file__).parents[2] / "data" / "worker" / "arm"


@dataclass
class Ran:
    """An eval that has run: its result, and what it left in the bundle."""

    result: EvalResult
    draft: Draft

    def text(self, role: str) -> str:
        """All files of a role, one after the other."""
        blobs = self.draft.folder / "blobs"
        return "".join((blobs / entry.sha256).read_text() for entry in self.draft.files if entry.role == role)

    def lines(self, role: str) -> list[str]:
        return self.text(role).splitlines()


@pytest.fixture
def make_arm(tmp_path: Path) -> Callable[..., Arm]:
    """Makes an arm whose programs behave as one word says."""

    def make(name: Any, behaviour: str = "well") -> Arm:
        tree = tmp_path / name
        shutil.copytree(STAND_IN, tree, ignore=shutil.ignore_patterns("__pycache__"))
        (tree / "k3_decode" / "behaviour").write_text(behaviour)
        return resolve(name, work=tmp_path, tree=tree)

    return make


@pytest.fixture
def measure(make_arm: Callable[..., Arm], tmp_path: Path) -> Callable[..., Ran]:
    """Runs an eval over two stand-ins."""

    def run(plan: EvalPlan, *, baseline: str = "well", candidate: str = "well", nvml: Nvml | None = None) -> Ran:
        setting = Setting(
            arms=Arms(make_arm("baseline", baseline), make_arm("candidate", candidate)),
            config="k3-tiny",
            draft=Draft(tmp_path / "bundle"),
            folder=tmp_path / "scratch",
            seeds=Seeds("a-nonce"),
            progress=Silent(),
            redactor=Redactor({str(tmp_path): "scratch_folder"}),
            nvml=nvml or Nvml(None),
        )
        return Ran(run_eval(plan, setting), setting.draft)

    return run


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


@pytest.fixture(autouse=True)
def no_program_is_left(tmp_path: Path) -> Iterator[None]:
    yield
    for _ in range(100):
        if not programs_of(tmp_path):
            return
        time.sleep(0.02)
    pytest.fail(f"still running: {programs_of(tmp_path)}")
