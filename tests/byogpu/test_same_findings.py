"""The command, the worker and the server find the same in a bundle, byte for byte."""

from __future__ import annotations

import importlib.util
import inspect
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from judge.rules import RULES
from worker.bundle import canonical
from worker.check import check

if TYPE_CHECKING:
    from tests.conftest import Service

TESTS = Path(__file__).parents[1]
SERVER_ONLY = {"C-002", "C-003", "C-004", "C-005", "C-007", "C-008", "C-009", "C-012", "C-013"}
"""Rules about what only a server knows: whose signature it is, what it issued, what it has learnt."""
HONEST = "an honest bundle"
HOSTILE = ("raw rows copied", "steps with NaN", "a secret in a value")


def load(name: str, path: Path) -> ModuleType:
    if (known := sys.modules.get(name)) is not None:
        return known
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def specimen() -> Callable[[str], Any]:
    """The made-up bundle, as it is or after an attack."""

    def make(name: str) -> Any:
        made = load("same_findings_specimen", TESTS / "judge" / "specimen.py").build()
        made.manifest["challenge"] = None
        attacks = load("same_findings_attacks", TESTS / "hostile" / "judge" / "attacks.py").ATTACKS
        for attack in attacks:
            if attack.name == name:
                attack.cheat(made)
        return made

    return make


def test_rules_that_only_a_server_can_apply_are_known() -> None:
    needing = {rule.id for rule in RULES if ".context" in inspect.getsource(rule.apply)}
    assert needing | {"C-013"} == SERVER_ONLY


@pytest.mark.parametrize("name", [HONEST, *HOSTILE])
def test_command_worker_and_server_find_the_same_bytes(
    name: str, specimen: Callable[[str], Any], service: Service, byogpu: Callable[..., Any], tmp_path: Path
) -> None:
    bundle = replace(specimen(name).write(tmp_path / "bundle"), envelope=None)
    in_worker = canonical([one.model_dump(mode="json") for one in check(bundle)])
    in_command = canonical(byogpu("check", tmp_path / "bundle", "--json").document["findings"])
    service.upload(bundle)
    (row,) = service.rows("assessment")
    found = json.loads(row["record"])["findings"]
    on_server = canonical([one for one in found if one["rule_id"] not in SERVER_ONLY])
    assert in_worker == in_command == on_server
    assert {one["rule_id"] for one in found} & SERVER_ONLY == {"C-008"}, "nobody signed, which nobody knows offline"
    assert (name == HONEST) == ({one.rule_id for one in check(bundle)} == {"C-001"})
