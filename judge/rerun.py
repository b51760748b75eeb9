"""The re-run plan: the least that has to be measured again after a new commit."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from judge.assess import Assessment
from judge.cells import CellSummary
from judge.claim import Claim
from judge.lifetime import Item, Lifetime, measured_now
from judge.selection import selected
from worker.bundle.record import Amount, Identifier, Label, Record, Sha256, Unknown


class Rerun(Record):
    """One suite to run again on one class of machine."""

    suite: Identifier | None
    """None: the stale bundle ran no published suite; any suite with these cells will do."""
    hardware: Label | Unknown
    evals: tuple[Identifier, ...]
    cells: tuple[Identifier, ...]
    minutes: Amount | None
    """From what the same cells took; None: the stale bundle does not tell."""
    gpu_minutes: Amount | None
    """Minutes by GPUs; 0 on a machine without one."""
    replaces: Sha256
    """The stale bundle."""
    sentence: Annotated[str, Field(max_length=500)]


class RerunPlan(Record):
    """Everything that is stale and not measured again yet."""

    runs: tuple[Rerun, ...]
    gpu_minutes: Amount | None
    """Of all runs; None: one of them is unknown."""


def rerun_plan(items: Sequence[Item], standings: Sequence[Lifetime], *, claims: Sequence[Claim]) -> RerunPlan:
    """Plan what would make the evidence whole again.

    Args:
        items: As given to `judge.lifetime.lifetimes`.
        standings: Its answer.
        claims: Only cells that a claim is about are planned; without claims all are.

    Returns:
        Runs on the same classes of machine as before, from the newest stale bundle that has the cell. Cells that carry
        over, or that were measured for the present head on the same class of machine, are in none.
    """
    done = set(measured_now(items, standings))
    for item, standing in zip(items, standings, strict=True):
        if item.assessment is not None:
            done |= {(item.assessment.hardware, one.eval_id, one.cell, one.metric) for one in standing.inherited}
    runs = []
    for item, standing in reversed(list(zip(items, standings, strict=True))):
        if not item.usable or item.assessment is None or standing.standing not in ("stale", "inherited"):
            continue
        open_cells = []
        for cell in _wanted(item.assessment, claims):
            name = (item.assessment.hardware, cell.eval_id, cell.cell.id, cell.cell.metric)
            if cell.arms and name not in done:
                done.add(name)
                open_cells.append(cell)
        if open_cells:
            runs.append(_rerun(item, item.assessment, open_cells))
    known = [run.gpu_minutes for run in runs if run.gpu_minutes is not None]
    return RerunPlan(runs=tuple(runs), gpu_minutes=round(sum(known), 1) if len(known) == len(runs) else None)


def _wanted(assessment: Assessment, claims: Sequence[Claim]) -> tuple[CellSummary, ...]:
    if not claims:
        return assessment.cells
    ids = {id(cell) for claim in claims for cell in selected(claim, assessment)}
    return tuple(cell for cell in assessment.cells if id(cell) in ids)


def _rerun(item: Item, assessment: Assessment, cells: Sequence[CellSummary]) -> Rerun:
    evals = tuple(dict.fromkeys(cell.eval_id for cell in cells))
    parts = [_minutes(item, assessment, [cell for cell in cells if cell.eval_id == one]) for one in evals]
    known = [part for part in parts if part is not None]
    minutes = sum(known) if len(known) == len(parts) else None
    counts = {arm.key.gpu_count for cell in cells for arm in cell.arms}
    gpus = max((count for count in counts if count != "unknown"), default=None) if "unknown" not in counts else None
    suite = f"suite {assessment.suite_id}" if assessment.suite_id else "a suite with these cells"
    where = "" if assessment.hardware == "unknown" else f" on {assessment.hardware}"
    named = ", ".join(f"{one} ({sum(cell.eval_id == one for cell in cells)} results)" for one in evals)
    return Rerun(
        suite=assessment.suite_id,
        hardware=assessment.hardware,
        evals=evals,
        cells=tuple(dict.fromkeys(cell.cell.id for cell in cells)),
        minutes=None if minutes is None else round(minutes, 1),
        gpu_minutes=None if minutes is None or gpus is None else round(minutes * gpus, 1),
        replaces=item.bundle_id,
        sentence=f"Run {suite}{where} for the present head: {named}."[:500],
    )


def _minutes(item: Item, assessment: Assessment, cells: Sequence[CellSummary]) -> float | None:
    """Of one eval: the whole eval's time if all of it is stale, else the time its stale cells took."""
    eval_id = cells[0].eval_id
    whole = item.facts.minutes(eval_id) if item.facts else None
    stale = {cell.cell.id for cell in cells}
    if stale >= {cell.cell.id for cell in assessment.cells if cell.eval_id == eval_id}:
        return whole
    seconds = {cell.cell.id: [arm.seconds for arm in cell.arms] for cell in cells}
    taken = [one for both in seconds.values() for one in both]
    known = [one for one in taken if one is not None]
    return sum(known) / 60 if known and len(known) == len(taken) else whole
