"""Every known way to cheat is named by a rule, and gets no claim supported that it was meant for."""

import copy
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from judge import assess, judge, parse_claims
from judge.evidence import Evidence
from judge.rules import RULES
from worker.bundle import Manifest, canonical


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


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Places of all texts of a document."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield from leaves(inner, (*path, key))
    if isinstance(value, str):
        yield path


def test_markup_in_any_text_of_a_manifest_is_refused_or_named(
    build: Callable[..., Any], read_back: Callable[..., Evidence]
) -> None:
    specimen = build()
    specimen.manifest["attempts"] = [
        {"number": 1, "started_at": "2026-01-01T11:00:00Z", "outcome": "abandoned", "detail": "stopped by hand"}
    ]
    specimen.manifest["redaction"]["masked"] = [{"where": "log", "kind": "host", "count": 1}]
    evidence = read_back(specimen)
    (rule,) = [one for one in RULES if one.id == "X-002"]
    document = json.loads(canonical(evidence.manifest))
    named, refused = 0, 0
    for path in leaves(document):
        changed = copy.deepcopy(document)
        parent = changed
        for key in path[:-1]:
            parent = parent[key]
        parent[path[-1]] = "<img src=x onerror=alert(1)>"
        try:
            manifest = Manifest.model_validate_json(canonical(changed))
        except ValidationError:
            refused += 1
            continue
        named += 1
        places = [found.where for found in rule.apply(replace(evidence, manifest=manifest))]
        assert places == ["/".join(map(str, path))]
    assert named >= 40
    assert refused >= 100, "ids, digests and words that only code uses"


def test_an_honest_bundle_of_the_same_kind_is_supported(
    build: Callable[..., Any], read_back: Callable[..., Evidence]
) -> None:
    verdicts = judge(CLAIMS.claims, [assess(read_back(build(speedup=1.6)))], head_sha="a" * 40)
    assert [one.outcome for one in verdicts] == ["supported", "supported"]
