"""Verdicts: each outcome for its reason, and the next run that would settle what is open."""

from collections.abc import Callable
from typing import Any

import pytest

from judge import Assessment, Verdict, assess, judge, parse_claims
from judge.assess import validity
from judge.claims import Claim, parse_block
from judge.trust import TrustLevel
from judge.verdict import CellVerdict

Read = Callable[..., Any]
STALE = "b" * 40


def claim(
    relation: str, *, metric: str = "step_latency_us", cells: str = "{}", claim_id: str = "c", more: str = ""
) -> Claim:
    text = f'- id: {claim_id}\n  metric: {metric}\n  cells: {cells}\n  relation: "{relation}"\n{more}'
    found = parse_block(text)
    assert found.errors == ()
    return found.claims[0]


def one(relation: str, *bundles: Assessment, head_sha: str | None = None, **fields: Any) -> Verdict:
    return judge([claim(relation, **fields)], bundles, head_sha=head_sha)[0]


def trusted(bundle: Assessment, level: int, bundle_id: str | None = None) -> Assessment:
    trust = TrustLevel(level=level, name="signed", reason="as the test says")
    return bundle.model_copy(update={"trust": trust, "bundle_id": bundle_id or bundle.bundle_id})


# ------------------------------------------------------------------ what is measured
@pytest.mark.parametrize(
    ("relation", "metric", "outcome"),
    [
        (">= 1.5x baseline", "step_latency_us", "supported"),
        ("<= 0.67x baseline", "step_latency_us", "supported"),
        (">= 1.8x baseline", "step_latency_us", "contradicted"),
        (">= 1.6x baseline", "step_latency_us", "inconclusive"),
        (">= 1.5x baseline", "ttft_ms", "supported"),
        (">= 1.5x baseline", "output_tokens_per_s", "supported"),
        (">= 1.8x baseline", "requests_per_s", "contradicted"),
        ("no regression within 3%", "e2e_ms", "supported"),
        ("equal within 2%", "tpot_ms", "contradicted"),
        ("within tolerance", "max_relative_error", "supported"),
        ("equal within 2%", "score", "inconclusive"),
        ("no regression within 20%", "score", "supported"),
    ],
)
def test_the_numbers_decide(relation: str, metric: str, outcome: str, fast: Assessment) -> None:
    verdict = one(relation, fast, metric=metric)
    assert verdict.outcome == outcome
    assert (verdict.next_run is None) == (outcome in ("supported", "contradicted"))
    assert verdict.bundle_ids == (fast.bundle_id,)


def test_a_verdict_carries_its_evidence(fast: Assessment) -> None:
    verdict = one(">= 1.5x baseline", fast)
    assert verdict.estimate is not None
    assert verdict.interval == (verdict.estimate.low, verdict.estimate.high)
    assert verdict.effect_size == pytest.approx(verdict.estimate.value - 1)
    assert verdict.samples is not None
    assert min(verdict.samples) > 50
    assert verdict.p_value is not None
    assert verdict.p_value <= 0.001
    assert verdict.unit == "µs"
    assert verdict.trust_level == verdict.trust.level == 0 if verdict.trust else False
    assert [cell.cell.cell.id for cell in verdict.cells] == ["decode-step.b1.c64", "decode-step.b4.c64"]


def test_the_weakest_cell_speaks_for_the_claim(specimen: Any, collected: Read) -> None:
    for row in specimen.of("steps", "decode-step", arm="candidate", cell="decode-step.b4.c64"):
        row["latency_us"] *= 0.9
    verdict = one(">= 1.5x baseline", assess(collected(specimen)))
    assert verdict.outcome == "supported"
    assert verdict.ratio is not None
    assert verdict.ratio < 1.65


def test_one_cell_that_contradicts_is_enough(specimen: Any, collected: Read, retime: Callable[[Any], None]) -> None:
    for row in specimen.of("steps", "decode-step", arm="candidate", cell="decode-step.b4.c64"):
        row["latency_us"] *= 0.7
    retime(specimen)
    verdict = one(">= 1.8x baseline", assess(collected(specimen)))
    assert verdict.outcome == "contradicted"
    assert [cell.outcome for cell in verdict.cells] == ["contradicted", "supported"]


def test_scores_below_the_margin_are_contradicted(build: Callable[..., Any], collected: Read) -> None:
    specimen = build()
    for rows in (specimen.samples[("candidate", task)] for task in ("byogpu_copy", "byogpu_parity")):
        for row in rows:
            row["exact_match"] = 0.0
    specimen.hash_samples()
    verdict = one("no regression within 5%", assess(collected(specimen)), metric="score")
    assert verdict.outcome == "contradicted"
    assert verdict.effect_size is not None
    assert verdict.effect_size < -0.5


def test_numerics_outside_their_tolerance_are_contradicted(specimen: Any, collected: Read) -> None:
    specimen.of("numerics", "numerics", arm="candidate")[0]["max_rel_error"] = 0.5
    verdict = one("within tolerance", assess(collected(specimen)), metric="max_relative_error")
    assert verdict.outcome == "contradicted"
    assert "125.00 times its tolerance" in verdict.reason
    assert verdict.p_value is None


# ------------------------------------------------------------------ which cells
def test_a_listed_batch_without_a_cell_is_no_evidence(fast: Assessment) -> None:
    verdict = one(">= 1.5x baseline", fast, cells="{batch: [1, 64]}")
    assert (verdict.outcome, verdict.reason) == ("no_evidence", "no cell with batch 64")
    assert verdict.next_run is not None
    assert "batch 64" in verdict.next_run.sentence


@pytest.mark.parametrize(
    ("cells", "ids"),
    [
        ("{batch: 4}", ["decode-step.b4.c64"]),
        ("{batch: any, context: 64}", ["decode-step.b1.c64", "decode-step.b4.c64"]),
        ("{tp: 1, cp: 1, phase: decode, speculation: none}", ["decode-step.b1.c64", "decode-step.b4.c64"]),
    ],
)
def test_a_selector_selects(cells: str, ids: list[str], fast: Assessment) -> None:
    verdict = one(">= 1.5x baseline", fast, cells=cells)
    assert verdict.outcome == "supported"
    assert [cell.cell.cell.id for cell in verdict.cells] == ids


@pytest.mark.parametrize(
    "cells", ["{batch: 2}", "{tp: 8}", "{cp: 2}", "{context: 0}", "{phase: prefill}", "{speculation: natural}"]
)
def test_a_selector_without_a_cell_is_no_evidence(cells: str, fast: Assessment) -> None:
    assert one(">= 1.5x baseline", fast, cells=cells).outcome == "no_evidence"


@pytest.mark.parametrize("task", ["byogpu_copy", "byogpu_copy/none/exact_match"])
def test_tasks_are_named_short_or_in_full(task: str, fast: Assessment) -> None:
    verdict = one("no regression within 20%", fast, metric="score", cells=f"{{task: {task}}}")
    assert [cell.cell.cell.task for cell in verdict.cells] == ["byogpu_copy/none/exact_match"]


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ("  suite: smoke", "supported"),
        ("  suite: full", "no_evidence"),
        ("  acceptance: none", "supported"),
        ("  acceptance: natural", "no_evidence"),
        ("  acceptance: synthetic 6", "no_evidence"),
    ],
)
def test_suite_and_acceptance_must_be_those_claimed(more: str, outcome: str, fast: Assessment) -> None:
    assert one(">= 1.5x baseline", fast, more=more).outcome == outcome


def test_synthetic_acceptance_is_not_natural_acceptance(specimen: Any, collected: Read) -> None:
    speculation = {"kind": "synthetic", "method": "dspark", "drafts": 7, "acceptance_length": 6.0}
    for cell in specimen.eval("decode-step")["cells"]:
        cell["speculation"] = speculation
    for arm in ("baseline", "candidate"):
        for bucket in specimen.ledger(arm, "decode-step")["buckets"]:
            bucket.update(speculation=7, tokens_per_request=8, rows=8 * bucket["rows"])
    bundle = assess(collected(specimen))
    assert one(">= 1.5x baseline", bundle, more="  acceptance: synthetic 6").outcome == "supported"
    assert one(">= 1.5x baseline", bundle, more="  acceptance: synthetic 5").outcome == "no_evidence"
    assert one(">= 1.5x baseline", bundle, more="  acceptance: natural").outcome == "no_evidence"


# ------------------------------------------------------------------ bundles that do not count
def test_nothing_measured_is_no_evidence() -> None:
    verdict = one(">= 1.5x baseline")
    assert (verdict.outcome, verdict.cells, verdict.trust, verdict.bundle_ids) == ("no_evidence", (), None, ())
    assert verdict.next_run is not None


def test_evidence_for_another_commit_is_stale(fast: Assessment) -> None:
    assert one(">= 1.5x baseline", fast, head_sha=fast.head_sha).outcome == "supported"
    verdict = one(">= 1.5x baseline", fast, head_sha=STALE)
    assert verdict.outcome == "no_evidence"
    assert "not for the present head" in verdict.reason


@pytest.mark.parametrize(("rule_id", "state"), [("B-008", "invalid"), ("E-010", "quarantined")])
def test_a_bundle_that_is_set_aside_is_no_evidence(rule_id: str, state: str, specimen: Any, collected: Read) -> None:
    if rule_id == "B-008":
        first_block = [
            row for row in specimen.of("steps", "decode-step", cell="decode-step.b1.c64") if not row["block"]
        ]
        again = {**first_block[-1], "start_ns": first_block[-1]["start_ns"] + 400_000}
        specimen.rows[("steps", "decode-step")].append(again)
    else:
        specimen.of("steps", "decode-step")[0]["latency_us"] = 0.2
    bundle = assess(collected(specimen))
    assert bundle.validity == state == validity(bundle.findings)
    for metric, relation in (("step_latency_us", ">= 1.5x baseline"), ("score", "no regression within 20%")):
        verdict = one(relation, bundle, metric=metric)
        assert verdict.outcome == "no_evidence"
        assert rule_id in verdict.reason


def test_a_finding_blocks_only_what_it_touches(specimen: Any, collected: Read) -> None:
    specimen.results["candidate"]["config"]["limit"] = 24.0
    specimen.of("requests", "serving")[0]["error"] = "status 500"
    bundle = assess(collected(specimen))
    assert bundle.validity == "valid"
    assert one(">= 1.5x baseline", bundle).outcome == "supported"
    limited = one("no regression within 20%", bundle, metric="score")
    failed = one(">= 1.5x baseline", bundle, metric="tpot_ms")
    assert (limited.outcome, limited.reason[:5]) == ("no_evidence", "A-001")
    assert (failed.outcome, failed.reason[:5]) == ("no_evidence", "M-008")


# ------------------------------------------------------------------ families of decisions
def test_many_claims_make_each_harder(fast: Assessment) -> None:
    alone = one(">= 1.5x baseline", fast)
    many = [claim(f">= 1.{n}x baseline", claim_id=f"c{n}") for n in range(40, 60)]
    first = next(verdict for verdict in judge(many, [fast]) if verdict.claim_id == "c50")
    assert alone.p_value is not None
    assert first.p_value is not None
    assert first.p_value > alone.p_value


def test_earlier_tries_are_paid_for(fast: Assessment) -> None:
    tried = fast.model_copy(update={"tries": 300})
    verdict = one(">= 1.5x baseline", tried)
    assert verdict.outcome == "inconclusive"
    assert verdict.reason.endswith("among all claims, bundles and tries of this pull request")


def test_claims_without_a_test_cost_nothing(fast: Assessment) -> None:
    alone = one(">= 1.5x baseline", fast)
    beside = judge(
        [claim(">= 1.5x baseline"), claim("within tolerance", metric="max_relative_error", claim_id="d")], [fast]
    )
    assert beside[0].p_value == alone.p_value


# ------------------------------------------------------------------ several bundles
def test_the_most_trusted_bundle_that_settles_it_decides(fast: Assessment, slower: Assessment) -> None:
    verdict = one(">= 1.5x baseline", trusted(fast, 0), trusted(slower, 2))
    assert (verdict.outcome, verdict.trust_level) == ("contradicted", 2)
    assert verdict.bundle_ids == (slower.bundle_id, fast.bundle_id)
    assert one(">= 1.5x baseline", trusted(fast, 2), trusted(slower, 0)).outcome == "supported"


def test_bundles_of_the_same_trust_that_disagree_settle_nothing(fast: Assessment, slower: Assessment) -> None:
    verdict = one(">= 1.5x baseline", trusted(fast, 1), trusted(slower, 1))
    assert verdict.outcome == "inconclusive"
    assert verdict.reason.startswith("bundles of the same trust disagree: ")
    assert verdict.next_run is not None


def test_a_bundle_that_says_nothing_takes_nothing_away(fast: Assessment, stock: Assessment) -> None:
    assert one(">= 1.5x baseline", trusted(fast, 1), trusted(stock, 2)).outcome == "supported"


def test_a_path_that_never_ran_is_the_reason_whatever_else_limits_the_bundle(stock: Assessment) -> None:
    refused = next(finding for finding in stock.findings if finding.rule_id == "P-002")
    warm_up = refused.model_copy(update={"rule_id": "E-017", "title": "Warm-up inside the timing", "eval_id": None})
    verdict = one(">= 1.5x baseline", stock.model_copy(update={"findings": (warm_up, *stock.findings)}))
    assert verdict.outcome == "no_evidence"
    assert "never ran" in verdict.reason
    assert "E-017" not in verdict.reason


def test_a_stored_assessment_judges_like_a_fresh_one(fast: Assessment) -> None:
    stored = Assessment.model_validate_json(fast.model_dump_json())
    assert stored == fast
    fresh, again = (one(">= 1.5x baseline", bundle) for bundle in (fast, stored))
    assert fresh.model_dump_json() == again.model_dump_json()
    assert Verdict.model_validate_json(fresh.model_dump_json()) == fresh
    assert CellVerdict.model_validate_json(fresh.cells[0].model_dump_json()) == fresh.cells[0]


def test_a_pull_request_from_end_to_end(fast: Assessment) -> None:
    body = "```byogpu-claims\n- {id: a, metric: ttft_ms, relation: '>= 1.5x baseline'}\n```"
    claims = parse_claims(body)
    assert [verdict.outcome for verdict in judge(claims.claims, [fast])] == ["supported"]
