"""What each metric means: unit, direction, statistic and definition. One table, used by every part of the judge.

The sentences here are the glossary's; a change of meaning raises the metric's ``version``, and two versions of a
metric are not comparable.
"""

from typing import Literal

from worker.bundle.record import Label, Positive, Record
from worker.bundle.schema import Metric

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
    definition: Label


_TABLE: tuple[tuple[Metric, str, Better, ClaimKind, str, str, str], ...] = (
    ("step_latency_us", "µs", "lower", "speed", "median", "step", "Time of one decode step, as the engine timed it."),
    (
        "ttft_ms",
        "ms",
        "lower",
        "speed",
        "median",
        "request",
        "From sending a request to the arrival of its first output token.",
    ),
    (
        "tpot_ms",
        "ms",
        "lower",
        "speed",
        "median",
        "request",
        "(last token - first token) / (output tokens - 1) of one request with at least two tokens.",
    ),
    (
        "itl_ms",
        "ms",
        "lower",
        "speed",
        "median",
        "gap",
        "Time between two successive arrivals of one request's output tokens.",
    ),
    ("e2e_ms", "ms", "lower", "speed", "median", "request", "From sending a request to the end of its answer."),
    (
        "output_tokens_per_s",
        "tokens/s",
        "higher",
        "speed",
        "median",
        "block",
        "Output tokens of a block's finished requests by the block's length, first start to last end.",
    ),
    (
        "requests_per_s",
        "requests/s",
        "higher",
        "speed",
        "median",
        "block",
        "Finished requests of a block by the block's length, first start to last end.",
    ),
    ("score", "score", "higher", "accuracy", "mean", "document", "Mean over documents of the task's own score."),
    (
        "max_relative_error",
        "relative error",
        "lower",
        "numerics",
        "maximum",
        "case",
        "Largest relative error of an operator against its float64 reference, over all cases.",
    ),
)

METRICS: dict[Metric, MetricDefinition] = {
    row[0]: MetricDefinition.model_validate(
        dict(
            zip(
                ("metric", "unit", "better", "kind", "statistic", "sample", "definition", "version"),
                (*row, 1),
                strict=True,
            )
        )
    )
    for row in _TABLE
}
"""Every metric of the bundle format."""
