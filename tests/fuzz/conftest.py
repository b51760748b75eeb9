"""The targets, loaded from the file beside this one, and the inputs that are kept."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def targets() -> dict[str, Callable[[bytes], None]]:
    """What is fuzzed, by name."""
    name = "tests_fuzz_targets"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, HERE / "targets.py")
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    found: dict[str, Callable[[bytes], None]] = sys.modules[name].TARGETS
    return found
