"""The comparability key: what must agree before two numbers may share a ratio, an axis or a verdict.

The key is total: for every pair, `differing` is empty (comparable) or names each field that differs. ``unknown``
equals ``unknown`` and nothing else; `unverified` lists the fields that agree only in that way, so that they are shown.
"""

from typing import Literal

from judge.thresholds import CONCURRENCY_TOLERANCE
from worker.bundle.record import Amount, Count, Label, Positive, Record, Sha256, Unknown
from worker.bundle.schema import Metric, Phase


class ComparabilityKey(Record):
    """Identity of one number: one arm of one cell. Every field takes part in the comparison."""

    metric: Metric
    metric_version: Positive
    phase: Phase
    hardware: Label | Unknown
    """GPU classes, sorted and joined; the CPU model on a machine without a GPU."""
    gpu_count: Count | Unknown
    tensor_parallel: Positive | Unknown
    context_parallel: Positive | Unknown
    model: Label | Unknown
    quantization: Label | Unknown
    weights_digest: Sha256 | Unknown
    draft_digest: Sha256 | Unknown | None
    tokenizer_digest: Sha256 | Unknown
    chat_template_digest: Sha256 | Unknown | None
    acceptance: Literal["none", "natural", "synthetic"] | Unknown
    acceptance_length: Amount | None
    """The simulated length; None unless acceptance is synthetic."""
    drafts: Count | Unknown
    speculation_method: Label | None
    context_tokens: Count | Unknown | None
    input_tokens: Positive | Unknown | None
    output_tokens: Positive | Unknown | None
    """None, as for the two above: the eval has no such coordinate."""
    task: Label | None
    documents: Sha256 | Unknown | None
    """Digest over the documents and prompts of an accuracy cell; None for other metrics."""
    requested_batch: Positive | Unknown | None
    """None where a batch means nothing: accuracy and numerics."""
    achieved_concurrency: Amount | Unknown | None
    """Rows of a decode step, or requests in flight, recomputed from rows or the ledger; never from a configuration."""


class Difference(Record):
    """One field in which two keys differ."""

    field: Label
    a: Label
    b: Label


def concurrency_agrees(first: float, second: float) -> bool:
    """Whether two achieved concurrencies, or achieved and requested, count as the same."""
    return abs(first - second) <= CONCURRENCY_TOLERANCE * max(first, second)


def differing(a: ComparabilityKey, b: ComparabilityKey) -> tuple[Difference, ...]:
    """Name every field in which two keys differ; empty: comparable.

    A batch that was requested and not reached differs from any other, even from one that fell short just as much:
    the number is not about the batch it is filed under.

    Args:
        a: One key.
        b: The other; exchanging them exchanges the two sides of each difference and changes nothing else.
    """
    found = []
    for field in ComparabilityKey.model_fields:
        first, second = getattr(a, field), getattr(b, field)
        if field == "achieved_concurrency":
            if not (_reached(a) and _reached(b) and _same_concurrency(a, b)):
                found.append(Difference(field=field, a=_achieved(a), b=_achieved(b)))
        elif first != second:
            found.append(Difference(field=field, a=_shown(first), b=_shown(second)))
    return tuple(found)


def unverified(a: ComparabilityKey, b: ComparabilityKey) -> tuple[str, ...]:
    """Fields that are unknown on both sides: nothing says that they differ, and nothing that they agree."""
    return tuple(f for f in ComparabilityKey.model_fields if getattr(a, f) == "unknown" == getattr(b, f))


def _reached(key: ComparabilityKey) -> bool:
    requested, achieved = key.requested_batch, key.achieved_concurrency
    if isinstance(requested, int) and isinstance(achieved, float):
        return concurrency_agrees(achieved, requested)
    return True


def _same_concurrency(a: ComparabilityKey, b: ComparabilityKey) -> bool:
    first, second = a.achieved_concurrency, b.achieved_concurrency
    if isinstance(first, float) and isinstance(second, float):
        return concurrency_agrees(first, second)
    return first == second


def _achieved(key: ComparabilityKey) -> str:
    achieved, requested = key.achieved_concurrency, key.requested_batch
    shown = f"{achieved:.2f}" if isinstance(achieved, float) else _shown(achieved)
    return f"{shown} of {requested} requested" if isinstance(requested, int) else shown


def _shown(value: object) -> str:
    return "none" if value is None else str(value)[:200]
