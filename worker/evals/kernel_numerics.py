"""Each operator of each arm against its float64 reference."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worker.arms import Arm
from worker.bundle import BundleError, check_json
from worker.bundle.canonical import describe
from worker.bundle.record import Amount, Identifier, Label, Positive, Text
from worker.bundle.samples import NumericsRow
from worker.bundle.schema import ArmName, Cell
from worker.engine import ENGINE_THREADS
from worker.errors import EvalError
from worker.evals.trial import ARMS, NO_SPECULATION, Setting, Trial, stage
from worker.processes import Child
from worker.suites import KernelNumerics
from worker.suites.plan import plan_eval

CASE_FAILED = 1
"""Exit status of the bench when a case lies outside its tolerance: a result, not a failure."""


class _Answer(BaseModel):
    """What the worker needs of an answer; a newer bench may say more."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, strict=True)


class _Case(_Answer):
    operator: Identifier
    case: Label
    shape: Label
    distribution: Identifier
    max_abs_error: Amount
    max_rel_error: Amount
    tolerance: Amount
    tolerance_reason: Text
    repeats: Positive
    bitwise_repeatable: bool


class _Report(_Answer):
    cases: Annotated[tuple[_Case, ...], Field(min_length=1, max_length=20_000)]


def measure(plan: KernelNumerics, setting: Setting, trial: Trial) -> None:
    """Fill a trial with the error table of both arms, which run side by side: nothing is timed here.

    Raises:
        WorkerError: ``process_not_started``.
        EvalError: ``process_ended``, ``answer_invalid``, ``answer_too_large``.
        TimeLimitError: The time limit passed.
    """
    baseline, candidate = setting.arms
    with (
        stage(setting.progress, plan.id, total=len(ARMS)),
        _start(baseline, plan, setting) as first,
        _start(candidate, plan, setting) as second,
    ):
        for arm, child in ((baseline, first), (candidate, second)):
            trial.watch(child, arm=arm.name, name="numerics")
        for arm, child in ((baseline, first), (candidate, second)):
            report = _parse(child.read_all(trial.deadline, accepted=(0, CASE_FAILED)))
            trial.numerics += [_row(plan, arm.name, case) for case in report.cases]
            trial.cells[:] = _cells(plan, trial.numerics)
            setting.progress.advance(plan.id)


def _start(arm: Arm, plan: KernelNumerics, setting: Setting) -> Child:
    folder = setting.folder / plan.id / arm.name
    folder.mkdir(parents=True)
    [seed] = plan_eval(plan, setting.seeds).seeds
    command = arm.module(
        "k3_decode.bench", "numerics", "--json", "--config", setting.config,
        "--seed", str(int(seed, 16)), "--threads", str(ENGINE_THREADS),
    )  # fmt: skip
    return Child(command, environment=arm.environment(folder), folder=folder)


def _parse(data: bytes) -> _Report:
    try:
        check_json(data)
        return _Report.model_validate_json(data)
    except BundleError as error:
        raise EvalError("answer_invalid", f"numerics: {error.detail}") from error
    except ValidationError as error:
        raise EvalError("answer_invalid", f"numerics: {describe(error)}") from error


def _row(plan: KernelNumerics, arm: ArmName, case: _Case) -> NumericsRow:
    return NumericsRow(cell=_cell_id(plan, case.operator), arm=arm, **case.model_dump())


def _cells(plan: KernelNumerics, rows: list[NumericsRow]) -> list[Cell]:
    """One cell for each operator, for the arms that have it."""
    found: dict[str, set[ArmName]] = {}
    for row in rows:
        found.setdefault(row.operator, set()).add(row.arm)
    return [
        Cell(
            id=_cell_id(plan, operator),
            metric="max_relative_error",
            phase="mixed",
            tensor_parallel=1,
            context_parallel=1,
            batch="unknown",
            context_tokens="unknown",
            input_tokens="unknown",
            output_tokens="unknown",
            speculation=NO_SPECULATION,
            task=operator,
            arms=tuple(arm for arm in ARMS if arm in arms),
        )
        for operator, arms in sorted(found.items())
    ]


def _cell_id(plan: KernelNumerics, operator: str) -> str:
    return f"{plan.id}.{operator}"[:80]
