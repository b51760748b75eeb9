"""The benchmark's made-up bundle is one that the judge reads whole, and its numbers are all there."""

from pathlib import Path

from judge.assess import assess
from judge.benchmark import LEVELS, STEP_CELLS, make, measure
from judge.evidence import collect
from judge.metrics import REQUEST_METRICS
from worker.bundle import read


def test_the_made_up_bundle_is_read_and_judged_whole(tmp_path: Path) -> None:
    make(tmp_path / "bundle", steps=48 * 7 * 5, requests=48 * 3 * 4, documents=40)
    evidence = collect(read(tmp_path / "bundle"))
    assert evidence.problems == ()
    assert sum(len(table.block) for table in evidence.steps.values()) == 48 * 7 * 5
    assert sum(len(table.block) for table in evidence.requests.values()) == 48 * 3 * 4
    bundle = assess(evidence)
    assert bundle.validity == "valid"
    assert len(bundle.cells) == len(STEP_CELLS) + len(LEVELS) * len(REQUEST_METRICS) + 1
    steps = [cell.estimate for cell in bundle.cells if cell.cell.metric == "step_latency_us"]
    assert all(estimate is not None and estimate.low < 1.2 < estimate.high for estimate in steps)


def test_every_cost_is_measured() -> None:
    cost = measure(steps=48 * 7 * 2, requests=48 * 3 * 2, documents=20)
    assert min(cost.collect_s, cost.assess_s, cost.bootstrap_ms, cost.peak_mb) > 0
    assert cost.total_s >= cost.collect_s
