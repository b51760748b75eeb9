"""The declared scope as data, and the map of what is shown for it."""

from typing import Any

import pytest

from judge import Assessment, assess, parse_claims
from judge.claim import Scope
from judge.physics import PhysicsBound
from judge.policy import OPEN_POLICY, shortfalls
from judge.scope import ScopeMap, scope_map

HEAD = "a" * 40


def declared(text: str) -> Any:
    return parse_claims(f"```byogpu-claims\n- scope: {text}\n```")


def scope(**axes: Any) -> Scope:
    return Scope(**{**dict.fromkeys(name for name in Scope.model_fields), "line": 1, **axes})


def test_a_scope_is_read_beside_claims() -> None:
    found = parse_claims(
        "```byogpu-claims\n"
        '- id: a\n  metric: step_latency_us\n  relation: ">= 1.6x baseline"\n'
        "- scope: {batch: [1, 4], tp: 8, context: [0, 8192], speculation: [none, synthetic],\n"
        "    dcp: 1, features: logprobs}\n"
        "```"
    )
    assert found.errors == ()
    assert [claim.id for claim in found.claims] == ["a"]
    assert found.scope == scope(
        batch=(1, 4), tp=(8,), context=(0, 8192), speculation=("none", "synthetic"), dcp=(1,), features=("logprobs",),
        line=5,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{}", "scope_empty"),
        ("[1]", "not_a_mapping"),
        ("{gpu: [1]}", "field_unknown"),
        ("{batch: [0]}", "cells_invalid"),
        ("{batch: [1, 1]}", "cells_invalid"),
        ("{dcp: [x]}", "cells_invalid"),
        ("{features: [A B]}", "cells_invalid"),
        ("{batch: [1], batch: [2]}", "field_repeated"),
        ("{batch: [1]}\n- scope: {batch: [2]}", "scope_repeated"),
        ("{batch: [1]}\n  id: a", "field_unknown"),
        (f"{{batch: {list(range(1, 65))}, context: {list(range(65))[1:]}, tp: [1, 2]}}", "scope_too_large"),
    ],
)
def test_a_scope_that_is_wrong_says_why(text: str, code: str) -> None:
    found = declared(text)
    assert [one.code for one in found.errors] == [code]
    assert (found.claims, found.scope) == ((), None)


def test_every_combination_is_a_cell_and_what_is_missing_is_a_hole(fast: Assessment) -> None:
    found = scope_map(scope(batch=(1, 4, 64), context=(64,)), [fast], head_sha=HEAD)
    assert [cell.batch for cell in found.cells] == [1, 4, 64]
    assert [cell.holes for cell in found.cells] == [("correctness",), (), ("performance", "correctness", "path")]
    full = found.cells[1]
    assert {full.performance.bundle_id, full.correctness.bundle_id, full.path.bundle_id} == {fast.bundle_id}
    assert full.performance.detail.startswith("step_latency_us 1.6")
    assert full.path.detail == "specialized in 100.0% of the steps of decode-step.b4.c64"
    assert [hole.split(",")[0] for hole in found.holes] == ["batch 1"] + ["batch 64"] * 3
    assert ScopeMap.model_validate_json(found.model_dump_json()) == found


def test_a_stock_run_shows_speed_and_no_path(stock: Assessment) -> None:
    (cell,) = scope_map(scope(batch=(4,)), [stock], head_sha=HEAD).cells
    assert (cell.performance.state, cell.correctness.state, cell.path.state) == ("shown", "shown", "against")
    assert cell.holes == ("path",)


def test_other_coordinates_fill_nothing(fast: Assessment) -> None:
    for axes in ({"tp": (8,)}, {"dcp": (2,)}, {"speculation": ("natural",)}, {"context": (8192,)}):
        (cell,) = scope_map(scope(batch=(4,), **axes), [fast], head_sha=HEAD).cells
        assert cell.performance.state == "missing"


def test_stale_and_invalid_bundles_fill_nothing(fast: Assessment) -> None:
    wanted = scope(batch=(4,))
    for bundle, head in ((fast, "b" * 40), (fast.model_copy(update={"validity": "quarantined"}), HEAD)):
        (cell,) = scope_map(wanted, [bundle], head_sha=head).cells
        assert cell.holes == ("performance", "correctness", "path")


def test_evidence_against_is_not_hidden_by_evidence_for(fast: Assessment) -> None:
    def worse(one: Any) -> Any:
        return one.model_copy(update={"estimate": one.estimate.model_copy(update={"value": 0.9, "high": 0.95})})

    slow = fast.model_copy(
        update={"cells": tuple(worse(one) if one.kind == "speed" and one.estimate else one for one in fast.cells)}
    )
    (cell,) = scope_map(scope(batch=(4,)), [slow, fast], head_sha=HEAD).cells
    assert cell.performance.state == "against"
    assert "performance" in cell.holes


def test_a_blocked_cell_fills_nothing(fast: Assessment, specimen: Any, collected: Any) -> None:
    specimen.manifest["environment"]["gpus"][0]["mig"] = "on"

    (cell,) = scope_map(scope(batch=(4,)), [assess(collected(specimen))], head_sha=HEAD).cells
    assert (cell.performance.state, cell.correctness.state) == ("missing", "shown")


def test_features_are_shown_by_tasks_of_their_name(fast: Assessment) -> None:
    found = scope_map(scope(features=("byogpu_copy", "structured-output")), [fast], head_sha=HEAD)
    assert [one.evidence.state for one in found.features] == ["shown", "missing"]
    assert found.holes == ("structured-output: no accuracy task of that name",)


def test_headroom_is_the_candidates_and_named_beside_the_performance(fast: Assessment) -> None:
    bound = PhysicsBound(least_us=100.0, limited_by="memory", headroom=0.5)

    def bounded(one: Any) -> Any:
        here = one.cell.id == "decode-step.b4.c64"
        arms = (
            arm.model_copy(update={"physics": bound if here and arm.arm == "candidate" else None}) for arm in one.arms
        )
        return one.model_copy(update={"arms": tuple(arms)})

    known = fast.model_copy(update={"cells": tuple(bounded(one) for one in fast.cells)})
    cells = scope_map(scope(batch=(1, 4, 64)), [known], head_sha=HEAD).cells
    assert [cell.headroom for cell in cells] == [None, bound, None]


def test_a_policy_without_holes_counts_them(fast: Assessment) -> None:
    holes = scope_map(scope(batch=(1,)), [fast], head_sha=HEAD).holes
    strict = OPEN_POLICY.model_copy(update={"holes": 0})
    assert shortfalls(strict, [], holes=holes, provenance={}, author=None)
    assert not shortfalls(strict, [], holes=(), provenance={}, author=None)
