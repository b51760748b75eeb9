"""Which cells of a bundle a claim is about."""

from collections.abc import Sequence

from judge.assess import Assessment
from judge.cells import CellSummary
from judge.claim import Acceptance, CellSelector, Claim
from worker.bundle.schema import Cell


def selected(claim: Claim, bundle: Assessment) -> tuple[CellSummary, ...]:
    """The bundle's cells of the claim's metric that its selector, suite and acceptance admit."""
    if claim.suite is not None and claim.suite != bundle.suite_id:
        return ()
    return tuple(
        one
        for one in bundle.cells
        if one.cell.metric == claim.metric and _admits(claim.cells, one.cell) and _accepts(claim.acceptance, one.cell)
    )


def missing(claim: Claim, cells: Sequence[CellSummary]) -> tuple[str, ...]:
    """Values that the selector lists and no selected cell has, such as ``batch 4``."""
    selector, found = claim.cells, []
    for name, wanted, has in (
        ("batch", selector.batch, {one.cell.batch for one in cells}),
        ("tp", selector.tp, {one.cell.tensor_parallel for one in cells}),
        ("cp", selector.cp, {one.cell.context_parallel for one in cells}),
        ("context", selector.context, {one.cell.context_tokens for one in cells}),
        ("phase", selector.phase, {one.cell.phase for one in cells}),
        ("speculation", selector.speculation, {speculation_kind(one.cell) for one in cells}),
    ):
        found += [f"{name} {value}" for value in wanted or () if value not in has]
    for task in selector.task or ():
        if not any(_is_task(one.cell, task) for one in cells):
            found.append(f"task {task}")
    return tuple(found)


def speculation_kind(cell: Cell) -> str:
    """``none``, ``natural``, ``synthetic`` or ``unknown``."""
    return "unknown" if cell.speculation == "unknown" else cell.speculation.kind


def _admits(selector: CellSelector, cell: Cell) -> bool:
    return (
        (selector.batch is None or cell.batch in selector.batch)
        and (selector.tp is None or cell.tensor_parallel in selector.tp)
        and (selector.cp is None or cell.context_parallel in selector.cp)
        and (selector.context is None or cell.context_tokens in selector.context)
        and (selector.phase is None or cell.phase in selector.phase)
        and (selector.speculation is None or speculation_kind(cell) in selector.speculation)
        and (selector.task is None or any(_is_task(cell, task) for task in selector.task))
    )


def _accepts(acceptance: Acceptance | None, cell: Cell) -> bool:
    if acceptance is None:
        return True
    if cell.speculation == "unknown" or cell.speculation.kind != acceptance.kind:
        return False
    if acceptance.kind == "synthetic" and cell.speculation.kind == "synthetic":
        return cell.speculation.acceptance_length == acceptance.length
    return True


def _is_task(cell: Cell, task: str) -> bool:
    name = cell.task or ""
    return name == task or name.rsplit("/", 2)[0] == task
