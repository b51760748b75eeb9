"""Statistics of a comparison. Pure: numpy and scipy, arrays in, numbers out, every random draw seeded.

Samples come as blocks, in the order in which they were measured: samples of one block share whatever the machine was
doing at that time, so blocks, not samples, are the independent units.

Source: docs/judging.md explains each choice and shows how often the whole procedure errs in simulation.
"""

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import special

from judge.estimates import Quantile
from judge.tables import Floats, Integers
from judge.thresholds import BOOTSTRAP_DRAWS, MAX_BOOTSTRAP_SAMPLES, MIN_BLOCKS

_ONE_SIDED = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25)
PROBABILITIES: tuple[float, ...] = (*_ONE_SIDED, 0.5, *(1 - p for p in reversed(_ONE_SIDED)))
"""Where an estimate's distribution is kept."""

_NEAR_MEDIAN = 0.01
_MAX_SPLITS = 126


def percentile(values: Floats, share: float, *, floor: int) -> float | None:
    """A percentile, or None with fewer than ``floor`` samples: it is not stated, never extrapolated.

    Args:
        values: Samples, ``[n]``.
        share: 0.5 for the median.
        floor: Fewest samples.
    """
    return float(np.quantile(values, share)) if len(values) >= max(floor, 1) else None


def bootstrap_log_ratio(
    baseline: Sequence[Floats], candidate: Sequence[Floats], *, seed: int, draws: int = BOOTSTRAP_DRAWS
) -> Floats:
    """Draw the log of candidate's median by baseline's median: blocks resampled, then samples within each.

    Few blocks make a bootstrap too sure of itself. The draws are therefore stretched about the point estimate by
    sqrt(k / (k - 1)), the bias of a variance from k blocks, and at every rank by Student's quantile over the normal
    one, for the degrees of freedom that the blocks of both arms leave: the further out in the tail, the more.

    Args:
        baseline: Positive samples of each block.
        candidate: Likewise. At least two blocks each.
        seed: Same seed, same draws. Exchanging the arms negates every draw.
        draws: How many.

    Returns:
        ``[draws]``, sorted.
    """
    point = math.log(median(candidate) / median(baseline))
    arms = (baseline, candidate)
    medians = [np.log(_median_draws(blocks, rng, draws)) for blocks, rng in zip(arms, _rngs(arms, seed), strict=True)]
    fewest, freedom = min(len(baseline), len(candidate)), len(baseline) + len(candidate) - 2
    spread = np.sort(medians[1] - medians[0] - point) * math.sqrt(fewest / (fewest - 1))
    return np.sort(point + spread * _student_by_normal(draws, freedom))


def median(blocks: Sequence[Floats]) -> float:
    """Median of all samples of all blocks."""
    return float(np.median(np.concatenate(blocks)))


def sketch(draws: Floats) -> tuple[Quantile, ...]:
    """Keep a distribution at `PROBABILITIES`."""
    values = np.quantile(draws, PROBABILITIES)
    return tuple(Quantile(p=p, value=float(value)) for p, value in zip(PROBABILITIES, values, strict=True))


def value_at(quantiles: Sequence[Quantile], p: float) -> float:
    """The kept quantile at one of `PROBABILITIES`."""
    return next(quantile.value for quantile in quantiles if math.isclose(quantile.p, p))


def p_at_most(quantiles: Sequence[Quantile], threshold: float) -> float:
    """Upper bound on the share of a distribution at or below a threshold: the error of claiming "more than that"."""
    return next((quantile.p for quantile in quantiles if quantile.value > threshold), 1.0)


def p_at_least(quantiles: Sequence[Quantile], threshold: float) -> float:
    """Upper bound on the share of a distribution at or above a threshold: the error of claiming "less than that"."""
    return next((1 - quantile.p for quantile in reversed(quantiles) if quantile.value < threshold), 1.0)


def p_outside(quantiles: Sequence[Quantile], low: float, high: float) -> float:
    """TOST: the larger of the two one-sided errors of claiming that the truth lies between ``low`` and ``high``."""
    return max(p_at_most(quantiles, low), p_at_least(quantiles, high))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down correction: errors that hold for the whole family at once, in the order given."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted, running = [1.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, p_values[index] * (len(p_values) - rank)))
        adjusted[index] = running
    return tuple(adjusted)


def mcnemar(baseline_only: int, candidate_only: int) -> float:
    """Exact two-sided McNemar test: probability of flips this lopsided if each flip were a fair coin."""
    flips = baseline_only + candidate_only
    if flips == 0:
        return 1.0
    return min(1.0, 2.0 * float(special.bdtr(min(baseline_only, candidate_only), flips, 0.5)))


def paired_difference(differences: Floats) -> tuple[float, float]:
    """Mean difference of paired scores in [0, 1], with a standard error that is honest when nothing flips.

    One document lost and one won are added (Bonett and Price 2012 for 0/1 scores, where this is exactly their
    adjusted Wald interval): without them, no flips among twelve documents would look like certainty.

    Args:
        differences: Candidate minus baseline, ``[n]``, each between -1 and 1.

    Returns:
        Centre and standard error of the interval.
    """
    n = len(differences) + 2
    centre = float(differences.sum()) / n
    variance = (float(np.square(differences).sum()) + 2.0) / n - centre**2
    return centre, math.sqrt(variance / n)


def normal_sketch(centre: float, error: float) -> tuple[Quantile, ...]:
    """A normal distribution, kept like a bootstrap's."""
    return tuple(Quantile(p=p, value=centre + error * float(special.ndtri(p))) for p in PROBABILITIES)


@dataclass(frozen=True)
class Splits:
    """What comparing the baseline with itself shows.

    Attributes:
        log_ratio: Apparent size of no change at all, as a positive log ratio.
        count: Splits tried.
    """

    log_ratio: float
    count: int


def noise_floor(blocks: Sequence[Floats], *, seed: int) -> Splits | None:
    """A/A noise floor: 95th percentile of the apparent change between halves of one arm's blocks.

    All splits into halves where there are at most 126 of them, else as many at random. A half has half the blocks of
    an arm, so its change is scaled by 1/sqrt(2) to the size of a comparison of whole arms.

    Returns:
        None with fewer than `MIN_BLOCKS` blocks.
    """
    count = len(blocks)
    if count < MIN_BLOCKS:
        return None
    half = count // 2
    if count <= 10:
        picks = [first for first in combinations(range(count), half) if 0 in first or count % 2]
    else:
        rng = np.random.default_rng(seed)
        picks = [tuple(rng.permutation(count)[:half].tolist()) for _ in range(_MAX_SPLITS)]
    halves = np.zeros((min(len(picks), _MAX_SPLITS), count))
    for row, first in zip(halves, picks, strict=False):
        row[list(first)] = 1
    grid, below = _distribution_functions(blocks)
    ours, theirs = (
        _inverted(grid, below, half / half.sum(axis=1, keepdims=True), np.full(len(half), 0.5))
        for half in (halves, 1 - halves)
    )
    found = np.abs(np.log(ours / theirs))
    return Splits(float(np.quantile(found, 0.95, method="higher")) / math.sqrt(2), len(found))


def blocks_needed(blocks: int, *, half_width: float, distance: float) -> int:
    """Blocks for each arm after which an interval of that half-width would be narrower than ``distance``."""
    return max(blocks + 1, math.ceil(blocks * (half_width / distance) ** 2 * 1.1)) if distance > 0 else blocks * 100


def _rngs(arms: Sequence[Sequence[Floats]], seed: int) -> list[np.random.Generator]:
    """A stream for each arm that depends on its samples and not on its place, so that a ratio inverts exactly."""
    own = [zlib.crc32(np.concatenate(blocks).tobytes()) for blocks in arms]
    if own[0] == own[1]:
        own[1] += 1  # identical samples must not move together
    return [np.random.default_rng((seed, number)) for number in own]


def _student_by_normal(draws: int, freedom: int) -> Floats:
    """Student's by the normal quantile at the rank of each sorted draw, ``[draws]``; about the median, its limit."""
    ranks = (np.arange(draws) + 0.5) / draws
    ranks = np.where(np.abs(ranks - 0.5) < _NEAR_MEDIAN, 0.5 - _NEAR_MEDIAN, ranks)
    found: Floats = special.stdtrit(freedom, ranks) / special.ndtri(ranks)
    return found


def _median_draws(blocks: Sequence[Floats], rng: np.random.Generator, draws: int) -> Floats:
    """Medians of two-stage resamples in which every block weighs the same, ``[draws]``.

    No sample is drawn one by one. With the blocks of a draw chosen, the share of its samples below a value is a sum of
    binomials about the blocks' own distribution functions; its normal limit moves the level at which their mean is
    inverted. Inverting is a bisection over the sorted samples, for all draws at once: the time depends on the number of
    blocks and hardly on that of samples.
    """
    count = len(blocks)
    grid, below = _distribution_functions(blocks)
    weights = rng.multinomial(count, np.full(count, 1 / count), size=draws) / count
    half = below[np.searchsorted(below.mean(axis=1), 0.5).clip(0, len(grid) - 1)]
    within = half * (1 - half) / np.array([len(block) for block in blocks]) / count
    level = 0.5 + rng.standard_normal(draws) * np.sqrt(weights @ within)
    return _inverted(grid, below, weights, level)


def _inverted(grid: Floats, below: Floats, weights: Floats, level: Floats) -> Floats:
    """Where the weighted mean of the blocks' distribution functions reaches a level, between samples on a line.

    Args:
        grid: Sorted values, ``[n]``.
        below: Each block's share of samples below each, ``[n, blocks]``.
        weights: Of the blocks, ``[draws, blocks]``.
        level: ``[draws]``.
    """
    low, high = np.full(len(level), -1), np.full(len(level), len(grid))
    for _ in range(len(grid).bit_length()):
        middle = ((low + high) // 2).clip(0, len(grid) - 1)
        under = _mixed(below, weights, middle) < level
        moving = high - low > 1
        low, high = np.where(moving & under, middle, low), np.where(moving & ~under, middle, high)
    left, right = low.clip(0), high.clip(None, len(grid) - 1)
    at_left, at_right = _mixed(below, weights, left), _mixed(below, weights, right)
    gap = np.where(at_right > at_left, at_right - at_left, 1.0)
    found: Floats = grid[left] + ((level - at_left) / gap).clip(0, 1) * (grid[right] - grid[left])
    return found


def _mixed(below: Floats, weights: Floats, column: Integers) -> Floats:
    """Weighted mean over blocks of their distribution functions, each draw at its own value, ``[draws]``."""
    found: Floats = np.einsum("db,db->d", below[column], weights)
    return found


def _distribution_functions(blocks: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Sorted distinct samples, evenly thinned to `MAX_BOOTSTRAP_SAMPLES`, and each block's share of samples below each.

    Half of those equal to a value count as below it, so that inverting the mean at 1/2 gives the usual median.

    Returns:
        ``[n]`` and ``[n, blocks]``.
    """
    grid = np.unique(np.concatenate(blocks))
    if len(grid) > MAX_BOOTSTRAP_SAMPLES:
        grid = grid[np.linspace(0, len(grid) - 1, MAX_BOOTSTRAP_SAMPLES).round().astype(np.int64)]
    columns = []
    for block in blocks:
        ordered = np.sort(block)
        shares = np.searchsorted(ordered, grid, "left") + np.searchsorted(ordered, grid, "right")
        columns.append(shares / (2 * len(block)))
    return grid, np.stack(columns, axis=1)
