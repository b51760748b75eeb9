"""Verdicts: each claim of a pull request against the evidence there is."""

from typing import Annotated, Literal

from pydantic import Field

from judge.cells import CellSummary
from judge.claims import Claim
from judge.estimates import Estimate
from judge.trust import TrustLevel
from worker.bundle.record import Amount, Identifier, Label, Positive, Record, Sha256

Outcome = Literal["supported", "contradicted", "inconclusive", "no_evidence", "not_comparable"]


class NextRun(Record):
    """The cheapest run that would settle a claim."""

    suite: Identifier | None
    cells: tuple[Identifier, ...]
    rounds: Positive | None
    """Repetitions of the suite's block order, from the measured spread; None: the suite's own number."""
    hardware: Label | None
    """What it has to run on; None: any machine that runs the suite."""
    minutes: Amount | None
    """Estimated from the time the last run took; None: nothing to estimate from."""
    sentence: Annotated[str, Field(max_length=500)]


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
    estimate: Estimate | None
    """Of the cell that decides: the one with the weakest case for the claim."""
    ratio: float | None
    interval: tuple[float, float] | None
    """`estimate` in short; of a difference for accuracy."""
    effect_size: float | None
    """Change against the baseline: ratio - 1, or the difference for accuracy."""
    p_value: float | None
    """One-sided error of the decision, corrected (Holm) over all claims, bundles and tries of the pull request."""
    samples: tuple[int, int] | None
    """Samples of baseline and candidate in the deciding cell."""
    unit: Label | None
    trust: TrustLevel | None
    trust_level: Annotated[int, Field(ge=0, le=4)] | None
    next_run: NextRun | None
    """None: the claim is settled."""
    bundle_ids: tuple[Sha256, ...]
    """Bundles that were looked at for this claim, the deciding one first."""
