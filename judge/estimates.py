"""Numbers with their uncertainty, as records that can be stored and judged again without the raw rows."""

from typing import Literal

from worker.bundle.record import Count, Positive, Record


class Quantile(Record):
    """One point of an estimate's distribution: a share ``p`` of it lies at or below ``value``."""

    p: float
    value: float


class Estimate(Record):
    """A comparison of the candidate with the baseline, and how sure it is.

    ``ratio``: oriented so that above 1 is always better, whatever the metric. ``difference``: candidate minus
    baseline in the metric's own unit (accuracy).
    """

    kind: Literal["ratio", "difference"]
    value: float
    low: float
    high: float
    """Bounds of the two-sided 95 % interval."""
    method: Literal["block_bootstrap", "paired_documents"]
    quantiles: tuple[Quantile, ...]
    """The distribution behind the interval, ascending; one-sided errors down to 0.0001 can be read from it."""


class Pairs(Record):
    """Documents answered by both arms, for 0/1 scores: who was right."""

    both: Count
    baseline_only: Count
    candidate_only: Count
    neither: Count
    mcnemar_p: float
    """Exact two-sided probability of flips this lopsided if the arms were equally good."""


class Drift(Record):
    """How far the baseline moved between its first and its last block."""

    ratio: float
    """Median of the last baseline block by that of the first."""
    exceeded: bool


class NoiseFloor(Record):
    """What a comparison of the baseline with itself shows: differences below it mean nothing."""

    ratio: float
    """Above 1; the largest apparent change, either way, between halves of the baseline's own blocks."""
    splits: Positive
