"""Where greedy streams part, how surely, and whether sampled tokens come from one distribution."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as distributions

from judge.streams import Divergence, first_divergence, same_distribution, summarise_streams

tokens = st.lists(st.integers(0, 5), max_size=12)


@given(tokens)
def test_equal_streams_never_part(stream: list[int]) -> None:
    assert first_divergence(stream, stream) is None


@given(tokens, tokens)
def test_the_first_difference_is_found_from_both_sides(first: list[int], second: list[int]) -> None:
    forth, back = first_divergence(first, second), first_divergence(second, first)
    assert (forth is None) == (back is None) == (first == second)
    if forth is not None and back is not None:
        assert first[: forth.position] == second[: forth.position]
        assert first[forth.position : forth.position + 1] != second[forth.position : forth.position + 1]
        assert (back.position, back.baseline_token) == (forth.position, forth.candidate_token)


@pytest.mark.parametrize(
    ("at_two", "gap", "kind"),
    [
        ({7: -0.70, 9: -0.72}, 0.02, "near_tie"),
        ({7: -0.01, 9: -6.0}, 5.99, "confident_disagreement"),
        ({7: -0.01, 4: -5.0}, 4.99, "confident_disagreement"),
        ({7: -0.70, 4: -0.71}, None, "unknown"),
        ({7: -0.01}, None, "unknown"),
        ({}, None, "unknown"),
    ],
)
def test_the_gap_tells_a_near_tie_from_an_error(at_two: dict[int, float], gap: float | None, kind: str) -> None:
    found = first_divergence([1, 2, 7, 3], [1, 2, 9, 3], logprobs=[{}, {}, at_two])
    assert found is not None
    assert (found.position, found.kind) == (2, kind)
    assert found.gap_nats == (None if gap is None else pytest.approx(gap))


def test_a_stream_that_ends_early_parts_there() -> None:
    found = first_divergence([1, 2, 3], [1, 2], logprobs=[{}, {}, {3: -0.1, 4: -3.0}])
    assert found == Divergence(position=2, baseline_token=3, candidate_token=None, gap_nats=None, kind="unknown")


def test_pairs_are_counted_by_kind() -> None:
    tie = first_divergence([1, 2], [1, 3], logprobs=[{}, {2: -0.7, 3: -0.7}])
    sure = first_divergence([1, 2, 4], [1, 2, 3], logprobs=[{}, {}, {4: 0.0, 3: -9.0}])
    found = summarise_streams([None, tie, sure, first_divergence([1], [2])])
    assert (found.pairs, found.equal, found.near_ties, found.confident, found.unknown) == (4, 1, 1, 1, 1)
    assert found.first_position == 0
    with pytest.raises(ValueError, match="at least one pair"):
        summarise_streams([])


def test_the_distribution_test_is_the_g_test() -> None:
    first, second = [0] * 40 + [1] * 60, [0] * 55 + [1] * 45
    expected = distributions.chi2_contingency([[40, 60], [55, 45]], correction=False, lambda_="log-likelihood")
    found = same_distribution(first, second)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)


def test_equal_distributions_are_rarely_refused_and_different_ones_are() -> None:
    rng = np.random.default_rng(3)
    shares = np.array([0.5, 0.3, 0.15, 0.04, 0.01])
    same = [
        same_distribution(rng.choice(5, 400, p=shares).tolist(), rng.choice(5, 400, p=shares).tolist()).p_value
        for _ in range(400)
    ]
    assert 0.02 <= np.mean([p < 0.05 for p in same]) <= 0.09
    sharper = shares**2 / (shares**2).sum()  # half the temperature
    other = same_distribution(rng.choice(5, 400, p=shares).tolist(), rng.choice(5, 400, p=sharper).tolist())
    assert other.p_value < 1e-6


def test_rare_tokens_are_counted_together() -> None:
    found = same_distribution([0] * 50 + list(range(10, 20)), [0] * 50 + list(range(20, 30)))
    assert found.categories == 2
    assert found.p_value == pytest.approx(1.0)
    assert same_distribution([1, 2], [3]).p_value == 1.0


def test_nothing_agrees_with_nothing() -> None:
    with pytest.raises(ValueError, match="samples on both sides"):
        same_distribution([], [1])
