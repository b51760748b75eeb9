"""Cells recomputed from raw rows: per arm the numbers, and the candidate against the baseline."""

from typing import Literal

from judge.comparability import ComparabilityKey, Difference
from judge.estimates import Drift, Estimate, NoiseFloor, Pairs
from judge.metrics import Better, ClaimKind
from judge.path import PathShare
from judge.physics import PhysicsBound
from judge.reconciliation import Reconciliation
from worker.bundle.record import Amount, Count, Identifier, Label, Record, Sha256, Unknown
from worker.bundle.schema import ArmName, Cell, EvalKind


class ArmSummary(Record):
    """One arm of one cell, recomputed."""

    arm: ArmName
    samples: Count
    """What the sample floors are held against: steps, requests, documents or cases."""
    blocks: Count
    """Blocks left after exclusion."""
    failed: Count
    """Requests that ended in an error; their times are in no statistic."""
    value: float | None
    """The metric's headline statistic; None without samples, or below the suite's floor."""
    p10: float | None
    p90: float | None
    p99: float | None
    """Percentiles; None below the suite's floor."""
    seconds: Amount | None
    """Time the samples took, for estimates of a further run; None: unknown."""
    path: PathShare | Unknown | None
    """None: the cell drives no engine."""
    key: ComparabilityKey
    physics: PhysicsBound | None = None
    """Of a decode step whose model and machine are known; None also in records stored before it was computed."""
    reconciliation: Reconciliation | None = None
    """Of a decode step whose kernels were timed as well."""


class NumericsSummary(Record):
    """Operator cases of the candidate against their tolerances."""

    cases: Count
    outside_tolerance: Count
    worst_case: Label | None
    """Operator and case of the largest error by its tolerance."""
    worst_share: Amount | None
    """That error by its tolerance; above 1 is outside."""


class CellSummary(Record):
    """One cell of one bundle: everything a verdict or a page needs, without the raw rows."""

    bundle_id: Sha256
    eval_id: Identifier
    eval_kind: EvalKind
    cell: Cell
    kind: ClaimKind
    unit: Label
    better: Better
    arms: tuple[ArmSummary, ...]
    """Arms with rows, baseline first."""
    estimate: Estimate | None
    """Candidate against baseline; None when an arm is missing, too small, or not comparable."""
    pairs: Pairs | None
    """Accuracy with 0/1 scores only."""
    numerics: NumericsSummary | None
    noise_floor: NoiseFloor | None
    drift: Drift | None
    throttling: Literal["none", "excluded", "unplaced"] | Unknown
    """``excluded``: throttled blocks and their partners in the other arm were left out. ``unplaced``: a GPU throttled
    and the samples' clock does not tell during which block."""
    excluded_blocks: tuple[Count, ...]
    differing: tuple[Difference, ...]
    """Comparability fields in which the arms differ, a = baseline; empty with two arms: comparable."""
    unverified: tuple[Label, ...]
    """Comparability fields unknown in both arms."""
    sample_floor: Count
    """Samples below which the headline statistic is not stated."""

    def arm(self, name: ArmName) -> ArmSummary | None:
        """One arm, or None if it has no rows."""
        return next((arm for arm in self.arms if arm.arm == name), None)
