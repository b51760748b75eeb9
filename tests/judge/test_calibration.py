"""How often a decision is wrong when nothing changed, and how often it is made when something did: by simulation.

Sessions drift, their blocks wander together (AR(1)), and some blocks hold bursts of slow samples. docs/judging.md shows
the same table from more sessions.
"""

import math

import numpy as np
import pytest

from judge.stats import bootstrap_log_ratio, median, noise_floor, p_at_least, p_at_most, sketch, value_at
from judge.thresholds import ALPHA

SESSIONS = 60
DRAWS = 1_000

Blocks = list[np.ndarray]


def session(rng: np.random.Generator, *, blocks: int, each: int, ratio: float, between: float) -> tuple[Blocks, Blocks]:
    """Simulate ABBA blocks of step latencies: the baseline's, and those of a candidate faster by ``ratio``."""
    order, wander = ("ABBA" * blocks)[: 2 * blocks], 0.0
    arms: dict[str, Blocks] = {"A": [], "B": []}
    for index, arm in enumerate(order):
        wander = 0.5 * wander + rng.normal(0, between)
        center = 100 * math.exp(wander + 0.003 * (index / len(order) - 0.5)) / (ratio if arm == "B" else 1)
        block = center * np.exp(rng.normal(0, 0.01, each))
        if rng.random() < 0.1:
            block[rng.random(each) < 0.3] *= 1.3
        arms[arm].append(block)
    return arms["A"], arms["B"]


def decisions(
    claim: float, *, blocks: int, each: int, ratio: float, between: float = 0.004, sessions: int = SESSIONS
) -> tuple[int, int, int]:
    """How many sessions support a speed-up of at least ``claim``, contradict it, and cover the truth."""
    rng, supported, contradicted, covered = np.random.default_rng(5), 0, 0, 0
    for seed in range(sessions):
        baseline, candidate = session(rng, blocks=blocks, each=each, ratio=ratio, between=between)
        kept = sketch(np.exp(bootstrap_log_ratio(candidate, baseline, seed=seed, draws=DRAWS)))
        value, noise = median(baseline) / median(candidate), noise_floor(baseline, seed=seed)
        assert noise is not None
        if abs(math.log(value / claim)) > noise.log_ratio:
            supported += value >= claim and p_at_most(kept, claim) <= ALPHA
            contradicted += value < claim and p_at_least(kept, claim) <= ALPHA
        covered += value_at(kept, ALPHA) <= ratio <= value_at(kept, 1 - ALPHA)
    return supported, contradicted, covered


@pytest.mark.parametrize(("blocks", "each", "between"), [(4, 8, 0.004), (8, 24, 0.004), (8, 24, 0.02)])
def test_no_change_is_hardly_ever_taken_for_one(blocks: int, each: int, between: float) -> None:
    supported, contradicted, covered = decisions(1.0, blocks=blocks, each=each, ratio=1.0, between=between)
    assert supported + contradicted <= 0.05 * SESSIONS
    assert covered >= 0.95 * SESSIONS


@pytest.mark.parametrize(("blocks", "each"), [(4, 8), (8, 24)])
def test_a_change_of_three_per_cent_is_seen(blocks: int, each: int) -> None:
    supported, contradicted, _ = decisions(1.0, blocks=blocks, each=each, ratio=1.03)
    assert supported >= 0.9 * SESSIONS
    assert contradicted == 0


def test_noise_larger_than_the_change_leaves_it_open() -> None:
    supported, _, _ = decisions(1.0, blocks=4, each=8, ratio=1.03, between=0.05)
    assert supported <= 0.2 * SESSIONS
