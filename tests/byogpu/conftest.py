"""The command as a user runs it: a process of its own, with folders of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

IMPORTS = Path(__file__).parents[1] / "data" / "imports"
BYOGPU = Path(sys.executable).with_name("byogpu")


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Ended]


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment whose settings and folders are this test's own."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("BYOGPU_")}
    folders = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("CONFIG", "STATE", "DATA")}
    return {**own, **folders, "COLUMNS": "80", "BYOGPU_RETRY_ATTEMPTS": "1"}


@pytest.fixture
def byogpu(home: dict[str, str], tmp_path: Path) -> Command:
    """Run the command; keyword arguments are variables of its environment."""

    def run(*arguments: str | Path, **variables: str) -> Ended:
        done = subprocess.run(
            [str(BYOGPU), *map(str, arguments)],
            env={**home, **variables},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def bench() -> Path:
    """Result files of ``vllm bench serve``."""
    return IMPORTS / "vllm_bench"


@pytest.fixture
def lm_eval() -> Path:
    """Result folders of lm-eval."""
    return IMPORTS / "lm_eval"
