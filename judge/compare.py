"""Two bundles side by side: which of their numbers may be compared, and what comes out."""

from judge.cells import ArmSummary
from judge.comparability import Difference
from judge.estimates import Estimate
from judge.metrics import Better
from worker.bundle.record import Identifier, Label, Record, Sha256
from worker.bundle.schema import ArmName


class ComparedCell(Record):
    """One cell of A against one cell of B."""

    metric: Label
    unit: Label
    better: Better
    cell_a: Identifier
    cell_b: Identifier
    arm_a: ArmName
    arm_b: ArmName
    a: ArmSummary
    b: ArmSummary
    comparable: bool
    differing: tuple[Difference, ...]
    unverified: tuple[Label, ...]
    estimate: Estimate | None
    """B against A, above 1: B is better. None when not comparable or too small."""


class Comparison(Record):
    """What ``byogpu compare A B`` prints and the compare page shows."""

    a: Sha256
    b: Sha256
    comparable: bool
    """Every pair of cells is comparable, and there is at least one."""
    differing: tuple[Difference, ...]
    """Every distinct difference of any pair, in the key's order."""
    cells: tuple[ComparedCell, ...]
    only_a: tuple[Identifier, ...]
    only_b: tuple[Identifier, ...]
    """Cells without a partner."""
