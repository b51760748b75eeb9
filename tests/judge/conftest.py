"""The made-up bundle of `specimen.py` as a fixture. Others load it the same way."""

import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from judge.assess import Assessment, assess
from judge.evidence import OFFLINE, Context, Evidence, collect


def _load(name: str) -> ModuleType:
    """Import a module that lies beside this one; tests are no package."""
    if (known := sys.modules.get(f"tests_judge_{name}")) is not None:
        return known
    spec = importlib.util.spec_from_file_location(f"tests_judge_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


specimens = _load("specimen")


@pytest.fixture(scope="session")
def load() -> Callable[[str], ModuleType]:
    """Import a module of this folder by name."""
    return _load


@pytest.fixture
def specimen() -> Any:
    """A complete valid bundle, to be changed and written (see ``specimen.py``)."""
    return specimens.build()


@pytest.fixture
def build() -> Callable[..., Any]:
    """Make specimens: ``build(speedup=1.0)``."""
    made: Callable[..., Any] = specimens.build
    return made


@pytest.fixture
def cpu_specimen() -> Any:
    """What a machine without a GPU gives: both arms stock."""
    return specimens.build_on_cpu()


@pytest.fixture(scope="session")
def fast(tmp_path_factory: pytest.TempPathFactory) -> Assessment:
    """The valid specimen, assessed: faster by 1.6, specialized throughout. Frozen, so shared."""
    return assess(collect(specimens.build().write(tmp_path_factory.mktemp("fast"))))


@pytest.fixture(scope="session")
def slower(tmp_path_factory: pytest.TempPathFactory) -> Assessment:
    """The same with a candidate faster by 1.2 only."""
    return assess(collect(specimens.build(speedup=1.2).write(tmp_path_factory.mktemp("slower"))))


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Assessment:
    """A machine without a GPU, assessed."""
    return assess(collect(specimens.build_on_cpu().write(tmp_path_factory.mktemp("stock"))))


@pytest.fixture(scope="session")
def failing(load: Callable[[str], ModuleType]) -> dict[str, Callable[[Any], None]]:
    """By rule: what breaks the specimen for it."""
    runs, measurements = load("broken_runs"), load("broken_measurements")
    assert not set(runs.FAILING) & set(measurements.FAILING)
    return {**runs.FAILING, **measurements.FAILING}


@pytest.fixture(scope="session")
def valid_evidence(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    """The valid specimen as a server reads it. Frozen, so shared."""
    specimen = specimens.build()
    context = specimens.server_context(specimen)
    return collect(specimen.write(tmp_path_factory.mktemp("valid")), context=context)


@pytest.fixture(scope="session")
def broken_evidence(
    failing: dict[str, Callable[[Any], None]],
    load: Callable[[str], ModuleType],
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], Evidence]:
    """The specimen broken for one rule, as a server reads it. Each is made once: frozen, so shared."""

    @cache
    def read(rule_id: str) -> Evidence:
        specimen = specimens.build()
        failing[rule_id](specimen)
        change = load("broken_measurements").CONTEXTS.get(rule_id, lambda same: same)
        context = change(specimens.server_context(specimen))
        return collect(specimen.write(tmp_path_factory.mktemp(rule_id)), context=context)

    return read


@pytest.fixture(scope="session")
def retime() -> Callable[[Any], None]:
    """Let steps follow one another by 20 µs and have kernels that fit, after latencies were changed."""

    def move(specimen: Any) -> None:
        now_ns = 1_000_000_000
        for row in specimen.rows[("steps", "decode-step")]:
            row["start_ns"] = now_ns
            now_ns += int(row["latency_us"] * 1e3) + 20_000
        specimen.time_kernels()

    return move


@pytest.fixture
def collected(tmp_path: Path) -> Callable[..., Evidence]:
    """Write a specimen and read it back as evidence."""
    written = []

    def read(specimen: Any, *, context: Context = OFFLINE) -> Evidence:
        folder = tmp_path / f"bundle-{len(written)}"
        written.append(folder)
        return collect(specimen.write(folder), context=context)

    return read


@pytest.fixture
def server_context() -> Callable[[Any], Context]:
    """The context of a server that issued the specimen's challenge."""
    made: Callable[[Any], Context] = specimens.server_context
    return made
