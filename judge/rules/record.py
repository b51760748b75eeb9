"""What a rule is, and what it finds."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from judge.evidence import Evidence
from judge.metrics import ClaimKind
from worker.bundle.record import Identifier, Label, Positive, Record
from worker.bundle.schema import ArmName

Family = Literal["B", "S", "E", "P", "M", "A", "C", "X"]
Severity = Literal["error", "warning", "info"]

Effect = Literal["invalidates", "quarantines", "blocks", "notes"]
"""What follows from a finding: the whole bundle counts for nothing; it is set aside until a person has looked; the
claims it touches get no evidence from this bundle; it is shown and nothing else."""

RuleId = Annotated[str, Field(pattern=r"^[BSEPMACX]-[0-9]{3}$")]

EVERY_KIND: tuple[ClaimKind, ...] = ("speed", "accuracy", "numerics")

FAMILIES: dict[Family, str] = {
    "B": "Form and digests",
    "S": "Suite completeness and plan",
    "E": "Environment and plausibility",
    "P": "Path coverage",
    "M": "Measurement identities",
    "A": "Accuracy",
    "C": "Challenge and binding",
    "X": "Secrets and hostile content",
}


class Finding(Record):
    """One thing that one rule found in one bundle."""

    rule_id: RuleId
    rule_version: Positive
    severity: Severity
    effect: Effect
    title: Label
    detail: Annotated[str, Field(max_length=1000)]
    """What was found, with its numbers. May quote the bundle: escape before showing."""
    hint: Annotated[str, Field(max_length=500)]
    """What the owner of the bundle can do about it."""
    where: Label
    """For a person: ``evals/decode-step/cells/b4/baseline``, ``files/3``, ``environment/gpus/0``."""
    eval_id: Identifier | None
    """None: the finding is about the whole bundle."""
    cell: Identifier | None
    """None: about every cell of the eval."""
    arm: ArmName | None
    """None: about both arms."""
    bears_on: tuple[ClaimKind, ...]
    """Kinds of claims it can block."""

    def touches(self, *, eval_id: str, cell: str, kind: ClaimKind) -> bool:
        """Whether this finding is about that cell, for a claim of that kind."""
        return kind in self.bears_on and self.eval_id in (None, eval_id) and self.cell in (None, cell)


@dataclass(frozen=True)
class Found:
    """What a rule's function yields: the place and the numbers; the rule adds the rest."""

    detail: str
    where: str
    eval_id: str | None = None
    cell: str | None = None
    arm: ArmName | None = None


@dataclass(frozen=True)
class Rule:
    """A pure function over evidence with a name, a weight and an explanation.

    Attributes:
        id: ``FAMILY-NNN``; never reused.
        severity: ``error`` unless the effect is ``notes``.
        effect: What follows from a finding.
        title: What is wrong, in a few words.
        hint: What to do about it.
        why: Why it matters; one or two sentences for the rule's page.
        version: Raised whenever the rule can find something else than before.
        apply: Yields what it finds.
        bears_on: Kinds of claims its findings can block.
    """

    id: str
    severity: Severity
    effect: Effect
    title: str
    hint: str
    why: str
    version: int
    apply: Callable[[Evidence], Iterable[Found]]
    bears_on: tuple[ClaimKind, ...] = EVERY_KIND

    @property
    def family(self) -> Family:
        """The letter of its id."""
        match self.id[0]:
            case "B" | "S" | "E" | "P" | "M" | "A" | "C" | "X" as letter:
                return letter
            case letter:
                raise ValueError(f"rule {self.id}: no family {letter}")
