"""Family S: the suite is a published one, and all of it was run as planned."""

from collections.abc import Iterator, Sequence

import numpy as np

from judge.evidence import Evidence
from judge.exclusion import spans
from judge.rules.record import Found, rule
from judge.series import MeasuredCell, measured_cells, series
from worker.bundle.schema import ArmName, Cell, EvalRecord
from worker.suites import DecodeStep, EvalPlan, Serving

_ARMS: tuple[ArmName, ...] = ("baseline", "candidate")


@rule(
    "S-001",
    "error",
    "blocks",
    title="The suite is not a published one",
    hint="Run a published suite, with a worker of the same version as the service.",
)
def suite_known(evidence: Evidence) -> Iterator[Found]:
    """Block order, samples and tolerances are fixed in a published suite before the run; others can be fitted to it."""
    reference = evidence.manifest.subject.suite
    if reference is not None and evidence.suite is None:
        yield Found(
            f"no published suite has digest {reference.digest[:12]}… ({reference.id}, version {reference.version})",
            "subject/suite",
        )


@rule(
    "S-002",
    "error",
    "invalidates",
    title="The suite's name and digest disagree",
    hint="Let the worker write the reference.",
)
def suite_reference(evidence: Evidence) -> Iterator[Found]:
    """A bundle that calls one suite by the name of another misleads whoever reads it."""
    reference = evidence.manifest.subject.suite
    if reference is not None and evidence.suite is not None and reference != evidence.suite.reference:
        yield Found(
            f"the digest is that of {evidence.suite.id} version {evidence.suite.version}, "
            f"the bundle says {reference.id} version {reference.version}",
            "subject/suite",
        )


@rule(
    "S-003",
    "error",
    "blocks",
    title="An eval of the suite is missing",
    hint="Run the whole suite. An eval that breaks belongs in the bundle as failed, skipped or timed out.",
)
def evals_present(evidence: Evidence) -> Iterator[Found]:
    """An eval that was left out without a word may be the one that failed."""
    present = {record.id: record.kind for record in evidence.manifest.evals}
    for plan in evidence.suite.evals if evidence.suite else ():
        if present.get(plan.id) != plan.kind:
            yield Found(f"{plan.id} ({plan.kind}) is not in the bundle", f"evals/{plan.id}")


@rule(
    "S-004",
    "error",
    "blocks",
    title="An eval did not run to its end",
    hint="The bundle's log says what happened; `byogpu doctor` says what this machine can run.",
)
def evals_completed(evidence: Evidence) -> Iterator[Found]:
    """What broke, timed out or was skipped is no evidence, whatever rows it left."""
    for record in evidence.manifest.evals:
        match record.outcome.outcome:
            case "completed":
                continue
            case "failed":
                detail = f"failed: {record.outcome.code}: {record.outcome.detail}"
            case "skipped":
                detail = f"skipped: {record.outcome.reason}"
            case "timed_out":
                detail = f"timed out after {record.outcome.limit_s:g} s"
        yield Found(detail[:900], f"evals/{record.id}", eval_id=record.id)


@rule(
    "S-005",
    "error",
    "blocks",
    title="A planned cell is missing or empty",
    hint="Run the suite's whole plan.",
)
def cells_present(evidence: Evidence) -> Iterator[Found]:
    """Cells that are left out are holes in the evidence; the others do not speak for them."""
    for record in evidence.manifest.evals:
        plan = evidence.plan(record.id)
        if plan is None or record.outcome.outcome != "completed":
            continue
        for wanted, matching in _planned(plan, record):
            if not matching:
                yield Found(f"no cell for {wanted}", f"evals/{record.id}/cells", eval_id=record.id)
    for cell in _declared(evidence):
        if cell.record.outcome.outcome == "completed":
            for arm in _ARMS:
                if arm in cell.cell.arms and not _samples(evidence, cell, arm):
                    yield Found(
                        f"no usable sample of {cell.cell.metric} in the {arm}",
                        f"evals/{cell.record.id}/cells/{cell.cell.id}/{arm}",
                        eval_id=cell.record.id,
                        cell=cell.cell.id,
                        arm=arm,
                    )


@rule(
    "S-006",
    "error",
    "blocks",
    title="Blocks ran in another order than planned",
    hint="Run the suite without changes, on a machine that does nothing else.",
    bears_on=("speed",),
)
def block_order(evidence: Evidence) -> Iterator[Found]:
    """The planned order cancels drift between the arms; another order can turn drift into a gain."""
    for cell in _declared(evidence):
        plan = evidence.plan(cell.record.id)
        if not isinstance(plan, DecodeStep | Serving):
            continue
        ran = [span.arm for span in spans(evidence, cell, purpose="measure")]
        sentinels = [span.arm for span in spans(evidence, cell, purpose="drift")]
        wanted = list(plan.block_order) * plan.rounds
        if ran and (ran != wanted or sentinels != _sentinels(plan)):
            yield Found(
                f"planned {_letters(wanted)} and sentinels {_letters(_sentinels(plan))}, "
                f"ran {_letters(ran)} and {_letters(sentinels)}",
                f"evals/{cell.record.id}/cells/{cell.cell.id}",
                eval_id=cell.record.id,
                cell=cell.cell.id,
            )


@rule(
    "S-007",
    "warning",
    "notes",
    title="A block has fewer samples than planned",
    hint="Run the suite again; if it happens every time, the log says why steps are lost.",
)
def block_size(evidence: Evidence) -> Iterator[Found]:
    """Blocks of unequal size weigh samples unequally, and steps that are missing may be the slow ones."""
    for record in evidence.manifest.evals:
        plan = evidence.plan(record.id)
        if not isinstance(plan, DecodeStep | Serving):
            continue
        wanted = plan.steps_per_block if isinstance(plan, DecodeStep) else plan.requests_per_block
        for cell in record.cells:
            for arm in _ARMS:
                table = evidence.steps.get((cell.id, arm)) or evidence.requests.get((cell.id, arm))
                short = int((np.unique(table.block, return_counts=True)[1] < wanted).sum()) if table else 0
                if short:
                    yield Found(
                        f"{short} blocks of the {arm} have fewer than {wanted} samples",
                        f"evals/{record.id}/cells/{cell.id}/{arm}",
                        eval_id=record.id,
                        cell=cell.id,
                        arm=arm,
                    )


@rule(
    "S-008",
    "warning",
    "notes",
    title="Too few samples for a statistic",
    hint="Run more rounds of the suite.",
)
def enough_samples(evidence: Evidence) -> Iterator[Found]:
    """A percentile from fewer samples than the suite's floor is not stated, and a claim on it stays inconclusive."""
    for cell in _declared(evidence):
        for arm in _ARMS:
            found = series(evidence, cell, arm)
            if found is not None and 0 < found.counted < evidence.floors.p50:
                yield Found(
                    f"{found.counted} samples of {cell.cell.metric} in the {arm}, a median needs {evidence.floors.p50}",
                    f"evals/{cell.record.id}/cells/{cell.cell.id}/{arm}",
                    eval_id=cell.record.id,
                    cell=cell.cell.id,
                    arm=arm,
                )


@rule(
    "S-009",
    "warning",
    "notes",
    title="An eval is not part of the suite",
    hint="Run extra evals as a suite of their own.",
)
def evals_planned(evidence: Evidence) -> Iterator[Found]:
    """It has no plan that was fixed beforehand; it is shown and no claim on the suite rests on it."""
    for record in evidence.manifest.evals if evidence.suite else ():
        if evidence.plan(record.id) is None:
            yield Found(f"{record.id} ({record.kind}) is not planned", f"evals/{record.id}", eval_id=record.id)


@rule(
    "S-010",
    "error",
    "limits",
    title="Planned kernel times are missing",
    hint="Run the suite with a bench that times kernels, where its tracer may be used; the program's log says why not.",
    bears_on=("speed",),
)
def kernels_timed(evidence: Evidence) -> Iterator[Found]:
    """A step that is faster has faster kernels or shorter gaps; without their times nobody can tell which."""
    for record in evidence.manifest.evals:
        plan = evidence.plan(record.id)
        if not isinstance(plan, DecodeStep) or not plan.kernel_times or record.outcome.outcome != "completed":
            continue
        last = {block.arm: block.index for block in record.blocks}
        for cell in record.cells:
            for arm in cell.arms:
                rows = evidence.kernel_times.get((cell.id, arm), ())
                if not any(row.kernel is not None and row.block == last.get(arm) for row in rows):
                    yield Found(
                        f"the last block of the {arm} has no kernel times",
                        f"evals/{record.id}/cells/{cell.id}/{arm}",
                        eval_id=record.id,
                        cell=cell.id,
                        arm=arm,
                    )


def _planned(plan: EvalPlan, record: EvalRecord) -> Iterator[tuple[str, Sequence[Cell]]]:
    """Each planned coordinate, with the cells that cover it in both arms."""
    match plan.kind:
        case "decode_step":
            for batch in plan.batches:
                for context in plan.context_tokens:
                    yield f"batch {batch}, context {context}", _cells(record, batch=batch, context_tokens=context)
        case "serving":
            for concurrency in plan.concurrency:
                yield f"concurrency {concurrency}", _cells(record, batch=concurrency)
        case "accuracy":
            for task in plan.tasks:
                cells = [cell for cell in record.cells if (cell.task or "").split("/")[0] == task]
                yield f"task {task}", [cell for cell in cells if set(cell.arms) == set(_ARMS)]
        case "kernel_numerics":
            yield "any operator", record.cells


def _cells(record: EvalRecord, **wanted: int) -> list[Cell]:
    return [
        cell
        for cell in record.cells
        if set(cell.arms) == set(_ARMS) and all(getattr(cell, name) == value for name, value in wanted.items())
    ]


def _declared(evidence: Evidence) -> Iterator[MeasuredCell]:
    """Timed cells under the metric that the manifest gives them, not the further ones their rows allow."""
    for cell in measured_cells(evidence):
        timed = cell.record.kind in ("decode_step", "serving")
        if timed and any(cell.cell.id == one.id and cell.cell.metric == one.metric for one in cell.record.cells):
            yield cell


def _samples(evidence: Evidence, cell: MeasuredCell, arm: ArmName) -> int:
    found = series(evidence, cell, arm)
    return len(found.values) if found else 0


def _sentinels(plan: DecodeStep | Serving) -> list[ArmName]:
    return ["baseline"] if isinstance(plan, DecodeStep) else []


def _letters(arms: Sequence[ArmName]) -> str:
    return "".join("B" if arm == "baseline" else "C" for arm in arms)[:80] or "none"


RULES = (
    suite_known,
    suite_reference,
    evals_present,
    evals_completed,
    cells_present,
    block_order,
    block_size,
    enough_samples,
    evals_planned,
    kernels_timed,
)
