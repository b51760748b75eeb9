"""Real result files of other tools (tests/data/imports/README.md), edited copies of them, and what a bundle holds."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from worker.bundle import Bundle, read_rows
from worker.bundle.record import Record
from worker.bundle.schema import ArmName, Role

IMPORTS = Path(__file__).parents[2] / "data" / "imports"

Edit = Callable[[dict[str, Any]], None]
Edited = Callable[[Path, Edit], Path]
AnyRow = TypeVar("AnyRow", bound=Record)
Rows = Callable[[Bundle, Role, ArmName, type[AnyRow]], list[AnyRow]]


@pytest.fixture(scope="session")
def bench() -> Path:
    """Files of ``vllm bench serve`` 0.33.0."""
    return IMPORTS / "vllm_bench"


@pytest.fixture(scope="session")
def evals() -> Path:
    """Output folders of lm-eval 0.4.13."""
    return IMPORTS / "lm_eval"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Where a bundle goes: alone in its parent, so that leftovers are seen."""
    return tmp_path / "bundles" / "out"


@pytest.fixture
def edited(tmp_path: Path) -> Edited:
    """Copies a JSON file with an edit, under the same name."""

    def copy(source: Path, edit: Edit) -> Path:
        value = json.loads(source.read_bytes())
        edit(value)
        target = tmp_path / "edited" / source.name
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(value), encoding="utf-8")
        return target

    return copy


@pytest.fixture(scope="session")
def rows() -> Rows[Any]:
    """Reads the rows of one role and arm."""

    def find(bundle: Bundle, role: Role, arm: ArmName, row: type[AnyRow]) -> list[AnyRow]:
        found: list[AnyRow] = []
        for entry in bundle.manifest.files:
            if entry.role == role and entry.arm == arm:
                with bundle.blobs.open(entry.sha256) as stream:
                    found += read_rows(stream, row)
        return found

    return find
