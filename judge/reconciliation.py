"""Whether the times of kernels explain the time of the step that they are said to make up."""

from collections.abc import Sequence
from statistics import median

from worker.bundle.record import Amount, Label, Positive, Record
from worker.bundle.samples import KernelTimeRow

TOLERANCE = 0.10
"""Share of a step that may stay unexplained, either way: timers, overlapping kernels, launches."""


class KernelTime(Record):
    """One kernel of a step."""

    name: Label
    launches: Positive
    """In one step: usually once in each layer of its kind."""
    median_us: Amount


class Reconciliation(Record):
    """A step's time against the sum of its parts."""

    step_us: Amount
    kernels_us: Amount
    gaps_us: Amount
    residual_us: float
    """What kernels and gaps do not explain; below 0: they take longer than the step that they are part of."""
    residual_share: float
    explained: bool


def reconciled(step_us: float, rows: Sequence[KernelTimeRow]) -> Reconciliation | None:
    """Reconcile the rows of one cell and arm with its step.

    Returns:
        None: no row is of a kernel, so there is nothing to explain the step by.
    """
    kernels = [
        KernelTime(name=row.kernel, launches=row.launches, median_us=median(row.times_us))
        for row in rows
        if row.kernel is not None
    ]
    gaps_us = sum(row.launches * median(row.times_us) for row in rows if row.kernel is None)
    return reconcile(step_us, kernels, gaps_us=gaps_us) if kernels and step_us > 0 else None


def reconcile(step_us: float, kernels: Sequence[KernelTime], *, gaps_us: float) -> Reconciliation:
    """Add up kernels and gaps and compare them with the step.

    Args:
        step_us: Median time of the step.
        kernels: Every kernel of it.
        gaps_us: Time of one step in which no kernel ran.

    Raises:
        ValueError: The step has no time, or no kernel was given: nothing can be explained by nothing.
    """
    if step_us <= 0 or not kernels:
        raise ValueError(f"expected a step and its kernels, got {step_us} µs and {len(kernels)} kernels")
    kernels_us = sum(one.launches * one.median_us for one in kernels)
    residual_us = step_us - kernels_us - gaps_us
    return Reconciliation(
        step_us=step_us,
        kernels_us=kernels_us,
        gaps_us=gaps_us,
        residual_us=residual_us,
        residual_share=residual_us / step_us,
        explained=abs(residual_us) <= TOLERANCE * step_us,
    )
