"""A run is held to its challenge: what was issued, what nonce and suite imply, and what the rows show of it."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from judge import OFFLINE, Context, assess
from judge.rules import Finding, check

OTHER = "9" * 64
Collect = Callable[..., Any]
MakeContext = Callable[[Any], Context]


def found(findings: tuple[Finding, ...]) -> set[str]:
    return {finding.rule_id for finding in findings}


def altered(context: Context, **update: Any) -> Context:
    assert context.challenge is not None
    return context.model_copy(update={"challenge": context.challenge.model_copy(update=update)})


@pytest.mark.parametrize(
    "update",
    [
        {"nonce": "m" * 43},
        {"plan_digest": OTHER},
        {"suite_digest": OTHER},
        {"repository_id": 77},
        {"pull_number": 2},
        {"head_sha": "b" * 40},
        {"node_key_id": OTHER},
    ],
    ids=lambda update: next(iter(update)),
)
def test_a_challenge_that_was_issued_for_something_else_invalidates(
    update: dict[str, Any], specimen: Any, collected: Collect, server_context: MakeContext
) -> None:
    context = altered(server_context(specimen), **update)
    assessment = assess(collected(specimen, context=context))
    assert found(assessment.findings) == {"C-003"}
    assert next(iter(update)).split("_")[0] in assessment.findings[0].detail
    assert (assessment.validity, assessment.trust.level) == ("invalid", 0)


def test_a_challenge_for_any_node_takes_every_node(
    specimen: Any, collected: Collect, server_context: MakeContext
) -> None:
    assert check(collected(specimen, context=altered(server_context(specimen), node_key_id=None))) == ()


def test_a_head_that_moved_on_blocks_and_does_not_break_the_challenge(
    specimen: Any, collected: Collect, server_context: MakeContext
) -> None:
    context = server_context(specimen)
    assert context.pull is not None
    moved = context.model_copy(update={"pull": context.pull.model_copy(update={"head_sha": "b" * 40})})
    assessment = assess(collected(specimen, context=moved))
    assert found(assessment.findings) == {"C-004"}
    assert assessment.trust.level == 2


@pytest.mark.parametrize("closed", ["abandoned", "expired"])
def test_a_challenge_that_was_closed_leaves_a_signed_bundle(
    closed: str, specimen: Any, collected: Collect, server_context: MakeContext
) -> None:
    assessment = assess(collected(specimen, context=altered(server_context(specimen), closed=closed)))
    assert found(assessment.findings) == {"C-012"}
    assert (assessment.validity, assessment.trust.level) == ("valid", 1)
    assert closed in assessment.trust.reason


def test_a_bundle_that_used_its_challenge_itself_is_no_replay(
    specimen: Any, collected: Collect, server_context: MakeContext
) -> None:
    evidence = collected(specimen)
    context = altered(server_context(specimen), used_by=evidence.bundle_id)
    assert check(collected(specimen, context=context)) == ()


def test_offline_a_plan_is_still_held_to_its_nonce(specimen: Any, collected: Collect) -> None:
    specimen.manifest["challenge"]["nonce"] = "m" * 43
    findings = check(collected(specimen, context=OFFLINE))
    assert found(findings) == {"A-016", "C-010", "C-011"}
    prompts = [finding for finding in findings if finding.rule_id == "C-011"]
    assert [(finding.cell, finding.arm) for finding in prompts] == [
        ("serving.c2", "baseline"),
        ("serving.c2", "candidate"),
    ]
    assert "64 of 64 requests" in prompts[0].detail
    assert {finding.arm for finding in findings if finding.rule_id == "A-016"} == {"baseline", "candidate"}


def shift(rows: list[dict[str, Any]]) -> None:
    """The right prompts in another order."""
    first = rows[0]["prompt_sha256"]
    for row, after in pairwise(rows):
        row["prompt_sha256"] = after["prompt_sha256"]
    rows[-1]["prompt_sha256"] = first


def hide(rows: list[dict[str, Any]]) -> None:
    """No prompts at all."""
    for row in rows:
        row["prompt_sha256"] = "unknown"


def number_on(rows: list[dict[str, Any]]) -> None:
    """A request that no plan has."""
    rows[7]["index"] = 8


@pytest.mark.parametrize("change", [shift, hide, number_on], ids=lambda change: change.__name__)
def test_every_request_has_the_prompt_of_its_place(
    change: Callable[[list[dict[str, Any]]], None], specimen: Any, collected: Collect
) -> None:
    for arm in ("baseline", "candidate"):
        change(specimen.of("requests", "serving", arm=arm))
    assert "C-011" in found(check(collected(specimen)))


def test_a_run_without_a_challenge_may_choose_its_prompts(specimen: Any, collected: Collect) -> None:
    specimen.manifest["challenge"] = None
    for arm in ("baseline", "candidate"):
        shift(specimen.of("requests", "serving", arm=arm))
    assert found(check(collected(specimen))) == {"C-001"}
