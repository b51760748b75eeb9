"""Every rule finds what it is for, and nothing in a bundle that is as it should be."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from judge.evidence import OFFLINE, Context, Evidence
from judge.rules import EFFECTS, FAMILIES, RULES, check
from judge.rules.registry import MAX_FINDINGS_PER_RULE

Break = Callable[[Any], None]


def test_every_rule_has_a_failing_specimen(failing: dict[str, Break]) -> None:
    assert sorted(failing) == sorted(rule.id for rule in RULES)


@pytest.mark.parametrize("place", ["offline", "server"])
def test_a_valid_bundle_has_no_findings(
    place: str, specimen: Any, collected: Callable[..., Any], server_context: Callable[..., Context]
) -> None:
    context = server_context(specimen) if place == "server" else OFFLINE
    assert check(collected(specimen, context=context)) == ()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_finds_what_it_is_for(rule: Any, broken_evidence: Callable[[str], Evidence]) -> None:
    found = [finding for finding in check(broken_evidence(rule.id)) if finding.rule_id == rule.id]
    assert found
    assert {(one.severity, one.effect, one.title, one.hint) for one in found} == {
        (rule.severity, rule.effect, rule.title, rule.hint)
    }
    assert all(one.detail for one in found)


def test_ids_are_unique_and_say_the_family() -> None:
    ids = [rule.id for rule in RULES]
    assert len(ids) == len(set(ids))
    assert {rule.family for rule in RULES} == set(FAMILIES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_explains_itself(rule: Any) -> None:
    assert (rule.severity == "error") == (rule.effect != "notes")
    assert rule.effect in EFFECTS
    for text in (rule.title, rule.why, rule.hint):
        assert text.strip() == text
        assert len(text) > 10
        # Ours, and shown as Markdown in tables: nothing in it may form structure.
        assert not set(text) & set("|<>@#[]")
    assert rule.why.endswith(".")
    assert rule.hint.endswith(".")


def test_findings_are_the_same_bytes_every_time(
    specimen: Any, collected: Callable[..., Any], failing: dict[str, Break]
) -> None:
    for rule_id in ("E-008", "A-003", "X-002", "M-001"):
        failing[rule_id](specimen)
    first, second = (check(collected(specimen)) for _ in range(2))
    assert [one.model_dump_json() for one in first] == [one.model_dump_json() for one in second]
    order = [("BSEPMACX".index(one.rule_id[0]), one.rule_id) for one in first]
    assert order == sorted(order)


def test_a_rule_that_finds_very_much_is_cut_and_says_so(specimen: Any, collected: Callable[..., Any]) -> None:
    specimen.manifest["environment"]["variables"] = [
        {"name": f"V{index}", "value": "<script>"} for index in range(MAX_FINDINGS_PER_RULE + 15)
    ]
    found = [finding for finding in check(collected(specimen)) if finding.rule_id == "X-002"]
    assert len(found) == MAX_FINDINGS_PER_RULE
    assert "(and 15 more places)" in found[-1].detail


def test_a_secret_is_never_repeated(
    specimen: Any, collected: Callable[..., Any], load: Callable[[str], ModuleType]
) -> None:
    token = load("broken_measurements").GITHUB_TOKEN
    load("broken_measurements").FAILING["X-001"](specimen)
    specimen.of("requests", "serving")[0]["error"] = f"refused {token}"
    specimen.manifest["environment"]["variables"].append({"name": "TOKEN", "value": token})
    found = check(collected(specimen))
    assert {one.where.split("/")[0] for one in found if one.rule_id == "X-001"} == {"files", "manifest"}
    assert token not in "".join(one.model_dump_json() for one in found)


def test_a_typed_number_of_an_unknown_cell_is_no_contradiction(specimen: Any, collected: Callable[..., Any]) -> None:
    """Rows and summary agree on a cell that the manifest does not list: that alone is wrong with them."""
    for row in specimen.of("requests", "serving"):
        row["cell"] = "serving.c99"
    specimen.rows[("summary", "serving")] = [
        {"cell": "serving.c99", "arm": "candidate", "metric": "completed", "statistic": "total", "value": 1.0}
    ]
    found = {one.rule_id for one in check(collected(specimen))}
    assert "B-005" in found
    assert "M-009" not in found
