"""Verdicts: each claim of a pull request against the evidence there is.

A cell is read by itself first (`judge.decision`); here the cells of a claim, and the bundles of a pull request,
are brought together, and the errors of all decisions are corrected as one family (Holm).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from judge.assess import Assessment
from judge.cells import CellSummary
from judge.claim import Claim
from judge.decision import Decision, Outcome, decide
from judge.estimates import Estimate
from judge.next_run import NextRun, next_run
from judge.selection import missing, selected
from judge.stats import holm
from judge.thresholds import DECISION_ERROR
from judge.trust import TrustLevel
from judge.waiver import WAIVABLE, Waiver, holding
from worker.bundle.record import CommitSha, Identifier, Label, Positive, Record, Sha256

_LEAST_SETTLED: tuple[Outcome, ...] = ("not_comparable", "no_evidence", "inconclusive")
"""Of outcomes that settle nothing, the one that stands for a claim with several cells: first match wins."""


class CellVerdict(Record):
    """One cell's part in a verdict."""

    outcome: Outcome
    reason: Annotated[str, Field(max_length=500)]
    cell: CellSummary


class Verdict(Record):
    """One claim, judged."""

    claim: Claim
    claim_id: Identifier
    outcome: Outcome
    reason: Annotated[str, Field(max_length=500)]
    """One sentence. May quote bundles: escape before showing."""
    cells: tuple[CellVerdict, ...]
    """Of the deciding bundle, in its order."""
    estimate: Estimate | None
    """Of the cell that decides, the one with the weakest case for the claim; None where the cell is no evidence."""
    ratio: float | None
    interval: tuple[float, float] | None
    """`estimate` in short; of a difference for accuracy."""
    effect_size: float | None
    """Change for the better against the baseline: ratio - 1, or the difference for accuracy."""
    p_value: float | None
    """One-sided error of the decision, corrected over all claims, bundles and tries of the pull request.
    None: chance has no part in the decision."""
    samples: tuple[int, int] | None
    """Samples of baseline and candidate in the deciding cell."""
    unit: Label | None
    """Of the metric's values."""
    trust: TrustLevel | None
    trust_level: Annotated[int, Field(ge=0, le=4)] | None
    next_run: NextRun | None
    """None: the claim is settled."""
    bundle_ids: tuple[Sha256, ...]
    """Bundles that were looked at for this claim, the deciding one first."""
    inherited_from: CommitSha | None = None
    """Commit at which the deciding cells were measured, if they are inherited; None: measured at the head."""
    tries: Positive = 1
    """Runs behind the deciding bundle, the ones that were never handed in included: they multiply its error."""
    waivers: tuple[Waiver, ...] = ()
    """Waivers without which something would be held against the deciding cells."""


@dataclass(frozen=True)
class _Case:
    """One claim in one bundle.

    Attributes:
        claim: The claim.
        bundle: The bundle.
        decisions: One for each selected cell.
        gaps: Values of the selector that no cell has.
        waivers: Those that lift something from one of the cells.
    """

    claim: Claim
    bundle: Assessment
    decisions: tuple[Decision, ...]
    gaps: tuple[str, ...]
    waivers: tuple[Waiver, ...]

    @property
    def tested(self) -> bool:
        """Whether chance has a part in it, so that it belongs to the family of decisions."""
        return any(one.half_width is not None for one in self.decisions)

    @property
    def p_support(self) -> float:
        """Error of supporting the claim: all cells must hold, so the weakest counts (intersection-union)."""
        return min(1.0, max((one.p_support for one in self.decisions), default=1.0) * self.bundle.tries)

    @property
    def p_contradict(self) -> float:
        """Error of contradicting it: one cell is enough, so the number of cells is paid for (Bonferroni)."""
        smallest = min((one.p_contradict for one in self.decisions), default=1.0)
        return min(1.0, smallest * max(len(self.decisions), 1) * self.bundle.tries)


@dataclass(frozen=True)
class _Ruling:
    case: _Case
    outcome: Outcome
    reason: str
    deciding: Decision | None
    p_value: float | None


def judge(
    claims: Sequence[Claim],
    bundles: Sequence[Assessment],
    *,
    head_sha: CommitSha | None = None,
    inherited: Mapping[Sha256, CommitSha] | None = None,
    waivers: Sequence[Waiver] = (),
) -> tuple[Verdict, ...]:
    """Judge every claim of a pull request.

    Args:
        claims: Its claims.
        bundles: What was assessed of the bundles there are for it, oldest first.
        head_sha: Its present head; evidence for another commit is stale. None: any commit counts.
        inherited: Where bundles were measured whose cells are inherited (`judge.lifetime`), by bundle id.
        waivers: What maintainers let pass; only those for the present head hold.

    Returns:
        One verdict for each claim, in order. The default is *inconclusive*, or *no evidence* where there is none.
    """
    waived = holding(waivers, head_sha)
    cases = [_case(claim, bundle, head_sha, waived) for claim in claims for bundle in bundles]
    tests = [case for case in cases if case.tested]
    support = dict(zip(map(id, tests), holm([case.p_support for case in tests]), strict=True))
    contradict = dict(zip(map(id, tests), holm([case.p_contradict for case in tests]), strict=True))
    rulings = [
        _rule(case, support.get(id(case), case.p_support), contradict.get(id(case), case.p_contradict))
        for case in cases
    ]
    verdicts = [_verdict(claim, [ruling for ruling in rulings if ruling.case.claim is claim]) for claim in claims]
    return tuple(_marked(verdict, inherited or {}) for verdict in verdicts)


def _marked(verdict: Verdict, inherited: Mapping[Sha256, CommitSha]) -> Verdict:
    """Say of a verdict on inherited cells that they are."""
    source = inherited.get(verdict.bundle_ids[0]) if verdict.bundle_ids and verdict.cells else None
    if source is None:
        return verdict
    reason = f"{verdict.reason}; inherited: measured at {source[:12]} with the same kernels, code and configuration"
    return verdict.model_copy(update={"inherited_from": source, "reason": reason[:500]})


def _case(claim: Claim, bundle: Assessment, head_sha: CommitSha | None, waivers: Sequence[Waiver]) -> _Case:
    cells = selected(claim, bundle)
    rules = {one.rule_id for one in waivers}
    decisions = tuple(decide(claim, cell, bundle, head_sha=head_sha, waived=rules) for cell in cells)
    lifting = tuple(one for one in waivers if any(_lifts(one, cell, bundle) for cell in cells))
    return _Case(claim, bundle, decisions, missing(claim, cells), lifting)


def _lifts(waiver: Waiver, cell: CellSummary, bundle: Assessment) -> bool:
    return any(
        finding.rule_id == waiver.rule_id
        and finding.effect in WAIVABLE
        and finding.touches(eval_id=cell.eval_id, cell=cell.cell.id, kind=cell.kind)
        for finding in bundle.findings
    )


def _rule(case: _Case, p_support: float, p_contradict: float) -> _Ruling:
    """Bring the cells of one claim in one bundle together."""
    against = [one for one in case.decisions if one.outcome == "contradicted"]
    if against:
        worst = min(against, key=lambda one: one.p_contradict)
        if p_contradict <= DECISION_ERROR:
            return _Ruling(case, "contradicted", worst.reason, worst, p_contradict if case.tested else None)
        return _Ruling(case, "inconclusive", _corrected(worst), worst, p_contradict)
    for outcome in _LEAST_SETTLED:
        if outcome == "no_evidence" and case.gaps:
            return _Ruling(case, "no_evidence", f"no cell with {' or '.join(case.gaps)}", None, None)
        for decision in case.decisions:
            if decision.outcome == outcome:
                return _Ruling(case, outcome, decision.reason, decision, None)
    if not case.decisions:
        return _Ruling(case, "no_evidence", f"no cell of {case.claim.metric} is selected", None, None)
    weakest = max(case.decisions, key=lambda one: one.p_support)
    if p_support <= DECISION_ERROR:
        return _Ruling(case, "supported", weakest.reason, weakest, p_support if case.tested else None)
    return _Ruling(case, "inconclusive", _corrected(weakest), weakest, p_support)


def _corrected(decision: Decision) -> str:
    return f"{decision.reason}, but not surely enough among all claims, bundles and tries of this pull request"[:500]


def _verdict(claim: Claim, rulings: Sequence[_Ruling]) -> Verdict:
    """Bring the bundles together: the most trusted that settles the claim; bundles that disagree settle nothing."""
    if not rulings:
        return _write(claim, None, (), "no_evidence", "no bundle has been measured for this pull request")
    order = sorted(rulings, key=lambda one: (-_RANK[one.outcome], -one.case.bundle.trust.level))
    settled = [one for one in rulings if one.outcome in ("supported", "contradicted")]
    if settled:
        top = max(one.case.bundle.trust.level for one in settled)
        trusted = [one for one in settled if one.case.bundle.trust.level == top]
        order.sort(key=lambda one: one not in trusted)
        if len({one.outcome for one in trusted}) > 1:
            reason = f"bundles of the same trust disagree: {order[0].reason}"[:500]
            return _write(claim, order[0], order, "inconclusive", reason)
    return _write(claim, order[0], order, order[0].outcome, order[0].reason)


_RANK: dict[Outcome, int] = {
    "contradicted": 4, "supported": 3, "inconclusive": 2, "not_comparable": 1, "no_evidence": 0,
}  # fmt: skip


def _write(claim: Claim, ruling: _Ruling | None, order: Sequence[_Ruling], outcome: Outcome, reason: str) -> Verdict:
    deciding = ruling.deciding if ruling else None
    bundle = ruling.case.bundle if ruling else None
    cell = deciding.cell if deciding else None
    believed = outcome not in ("no_evidence", "not_comparable")
    estimate = cell.estimate if cell and believed else None
    arms = (cell.arm("baseline"), cell.arm("candidate")) if cell else (None, None)
    decisions = ruling.case.decisions if ruling else ()
    gaps = ruling.case.gaps if ruling else ()
    settled = outcome in ("supported", "contradicted")
    waivers = ruling.case.waivers if ruling else ()
    if waivers:
        named = ", ".join(f"{one.rule_id} (waiver {one.number})" for one in waivers)
        reason = f"{reason[:380]}; waived: {named}"
    return Verdict(
        claim=claim,
        claim_id=claim.id,
        outcome=outcome,
        reason=reason[:500],
        cells=tuple(CellVerdict(outcome=one.outcome, reason=one.reason, cell=one.cell) for one in decisions),
        estimate=estimate,
        ratio=estimate.value if estimate else None,
        interval=(estimate.low, estimate.high) if estimate else None,
        effect_size=(estimate.value - (estimate.kind == "ratio")) if estimate else None,
        p_value=ruling.p_value if ruling else None,
        samples=(arms[0].samples, arms[1].samples) if arms[0] and arms[1] else None,
        unit=cell.unit if cell else None,
        trust=bundle.trust if bundle else None,
        trust_level=bundle.trust.level if bundle else None,
        next_run=None if settled else next_run(claim, outcome, deciding, bundle, gaps=gaps),
        bundle_ids=tuple(dict.fromkeys(one.case.bundle.bundle_id for one in order)),
        tries=bundle.tries if bundle else 1,
        waivers=waivers,
    )
