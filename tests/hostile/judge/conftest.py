"""The judge's made-up bundle, and other modules of tests/judge, for attacks on it."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from judge.evidence import Context, Evidence, collect

JUDGE_TESTS = Path(__file__).parents[2] / "judge"


def _specimens() -> ModuleType:
    name = "tests_hostile_judge_specimen"
    if (known := sys.modules.get(name)) is not None:
        return known
    spec = importlib.util.spec_from_file_location(name, JUDGE_TESTS / "specimen.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def build() -> Callable[..., Any]:
    """Make valid specimens: ``build(speedup=1.0)``."""
    made: Callable[..., Any] = _specimens().build
    return made


@pytest.fixture
def server_context() -> Callable[[Any], Context]:
    """The context of a server that issued the specimen's challenge."""
    made: Callable[[Any], Context] = _specimens().server_context
    return made


@pytest.fixture
def read_back(tmp_path: Path, server_context: Callable[[Any], Context]) -> Callable[..., Evidence]:
    """Write a specimen and read it as a server does."""

    def read(specimen: Any, *, change: Callable[[Context], Context] = lambda same: same) -> Evidence:
        return collect(specimen.write(tmp_path / "bundle"), context=change(server_context(specimen)))

    return read
