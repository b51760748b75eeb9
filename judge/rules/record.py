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

Effect = Literal["invalidates", "quarantines", "blocks", "limits", "notes"]
"""What follows from a finding."""

EFFECTS: dict[Effect, str] = {
    "invalidates": "The whole bundle counts for nothing.",
    "quarantines": "The bundle is set aside until a person has looked at it.",
    "blocks": "Claims that it touches get no evidence from this bundle.",
    "limits": "Claims of a speed-up that it touches get no evidence from this bundle; other claims do.",
    "notes": "It is shown, and nothing else.",
}

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


Check = Callable[[Evidence], Iterable[Found]]
"""The body of a rule: yields what it finds, in an order that depends on nothing but the evidence."""


@dataclass(frozen=True)
class Rule:
    """A pure function over evidence with a name, a weight and an explanation.

    Attributes:
        id: ``FAMILY-NNN``; never reused.
        severity: ``error`` unless the effect is ``notes``.
        effect: What follows from a finding.
        title: What is wrong, in a few words.
        why: Why it matters; for the rule's page.
        hint: What to do about it.
        version: Raised whenever the rule can find something else than before.
        bears_on: Kinds of claims its findings can block.
        apply: The check itself.
    """

    id: str
    severity: Severity
    effect: Effect
    title: str
    why: str
    hint: str
    version: int
    bears_on: tuple[ClaimKind, ...]
    apply: Check

    @property
    def family(self) -> Family:
        """The letter of its id."""
        return next(letter for letter in FAMILIES if letter == self.id[0])


def rule(
    rule_id: str,
    severity: Severity,
    effect: Effect,
    *,
    title: str,
    hint: str,
    version: int = 1,
    bears_on: tuple[ClaimKind, ...] = EVERY_KIND,
) -> Callable[[Check], Rule]:
    """Make a rule of the function below it, whose docstring says why it matters; the arguments are `Rule`'s."""

    def wrap(check: Check) -> Rule:
        why = " ".join((check.__doc__ or "").split())
        return Rule(rule_id, severity, effect, title, why, hint, version, bears_on, check)

    return wrap
