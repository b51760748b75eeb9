"""Whether a second run of the same suite came to the same result as the first."""

import math
from collections.abc import Sequence
from typing import Literal

from judge.cells import CellSummary
from judge.comparability import Difference, differing
from judge.estimates import Estimate
from worker.bundle.record import Identifier, Label, Record, Sha256

TOLERANCE = 0.05
"""Relative distance between two ratios, or absolute distance between two accuracy differences, that counts as none."""

Outcome = Literal["reproduced", "differs", "inconclusive", "not_comparable"]


class ReproducedCell(Record):
    """One cell of the first run, and what became of it in the second."""

    cell: Identifier
    metric: Label
    outcome: Outcome
    first: Estimate | None
    """Candidate against baseline in the first run."""
    second: Estimate | None
    """The same in the second."""
    differing: tuple[Difference, ...]
    """Why the two runs cannot be compared here; a = first run."""


class Reproduction(Record):
    """What ``byogpu reproduce`` prints."""

    first: Sha256
    second: Sha256
    outcome: Outcome
    tolerance: float
    cells: tuple[ReproducedCell, ...]
    missing: tuple[Identifier, ...]
    """Cells of the first run that the second does not have."""


def reproduction(first: Sequence[CellSummary], second: Sequence[CellSummary], *, ids: tuple[str, str]) -> Reproduction:
    """Compare the candidate-against-baseline results of two runs, cell by cell.

    What is reproduced is the *change*, not the absolute time: two cards of one class differ by more than most changes.

    Args:
        first: Cells of the run to be reproduced.
        second: Cells of the new run.
        ids: Ids of the two bundles.

    Returns:
        ``differs`` if any cell differs; ``reproduced`` if every comparable cell is, and there is one; else
        ``inconclusive``, or ``not_comparable`` when no cell could be compared.
    """
    again = {(cell.eval_id, cell.cell.id, cell.cell.metric): cell for cell in second}
    cells, missing = [], []
    for cell in first:
        partner = again.get((cell.eval_id, cell.cell.id, cell.cell.metric))
        if partner is None:
            missing.append(cell.cell.id)
        else:
            cells.append(_cell(cell, partner))
    return Reproduction(
        first=ids[0],
        second=ids[1],
        outcome=_overall([cell.outcome for cell in cells]),
        tolerance=TOLERANCE,
        cells=tuple(cells),
        missing=tuple(missing),
    )


def _cell(first: CellSummary, second: CellSummary) -> ReproducedCell:
    differences = _differences(first, second)
    return ReproducedCell(
        cell=first.cell.id,
        metric=first.cell.metric,
        outcome="not_comparable" if differences else _outcome(first.estimate, second.estimate),
        first=first.estimate,
        second=second.estimate,
        differing=differences,
    )


def _differences(first: CellSummary, second: CellSummary) -> tuple[Difference, ...]:
    found: dict[str, Difference] = {}
    for cell in (first, second):
        found |= {one.field: one for one in cell.differing}
    for arm in first.arms:
        other = second.arm(arm.arm)
        if other is not None:
            found |= {one.field: one for one in differing(arm.key, other.key)}
    return tuple(found.values())


def _outcome(first: Estimate | None, second: Estimate | None) -> Outcome:
    if first is None or second is None or first.kind != second.kind:
        return "inconclusive"
    distance = abs(_place(second.value, first.kind) - _place(first.value, first.kind))
    reach = math.hypot(_half_width(first), _half_width(second))
    limit = math.log1p(TOLERANCE) if first.kind == "ratio" else TOLERANCE
    if distance + reach <= limit:
        return "reproduced"
    return "differs" if distance - reach > limit else "inconclusive"


def _half_width(estimate: Estimate) -> float:
    return abs(_place(estimate.high, estimate.kind) - _place(estimate.low, estimate.kind)) / 2


def _place(value: float, kind: Literal["ratio", "difference"]) -> float:
    return math.log(value) if kind == "ratio" else value


def _overall(outcomes: Sequence[Outcome]) -> Outcome:
    if "differs" in outcomes:
        return "differs"
    compared = [outcome for outcome in outcomes if outcome != "not_comparable"]
    if not compared:
        return "not_comparable"
    return "reproduced" if all(outcome == "reproduced" for outcome in compared) else "inconclusive"
