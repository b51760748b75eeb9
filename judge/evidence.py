"""Evidence: a bundle read once, as data that rules and statistics are pure functions of.

`collect` never raises for what a blob holds: an unreadable row, a missing blob or a wrong digest becomes a `Problem`,
and rules of family B turn problems into findings. What only a server can know about a bundle comes in as `Context`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from judge.lm_eval import LmEvalRun
from judge.tables import CellArm, RequestTable, StepTable, TelemetryTable
from worker.bundle.record import CommitSha, Identifier, Label, Positive, Record, Sha256
from worker.bundle.samples import CounterRow, NumericsRow, SummaryRow
from worker.bundle.schema import ArmName, Manifest
from worker.suites import Suite


class IssuedChallenge(Record):
    """A challenge as the server issued it."""

    id: Identifier
    nonce: Label
    plan_digest: Sha256
    suite_digest: Sha256
    repository_id: Positive
    pull_number: Positive
    head_sha: CommitSha
    node_key_id: Sha256 | None
    """The node it was issued to; None: any."""
    used_by: Sha256 | None
    """Bundle that used it first, perhaps this one."""


class PullState(Record):
    """A pull request as the server knows it now."""

    repository_id: Positive
    number: Positive
    head_sha: CommitSha


class Context(Record):
    """What is known about a bundle besides the bundle."""

    place: Literal["offline", "server"]
    """``offline``: nothing below could be looked up, so nothing is held against the bundle."""
    signature: Literal["absent", "valid", "invalid", "unknown_key", "unchecked"]
    node_key_id: Sha256 | None
    """Key whose signature is valid; None: no valid signature."""
    challenge: IssuedChallenge | None
    """The challenge the manifest names, if the server issued it."""
    pull: PullState | None
    """The pull request the bundle is evidence for."""


OFFLINE = Context(place="offline", signature="unchecked", node_key_id=None, challenge=None, pull=None)
"""The context of a worker or of `byogpu check`: nothing can be looked up."""


class Problem(Record):
    """One thing in a blob that could not be read as what its role says."""

    code: Identifier
    """``blob_missing``, ``blob_corrupt``, ``row_invalid``, ``line_too_long``, ``too_many_rows``, ``json_invalid``, …"""
    detail: str
    file: int
    """Index in the manifest's ``files``."""
    eval_id: Identifier | None
    arm: ArmName | None


class SecretHit(Record):
    """A place in a text or blob that looks like a secret. What matched is never repeated."""

    kind: Identifier
    offset: int
    where: str


@dataclass(frozen=True, eq=False)
class Evidence:
    """A bundle, read.

    Attributes:
        bundle_id: SHA-256 of the canonical manifest.
        manifest: What the bundle says.
        suite: The published suite it names; None: it names none, or an unknown one.
        context: What is known besides.
        steps: Decode steps by cell and arm.
        requests: Requests by cell and arm.
        numerics: Operator errors by cell and arm.
        telemetry: NVML samples by eval.
        counters: Server counters, in file order.
        summaries: Typed numbers, in file order.
        lm_eval: lm-eval's output by eval and arm.
        problems: What could not be read, in file order.
        secrets: What looks like a secret, in manifest and blobs.
    """

    bundle_id: str
    manifest: Manifest
    suite: Suite | None
    context: Context
    steps: Mapping[CellArm, StepTable]
    requests: Mapping[CellArm, RequestTable]
    numerics: Mapping[CellArm, tuple[NumericsRow, ...]]
    telemetry: Mapping[Identifier, TelemetryTable]
    counters: tuple[CounterRow, ...]
    summaries: tuple[SummaryRow, ...]
    lm_eval: Mapping[tuple[Identifier, ArmName], LmEvalRun]
    problems: tuple[Problem, ...]
    secrets: tuple[SecretHit, ...]
