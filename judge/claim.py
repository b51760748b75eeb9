"""Claims as records: what a pull request says, after `judge.claims` has read it."""

from typing import Annotated, Literal

from pydantic import Field

from worker.bundle.record import Count, Identifier, Label, Positive, Record, Text
from worker.bundle.schema import Metric, Phase

MAX_CLAIMS = 20
MAX_BLOCK_BYTES = 16_384


class AtLeast(Record):
    """``>= 1.6x baseline``: better by at least that factor, oriented so that above 1 is always better.

    ``<= 0.625x baseline`` on a metric where lower is better says the same and is stored the same way.
    """

    kind: Literal["at_least"]
    factor: Annotated[float, Field(gt=0)]


class NoRegression(Record):
    """``no regression within 3%``: not worse by more than that share of the baseline's value.

    For scores the per cent are points: 3 % is 0.03.
    """

    kind: Literal["no_regression"]
    within: Annotated[float, Field(gt=0, lt=1)]


class EqualWithin(Record):
    """``equal within 2%``: neither worse nor better by more than that share; points for scores."""

    kind: Literal["equal"]
    within: Annotated[float, Field(gt=0, lt=1)]


class WithinTolerance(Record):
    """``within tolerance``: every operator case lies inside the tolerance of its own row (numerics only)."""

    kind: Literal["within_tolerance"]


Relation = Annotated[AtLeast | NoRegression | EqualWithin | WithinTolerance, Field(discriminator="kind")]


class NoAcceptance(Record):
    """``none``: no speculation."""

    kind: Literal["none"]


class NaturalAcceptance(Record):
    """``natural``: drafts accepted by the model itself."""

    kind: Literal["natural"]


class SyntheticAcceptance(Record):
    """``synthetic 6``: acceptance simulated at that length."""

    kind: Literal["synthetic"]
    length: Annotated[float, Field(gt=0)]


Acceptance = Annotated[NoAcceptance | NaturalAcceptance | SyntheticAcceptance, Field(discriminator="kind")]


class CellSelector(Record):
    """Which cells a claim is about. None: any. A list: each of them, and none may be missing."""

    batch: tuple[Positive, ...] | None
    tp: tuple[Positive, ...] | None
    cp: tuple[Positive, ...] | None
    context: tuple[Count, ...] | None
    phase: tuple[Phase, ...] | None
    speculation: tuple[Literal["none", "natural", "synthetic"], ...] | None
    task: tuple[Label, ...] | None
    """Task or operator names, or full ``task/filter/metric`` triples."""


class Claim(Record):
    """One claim of a pull request."""

    id: Identifier
    metric: Metric
    cells: CellSelector
    relation: Relation
    relation_text: Label
    """As written."""
    acceptance: Acceptance | None
    """None: any, but all cells of one kind."""
    suite: Identifier | None
    """Only evidence from this suite counts; None: any published suite."""
    line: Positive
    """Line of the pull request's text on which the claim begins."""


class Scope(Record):
    """Where a change is said to hold: every combination of the listed values is a cell that needs evidence.

    None: the author does not say, so any value counts.
    """

    batch: tuple[Positive, ...] | None
    tp: tuple[Positive, ...] | None
    context: tuple[Count, ...] | None
    speculation: tuple[Literal["none", "natural", "synthetic"], ...] | None
    dcp: tuple[Positive, ...] | None
    features: tuple[Identifier, ...] | None
    """Features that keep working, each shown by an accuracy task of that name."""
    line: Positive
    """Line of the pull request's text on which it begins."""


class ClaimError(Record):
    """One thing that is wrong with a claims block."""

    code: Identifier
    detail: Text
    line: Positive
    """Line of the pull request's text."""


class ClaimSet(Record):
    """What a pull request claims. With errors there are no claims: half a block is not judged."""

    claims: tuple[Claim, ...]
    errors: tuple[ClaimError, ...]
    scope: Scope | None = None
    """Declared scope of the change; None: none was declared."""
