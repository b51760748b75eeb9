"""Two bundles side by side: which of their numbers may be compared, and what comes out."""

from dataclasses import dataclass

from judge.accuracy import difference, pair, scores
from judge.cells import ArmSummary, CellSummary
from judge.comparability import Difference, differing, unverified
from judge.estimates import Estimate
from judge.evidence import Evidence
from judge.metrics import METRICS, Better
from judge.series import MeasuredCell, measured_cells, series
from judge.summarise import kept_blocks, ratio, seed_of, summarise
from judge.tables import Floats
from worker.bundle.record import Identifier, Label, Record, Sha256
from worker.bundle.schema import ArmName, Cell


class ComparedCell(Record):
    """One arm of a cell of A against one arm of a cell of B."""

    metric: Label
    unit: Label
    better: Better
    cell_a: Identifier
    cell_b: Identifier
    arm_a: ArmName
    arm_b: ArmName
    a: ArmSummary
    b: ArmSummary
    comparable: bool
    differing: tuple[Difference, ...]
    unverified: tuple[Label, ...]
    """Fields unknown on both sides."""
    estimate: Estimate | None
    """B against A: a ratio above 1, or a positive difference, says that B is better. None when not comparable, or too
    small."""


class Comparison(Record):
    """What ``byogpu compare A B`` prints and the compare page shows."""

    a: Sha256
    b: Sha256
    comparable: bool
    """Every pair of cells is comparable, and there is at least one."""
    differing: tuple[Difference, ...]
    """Every distinct difference of any pair, in the order of the pairs and the key's fields."""
    cells: tuple[ComparedCell, ...]
    only_a: tuple[Identifier, ...]
    only_b: tuple[Identifier, ...]
    """Cells without a partner."""


@dataclass(frozen=True)
class _Side:
    """One arm of one cell of one bundle."""

    evidence: Evidence
    measured: MeasuredCell
    summary: CellSummary
    arm: ArmSummary


def compare(a: Evidence, b: Evidence) -> Comparison:
    """Compare two bundles cell by cell.

    Cells are partners if they agree in metric, task, batch, context, lengths and speculation. For a metric and task
    without any partners, every cell meets every other, so that the answer names the fields in which they differ. An arm
    of A meets the arm of the same name in B; if each bundle has a single arm, those two meet. A bundle compared with
    itself compares its candidate (as B) with its baseline (as A).

    Args:
        a: One bundle, its rows read.
        b: The other, or the same.
    """
    mine, theirs = _sides(a), _sides(b)
    single = all(len({side.arm.arm for side in sides}) == 1 for sides in (mine, theirs))
    if a.bundle_id == b.bundle_id:
        mine = [side for side in mine if side.arm.arm == "baseline"]
        theirs = [side for side in theirs if side.arm.arm == "candidate"]
    pairs = _partners(mine, theirs, same_arm=a.bundle_id != b.bundle_id and not single)
    compared = tuple(_compare(first, second) for first, second in pairs)
    found = [difference for cell in compared for difference in cell.differing]
    return Comparison(
        a=a.bundle_id,
        b=b.bundle_id,
        comparable=bool(compared) and all(cell.comparable for cell in compared),
        differing=tuple(dict.fromkeys(found)),
        cells=compared,
        only_a=_alone(mine, [first for first, _ in pairs]),
        only_b=_alone(theirs, [second for _, second in pairs]),
    )


def _sides(evidence: Evidence) -> list[_Side]:
    pairs = zip(measured_cells(evidence), summarise(evidence), strict=True)
    return [_Side(evidence, cell, summary, arm) for cell, summary in pairs for arm in summary.arms]


def _partners(mine: list[_Side], theirs: list[_Side], *, same_arm: bool) -> list[tuple[_Side, _Side]]:
    meeting = [
        (first, second)
        for first in mine
        for second in theirs
        if _subject(first) == _subject(second) and (not same_arm or first.arm.arm == second.arm.arm)
    ]
    exact = [pair for pair in meeting if _coordinates(pair[0]) == _coordinates(pair[1])]
    partnered = {_subject(first) for first, _ in exact}
    return [pair for pair in meeting if pair in exact or _subject(pair[0]) not in partnered]


def _subject(side: _Side) -> tuple[str, str | None]:
    return side.summary.cell.metric, side.summary.cell.task


def _coordinates(side: _Side) -> tuple[object, ...]:
    ignored = {"id", "arms", "tensor_parallel", "context_parallel"}
    return tuple(repr(getattr(side.summary.cell, name)) for name in Cell.model_fields if name not in ignored)


def _compare(first: _Side, second: _Side) -> ComparedCell:
    differences = differing(first.arm.key, second.arm.key)
    return ComparedCell(
        metric=first.summary.cell.metric,
        unit=first.summary.unit,
        better=first.summary.better,
        cell_a=first.summary.cell.id,
        cell_b=second.summary.cell.id,
        arm_a=first.arm.arm,
        arm_b=second.arm.arm,
        a=first.arm,
        b=second.arm,
        comparable=not differences,
        differing=differences,
        unverified=unverified(first.arm.key, second.arm.key),
        estimate=None if differences else _estimate(first, second),
    )


def _estimate(first: _Side, second: _Side) -> Estimate | None:
    definition = METRICS[first.summary.cell.metric]
    match definition.kind:
        case "speed":
            ours, theirs = _blocks(first), _blocks(second)
            small = min(first.arm.samples, second.arm.samples) < max(
                first.summary.sample_floor, second.summary.sample_floor
            )
            seed = seed_of(
                *(f"{side.evidence.bundle_id} {side.summary.cell.id} {side.arm.arm}" for side in (first, second))
            )
            return None if small else ratio(ours, theirs, definition, seed=seed)
        case "accuracy":
            before, after = (scores(side.evidence, side.measured, side.arm.arm) for side in (first, second))
            return difference(pair(before, after)) if before and after else None
        case "numerics":
            return None


def _blocks(side: _Side) -> list[Floats]:
    found = series(side.evidence, side.measured, side.arm.arm)
    return found.blocks(kept_blocks(side.evidence, side.measured)[side.arm.arm]) if found else []


def _alone(sides: list[_Side], partnered: list[_Side]) -> tuple[str, ...]:
    known = {side.summary.cell.id for side in partnered}
    return tuple(dict.fromkeys(side.summary.cell.id for side in sides if side.summary.cell.id not in known))
