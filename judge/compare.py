"""Two bundles side by side: which of their numbers may be compared, and what comes out."""

from collections.abc import Iterator

from judge.accuracy import difference, pair, scores
from judge.cells import ArmSummary, CellSummary
from judge.comparability import Difference, differing, unverified
from judge.estimates import Estimate
from judge.evidence import Evidence
from judge.metrics import METRICS, Better
from judge.series import MeasuredCell, measured_cells, series
from judge.summarise import kept_blocks, ratio, seed_of, summarise
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


def compare(a: Evidence, b: Evidence) -> Comparison:
    """Compare two bundles cell by cell.

    Cells are partners if they agree in metric, task, batch, context, lengths and speculation. An arm of A meets the arm
    of the same name in B; if each bundle has a single arm, those two meet. A bundle compared with itself compares its
    candidate (as B) with its baseline (as A).

    Args:
        a: One bundle, its rows read.
        b: The other, or the same.
    """
    mine, theirs = _cells(a), _cells(b)
    partners = [(one, other) for one in mine for other in theirs if _coordinates(one[1]) == _coordinates(other[1])]
    compared = tuple(
        _compare(a, b, one, other, first, second)
        for one, other in partners
        for first, second in _arm_pairs(one[1], other[1], same=a.bundle_id == b.bundle_id)
    )
    found = [difference for cell in compared for difference in cell.differing]
    return Comparison(
        a=a.bundle_id,
        b=b.bundle_id,
        comparable=bool(compared) and all(cell.comparable for cell in compared),
        differing=tuple(dict.fromkeys(found)),
        cells=compared,
        only_a=_alone(mine, [one for one, _ in partners]),
        only_b=_alone(theirs, [other for _, other in partners]),
    )


_Pair = tuple[MeasuredCell, CellSummary]


def _cells(evidence: Evidence) -> list[_Pair]:
    pairs = zip(measured_cells(evidence), summarise(evidence), strict=True)
    return [(cell, summary) for cell, summary in pairs if summary.arms]


def _coordinates(summary: CellSummary) -> tuple[object, ...]:
    ignored = {"id", "arms", "tensor_parallel", "context_parallel"}
    return tuple(repr(getattr(summary.cell, name)) for name in Cell.model_fields if name not in ignored)


def _arm_pairs(first: CellSummary, second: CellSummary, *, same: bool) -> Iterator[tuple[ArmName, ArmName]]:
    ours, theirs = [arm.arm for arm in first.arms], [arm.arm for arm in second.arms]
    if same:
        if len(ours) == 2:
            yield "baseline", "candidate"
    elif len(ours) == len(theirs) == 1:
        yield ours[0], theirs[0]
    else:
        yield from ((arm, arm) for arm in ours if arm in theirs)


def _compare(a: Evidence, b: Evidence, one: _Pair, other: _Pair, arm_a: ArmName, arm_b: ArmName) -> ComparedCell:
    first, second = one[1].arm(arm_a), other[1].arm(arm_b)
    assert first is not None
    assert second is not None
    differences = differing(first.key, second.key)
    return ComparedCell(
        metric=one[1].cell.metric,
        unit=one[1].unit,
        better=one[1].better,
        cell_a=one[1].cell.id,
        cell_b=other[1].cell.id,
        arm_a=arm_a,
        arm_b=arm_b,
        a=first,
        b=second,
        comparable=not differences,
        differing=differences,
        unverified=unverified(first.key, second.key),
        estimate=None if differences else _estimate(a, b, one[0], other[0], arm_a, arm_b),
    )


def _estimate(
    a: Evidence, b: Evidence, first: MeasuredCell, second: MeasuredCell, arm_a: ArmName, arm_b: ArmName
) -> Estimate | None:
    definition = METRICS[first.cell.metric]
    match definition.kind:
        case "speed":
            ours, theirs = series(a, first, arm_a), series(b, second, arm_b)
            if ours is None or theirs is None:
                return None
            if min(ours.counted, theirs.counted) < max(a.floors.p50, b.floors.p50):
                return None
            seed = seed_of(a.bundle_id, b.bundle_id, first.cell.id, arm_a, arm_b, first.cell.metric)
            kept = kept_blocks(a, first)[arm_a], kept_blocks(b, second)[arm_b]
            return ratio(ours.blocks(kept[0]), theirs.blocks(kept[1]), definition, seed=seed)
        case "accuracy":
            before, after = scores(a, first, arm_a), scores(b, second, arm_b)
            return difference(pair(before, after)) if before and after else None
        case "numerics":
            return None


def _alone(cells: list[_Pair], partnered: list[_Pair]) -> tuple[str, ...]:
    known = {id(summary) for _, summary in partnered}
    return tuple(dict.fromkeys(summary.cell.id for _, summary in cells if id(summary) not in known))
