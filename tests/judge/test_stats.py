"""The statistics against what they must satisfy, and against independent computations of the same thing."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as distributions

from judge import stats
from judge.stats import PROBABILITIES
from judge.thresholds import MAX_BOOTSTRAP_SAMPLES

DRAWS = 2_000
samples = st.lists(st.floats(50, 150), min_size=3, max_size=12).map(np.array)
arms = st.lists(samples, min_size=4, max_size=6)


def measured(*, center: float, blocks: int = 8, each: int = 20, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [center * rng.normal(1, 0.005) * rng.normal(1, 0.01, each) for _ in range(blocks)]


def test_the_interval_holds_the_true_ratio() -> None:
    draws = stats.bootstrap_log_ratio(measured(center=100), measured(center=160, seed=1), seed=3)
    low, high = np.exp(np.quantile(draws, (0.025, 0.975)))
    assert low < 1.6 < high
    assert high / low < 1.05


def test_more_blocks_make_a_narrower_interval() -> None:
    def width(blocks: int) -> float:
        draws = stats.bootstrap_log_ratio(
            measured(center=100, blocks=blocks), measured(center=160, blocks=blocks, seed=1), seed=3, draws=DRAWS
        )
        return float(np.quantile(draws, 0.975) - np.quantile(draws, 0.025))

    assert width(4) > 1.5 * width(16)


@given(arms, arms, st.integers(0, 2**32))
@settings(max_examples=25)
def test_same_seed_same_draws(first: list[np.ndarray], second: list[np.ndarray], seed: int) -> None:
    once = stats.bootstrap_log_ratio(first, second, seed=seed, draws=200)
    again = stats.bootstrap_log_ratio(first, second, seed=seed, draws=200)
    assert np.array_equal(once, again)
    assert np.all(np.diff(once) >= 0)


@given(arms, arms)
@settings(max_examples=25)
def test_exchanging_the_arms_inverts_the_ratio(first: list[np.ndarray], second: list[np.ndarray]) -> None:
    forth = stats.bootstrap_log_ratio(first, second, seed=1, draws=200)
    back = stats.bootstrap_log_ratio(second, first, seed=1, draws=200)
    if np.concatenate(first).tobytes() != np.concatenate(second).tobytes():
        assert np.allclose(forth, -back[::-1], atol=1e-12)


def test_identical_samples_do_not_look_certain() -> None:
    same = measured(center=100)
    draws = stats.bootstrap_log_ratio(same, same, seed=1, draws=DRAWS)
    assert np.quantile(draws, 0.975) - np.quantile(draws, 0.025) > 0.003


def test_scaling_an_arm_scales_the_ratio() -> None:
    first, second = measured(center=100), measured(center=100, seed=1)
    plain = stats.bootstrap_log_ratio(first, second, seed=2)
    scaled = stats.bootstrap_log_ratio(first, [block * 3 for block in second], seed=2)
    assert np.median(scaled) - np.median(plain) == pytest.approx(math.log(3), abs=1e-3)
    assert scaled.std() == pytest.approx(plain.std(), rel=0.1)


@pytest.mark.parametrize(("count", "each"), [(4, 8), (8, 24), (5, 7), (12, 33)])
def test_medians_are_distributed_as_those_of_a_plain_resample(count: int, each: int) -> None:
    """Drawing blocks, then samples one by one, and sorting them: the same distribution, the slow way."""
    blocks, rng = measured(center=100, blocks=count, each=each), np.random.default_rng(1)
    array, draws = np.stack(blocks), 4_000
    chosen = rng.integers(0, count, (draws, count, 1))
    plain = np.median(array[chosen, rng.integers(0, each, (draws, count, each))].reshape(draws, -1), axis=1)
    found = stats._median_draws(blocks, np.random.default_rng(2), draws)
    spread = plain.std()
    assert found.std() == pytest.approx(spread, rel=0.08)
    for share in (0.005, 0.025, 0.25, 0.5, 0.75, 0.975, 0.995):
        assert np.quantile(found, share) == pytest.approx(np.quantile(plain, share), abs=0.35 * spread)


def test_without_any_noise_the_draws_are_the_median() -> None:
    assert set(stats._median_draws([np.full(9, 7.0)] * 4, np.random.default_rng(0), 50)) == {7.0}


def test_inverting_the_distribution_functions_gives_the_usual_median() -> None:
    for values in (np.arange(1.0, 12.0), np.arange(1.0, 13.0), np.array([1.0, 2.0, 2.0, 2.0, 9.0])):
        grid, below = stats._distribution_functions([values])
        assert np.interp(0.5, below[:, 0], grid) == np.median(values)


def test_long_series_are_looked_up_at_evenly_thinned_values() -> None:
    long = [np.arange(5_000.0) + 1 for _ in range(4)]
    grid, below = stats._distribution_functions(long)
    assert below.shape == (MAX_BOOTSTRAP_SAMPLES, 4)
    assert (grid[0], grid[-1]) == (1, 5_000)
    assert np.allclose(below[:, 0], (grid - 0.5) / 5_000)


def test_few_blocks_stretch_the_tails_by_students_quantiles() -> None:
    found = stats._student_by_normal(100_000, 6)
    assert found[499] == pytest.approx(3.7074 / 2.5758, rel=1e-3)
    assert found[2_499] == pytest.approx(2.4469 / 1.9600, rel=1e-3)
    assert np.allclose(found, found[::-1])
    assert found.min() > 1.0


def test_percentiles_are_not_stated_below_their_floor() -> None:
    values = np.arange(99.0)
    assert stats.percentile(values, 0.9, floor=100) is None
    assert stats.percentile(np.arange(101.0), 0.9, floor=100) == 90.0
    assert stats.percentile(np.empty(0), 0.5, floor=0) is None


def test_kept_quantiles_bound_the_error() -> None:
    draws = np.sort(np.random.default_rng(0).normal(1.6, 0.02, 100_000))
    kept = stats.sketch(draws)
    for threshold in (1.5, 1.55, 1.58, 1.6, 1.65):
        exact = float((draws <= threshold).mean())
        assert stats.p_at_most(kept, threshold) >= exact
        assert stats.p_at_least(kept, threshold) >= 1 - exact - 1e-9
    assert stats.p_at_most(kept, 1.5) <= 0.001
    assert stats.p_at_most(kept, 2.0) == 1.0
    assert stats.p_at_least(kept, 2.0) <= 0.0001 + 1e-9


def test_equivalence_needs_both_sides() -> None:
    kept = stats.sketch(np.random.default_rng(0).normal(1.0, 0.004, 20_000))
    assert stats.p_outside(kept, 0.98, 1.02) <= 0.0001
    assert stats.p_outside(kept, 0.98, 1.005) > 0.05
    assert stats.p_outside(kept, 0.98, 1.02) == max(stats.p_at_most(kept, 0.98), stats.p_at_least(kept, 1.02))


def test_value_at_gives_the_kept_quantile() -> None:
    kept = stats.normal_sketch(0.0, 1.0)
    assert math.isclose(stats.value_at(kept, 0.025), -1.959964, abs_tol=1e-5)
    assert [one.p for one in kept] == list(PROBABILITIES)
    assert tuple(sorted(PROBABILITIES)) == PROBABILITIES


def test_holm_by_hand() -> None:
    # Holm 1979: 0.01 x 4, then max(0.04, 0.02 x 3), then x 2, then x 1, never falling.
    assert stats.holm([0.02, 0.01, 0.04, 0.03]) == pytest.approx((0.06, 0.04, 0.06, 0.06))
    assert stats.holm([]) == ()
    assert stats.holm([0.6, 0.7]) == (1.0, 1.0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_never_lowers_an_error_and_keeps_their_order(errors: list[float]) -> None:
    adjusted = stats.holm(errors)
    assert all(p <= q or math.isclose(p, q) for p, q in zip(errors, adjusted, strict=True))
    assert all(q <= 1.0 for q in adjusted)
    assert adjusted[errors.index(min(errors))] == pytest.approx(min(1.0, min(errors) * len(errors)))
    ranked = [q for _, q in sorted(zip(errors, adjusted, strict=True))]
    assert ranked == sorted(ranked)


@given(st.integers(0, 30), st.integers(0, 30))
def test_mcnemar_is_the_exact_binomial_test(lost: int, won: int) -> None:
    expected = 1.0 if lost + won == 0 else distributions.binomtest(lost, lost + won, 0.5).pvalue
    assert stats.mcnemar(lost, won) == pytest.approx(expected)


def test_mcnemar_by_fractions() -> None:
    assert stats.mcnemar(1, 5) == pytest.approx(float(2 * Fraction(1 + 6, 64)))


def test_paired_difference_is_bonett_and_price() -> None:
    both, lost, won, neither = 40, 3, 7, 10
    n = both + lost + won + neither
    differences = np.array([-1.0] * lost + [1.0] * won + [0.0] * (both + neither))
    p_won, p_lost = (won + 1) / (n + 2), (lost + 1) / (n + 2)
    centre, error = stats.paired_difference(differences)
    assert centre == pytest.approx(p_won - p_lost)
    assert error == pytest.approx(math.sqrt((p_won + p_lost - (p_won - p_lost) ** 2) / (n + 2)))


def test_no_flips_are_not_certainty() -> None:
    _, few = stats.paired_difference(np.zeros(12))
    _, many = stats.paired_difference(np.zeros(1200))
    assert few > 0.09
    assert many < 0.0015


def test_noise_floor_measures_the_baseline_against_itself() -> None:
    quiet = stats.noise_floor([np.full(10, 100.0)] * 6, seed=0)
    moved = stats.noise_floor([np.full(10, 100.0)] * 3 + [np.full(10, 110.0)] * 3, seed=0)
    assert quiet is not None
    assert moved is not None
    assert quiet.log_ratio == 0.0
    assert moved.log_ratio == pytest.approx(math.log(1.1) / math.sqrt(2))
    assert (quiet.count, moved.count) == (10, 10)


def test_noise_floor_of_many_blocks_is_seeded_and_bounded() -> None:
    blocks = measured(center=100, blocks=24)
    first, second = stats.noise_floor(blocks, seed=4), stats.noise_floor(blocks, seed=4)
    assert first is not None
    assert first == second
    assert first.count == 126
    assert 0 < first.log_ratio < 0.02


def test_three_blocks_have_no_noise_floor() -> None:
    assert stats.noise_floor([np.ones(5)] * 3, seed=0) is None


def test_blocks_needed_follow_the_square_of_the_width() -> None:
    assert stats.blocks_needed(8, half_width=0.02, distance=0.01) == math.ceil(8 * 4 * 1.1)
    assert stats.blocks_needed(8, half_width=0.01, distance=0.5) == 9
    assert stats.blocks_needed(8, half_width=0.01, distance=0.0) == 800
