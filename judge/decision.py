"""Reads one cell in the light of one claim: what it says, why, and with which error."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from judge.assess import Assessment
from judge.cells import ArmSummary, CellSummary
from judge.claim import AtLeast, Claim, EqualWithin, NoRegression, Relation
from judge.estimates import Estimate, NoiseFloor
from judge.rules import Finding
from judge.stats import p_at_least, p_at_most, p_outside, value_at
from judge.thresholds import DECISION_ERROR, MIN_SPECIALIZED_SHARE
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


@dataclass(frozen=True)
class Weight:
    """What an interval says about bounds.

    Attributes:
        answer: ``noise``: closer to a bound than the baseline is to itself. ``open``: the interval holds a bound.
        p_support: One-sided error of saying that the truth lies within the bounds.
        p_contradict: Likewise of saying that it does not.
        distance: From the estimate to the nearest bound, in the interval's own scale.
    """

    answer: Literal["supported", "contradicted", "open", "noise"]
    p_support: float
    p_contradict: float
    distance: float


def decide(
    claim: Claim, cell: CellSummary, bundle: Assessment, *, head_sha: CommitSha | None, waived: Collection[str] = ()
) -> Decision:
    """Read a cell.

    Args:
        claim: The claim.
        cell: One of the cells it selects.
        bundle: The cell's bundle.
        head_sha: The pull request's head; None: any commit counts.
        waived: Rules whose findings shall not stand in the way (`judge.waiver`).
    """
    standing = [finding for finding in bundle.findings if finding.rule_id not in waived]
    return (
        _unusable(cell, bundle, head_sha)
        or _incomparable(cell)
        or _blocked(cell, standing)
        or _path(claim, cell, bundle)
        or _limited(claim, cell, standing)
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


def _blocked(cell: CellSummary, findings: Sequence[Finding]) -> Decision | None:
    return _held_against(cell, [finding for finding in findings if finding.effect == "blocks"])


def _limited(claim: Claim, cell: CellSummary, findings: Sequence[Finding]) -> Decision | None:
    """What is held against a speed-up whose path did run; a path that never ran is the better reason (`_path`)."""
    if not isinstance(claim.relation, AtLeast):
        return None
    return _held_against(cell, [f for f in findings if f.effect == "limits" and f.rule_id != "P-002"])


def _held_against(cell: CellSummary, findings: Sequence[Finding]) -> Decision | None:
    for finding in findings:
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


def weigh(estimate: Estimate, noise: NoiseFloor | None, *, low: float, high: float | None) -> Weight:
    """Hold an estimate against bounds: at or above ``low`` and, if there is one, at or below ``high``.

    Args:
        estimate: Candidate against baseline.
        noise: The baseline against itself; an estimate that is closer to a bound than this is undecided.
        low: Lower bound, on the estimate's own scale.
        high: Upper bound; None: none.
    """
    quantiles, bounds = estimate.quantiles, _Bounds(low, high)
    p_support, p_contradict = p_at_most(quantiles, low), p_at_least(quantiles, low)
    if high is not None:
        p_support = p_outside(quantiles, low, high)
        p_contradict = min(1.0, 2 * min(p_contradict, p_at_most(quantiles, high)))
    distance = _distance(estimate, bounds)
    if estimate.kind == "ratio" and noise is not None and distance <= math.log(noise.ratio):
        return Weight("noise", 1.0, 1.0, distance)
    inside = estimate.value >= low and (high is None or estimate.value <= high)
    if inside and p_support <= DECISION_ERROR:
        return Weight("supported", p_support, p_contradict, distance)
    if not inside and p_contradict <= DECISION_ERROR:
        return Weight("contradicted", p_support, p_contradict, distance)
    return Weight("open", p_support, p_contradict, distance)


def _measured(claim: Claim, cell: CellSummary) -> Decision:
    estimate = cell.estimate
    bounds = _bounds(claim.relation, cell)
    assert estimate is not None
    assert bounds is not None
    weight = weigh(estimate, cell.noise_floor, low=bounds.low, high=bounds.high)
    shown = _shown(estimate, cell)
    outcome: Outcome
    match weight.answer:
        case "noise":
            outcome, reason = "inconclusive", f"{shown}; {_noise(cell.noise_floor)}"
        case "open":
            outcome, reason = "inconclusive", f"{shown}; too uncertain to tell on which side of the claim it lies"
        case "supported" | "contradicted":
            outcome, reason = weight.answer, f"{shown}{_stock_suffix(claim, cell.arm('candidate'))}"
    return Decision(
        cell, outcome, reason, weight.p_support, weight.p_contradict, weight.distance, _half_width(estimate)
    )


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
    """Half of the interval outside which a decision is made; it is wider than the one shown."""
    low, high = (value_at(estimate.quantiles, p) for p in (DECISION_ERROR, 1 - DECISION_ERROR))
    return (high - low) / 2 if estimate.kind == "difference" else math.log(high / low) / 2


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
