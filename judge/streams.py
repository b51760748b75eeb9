"""Token streams of two arms against one another: where greedy ones part and how surely, and whether sampled ones agree.

Greedy decoding amplifies rounding: after one near tie two correct programs go separate ways. What tells an error from
a near tie is how far apart the two candidates were at the first token that differs.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

import numpy as np
from scipy import special

from worker.bundle.record import Count, Positive, Record

NEAR_TIE_NATS = 0.1
"""Gap of log-probabilities below which rounding in bf16 explains that the order of two tokens changed."""
MIN_EXPECTED = 5.0
"""Least expected count of a token in the distribution test; rarer ones are counted together."""


Category = TypeVar("Category", int, tuple[str, int])
"""A token; or a prompt and a token, where several prompts are tested together."""


class Divergence(Record):
    """The first token at which two greedy streams differ."""

    position: Count
    baseline_token: Count | None
    candidate_token: Count | None
    """None: the stream had ended."""
    gap_nats: float | None
    """How much more the baseline preferred its own token to the candidate's; None: not known."""
    kind: Literal["near_tie", "confident_disagreement", "unknown"]


def first_divergence(
    baseline: Sequence[int], candidate: Sequence[int], *, logprobs: Sequence[Mapping[int, float]] = ()
) -> Divergence | None:
    """Find where two greedy streams part.

    Args:
        baseline: Token ids of the baseline.
        candidate: Token ids of the candidate.
        logprobs: The baseline's log-probabilities (natural logarithm) of its leading tokens at each position.

    Returns:
        None: the streams are equal.
    """
    for position in range(max(len(baseline), len(candidate))):
        ours = baseline[position] if position < len(baseline) else None
        theirs = candidate[position] if position < len(candidate) else None
        if ours == theirs:
            continue
        known = logprobs[position] if position < len(logprobs) else {}
        gap = None if ours is None or theirs is None else _gap(known, ours, theirs)
        return Divergence(position=position, baseline_token=ours, candidate_token=theirs, gap_nats=gap, kind=_kind(gap))
    return None


class StreamSummary(Record):
    """Many pairs of greedy streams."""

    pairs: Positive
    equal: Count
    near_ties: Count
    confident: Count
    """Pairs that part where the baseline was sure: each of them is an error, or another model."""
    unknown: Count
    first_position: Count | None
    """Earliest position at which any pair parts."""


def summarise_streams(found: Sequence[Divergence | None]) -> StreamSummary:
    """Count how pairs of streams part.

    Raises:
        ValueError: No pair was given: an empty set shows nothing.
    """
    if not found:
        raise ValueError("expected at least one pair of streams")
    parted = [one for one in found if one is not None]
    kinds = [one.kind for one in parted]
    return StreamSummary(
        pairs=len(found),
        equal=len(found) - len(parted),
        near_ties=kinds.count("near_tie"),
        confident=kinds.count("confident_disagreement"),
        unknown=kinds.count("unknown"),
        first_position=min((one.position for one in parted), default=None),
    )


class SamplesAgree(Record):
    """Whether two sets of sampled tokens come from one distribution."""

    statistic: float
    """G, twice the log-likelihood ratio."""
    categories: Positive
    p_value: float
    """Probability of a difference this large if the distributions are the same."""


def same_distribution(baseline: Sequence[Category], candidate: Sequence[Category]) -> SamplesAgree:
    """G-test of homogeneity on sampled tokens at one place, or on any other categories.

    Args:
        baseline: Category of each sample.
        candidate: Likewise; independent samples.

    Raises:
        ValueError: One side has no sample.

    Source:
        Sokal and Rohlf, Biometry, section 17.4; rare categories are pooled so that the limit distribution holds.
    """
    if not baseline or not candidate:
        raise ValueError(f"expected samples on both sides, got {len(baseline)} and {len(candidate)}")
    seen = (Counter(baseline), Counter(candidate))
    names = sorted(set(seen[0]) | set(seen[1]))
    counts = np.array([[side[name] for name in names] for side in seen])
    share = min(len(baseline), len(candidate)) / counts.sum()
    rare = counts.sum(axis=0) * share < MIN_EXPECTED
    if rare.any():
        counts = np.concatenate([counts[:, ~rare], counts[:, rare].sum(axis=1, keepdims=True)], axis=1)
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0, keepdims=True) / counts.sum()
    statistic = 2 * float(special.xlogy(counts, np.where(counts > 0, counts / expected, 1.0)).sum())
    freedom = counts.shape[1] - 1
    p_value = float(special.chdtrc(freedom, max(statistic, 0.0))) if freedom else 1.0
    return SamplesAgree(statistic=max(statistic, 0.0), categories=counts.shape[1], p_value=p_value)


def _gap(known: Mapping[int, float], ours: int, theirs: int) -> float | None:
    """How much more likely one token is than another, or at least is; None: nothing tells."""
    if ours not in known:
        return None
    if theirs in known:
        return known[ours] - known[theirs]
    # A token that is not among the leading ones is at most as likely as the last of them.
    least = known[ours] - min(known.values())
    return least if least > NEAR_TIE_NATS else None


def _kind(gap: float | None) -> Literal["near_tie", "confident_disagreement", "unknown"]:
    if gap is None or math.isnan(gap):
        return "unknown"
    return "near_tie" if gap <= NEAR_TIE_NATS else "confident_disagreement"
