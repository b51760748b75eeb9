"""Evals over two stand-ins for k3_decode."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from worker.arms import Arm, Arms
from worker.bundle import Draft
from worker.bundle.redaction import Redactor
from worker.environment import Nvml
from worker.evals import EvalResult, Setting, run_eval
from worker.progress import Silent
from worker.suites import EvalPlan
from worker.suites.seeds import Seeds


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


@pytest.fixture(autouse=True)
def watched(no_program_is_left: None) -> None:
    """Every test of this folder fails if a program of its arms outlives it."""
