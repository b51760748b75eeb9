"""Whether a second run of the same thing gives the same result: both runs' ratios, cell by cell."""

import math
from collections.abc import Sequence
from typing import Literal

from judge.cells import CellSummary
from judge.comparability import Difference, differing
from judge.estimates import Estimate
from judge.thresholds import REPRODUCTION_TOLERANCE
from worker.bundle.record import Amount, Identifier, Label, Record, Sha256

Reproduced = Literal["reproduced", "differs", "undecided"]


class ReproducedCell(Record):
    """One cell in both runs."""

    cell: Identifier
    metric: Label
    first: Estimate | None
    second: Estimate | None
    differing: tuple[Difference, ...]
    """Comparability fields in which the runs' baselines or candidates differ, a = first run."""
    outcome: Reproduced
    """``undecided``: not comparable, too small, or the intervals do not tell."""


class Reproduction(Record):
    """A result and its repetition."""

    first: Sha256
    second: Sha256
    tolerance: Amount
    """Largest relative difference between the two ratios, or difference in score, that counts as the same."""
    outcome: Reproduced
    """``differs`` if any cell does; ``reproduced`` if every cell of the first run is."""
    cells: tuple[ReproducedCell, ...]
    missing: tuple[Identifier, ...]
    """Cells of the first run that the second has not."""


def reproduction(first: Sequence[CellSummary], second: Sequence[CellSummary], *, ids: tuple[str, str]) -> Reproduction:
    """Hold a second run against the first.

    A cell is reproduced if the two values lie within the tolerance, and differs if they do not and the intervals stay
    apart as well.

    Args:
        first: Cells of the first run.
        second: Cells of its repetition.
        ids: Their bundle ids.
    """
    again = {(one.cell.id, one.cell.metric): one for one in second}
    wanted = [one for one in first if len(one.arms) == 2 and one.kind != "numerics"]
    both = [(one, again[one.cell.id, one.cell.metric]) for one in wanted if (one.cell.id, one.cell.metric) in again]
    cells = tuple(_cell(one, other) for one, other in both)
    missing = [one.cell.id for one in wanted if (one.cell.id, one.cell.metric) not in again]
    outcomes = {cell.outcome for cell in cells}
    outcome: Reproduced = "undecided"
    if "differs" in outcomes:
        outcome = "differs"
    elif outcomes == {"reproduced"} and not missing:
        outcome = "reproduced"
    return Reproduction(
        first=ids[0],
        second=ids[1],
        tolerance=REPRODUCTION_TOLERANCE,
        outcome=outcome,
        cells=cells,
        missing=tuple(dict.fromkeys(missing)),
    )


def _cell(first: CellSummary, second: CellSummary) -> ReproducedCell:
    differences: list[Difference] = []
    for arm in first.arms:
        other = second.arm(arm.arm)
        if other is not None:
            differences += differing(arm.key, other.key)
    outcome: Reproduced = "undecided"
    if not differences and first.estimate is not None and second.estimate is not None:
        outcome = _outcome(first.estimate, second.estimate)
    return ReproducedCell(
        cell=first.cell.id,
        metric=first.cell.metric,
        first=first.estimate,
        second=second.estimate,
        differing=tuple(dict.fromkeys(differences)),
        outcome=outcome,
    )


def _outcome(first: Estimate, second: Estimate) -> Reproduced:
    if first.kind == "difference":
        within = abs(first.value - second.value) <= REPRODUCTION_TOLERANCE
    else:
        within = abs(math.log(first.value / second.value)) <= math.log1p(REPRODUCTION_TOLERANCE)
    if within:
        return "reproduced"
    return "differs" if first.high < second.low or second.high < first.low else "undecided"
