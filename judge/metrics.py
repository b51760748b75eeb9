"""What each metric means: unit, direction, statistic and definition. One table, used by every part of the judge.

The sentences here are the glossary's; a change of meaning raises the metric's ``version``, and two versions of a
metric are not comparable.
"""

from typing import Literal

from worker.bundle.record import Label, Positive, Record
from worker.bundle.schema import Metric, Phase

Better = Literal["lower", "higher"]
ClaimKind = Literal["speed", "accuracy", "numerics"]
"""What a metric is evidence about; findings say which kinds they bear on."""


class MetricDefinition(Record):
    """One metric."""

    metric: Metric
    version: Positive
    unit: Label
    better: Better
    kind: ClaimKind
    statistic: Literal["median", "mean", "maximum"]
    """What a cell's headline number is, over its samples."""
    sample: Literal["step", "request", "gap", "block", "document", "case"]
    """What one sample is."""
    phase: Phase | None
    """What part of a request the number covers; None: the cell says."""
    definition: Label


def _define(
    metric: Metric,
    unit: str,
    better: Better,
    kind: ClaimKind,
    statistic: Literal["median", "mean", "maximum"],
    sample: Literal["step", "request", "gap", "block", "document", "case"],
    phase: Phase | None,
    definition: str,
) -> MetricDefinition:
    return MetricDefinition(
        metric=metric, version=1, unit=unit, better=better, kind=kind, statistic=statistic, sample=sample, phase=phase,
        definition=definition,
    )  # fmt: skip


_DEFINITIONS = (
    _define("step_latency_us", "µs", "lower", "speed", "median", "step", None,
            "Time of one decode step, as the engine timed it."),
    _define("ttft_ms", "ms", "lower", "speed", "median", "request", "prefill",
            "From sending a request to the arrival of its first output token."),
    _define("tpot_ms", "ms", "lower", "speed", "median", "request", "decode",
            "(last token - first token) / (output tokens - 1) of one request with at least two output tokens."),
    _define("itl_ms", "ms", "lower", "speed", "median", "gap", "decode",
            "Time between two successive arrivals of one request's output tokens."),
    _define("e2e_ms", "ms", "lower", "speed", "median", "request", "request",
            "From sending a request to the end of its answer."),
    _define("output_tokens_per_s", "tokens/s", "higher", "speed", "median", "block", "request",
            "Output tokens of a block's finished requests by the block's length, first start to last end."),
    _define("requests_per_s", "requests/s", "higher", "speed", "median", "block", "request",
            "Finished requests of a block by the block's length, first start to last end."),
    _define("score", "score", "higher", "accuracy", "mean", "document", None,
            "Mean over documents of the task's own score."),
    _define("max_relative_error", "relative error", "lower", "numerics", "maximum", "case", None,
            "Largest relative error of an operator against its float64 reference, over all its cases."),
)  # fmt: skip

METRICS: dict[Metric, MetricDefinition] = {definition.metric: definition for definition in _DEFINITIONS}
"""Every metric of the bundle format."""

REQUEST_METRICS: tuple[Metric, ...] = (
    "ttft_ms", "tpot_ms", "itl_ms", "e2e_ms", "output_tokens_per_s", "requests_per_s",
)  # fmt: skip
"""What request rows can be evidence for: the rows of one cell give all six."""
