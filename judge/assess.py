"""A bundle judged by itself: read, checked by every rule, every cell recomputed, trust placed."""

from typing import Literal

from judge.cells import CellSummary
from judge.rules.record import Finding
from judge.trust import TrustLevel
from worker.bundle.record import CommitSha, Count, Identifier, Label, Positive, Record, Sha256, Unknown
from worker.bundle.schema import Origin

Validity = Literal["valid", "invalid", "quarantined"]


class SamePath(Record):
    """Whether both arms ran the same code on the same path, eval by eval."""

    eval_id: Identifier
    same: bool
    """Code, image, weights, resolved configuration and kernel digests agree and every step ran stock in both arms."""
    refusal: Label | None
    """Why the candidate's decode steps did not run on the specialized path: its ledger's most frequent reason."""


class Assessment(Record):
    """Everything the service keeps of a bundle for judging claims; stored and read back without the raw rows."""

    bundle_id: Sha256
    origin: Origin
    head_sha: CommitSha | Unknown
    suite_id: Identifier | None
    """None: no published suite."""
    hardware: Label | Unknown
    tries: Positive
    """Runs behind this bundle: earlier attempts and this one. Each try is a chance to be lucky."""
    duration_s: float | None
    thresholds_version: Positive
    rules_applied: Count
    validity: Validity
    trust: TrustLevel
    findings: tuple[Finding, ...]
    cells: tuple[CellSummary, ...]
    paths: tuple[SamePath, ...]
