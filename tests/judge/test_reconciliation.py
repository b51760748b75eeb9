"""Kernels and gaps explain a step, or the residual says by how much they do not."""

from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from judge.reconciliation import MAX_KERNELS, TOLERANCE, misfit, reconcile, reconciled
from judge.tables import StepTable
from worker.bundle.samples import KernelTimeRow

ATTENTION_US, EXPERTS_US = 93 * 30.0, 92 * 25.0
SUM_US = ATTENTION_US + EXPERTS_US


def steps(latency_us: float, *, block: int = 3, count: int = 5) -> StepTable:
    """A block of equal steps after one of steps that take ten times as long."""
    at = np.array([0, *[block] * count])
    latency = np.where(at == block, latency_us, 10 * latency_us)
    return StepTable(block=at, step=np.arange(count + 1), latency_us=latency, start_ns=np.arange(count + 1))


def row(kernel: str | None, launches: int, times_us: Any, *, block: int = 3) -> KernelTimeRow:
    return KernelTimeRow(
        cell="c", arm="baseline", block=block, kernel=kernel, launches=launches, times_us=tuple(map(float, times_us))
    )


LAYERS = [
    row("attention", 93, [30.0] * 93 * 2),
    row("experts", 92, [25.0] * 92 * 2),
    row(None, 1, [140.0, 160.0]),
]


def test_kernels_and_gaps_that_add_up_explain_the_step() -> None:
    found = reconciled(steps(SUM_US + 200.0), LAYERS)
    assert found is not None
    assert (found.kernels_us, found.gaps_us, found.residual_us) == (SUM_US, 150.0, 50.0)
    assert found.step_us == SUM_US + 200.0
    assert found.residual_share == pytest.approx(50.0 / (SUM_US + 200.0))
    assert found.explained
    assert [(one.name, one.launches, one.total_us) for one in found.kernels] == [
        ("attention", 93, ATTENTION_US),
        ("experts", 92, EXPERTS_US),
    ]


def test_a_step_is_added_up_before_the_median_is_taken() -> None:
    """Each step waits once, in one kernel or the other: no kernel's median shows it, and every step's sum does."""
    rows = [row("one", 1, [10, 30, 10, 30]), row("two", 1, [30, 10, 30, 10])]
    found = reconciled(steps(40.0), rows)
    assert found is not None
    assert (found.kernels_us, found.gaps_us, found.residual_us) == (40.0, 0.0, 0.0)


def test_kernels_and_gaps_are_those_of_the_step_in_the_middle() -> None:
    rows = [row("one", 1, [50, 10, 30]), row(None, 1, [10, 80, 20])]
    found = reconciled(steps(61.0), rows)
    assert found is not None
    assert (found.kernels_us, found.gaps_us, found.residual_us) == (50.0, 10.0, 1.0)


def test_blocks_are_added_up_one_by_one() -> None:
    table = StepTable(
        block=np.array([1, 2]), step=np.zeros(2), latency_us=np.array([100.0, 104.0]), start_ns=np.zeros(2)
    )
    found = reconciled(table, [row("one", 2, [49, 50], block=1), row("two", 1, [101, 103], block=2)])
    assert found is not None
    assert (found.step_us, found.kernels_us) == (102.0, 101.0)


def test_figures_of_another_condition_do_not() -> None:
    """93 x 69 us is 6.4 ms; a step of 5.17 ms (193 tokens/s) was not made of those (k3-model.md 6.6)."""
    found = reconciled(steps(5170.0), [row("layer", 93, [69.0] * 93)])
    assert found is not None
    assert found.residual_us == pytest.approx(5170 - 6417)
    assert not found.explained


def test_a_step_with_much_unexplained_time_is_not_explained() -> None:
    parts, none = np.array([SUM_US]), np.zeros(1)
    assert not reconcile(SUM_US / (1 - 1.01 * TOLERANCE), parts, gaps_us=none).explained
    assert reconcile(SUM_US / (1 - 0.99 * TOLERANCE), parts, gaps_us=none).explained


@pytest.mark.parametrize(("kernels", "gaps", "explained"), [(109, 0, True), (60, 90, True), (111, 0, False)])
def test_gaps_may_be_longer_under_a_tracer_and_kernels_may_not(kernels: float, gaps: float, explained: bool) -> None:
    found = reconcile(100.0, np.array([kernels]), gaps_us=np.array([gaps]))
    assert (found.explained, found.residual_us) == (explained, 100.0 - kernels - gaps)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "no kernel was timed"),
        ([row(None, 1, [5.0])], "no kernel was timed, only gaps"),
        ([row("one", 1, [5, 5]), row("two", 1, [5])], "the kernels of block 3 are of 1 and of 2 steps"),
        ([row("one", 1, [5], block=4)], "block 4 has no timed step"),
        ([row("one", 1, [1e308, 1e308])], "no step can be made of kernels that take so long"),
    ],
)
def test_what_cannot_be_added_up_says_why(rows: list[KernelTimeRow], said: str) -> None:
    assert misfit(steps(100.0), rows) == said
    assert reconciled(steps(100.0), rows) is None


@pytest.mark.parametrize("latency_us", [5e-324, 1e308])
def test_steps_that_cannot_be_are_not_reconciled(latency_us: float) -> None:
    said = "no step of block 3 can take what its steps are said to"
    assert misfit(steps(latency_us), [row("one", 1, [5.0])]) == said


def test_the_longest_kernels_are_listed() -> None:
    found = reconciled(steps(100.0), [row(f"k{index}", 1, [index]) for index in range(MAX_KERNELS + 3)])
    assert found is not None
    assert [one.total_us for one in found.kernels] == sorted(range(3, MAX_KERNELS + 3), reverse=True)


def test_times_are_of_whole_steps() -> None:
    with pytest.raises(ValidationError, match="no whole number of steps"):
        row("one", 2, [1, 2, 3])
