"""What changed when a bundle was judged again: by new rules or limits, or after more was known about it."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from judge.assess import Assessment, Validity
from judge.rules import Effect
from judge.rules.record import RuleId
from worker.bundle.record import Label, Positive, Record, Sha256


class Mark(Record):
    """A finding without its words: what is published of it may outlive the bundle, which the words may quote."""

    rule_id: RuleId
    rule_version: Positive
    effect: Effect
    title: Label
    where: Label


class Judged(Record):
    """One judgement in short."""

    thresholds_version: Positive
    validity: Validity
    trust_level: int
    marks: tuple[Mark, ...]


class Rejudgement(Record):
    """A bundle judged twice."""

    bundle_id: Sha256
    thresholds_before: Positive
    thresholds_after: Positive
    validity_before: Validity
    validity_after: Validity
    trust_before: int
    trust_after: int
    appeared: tuple[Mark, ...]
    """Findings that only the later judgement has; one whose rule has a new version and finds the same is in neither."""
    gone: tuple[Mark, ...]
    """Findings that only the earlier judgement had."""

    @property
    def changed(self) -> bool:
        """Whether anything but the limits' version differs."""
        same = (self.validity_before, self.trust_before) == (self.validity_after, self.trust_after)
        return bool(self.appeared or self.gone) or not same


def judged(assessment: Assessment) -> Judged:
    """Shorten an assessment."""
    return read_judged(assessment.model_dump_json())


def read_judged(record: str) -> Judged:
    """Shorten a stored assessment, also one that an earlier release wrote.

    Raises:
        ValidationError: It has not even the fields that every release had.
    """
    found = _Stored.model_validate_json(record)
    return Judged(
        thresholds_version=found.thresholds_version,
        validity=found.validity,
        trust_level=found.trust.level,
        marks=tuple(Mark.model_validate(one.model_dump()) for one in found.findings),
    )


def rejudgement(bundle_id: str, before: Judged, after: Judged) -> Rejudgement:
    """Hold two judgements of one bundle against one another."""
    return Rejudgement(
        bundle_id=bundle_id,
        thresholds_before=before.thresholds_version,
        thresholds_after=after.thresholds_version,
        validity_before=before.validity,
        validity_after=after.validity,
        trust_before=before.trust_level,
        trust_after=after.trust_level,
        appeared=_without(after.marks, before.marks),
        gone=_without(before.marks, after.marks),
    )


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _StoredFinding(_Lenient):
    rule_id: str
    rule_version: int
    effect: Effect
    title: str
    where: str


class _StoredTrust(_Lenient):
    level: int


class _Stored(_Lenient):
    """The part of an assessment that no release may rename."""

    thresholds_version: int
    validity: Validity
    trust: _StoredTrust
    findings: tuple[_StoredFinding, ...]


def _without(marks: Iterable[Mark], others: Iterable[Mark]) -> tuple[Mark, ...]:
    known = {(one.rule_id, one.effect, one.where) for one in others}
    return tuple(one for one in marks if (one.rule_id, one.effect, one.where) not in known)
