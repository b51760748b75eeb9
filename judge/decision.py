"""Reads one cell in the light of one claim: what it says, why, and with which error."""

import math
from dataclasses import dataclass, replace
from typing import Literal

from judge.assess import Assessment
from judge.cells import ArmSummary, CellSummary
from judge.claim import AtLeast, Claim, EqualWithin, NoRegression, Relation
from judge.estimates import Estimate, NoiseFloor
from judge.stats import p_at_least, p_at_most, p_outside
from judge.thresholds import ALPHA, MIN_SPECIALIZED_SHARE
from worker.bundle.record import CommitSha

Outcome = Literal["supported", "contradicted", "inconclusive", "no_evidence", "not_comparable"]


@dataclass(frozen=True)
class Decision:
    """What one cell says about one claim.

    Attributes:
        cell: The cell.
        outcome: By this cell alone, its errors not yet corrected for other decisions.
        reason: One sentence.
        p_support: One-sided error of supporting the claim here; 1 where nothing can be said, 0 without chance.
        p_contradict: Likewise of contradicting it.
        distance: How far the estimate lies from the claimed bound, in the interval's own scale; None without one.
        half_width: Half of the interval in that scale.
        path_missing: Nothing is missing but the specialized path, which did not run.
    """

    cell: CellSummary
    outcome: Outcome
    reason: str
    p_support: float = 1.0
    p_contradict: float = 1.0
    distance: float | None = None
    half_width: float | None = None
    path_missing: bool = False


@dataclass(frozen=True)
class _Bounds:
    """Where an estimate must lie: at or above ``low`` and, if there is one, at or below ``high``."""

    low: float
    high: float | None


def decide(claim: Claim, cell: CellSummary, bundle: Assessment, *, head_sha: CommitSha | None) -> Decision:
    """Read a cell.

    Args:
        claim: The claim.
        cell: One of the cells it selects.
        bundle: The cell's bundle.
        head_sha: The pull request's head; None: any commit counts.
    """
    return (
        _unusable(cell, bundle, head_sha)
        or _incomparable(cell)
        or _blocked(claim, cell, bundle)
        or _path(claim, cell, bundle)
        or _unchanged(claim, cell, bundle)
        or _numerics(claim, cell)
        or _unsteady(cell)
        or _measured(claim, cell)
    )


def _unusable(cell: CellSummary, bundle: Assessment, head_sha: CommitSha | None) -> Decision | None:
    if head_sha is not None and bundle.head_sha != head_sha:
        return _no_evidence(cell, f"the evidence is for commit {bundle.head_sha[:12]}, not for the present head")
    if bundle.validity != "valid":
        effect = "invalidates" if bundle.validity == "invalid" else "quarantines"
        first = next(finding for finding in bundle.findings if finding.effect == effect)
        return _no_evidence(cell, f"the bundle is {bundle.validity}: {first.rule_id}, {first.title.lower()}")
    for arm in ("baseline", "candidate") if cell.kind != "numerics" else ("candidate",):
        if not any(one.arm == arm and one.samples for one in cell.arms):
            return _no_evidence(cell, f"the {arm} has no usable sample in cell {cell.cell.id}")
    return None


def _incomparable(cell: CellSummary) -> Decision | None:
    if not cell.differing:
        return None
    fields = "; ".join(f"{one.field} is {one.a} in the baseline and {one.b} in the candidate" for one in cell.differing)
    return Decision(cell, "not_comparable", f"the arms cannot be compared in cell {cell.cell.id}: {fields}"[:500])


def _blocked(claim: Claim, cell: CellSummary, bundle: Assessment) -> Decision | None:
    for finding in bundle.findings:
        if finding.effect == "blocks" and finding.touches(eval_id=cell.eval_id, cell=cell.cell.id, kind=cell.kind):
            return _no_evidence(cell, f"{finding.rule_id}, {finding.title.lower()}: {finding.detail}"[:500])
    if not isinstance(claim.relation, AtLeast):
        return None
    limiting = [f for f in bundle.findings if f.effect == "limits" and f.rule_id != "P-002"]
    for finding in limiting:
        if finding.touches(eval_id=cell.eval_id, cell=cell.cell.id, kind=cell.kind):
            return _no_evidence(cell, f"{finding.rule_id}, {finding.title.lower()}: {finding.detail}"[:500])
    return None


def _path(claim: Claim, cell: CellSummary, bundle: Assessment) -> Decision | None:
    """A speed-up counts only where the specialized path ran in the candidate and not in the baseline."""
    if not isinstance(claim.relation, AtLeast) or cell.kind != "speed":
        return None
    facts = bundle.path(cell.eval_id)
    shares = {arm.arm: arm.path for arm in cell.arms}
    for name, found in shares.items():
        if found is None or found == "unknown":
            return _no_evidence(cell, f"the {name}'s ledger has no decode step for cell {cell.cell.id}")
    baseline, candidate = shares["baseline"], shares["candidate"]
    assert baseline is not None
    assert candidate is not None
    if baseline != "unknown" and baseline.specialized_steps:
        return _no_evidence(cell, f"the baseline ran {baseline.specialized_steps} steps on the specialized path")
    if candidate == "unknown" or candidate.lowest_share >= MIN_SPECIALIZED_SHARE:
        return None
    why = f": {facts.refusal}" if facts and facts.refusal else ""
    if candidate.specialized_steps:
        share = f"only in {candidate.lowest_share:.1%} of the steps of a decode bucket"
        reason = f"the specialized path ran {share}, {MIN_SPECIALIZED_SHARE:.0%} are needed{why}"
    else:
        same = "; both arms ran the same code, configuration and path" if facts and facts.same else ""
        reason = f"the specialized path never ran{why}{same}"
    return replace(_no_evidence(cell, reason), path_missing=True)


def _unchanged(claim: Claim, cell: CellSummary, bundle: Assessment) -> Decision | None:
    facts = bundle.path(cell.eval_id)
    if not isinstance(claim.relation, NoRegression | EqualWithin) or facts is None or not facts.same:
        return None
    reason = "no change: both arms ran the same code, configuration and path"
    return Decision(cell, "supported", reason, p_support=0.0)


def _numerics(claim: Claim, cell: CellSummary) -> Decision | None:
    if claim.relation.kind != "within_tolerance":
        return None
    found = cell.numerics
    if found is None:
        return _no_evidence(cell, f"no case of {cell.cell.task or cell.cell.id}")
    if found.outside_tolerance:
        worst = f"{found.worst_case} at {found.worst_share:.2f} times its tolerance"
        reason = f"{found.outside_tolerance} of {found.cases} cases are outside their tolerance, the worst {worst}"
        return Decision(cell, "contradicted", reason[:500], p_contradict=0.0)
    worst = f"the worst, {found.worst_case}, at {found.worst_share:.2f} times its tolerance"
    return Decision(
        cell, "supported", f"all {found.cases} cases are within their tolerance, {worst}"[:500], p_support=0.0
    )


def _unsteady(cell: CellSummary) -> Decision | None:
    """What keeps a measured cell from being decided, whatever its numbers say."""
    name = cell.cell.id
    if cell.throttling == "unplaced":
        return _inconclusive(cell, f"a GPU was throttled during {cell.eval_id}, and nothing tells during which block")
    if cell.drift is not None and cell.drift.exceeded:
        moved = abs(cell.drift.ratio - 1)
        return _inconclusive(
            cell, f"the baseline itself moved by {moved:.1%} from its first to its last block in {name}"
        )
    fewest = min(arm.samples for arm in cell.arms)
    if fewest < cell.sample_floor:
        return _inconclusive(cell, f"{fewest} samples in {name}, {cell.sample_floor} are needed")
    if cell.estimate is None:
        blocks = min(arm.blocks for arm in cell.arms)
        return _inconclusive(cell, f"no interval from {blocks} blocks an arm in {name}")
    return None


def _measured(claim: Claim, cell: CellSummary) -> Decision:
    estimate = cell.estimate
    bounds = _bounds(claim.relation, cell)
    assert estimate is not None
    assert bounds is not None
    quantiles = estimate.quantiles
    p_support = p_at_most(quantiles, bounds.low)
    p_contradict = p_at_least(quantiles, bounds.low)
    if bounds.high is not None:
        p_support = p_outside(quantiles, bounds.low, bounds.high)
        p_contradict = min(1.0, 2 * min(p_contradict, p_at_most(quantiles, bounds.high)))
    distance, half_width = _distance(estimate, bounds), _half_width(estimate)
    inside = estimate.value >= bounds.low and (bounds.high is None or estimate.value <= bounds.high)
    shown = _shown(estimate, cell)
    noise = math.log(cell.noise_floor.ratio) if cell.noise_floor else 0.0
    if estimate.kind == "ratio" and distance <= noise:
        reason = f"{shown}; {_noise(cell.noise_floor)}"
        return Decision(cell, "inconclusive", reason, 1.0, 1.0, distance, half_width)
    suffix = _stock_suffix(claim, cell.arm("candidate"))
    if inside and p_support <= ALPHA:
        return Decision(cell, "supported", f"{shown}{suffix}", p_support, p_contradict, distance, half_width)
    if not inside and p_contradict <= ALPHA:
        return Decision(cell, "contradicted", f"{shown}{suffix}", p_support, p_contradict, distance, half_width)
    reason = f"{shown}; the interval does not tell on which side of the claim it lies"
    return Decision(cell, "inconclusive", reason, p_support, p_contradict, distance, half_width)


def _bounds(relation: Relation, cell: CellSummary) -> _Bounds | None:
    """The claim as bounds on the estimate: on a ratio oriented so that above 1 is better, or on a score difference."""
    match relation.kind:
        case "at_least":
            return _Bounds(relation.factor, None)
        case "no_regression":
            if cell.kind == "accuracy":
                return _Bounds(-relation.within, None)
            return _Bounds(1 / (1 + relation.within) if cell.better == "lower" else 1 - relation.within, None)
        case "equal":
            within = relation.within
            if cell.kind == "accuracy":
                return _Bounds(-within, within)
            if cell.better == "lower":
                return _Bounds(1 / (1 + within), 1 / (1 - within))
            return _Bounds(1 - within, 1 + within)
        case "within_tolerance":
            return None


def _distance(estimate: Estimate, bounds: _Bounds) -> float:
    """From the estimate to the nearest bound: in logarithms for a ratio, in points for a difference."""
    edges = [bounds.low] if bounds.high is None else [bounds.low, bounds.high]
    if estimate.kind == "difference":
        return min(abs(estimate.value - edge) for edge in edges)
    return min(abs(math.log(estimate.value / edge)) for edge in edges)


def _half_width(estimate: Estimate) -> float:
    if estimate.kind == "difference":
        return (estimate.high - estimate.low) / 2
    return math.log(estimate.high / estimate.low) / 2


def _shown(estimate: Estimate, cell: CellSummary) -> str:
    samples = " and ".join(str(arm.samples) for arm in cell.arms)
    if estimate.kind == "difference":
        low, high = 100 * estimate.low, 100 * estimate.high
        return (
            f"{100 * estimate.value:+.2f} points [{low:+.2f}, {high:+.2f}] from {samples} documents in {cell.cell.id}"
        )
    interval = f"[{estimate.low:.3f}, {estimate.high:.3f}]"
    return f"{estimate.value:.3f}x baseline {interval} from {samples} samples in {cell.cell.id}"


def _noise(noise: NoiseFloor | None) -> str:
    share = noise.ratio - 1 if noise else 0.0
    return f"closer to the claim than the baseline is to itself (A/A noise {share:.1%})"


def _stock_suffix(claim: Claim, candidate: ArmSummary | None) -> str:
    """What a reader must know of a claim that holds without the specialized path."""
    if (
        isinstance(claim.relation, AtLeast)
        or candidate is None
        or candidate.path is None
        or candidate.path == "unknown"
    ):
        return ""
    return "" if candidate.path.specialized_steps else "; the specialized path did not run here"


def _no_evidence(cell: CellSummary, reason: str) -> Decision:
    return Decision(cell, "no_evidence", reason[:500])


def _inconclusive(cell: CellSummary, reason: str) -> Decision:
    return Decision(cell, "inconclusive", reason[:500])
