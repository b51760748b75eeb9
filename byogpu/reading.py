"""Findings, cells and comparisons as tables for a terminal."""

from collections.abc import Iterable, Sequence

from byogpu.output import Output
from judge.cells import ArmSummary, CellSummary
from judge.compare import Comparison
from judge.estimates import Estimate
from judge.reproduction import Reproduction
from judge.rules import Finding
from judge.thresholds import MIN_BLOCKS
from worker.bundle import Bundle


def show_findings(output: Output, bundle: Bundle, findings: Sequence[Finding]) -> None:
    """Print each finding with what can be done about it."""
    counts = {severity: sum(one.severity == severity for one in findings) for severity in ("error", "warning", "info")}
    output.line(
        f"Bundle {bundle.id[:16]}: {counts['error']} errors, {counts['warning']} warnings, {counts['info']} remarks",
        style="bold",
    )
    for finding in findings:
        style = {"error": "red", "warning": "yellow", "info": "dim"}[finding.severity]
        output.line(f"{finding.rule_id} {finding.severity}: {finding.title} ({finding.where})", style=style)
        output.line(f"    {finding.detail}")
        if finding.hint:
            output.line(f"    → {finding.hint}", style="dim")


def show_cells(output: Output, cells: Iterable[CellSummary]) -> None:
    """Print what each cell came to in either arm, with the candidate against the baseline."""
    rows = []
    for cell in cells:
        baseline, candidate = cell.arm("baseline"), cell.arm("candidate")
        rows.append(
            (
                cell.cell.id,
                cell.cell.metric,
                _value(baseline),
                _value(candidate),
                _counts(baseline, candidate),
                _change(cell),
            )
        )
    columns = ("cell", "metric", "baseline", "candidate", "n", "against baseline [95 %]")
    output.table("Cells, recomputed from raw samples", columns, rows)


def show_comparison(output: Output, comparison: Comparison) -> None:
    """Print whether two bundles may be compared, and what comes out."""
    if comparison.comparable:
        output.line("Comparable in every cell.", style="bold green")
    else:
        output.line("Not comparable in every cell.", style="bold yellow")
        output.table("Differing", ("field", "A", "B"), ((one.field, one.a, one.b) for one in comparison.differing))
    output.table(
        "Cells (B against A; above 1: B is better)",
        ("cell", "metric", "A", "B", "n", "B against A [95 %]"),
        (
            (
                _pair(f"{cell.cell_a} {cell.arm_a}", f"{cell.cell_b} {cell.arm_b}"),
                cell.metric,
                _value(cell.a),
                _value(cell.b),
                _counts(cell.a, cell.b),
                estimate(cell.estimate) if cell.comparable else "not comparable",
            )
            for cell in comparison.cells
        ),
    )


def show_reproduction(output: Output, result: Reproduction) -> None:
    """Print whether a result came out again, cell by cell."""
    style = {"reproduced": "bold green", "differs": "bold red"}.get(result.outcome, "bold yellow")
    output.line(f"{result.outcome.replace('_', ' ').capitalize()} (within {result.tolerance:.0%}).", style=style)
    output.table(
        "Candidate against baseline (95 %)",
        ("cell", "metric", "first run", "this run", "outcome"),
        (
            (
                cell.cell,
                cell.metric,
                estimate(cell.first),
                estimate(cell.second),
                "not comparable: " + ", ".join(one.field for one in cell.differing) if cell.differing else cell.outcome,
            )
            for cell in result.cells
        ),
    )
    for missing in result.missing:
        output.line(f"This run has no cell {missing}.", style="yellow")


def estimate(value: Estimate | None) -> str:
    """An estimate with its interval, ``1.62x [1.58, 1.66]``."""
    if value is None:
        return "no interval"
    unit = "x" if value.kind == "ratio" else ""
    return f"{value.value:.3f}{unit} [{value.low:.3f}, {value.high:.3f}]"


def _change(cell: CellSummary) -> str:
    """The estimate, or the reason why there is none."""
    if cell.differing:
        return "not comparable: " + ", ".join(one.field for one in cell.differing)
    if cell.numerics is not None:
        return f"{cell.numerics.outside_tolerance} of {cell.numerics.cases} cases outside tolerance"
    if cell.estimate is None and len(cell.arms) == 2:
        blocks = min(arm.blocks for arm in cell.arms)
        return f"no interval: {blocks} of {MIN_BLOCKS} blocks" if blocks < MIN_BLOCKS else "no interval"
    return estimate(cell.estimate)


def _value(arm: ArmSummary | None) -> str:
    return "-" if arm is None or arm.value is None else f"{arm.value:.4g}"


def _counts(first: ArmSummary | None, second: ArmSummary | None) -> str:
    return "/".join(str(arm.samples) if arm else "-" for arm in (first, second))


def _pair(first: str, second: str) -> str:
    return first if first == second else f"{first} / {second}"
