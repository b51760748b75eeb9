"""The cheapest run that would settle a claim."""

import math
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from judge.assess import Assessment
from judge.cells import CellSummary
from judge.claim import Claim
from judge.decision import Decision, Outcome
from judge.stats import blocks_needed
from judge.thresholds import MIN_BLOCKS
from worker.bundle.record import Amount, Count, Identifier, Label, Positive, Record
from worker.suites import DecodeStep, Serving, published

MAX_ROUNDS = 1_000


class NextRun(Record):
    """What to run next."""

    suite: Identifier | None
    """None: any suite with these cells."""
    cells: tuple[Identifier, ...]
    rounds: Positive | None
    """Repetitions of the eval's block order, from the measured spread; None: the suite's own number."""
    hardware: Label | None
    """What it has to run on; None: any machine that runs the suite."""
    gpus: Count | None
    """Of that class; None: unknown, or any number."""
    minutes: Amount | None
    """Estimated from the time that the last run took; None: nothing to estimate from."""
    gpu_minutes: Amount | None
    """Minutes by GPUs; 0 on a machine without one. None: one of them is unknown."""
    sentence: Annotated[str, Field(max_length=500)]


def next_run(
    claim: Claim, outcome: Outcome, deciding: Decision | None, bundle: Assessment | None, *, gaps: Sequence[str]
) -> NextRun:
    """Say what would settle a claim that is not settled.

    Args:
        claim: The claim.
        outcome: Where it stands.
        deciding: The cell it hangs on; None: there is no cell.
        bundle: The bundle it was judged on; None: there is none.
        gaps: Values of its selector that no cell has.
    """
    suite = claim.suite or (bundle.suite_id if bundle else None)
    cells = (deciding.cell.cell.id,) if deciding else ()
    minutes = bundle.duration_s / 60 if bundle and bundle.duration_s != "unknown" else None
    if deciding is None:
        wanted = f"{claim.metric} at {', '.join(gaps)}" if gaps else claim.metric
        named = f"suite {suite}" if suite and not gaps else f"a suite that measures {wanted}"
        return _write(None if gaps else suite, cells, f"Run {named} on both arms of the present head.", minutes=None)
    if outcome == "not_comparable":
        fields = ", ".join(one.field for one in deciding.cell.differing)
        sentence = f"Run {_named(suite)} again with {fields} equal in both arms and as requested."
        return _write(suite, cells, sentence, minutes=minutes, like=deciding.cell)
    if outcome == "no_evidence":
        if deciding.path_missing:
            facts = bundle.path(deciding.cell.eval_id) if bundle else None
            refused = f"; here it refused: {facts.refusal}" if facts and facts.refusal else ""
            sentence = f"Run {_named(suite)} where the specialized path starts{refused}."
            return _write(suite, cells, sentence, hardware="a GPU that the specialized path supports", minutes=minutes)
        sentence = f"Run {_named(suite)} again once this is mended: {deciding.reason}."
        return _write(suite, cells, sentence, minutes=minutes, like=deciding.cell)
    return _more(claim, deciding, suite)


def _more(claim: Claim, deciding: Decision, suite: str | None) -> NextRun:
    """More of the same: rounds from the measured spread, or a quieter machine where more would not help."""
    cell = deciding.cell
    cells = (cell.cell.id,)
    if cell.throttling == "unplaced" or (cell.drift is not None and cell.drift.exceeded):
        quiet = "that stays cool and does nothing else" if cell.throttling == "unplaced" else "that does nothing else"
        sentence = f"Run {_named(suite)} again on a machine {quiet}."
        return _write(suite, cells, sentence, minutes=_minutes(cell, 1.0), like=cell)
    factor = _factor(deciding)
    if cell.kind == "accuracy":
        documents = math.ceil(min(arm.samples for arm in cell.arms) * factor)
        sentence = f"Run an accuracy suite with at least {documents:,} documents of {cell.cell.task or claim.metric}."
        return _write(None, cells, sentence, minutes=None)
    rounds = _rounds(suite, cell, factor)
    if rounds is None or rounds > MAX_ROUNDS:
        sentence = f"The value lies on the claimed bound within noise; no reasonable run of {_named(suite)} settles it."
        return _write(suite, cells, sentence, minutes=None)
    sentence = (
        f"Run {_named(suite)} with {rounds} rounds of {cell.eval_id} for cell {cell.cell.id}, on a quiet machine."
    )
    return _write(suite, cells, sentence, rounds=rounds, minutes=_minutes(cell, factor), like=cell)


def _factor(deciding: Decision) -> float:
    """How many times the samples are needed."""
    cell = deciding.cell
    samples = max(1.0, cell.sample_floor / max(min(arm.samples for arm in cell.arms), 1))
    blocks = min(arm.blocks for arm in cell.arms)
    if cell.estimate is None or deciding.distance is None or deciding.half_width is None:
        return max(samples, MIN_BLOCKS / max(blocks, 1)) if cell.kind == "speed" else samples
    half_width = deciding.half_width
    if cell.noise_floor is not None:
        half_width = max(half_width, math.log(cell.noise_floor.ratio))
    unit = blocks if cell.kind == "speed" else min(arm.samples for arm in cell.arms)
    return max(samples, blocks_needed(unit, half_width=half_width, distance=deciding.distance) / max(unit, 1))


def _rounds(suite: str | None, cell: CellSummary, factor: float) -> int | None:
    for one in published():
        for plan in one.evals:
            if one.id == suite and plan.id == cell.eval_id and isinstance(plan, DecodeStep | Serving):
                return math.ceil(plan.rounds * factor)
    return None


def _minutes(cell: CellSummary, factor: float) -> float | None:
    seconds = [arm.seconds for arm in cell.arms if arm.seconds is not None]
    return sum(seconds) * factor / 60 if len(seconds) == 2 else None


def _named(suite: str | None) -> str:
    return f"suite {suite}" if suite else "a published suite"


def _write(
    suite: str | None,
    cells: tuple[str, ...],
    sentence: str,
    *,
    rounds: int | None = None,
    hardware: str | None = None,
    minutes: float | None,
    like: CellSummary | None = None,
) -> NextRun:
    """Put it together; what is measured again runs on the class of machine that ``like`` was measured on."""
    keys = [arm.key for arm in like.arms] if like is not None else []
    found, count = next(iter({(key.hardware, key.gpu_count) for key in keys}), ("unknown", "unknown"))
    gpus = None if count == "unknown" else count
    return NextRun(
        suite=suite,
        cells=cells,
        rounds=rounds,
        hardware=hardware or (None if found == "unknown" else found),
        gpus=gpus,
        minutes=None if minutes is None else round(minutes, 1),
        gpu_minutes=None if minutes is None or gpus is None else round(minutes * gpus, 1),
        sentence=sentence[:500],
    )
