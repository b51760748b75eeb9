"""Every known way to cheat is named by a rule, and gets no claim supported that it was meant for."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge import assess, judge, parse_claims
from judge.evidence import Evidence
from judge.rules import RULES


def _attacks() -> Any:
    spec = importlib.util.spec_from_file_location("tests_hostile_judge_attacks", Path(__file__).with_name("attacks.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


ATTACKS = _attacks().ATTACKS
CLAIMS = parse_claims(
    "```byogpu-claims\n"
    '- id: speed\n  metric: step_latency_us\n  relation: ">= 1.3x baseline"\n'
    '- id: e2e\n  metric: e2e_ms\n  relation: ">= 1.3x baseline"\n'
    "```"
)
REMARKS = {"E-013", "E-014", "E-003", "E-006", "A-011", "M-009", "X-002"}
"""Rules whose finding by itself stops no claim: what they see can be honest."""


def test_the_corpus_is_as_large_as_it_should_be() -> None:
    assert len(ATTACKS) >= 50
    assert len({one.name for one in ATTACKS}) == len(ATTACKS)
    assert {rule for one in ATTACKS for rule in one.rules} <= {rule.id for rule in RULES}
    assert CLAIMS.errors == ()


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda one: one.name.replace(" ", "-"))
def test_an_attack_is_named(attack: Any, build: Callable[..., Any], read_back: Callable[..., Evidence]) -> None:
    specimen = build(speedup=attack.speedup)
    attack.cheat(specimen)
    bundle = assess(read_back(specimen, change=attack.change))
    found = {finding.rule_id for finding in bundle.findings}
    assert set(attack.rules) <= found
    # No attack gets the speed-up that it starts without, or whose proof it hides.
    verdicts = judge(CLAIMS.claims, [bundle], head_sha="a" * 40)
    faked = [one.claim_id for one in verdicts if one.outcome == "supported"]
    effects = {finding.effect for finding in bundle.findings if finding.rule_id in attack.rules}
    if attack.speedup == 1.0:
        assert faked == []
    elif effects - {"notes"}:
        assert "speed" not in faked
    if not set(attack.rules) & REMARKS:
        assert effects - {"notes"}


def test_an_honest_bundle_of_the_same_kind_is_supported(
    build: Callable[..., Any], read_back: Callable[..., Evidence]
) -> None:
    verdicts = judge(CLAIMS.claims, [assess(read_back(build(speedup=1.6)))], head_sha="a" * 40)
    assert [one.outcome for one in verdicts] == ["supported", "supported"]
