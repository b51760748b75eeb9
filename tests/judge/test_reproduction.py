"""A second run held against the first."""

from typing import Any

import pytest

from judge import Assessment, reproduction
from judge.cells import CellSummary


def outcome(first: Assessment, cells: Any, second_id: str) -> Any:
    return reproduction(first.cells, cells, ids=(first.bundle_id, second_id))


def moved(cell: CellSummary, factor: float, *, wide: float = 1.0) -> CellSummary:
    """The cell with its ratio moved, and its interval widened about the new value."""
    if cell.estimate is None or cell.estimate.kind != "ratio":
        return cell
    value = cell.estimate.value * factor
    half = (cell.estimate.high - cell.estimate.low) / 2 * wide
    estimate = cell.estimate.model_copy(update={"value": value, "low": value - half, "high": value + half})
    return cell.model_copy(update={"estimate": estimate})


def test_the_same_again_is_reproduced(fast: Assessment) -> None:
    found = outcome(fast, fast.cells, "9" * 64)
    assert found.outcome == "reproduced"
    assert {cell.outcome for cell in found.cells} == {"reproduced"}
    assert not [cell for cell in found.cells if cell.metric == "max_relative_error"]


def test_another_ratio_differs(fast: Assessment, slower: Assessment) -> None:
    found = outcome(fast, slower.cells, slower.bundle_id)
    assert found.outcome == "differs"
    assert {cell.outcome for cell in found.cells if cell.metric == "step_latency_us"} == {"differs"}
    assert {cell.outcome for cell in found.cells if cell.metric == "score"} == {"reproduced"}


@pytest.mark.parametrize(
    ("factor", "wide", "expected"), [(1.04, 1, "reproduced"), (1.08, 1, "differs"), (1.08, 60, "undecided")]
)
def test_tolerance_and_intervals_decide(factor: float, wide: float, expected: str, fast: Assessment) -> None:
    found = outcome(fast, [moved(cell, factor, wide=wide) for cell in fast.cells], "9" * 64)
    assert {cell.outcome for cell in found.cells if cell.metric == "step_latency_us"} == {expected}


def test_a_missing_cell_keeps_it_open(fast: Assessment) -> None:
    found = outcome(fast, [cell for cell in fast.cells if cell.eval_id != "serving"], "9" * 64)
    assert (found.outcome, found.missing) == ("undecided", ("serving.c2",))


def test_other_hardware_keeps_it_open(fast: Assessment, stock: Assessment) -> None:
    found = outcome(fast, stock.cells, stock.bundle_id)
    assert found.outcome == "undecided"
    assert {one.field for cell in found.cells for one in cell.differing} >= {"hardware", "gpu_count"}
