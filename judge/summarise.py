"""Recomputes every cell of a bundle from its raw rows."""

import math
import zlib
from collections.abc import Sequence

import numpy as np

from judge.accuracy import difference, flips, pair, scores
from judge.cells import ArmSummary, CellSummary, NumericsSummary
from judge.comparability import differing, unverified
from judge.estimates import Drift, Estimate, NoiseFloor
from judge.evidence import Evidence
from judge.exclusion import Exclusion, Span, exclusion, spans
from judge.keys import key
from judge.metrics import METRICS, MetricDefinition
from judge.path import PathShare, decode_buckets, ledger, share
from judge.physics import bound, headroom
from judge.reconciliation import reconciled
from judge.series import MeasuredCell, Series, measured_cells, series
from judge.stats import bootstrap_log_ratio, noise_floor, percentile, sketch, value_at
from judge.tables import Floats, Integers
from judge.thresholds import ALPHA, BOOTSTRAP_DRAWS, DRIFT_LIMIT, MIN_BLOCKS
from worker.bundle.record import Unknown
from worker.bundle.samples import NumericsRow
from worker.bundle.schema import ArmName
from worker.suites import Accuracy

ARMS: tuple[ArmName, ArmName] = ("baseline", "candidate")


def summarise(evidence: Evidence) -> tuple[CellSummary, ...]:
    """Every cell and metric of a bundle, in the manifest's order; cells without a row have no arms."""
    return tuple(_summary(evidence, cell) for cell in measured_cells(evidence))


def ratio(
    baseline: Sequence[Floats],
    candidate: Sequence[Floats],
    definition: MetricDefinition,
    *,
    seed: int,
    draws: int = BOOTSTRAP_DRAWS,
) -> Estimate | None:
    """Candidate's median by the baseline's, oriented so that above 1 is better.

    Args:
        baseline: Positive samples of each block.
        candidate: Likewise.
        definition: The metric.
        seed: Of the bootstrap.
        draws: Of the bootstrap.

    Returns:
        None with fewer than `MIN_BLOCKS` blocks in an arm.
    """
    if min(len(baseline), len(candidate)) < MIN_BLOCKS or not _positive(baseline) or not _positive(candidate):
        return None
    below, above = (candidate, baseline) if definition.better == "lower" else (baseline, candidate)
    quantiles = sketch(np.exp(bootstrap_log_ratio(below, above, seed=seed, draws=draws)))
    return Estimate(
        kind="ratio",
        value=float(np.median(np.concatenate(above)) / np.median(np.concatenate(below))),
        low=value_at(quantiles, ALPHA),
        high=value_at(quantiles, 1 - ALPHA),
        method="block_bootstrap",
        quantiles=quantiles,
    )


def drift(first: Floats, last: Floats) -> Drift:
    """How far the baseline moved, from positive samples of its first and of its last block."""
    moved = float(np.median(last) / np.median(first))
    return Drift(ratio=moved, exceeded=abs(math.log(moved)) > math.log1p(DRIFT_LIMIT))


def kept_blocks(evidence: Evidence, cell: MeasuredCell) -> dict[ArmName, Integers]:
    """Measured blocks of each arm in the order of time, without those left out for throttling."""
    measured = spans(evidence, cell, purpose="measure")
    return _kept(measured, exclusion(evidence, cell, measured))


def seed_of(*parts: str) -> int:
    """A seed that depends on nothing but what is compared: the same bundle always gives the same interval."""
    return zlib.crc32("\n".join(parts).encode())


def _kept(measured: Sequence[Span], left_out: Exclusion) -> dict[ArmName, Integers]:
    return {
        arm: np.array([s.block for s in measured if s.arm == arm and s.block not in left_out.blocks], dtype=np.int64)
        for arm in ARMS
    }


def _summary(evidence: Evidence, cell: MeasuredCell) -> CellSummary:
    match METRICS[cell.cell.metric].kind:
        case "speed":
            return _speed(evidence, cell)
        case "accuracy":
            return _accuracy(evidence, cell)
        case "numerics":
            return _numerics(evidence, cell)


def _speed(evidence: Evidence, cell: MeasuredCell) -> CellSummary:
    definition, floors = METRICS[cell.cell.metric], evidence.floors
    measured = spans(evidence, cell, purpose="measure")
    left_out = exclusion(evidence, cell, measured)
    order = _kept(measured, left_out)
    found = {arm: one for arm in ARMS if (one := series(evidence, cell, arm)) is not None}
    blocks = {arm: one.blocks(order[arm]) for arm, one in found.items()}
    arms = tuple(
        _arm(evidence, cell, arm, one.only(order[arm]), order[arm], measured, statistic_floor=floors.p50)
        for arm, one in found.items()
    )
    estimate, noise, moved = None, None, None
    seed = seed_of(evidence.bundle_id, cell.record.id, cell.cell.id, cell.cell.metric)
    if "baseline" in found:
        moved = _drift(found["baseline"], measured, spans(evidence, cell, purpose="drift"))
        if _positive(blocks["baseline"]) and (split := noise_floor(blocks["baseline"], seed=seed)):
            noise = NoiseFloor(ratio=math.exp(split.log_ratio), splits=split.count)
    if len(arms) == 2 and not differing(arms[0].key, arms[1].key):
        estimate = ratio(blocks["baseline"], blocks["candidate"], definition, seed=seed)
    return _cell(evidence, cell, arms, estimate=estimate, noise=noise, drift=moved, left_out=left_out, floor=floors.p50)


def _arm(
    evidence: Evidence,
    cell: MeasuredCell,
    arm: ArmName,
    kept: Series,
    order: Integers,
    measured: Sequence[Span],
    *,
    statistic_floor: int,
) -> ArmSummary:
    floors, values = evidence.floors, kept.values
    stated = kept.counted >= statistic_floor and len(values) > 0
    by_block = METRICS[cell.cell.metric].sample == "block"
    seconds = [span.end_s - span.start_s for span in measured if span.arm == arm and np.isfinite(span.end_s)]
    described = evidence.arm(arm)
    least = bound(described, cell.cell, evidence.manifest.environment) if described else None
    value = float(np.median(values)) if stated else None
    steps, timed = evidence.steps.get((cell.cell.id, arm)), evidence.kernel_times.get((cell.cell.id, arm), ())
    return ArmSummary(
        arm=arm,
        samples=kept.counted,
        blocks=len(np.unique(kept.block)),
        failed=kept.failed,
        value=value,
        p10=None if by_block else percentile(values, 0.1, floor=floors.p90),
        p90=None if by_block else percentile(values, 0.9, floor=floors.p90),
        p99=None if by_block else percentile(values, 0.99, floor=floors.p99),
        seconds=float(sum(seconds)) if seconds else None,
        path=_path(evidence, cell, arm),
        key=key(evidence, cell, arm, kept=order),
        physics=headroom(least, value),
        reconciliation=reconciled(steps, timed) if steps is not None else None,
    )


def _accuracy(evidence: Evidence, cell: MeasuredCell) -> CellSummary:
    plan = evidence.plan(cell.record.id)
    floor = plan.minimum_documents if isinstance(plan, Accuracy) else 1
    tables = {arm: table for arm in ARMS if (table := scores(evidence, cell, arm)) is not None}
    arms = []
    for arm, table in tables.items():
        known = table.score[np.isfinite(table.score)]
        arms.append(
            ArmSummary(
                arm=arm,
                samples=len(known),
                blocks=0,
                failed=len(table.score) - len(known),
                value=float(known.mean()) if len(known) else None,
                p10=None,
                p90=None,
                p99=None,
                seconds=None,
                path=_path(evidence, cell, arm),
                key=key(evidence, cell, arm),
            )
        )
    estimate, pairs = None, None
    if len(tables) == 2:
        paired = pair(tables["baseline"], tables["candidate"])
        pairs = flips(paired)
        if not differing(arms[0].key, arms[1].key):
            estimate = difference(paired)
    summary = _cell(evidence, cell, tuple(arms), estimate=estimate, floor=floor)
    return summary.model_copy(update={"pairs": pairs})


def _numerics(evidence: Evidence, cell: MeasuredCell) -> CellSummary:
    arms = []
    for arm in ARMS:
        if not (rows := evidence.numerics.get((cell.cell.id, arm))):
            continue
        arms.append(
            ArmSummary(
                arm=arm,
                samples=len(rows),
                blocks=0,
                failed=0,
                value=max(row.max_rel_error for row in rows),
                p10=None,
                p90=None,
                p99=None,
                seconds=None,
                path=None,
                key=key(evidence, cell, arm),
            )
        )
    summary = _cell(evidence, cell, tuple(arms), estimate=None, floor=1)
    return summary.model_copy(update={"numerics": _tolerances(evidence.numerics.get((cell.cell.id, "candidate"), ()))})


def _tolerances(rows: Sequence[NumericsRow]) -> NumericsSummary | None:
    if not rows:
        return None
    worst = max(rows, key=_tolerance_share)
    return NumericsSummary(
        cases=len(rows),
        outside_tolerance=sum(row.max_rel_error > row.tolerance for row in rows),
        worst_case=f"{worst.operator} {worst.case} {worst.distribution}"[:200],
        worst_share=_tolerance_share(worst),
    )


def _tolerance_share(row: NumericsRow) -> float:
    """Error by tolerance; a tolerance of 0 demands an error of 0."""
    if row.tolerance > 0:
        return row.max_rel_error / row.tolerance
    return 0.0 if row.max_rel_error == 0 else 1e9


def _cell(
    evidence: Evidence,
    cell: MeasuredCell,
    arms: tuple[ArmSummary, ...],
    *,
    estimate: Estimate | None,
    floor: int,
    noise: NoiseFloor | None = None,
    drift: Drift | None = None,
    left_out: Exclusion | None = None,
) -> CellSummary:
    definition = METRICS[cell.cell.metric]
    both = len(arms) == 2
    return CellSummary(
        bundle_id=evidence.bundle_id,
        eval_id=cell.record.id,
        eval_kind=cell.record.kind,
        cell=cell.cell,
        kind=definition.kind,
        unit=definition.unit,
        better=definition.better,
        arms=arms,
        estimate=estimate,
        pairs=None,
        numerics=None,
        noise_floor=noise,
        drift=drift,
        throttling=left_out.kind if left_out else "none",
        excluded_blocks=left_out.blocks if left_out else (),
        differing=differing(arms[0].key, arms[1].key) if both else (),
        unverified=unverified(arms[0].key, arms[1].key) if both else (),
        sample_floor=floor,
    )


def _path(evidence: Evidence, cell: MeasuredCell, arm: ArmName) -> PathShare | Unknown:
    described = evidence.arm(arm)
    found = ledger(described, cell.record.id) if described else "unknown"
    return "unknown" if found == "unknown" else share(decode_buckets(found, cell.cell))


def _drift(baseline: Series, measured: Sequence[Span], sentinels: Sequence[Span]) -> Drift | None:
    """First measured baseline block against the last one, the sentinel if there is one."""
    order = [span.block for span in (*measured, *sentinels) if span.arm == "baseline"]
    if len(order) < 2:
        return None
    first, last = (baseline.values[baseline.block == block] for block in (order[0], order[-1]))
    if not _positive([first]) or not _positive([last]):
        return None
    return drift(first, last)


def _positive(blocks: Sequence[Floats]) -> bool:
    return len(blocks) > 0 and all(len(block) > 0 and bool((block > 0).all()) for block in blocks)
