"""Evals: each measures, and however it ends becomes one record; no eval ends the run."""

import time
from collections.abc import Callable
from functools import partial

from worker.bundle.schema import Completed, EvalRecord, Failed, Outcome, Skipped, TimedOut
from worker.deadline import Deadline
from worker.environment.telemetry import Telemetry
from worker.errors import TimeLimitError, WorkerError
from worker.evals import accuracy, decode_step, kernel_numerics, serving
from worker.evals.trial import EvalResult, Setting, Trial
from worker.identity import printable
from worker.ledger import add_up
from worker.suites import Accuracy, DecodeStep, EvalPlan, KernelNumerics, Serving

__all__ = ["EvalResult", "Setting", "run_eval"]

_LOG_CHARACTERS = 16_000


def run_eval(plan: EvalPlan, setting: Setting) -> EvalResult:
    """Run one eval within its time limit and put what it measured into the bundle.

    Returns:
        The eval's record: completed, failed with a stable code (the programs' logs are then in the bundle), timed out,
        or skipped because this machine lacks a program. Rows measured before it broke are kept in every case.

    Note:
        Every program that the eval started has ended when this returns or raises.
    """
    if isinstance(plan, Accuracy) and (reason := accuracy.hindrance()) is not None:
        skipped = Skipped(outcome="skipped", reason=reason)
        return EvalResult(EvalRecord(id=plan.id, kind=plan.kind, outcome=skipped, cells=(), blocks=()), {}, {})
    trial = Trial(plan.id, Deadline.after(plan.time_limit_s))
    # Step rows carry the plain monotonic clock, all others count from the eval's beginning; telemetry follows.
    zero_s = 0.0 if plan.kind == "decode_step" else trial.began_s
    with Telemetry(setting.nvml, began_s=zero_s) as telemetry:
        outcome = _measure(_measurement(plan, setting, trial))
    _store(trial, setting, telemetry, failed=not isinstance(outcome, Completed))
    return EvalResult(
        record=EvalRecord(
            id=plan.id, kind=plan.kind, outcome=outcome, cells=tuple(trial.cells), blocks=tuple(trial.blocks)
        ),
        ledgers={arm: add_up(plan.id, answers) for arm, answers in trial.ledgers.items()},
        identities=trial.identities,
    )


def _measurement(plan: EvalPlan, setting: Setting, trial: Trial) -> Callable[[], None]:
    match plan:
        case KernelNumerics():
            return partial(kernel_numerics.measure, plan, setting, trial)
        case DecodeStep():
            return partial(decode_step.measure, plan, setting, trial)
        case Serving():
            return partial(serving.measure, plan, setting, trial)
        case Accuracy():
            return partial(accuracy.measure, plan, setting, trial)


def _measure(measurement: Callable[[], None]) -> Outcome:
    began_s = time.monotonic()
    try:
        measurement()
    except TimeLimitError as error:
        return TimedOut(outcome="timed_out", limit_s=error.limit_s)
    except WorkerError as error:
        return Failed(outcome="failed", code=error.code, detail=printable(error.detail)[:4096])
    return Completed(outcome="completed", duration_s=time.monotonic() - began_s)


def _store(trial: Trial, setting: Setting, telemetry: Telemetry, *, failed: bool) -> None:
    """Add the rows, and the logs of an eval that did not complete."""
    draft, eval_id = setting.draft, trial.eval_id
    if trial.steps:
        draft.add_rows(trial.steps, name=f"{eval_id}.steps.jsonl", role="steps", eval_id=eval_id)
    if trial.kernel_times:
        draft.add_rows(trial.kernel_times, name=f"{eval_id}.kernels.jsonl", role="kernel_times", eval_id=eval_id)
    if trial.requests:
        draft.add_rows(trial.requests, name=f"{eval_id}.requests.jsonl", role="requests", eval_id=eval_id)
    if trial.numerics:
        draft.add_rows(trial.numerics, name=f"{eval_id}.numerics.jsonl", role="numerics", eval_id=eval_id)
    if trial.counters:
        draft.add_rows(trial.counters, name=f"{eval_id}.counters.jsonl", role="counters", eval_id=eval_id)
    if trial.streams:
        draft.add_rows(trial.streams, name=f"{eval_id}.streams.jsonl", role="streams", eval_id=eval_id)
    if telemetry.rows:
        draft.add_rows(telemetry.rows, name=f"{eval_id}.telemetry.jsonl", role="telemetry", eval_id=eval_id)
    for arm, program, log in trial.logs() if failed else ():
        text = setting.redactor.text(log, where="log")[-_LOG_CHARACTERS:]
        draft.add(
            text.encode("utf-8", "replace"),
            name=f"{eval_id}.{arm}.{program}.log",
            role="log",
            eval_id=eval_id,
            arm=arm,
            media_type="text/plain",
        )
