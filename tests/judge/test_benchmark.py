"""The benchmark's made-up bundle is one that the judge reads whole, and its numbers are all there."""

from pathlib import Path

from judge.assess import assess
from judge.benchmark import DECODE, SERVING, STEP_CELLS, make, measure
from judge.evidence import collect
from judge.metrics import REQUEST_METRICS
from worker.bundle import read


def test_the_plan_is_of_the_size_that_the_limits_are_stated_for() -> None:
    assert len(STEP_CELLS) * 25 * DECODE.steps_per_block == 200_000
    assert len(SERVING.concurrency) * 24 * SERVING.requests_per_block == 20_016


def test_the_made_up_bundle_is_read_and_judged_whole(tmp_path: Path) -> None:
    make(tmp_path / "bundle", steps=9, requests=9, documents=40)
    evidence = collect(read(tmp_path / "bundle"))
    assert evidence.problems == ()
    assert evidence.suite is not None
    assert sum(len(table.block) for table in evidence.steps.values()) == 40 * 25 * 9
    assert sum(len(table.block) for table in evidence.requests.values()) == 3 * 24 * 9
    bundle = assess(evidence)
    assert bundle.validity == "valid"
    assert not {one.rule_id for one in bundle.findings} & {"S-006", "S-010", "C-010", "C-011", "M-012", "M-020"}
    assert len(bundle.cells) == len(STEP_CELLS) + len(SERVING.concurrency) * len(REQUEST_METRICS) + 1
    steps = [cell.estimate for cell in bundle.cells if cell.cell.metric == "step_latency_us"]
    assert all(estimate is not None and estimate.low < 1.2 < estimate.high for estimate in steps)


def test_every_cost_is_measured() -> None:
    cost = measure(steps=2, requests=2, documents=20)
    assert (cost.steps, cost.requests) == (40 * 25 * 2, 3 * 24 * 2)
    assert min(cost.collect_s, cost.assess_s, cost.bootstrap_ms, cost.peak_mb) > 0
    assert cost.total_s >= cost.collect_s
