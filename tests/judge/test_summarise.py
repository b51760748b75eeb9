"""Cells recomputed: the numbers, their uncertainty, and what is not stated."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from judge.summarise import summarise

Read = Callable[..., Any]


def cells(evidence: Any) -> dict[tuple[str, str], Any]:
    return {(one.cell.id, one.cell.metric): one for one in summarise(evidence)}


def steps(evidence: Any) -> Any:
    return cells(evidence)[("decode-step.b1.c64", "step_latency_us")]


def test_the_numbers_are_those_of_the_rows(specimen: Any, collected: Read) -> None:
    found = steps(collected(specimen))
    sentinel = len(specimen.eval("decode-step")["blocks"]) - 1
    for arm in ("baseline", "candidate"):
        rows = specimen.of("steps", "decode-step", arm=arm, cell="decode-step.b1.c64")
        values = [row["latency_us"] for row in rows if row["block"] != sentinel]
        assert found.arm(arm).value == pytest.approx(np.median(values))
        assert found.arm(arm).samples == len(values)
        if len(values) >= 100:
            assert found.arm(arm).p90 == pytest.approx(np.quantile(values, 0.9))
        assert found.arm(arm).p99 is None


def test_the_ratio_is_oriented_so_that_above_one_is_better(specimen: Any, collected: Read) -> None:
    found = cells(collected(specimen))
    for key in (("decode-step.b1.c64", "step_latency_us"), ("serving.c2", "ttft_ms"), ("serving.c2", "requests_per_s")):
        estimate = found[key].estimate
        assert estimate.low < 1.6 < estimate.high
        assert estimate.low < estimate.value < estimate.high
        assert [one.value for one in estimate.quantiles] == sorted(one.value for one in estimate.quantiles)


def test_the_same_bundle_gives_the_same_bytes(specimen: Any, collected: Read) -> None:
    first, second = (summarise(collected(specimen)) for _ in range(2))
    assert [one.model_dump_json() for one in first] == [one.model_dump_json() for one in second]


def test_drift_is_the_last_baseline_block_by_the_first(specimen: Any, collected: Read) -> None:
    assert not steps(collected(specimen)).drift.exceeded
    sentinel = len(specimen.eval("decode-step")["blocks"]) - 1
    for row in specimen.of("steps", "decode-step"):
        if row["block"] == sentinel:
            row["latency_us"] *= 1.08
    found = steps(collected(specimen))
    assert found.drift.exceeded
    assert found.drift.ratio == pytest.approx(1.08, abs=0.02)


def test_below_the_floor_nothing_is_stated(specimen: Any, collected: Read) -> None:
    kept = specimen.of("requests", "serving", arm="candidate")[:12]
    specimen.rows[("requests", "serving")] = [*specimen.of("requests", "serving", arm="baseline"), *kept]
    arm = cells(collected(specimen))[("serving.c2", "e2e_ms")].arm("candidate")
    assert (arm.samples, arm.value, arm.p90) == (12, None, None)


def test_three_blocks_have_no_interval(specimen: Any, collected: Read) -> None:
    blocks = [one["index"] for one in specimen.eval("serving")["blocks"] if one["arm"] == "candidate"][3:]
    for index in blocks:
        specimen.drop("requests", "serving", block=index)
    assert cells(collected(specimen))[("serving.c2", "e2e_ms")].estimate is None


def test_unlike_arms_have_no_ratio(specimen: Any, collected: Read) -> None:
    specimen.arm("candidate")["weights_digest"] = "9" * 64
    for one in summarise(collected(specimen)):
        assert [difference.field for difference in one.differing] == ["weights_digest"]
        assert one.estimate is None


def test_a_missing_arm_is_missing(specimen: Any, collected: Read) -> None:
    specimen.drop("steps", "decode-step", arm="candidate")
    found = steps(collected(specimen))
    assert [arm.arm for arm in found.arms] == ["baseline"]
    assert found.arm("candidate") is None
    assert found.estimate is None
    assert found.noise_floor is not None


def test_paired_documents(specimen: Any, collected: Read) -> None:
    for index, row in enumerate(specimen.samples[("candidate", "byogpu_copy")]):
        if index in (0, 1, 2):
            row["exact_match"] = 1.0 - row["exact_match"]
    specimen.hash_samples()
    found = cells(collected(specimen))[("accuracy.byogpu_copy", "score")]
    assert (found.pairs.baseline_only, found.pairs.candidate_only) == (2, 1)
    assert found.pairs.both + found.pairs.neither == found.arms[0].samples - 3
    assert found.pairs.mcnemar_p == 1.0
    assert found.estimate.kind == "difference"
    assert found.estimate.value == pytest.approx(-1 / found.arms[0].samples)


def test_scores_that_are_not_right_or_wrong_have_no_flips(specimen: Any, collected: Read) -> None:
    specimen.samples[("candidate", "byogpu_copy")][0]["exact_match"] = 0.5
    found = cells(collected(specimen))[("accuracy.byogpu_copy", "score")]
    assert found.pairs is None
    assert found.estimate is not None


def test_different_documents_are_not_comparable(specimen: Any, collected: Read) -> None:
    specimen.samples[("candidate", "byogpu_copy")].pop()
    found = cells(collected(specimen))[("accuracy.byogpu_copy", "score")]
    assert [one.field for one in found.differing] == ["documents"]


def test_numerics_are_held_against_their_own_tolerance(specimen: Any, collected: Read) -> None:
    rows = specimen.of("numerics", "numerics", arm="candidate")
    rows[0].update(max_rel_error=0.006, tolerance=0.004)
    rows[1].update(max_rel_error=0.0, tolerance=0.0)
    found = cells(collected(specimen))[("numerics.kda", "max_relative_error")]
    assert (found.numerics.cases, found.numerics.outside_tolerance) == (2, 1)
    assert found.numerics.worst_share == pytest.approx(1.5)
    assert found.numerics.worst_case == "kda decode normal"


def test_a_tolerance_of_nothing_forbids_any_error(specimen: Any, collected: Read) -> None:
    specimen.of("numerics", "numerics", arm="candidate")[0].update(max_rel_error=1e-9, tolerance=0.0)
    assert cells(collected(specimen))[("numerics.kda", "max_relative_error")].numerics.outside_tolerance == 1


def test_a_batch_that_the_ledger_does_not_know_is_not_reached(specimen: Any, collected: Read) -> None:
    specimen.ledger("candidate", "decode-step")["buckets"][1]["rows"] = 2
    found = cells(collected(specimen))[("decode-step.b4.c64", "step_latency_us")]
    assert [one.field for one in found.differing] == ["achieved_concurrency"]
