"""The forgery study in small: clumsy forgers are stopped; a complete one is not, and docs/judging.md says so."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def _study() -> Any:
    path = Path(__file__).with_name("forgery.py")
    spec = importlib.util.spec_from_file_location("tests_hostile_judge_forgery", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


STUDY = _study()
STOPPED_BY = {
    "typed": None,
    "constant": "E-011",
    "copied": "E-008",
    "slowed_baseline": "E-009",
    "best_of": "S-007",
    "scaled": "E-019",
    "forgetful": "M-020",
    "with_stock_ledger": "P-002",
    "beyond_physics": "E-016",
}
UNSEEN = {"simulated"}
"""What no rule can see: rows that a real run of that speed could have given."""


@pytest.mark.parametrize("forger", STUDY.FORGERS, ids=lambda one: one.__name__)
def test_a_forger_is_stopped_or_admitted(forger: Any, build: Callable[..., Any], tmp_path: Path) -> None:
    bundle, supported = STUDY.forge(forger, build, tmp_path / "bundle", seed=7)
    assert supported == (forger.__name__ in UNSEEN)
    rule = STOPPED_BY.get(forger.__name__)
    if rule is not None:
        assert rule in {finding.rule_id for finding in bundle.findings}


def test_every_forger_has_an_expectation() -> None:
    assert {forger.__name__ for forger in STUDY.FORGERS} == {*STOPPED_BY, *UNSEEN}


def test_what_is_admitted_stands_in_the_documents() -> None:
    text = (Path(__file__).parents[3] / "docs" / "judging.md").read_text(encoding="utf-8")
    for forger in STUDY.FORGERS:
        assert f"| `{forger.__name__}`:" in text
