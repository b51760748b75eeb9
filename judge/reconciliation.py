"""Whether the times of kernels explain the time of the steps that they are said to make up."""

from collections.abc import Mapping, Sequence

import numpy as np

from judge.tables import Floats, StepTable
from worker.bundle.record import Amount, Label, Positive, Record
from worker.bundle.samples import KernelTimeRow

TOLERANCE = 0.10
"""Share of a step that may stay unexplained, either way: timers, launches, what the host does around the kernels."""
LEAST_US, MOST_US = 1e-3, 1e12
"""A step outside of these is none, and numbers made from it need not be finite."""
MAX_KERNELS = 12
"""Kernels that a reconciliation lists, those that take most of the step first."""


class KernelTime(Record):
    """One kernel of a step."""

    name: Label
    launches: Positive
    """In one step: usually once in each layer of its kind."""
    total_us: Amount
    """Of all its launches in one step, median over the steps."""


class Reconciliation(Record):
    """A step's time against the sum of its parts."""

    step_us: Amount
    """Median of the timed steps of the blocks whose kernels were timed."""
    kernels_us: Amount
    """Of the step whose kernels and gaps together take the median time; of an even number, the two in the middle."""
    gaps_us: Amount
    residual_us: float
    """What kernels and gaps do not explain; below 0: they take longer than the step, as gaps do under a tracer."""
    residual_share: float
    explained: bool
    """Whether the kernels fit into the step, and fill it together with the gaps, within `TOLERANCE`."""
    kernels: tuple[KernelTime, ...] = ()
    """At most `MAX_KERNELS`; empty in records stored before they were listed."""


def reconciled(steps: StepTable, rows: Sequence[KernelTimeRow]) -> Reconciliation | None:
    """Reconcile the kernels of one cell and arm with its steps.

    Returns:
        None: `misfit` says why nothing can be added up.
    """
    if misfit(steps, rows) is not None:
        return None
    blocks = sorted({row.block for row in rows})
    step_us = float(np.median(steps.latency_us[np.isin(steps.block, blocks)]))
    kernels = _totals(rows, blocks, gaps=False)
    gaps = _totals(rows, blocks, gaps=True)
    return reconcile(step_us, kernels, gaps_us=gaps, listed=_listed(rows))


def reconcile(
    step_us: float, kernels_us: Floats, *, gaps_us: Floats, listed: Sequence[KernelTime] = ()
) -> Reconciliation:
    """Compare a step with what kernels and gaps add up to in the median step.

    A tracer leaves kernels as they are and delays their launches, so a step may be shorter than its traced gaps allow,
    and not shorter than its kernels.

    Each step is added up before the median is taken: what delays a step delays now one kernel and now another, and the
    median of none of them shows it.

    Args:
        step_us: Median time of the step, above 0.
        kernels_us: Time of all kernels in each step, ``[steps]``.
        gaps_us: Time of each step in which no kernel ran, ``[steps]``.
        listed: Kernels to list.
    """
    order = np.argsort(kernels_us + gaps_us, kind="stable")
    middle = order[(len(order) - 1) // 2 : len(order) // 2 + 1]
    kernels, gaps = float(kernels_us[middle].mean()), float(gaps_us[middle].mean())
    residual = step_us - kernels - gaps
    return Reconciliation(
        step_us=step_us,
        kernels_us=kernels,
        gaps_us=gaps,
        residual_us=residual,
        residual_share=residual / step_us,
        explained=kernels - TOLERANCE * step_us <= step_us <= kernels + gaps + TOLERANCE * step_us,
        kernels=tuple(sorted(listed, key=lambda one: (-one.total_us, one.name))[:MAX_KERNELS]),
    )


def misfit(steps: StepTable, rows: Sequence[KernelTimeRow]) -> str | None:
    """Say why rows cannot be added up to a step; None: they can."""
    kernels = [row for row in rows if row.kernel is not None]
    if not kernels:
        return "no kernel was timed, only gaps" if rows else "no kernel was timed"
    for block in sorted({row.block for row in rows}):
        counts = sorted({_steps(row) for row in rows if row.block == block})
        if len(counts) > 1:
            return f"the kernels of block {block} are of {counts[0]} and of {counts[-1]} steps"
        timed = steps.latency_us[steps.block == block]
        if not len(timed):
            return f"block {block} has no timed step"
        if not LEAST_US <= float(np.median(timed)) <= MOST_US:
            return f"no step of block {block} can take what its steps are said to"
    if max(max(row.times_us) for row in rows) * sum(len(row.times_us) for row in rows) > MOST_US:
        return "no step can be made of kernels that take so long"
    return None


def _steps(row: KernelTimeRow) -> int:
    return len(row.times_us) // row.launches


def _by_step(row: KernelTimeRow) -> Floats:
    total: Floats = np.asarray(row.times_us, dtype=np.float64).reshape(-1, row.launches).sum(axis=1)
    return total


def _totals(rows: Sequence[KernelTimeRow], blocks: Sequence[int], *, gaps: bool) -> Floats:
    """Kernels or gaps of each step, block after block; a block without gap rows has none."""
    totals: Mapping[int, Floats] = {
        block: np.zeros(next(_steps(row) for row in rows if row.block == block)) for block in blocks
    }
    for row in rows:
        if (row.kernel is None) == gaps:
            totals[row.block][:] += _by_step(row)
    return np.concatenate(list(totals.values()))


def _listed(rows: Sequence[KernelTimeRow]) -> list[KernelTime]:
    """Kernels by name and launches, each over all steps that it has rows of."""
    found: dict[tuple[str, int], list[Floats]] = {}
    for row in rows:
        if row.kernel is not None:
            found.setdefault((row.kernel, row.launches), []).append(_by_step(row))
    return [
        KernelTime(name=name, launches=launches, total_us=float(np.median(np.concatenate(parts))))
        for (name, launches), parts in found.items()
    ]
