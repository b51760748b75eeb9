"""Kernels and gaps explain a step, or the residual says by how much they do not."""

import pytest

from judge.reconciliation import TOLERANCE, KernelTime, reconcile

LAYER = [
    KernelTime(name="attention", launches=93, median_us=30.0),
    KernelTime(name="experts", launches=92, median_us=25.0),
]
SUM_US = 93 * 30.0 + 92 * 25.0


def test_kernels_and_gaps_that_add_up_explain_the_step() -> None:
    found = reconcile(SUM_US + 200.0, LAYER, gaps_us=150.0)
    assert (found.kernels_us, found.residual_us) == (SUM_US, 50.0)
    assert found.residual_share == pytest.approx(50.0 / (SUM_US + 200.0))
    assert found.explained


def test_figures_of_another_condition_do_not() -> None:
    """93 x 69 us is 6.4 ms; a step of 5.17 ms (193 tokens/s) was not made of those (k3-model.md 6.6)."""
    found = reconcile(5170.0, [KernelTime(name="layer", launches=93, median_us=69.0)], gaps_us=0.0)
    assert found.residual_us == pytest.approx(5170 - 6417)
    assert not found.explained


def test_a_step_with_much_unexplained_time_is_not_explained() -> None:
    assert not reconcile(SUM_US / (1 - 1.01 * TOLERANCE), LAYER, gaps_us=0.0).explained
    assert reconcile(SUM_US / (1 - 0.99 * TOLERANCE), LAYER, gaps_us=0.0).explained


def test_nothing_explains_nothing() -> None:
    with pytest.raises(ValueError, match="expected a step and its kernels"):
        reconcile(100.0, [], gaps_us=0.0)
    with pytest.raises(ValueError, match="expected a step and its kernels"):
        reconcile(0.0, LAYER, gaps_us=0.0)
