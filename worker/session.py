"""A long-lived measuring process of an arm (``python -m k3_decode.bench session``), driven by JSON lines."""

import json
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worker.arms import Arm
from worker.bundle import BundleError, check_json
from worker.bundle.canonical import describe
from worker.bundle.record import Count
from worker.bundle.samples import KernelTimes
from worker.deadline import Deadline
from worker.engine import model_options
from worker.errors import EvalError
from worker.identity import EngineIdentity, parse_identity, printable
from worker.ledger import LedgerAnswer
from worker.processes import Child


class _Answer(BaseModel):
    """What the worker needs of an answer; a newer bench may say more."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, strict=True)


class TimedStep(_Answer):
    """One timed step."""

    step: Count
    latency_us: Annotated[float, Field(gt=0)]
    monotonic_ns: Count
    """When it began, on the clock of the measuring process."""


class BlockAnswer(_Answer):
    """One block of steps."""

    rows: tuple[TimedStep, ...]
    ledger: LedgerAnswer
    """Of the timed steps and no others."""
    kernels: tuple[KernelTimes, ...] = ()
    """Empty unless they were asked for."""


class BenchSession:
    """Measures blocks in one arm. Use as a context manager.

    Args:
        arm: Whose code runs.
        config: Model configuration, as the suite names it.
        folder: A scratch folder of its own.

    Raises:
        WorkerError: ``process_not_started``.
    """

    def __init__(self, arm: Arm, *, config: str, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.arm = arm
        command = arm.module("k3_decode.bench", "session", *model_options(config), "--decode", arm.decode)
        self.child = Child(command, environment=arm.environment(folder), folder=folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.child.stop()

    def identity(self, deadline: Deadline) -> EngineIdentity:
        """Ask who it is. The first answer of a session waits for the model to load.

        Raises:
            EvalError: ``process_ended``, ``answer_invalid``, ``answer_refused``, ``answer_too_large``.
            TimeLimitError: The deadline passed.
        """
        return parse_identity(self._ask({"op": "identity"}, deadline))

    def block(
        self, *, batch: int, context: int, steps: int, warmup: int, seed: int, kernels: bool, deadline: Deadline
    ) -> BlockAnswer:
        """Measure a block.

        Args:
            batch: Requests in every step.
            context: Tokens in each request's cache before the first step.
            steps: Steps timed.
            warmup: Steps before them that are not timed.
            seed: Seeds the context tokens.
            kernels: Whether to time the kernels of a step too.
            deadline: When to give up.

        Raises:
            EvalError: As `identity`; ``answer_invalid`` also when another number of steps was timed.
            TimeLimitError: The deadline passed.
        """
        question = {"op": "block", "batch": batch, "context": context, "steps": steps, "warmup": warmup, "seed": seed}
        if kernels:
            question["kernels"] = True
        data = self._ask(question, deadline)
        try:
            answer = BlockAnswer.model_validate_json(data)
        except ValidationError as error:
            raise EvalError("answer_invalid", f"block: {describe(error)}") from error
        if [row.step for row in answer.rows] != list(range(steps)):
            raise EvalError("answer_invalid", f"block: {len(answer.rows)} steps answered, {steps} asked for")
        return answer

    def _ask(self, question: dict[str, Any], deadline: Deadline) -> bytes:
        self.child.write_line(json.dumps(question).encode())
        data = self.child.read_line(deadline)
        try:
            answer = check_json(data)
        except BundleError as error:
            raise EvalError("answer_invalid", f"{question['op']}: {error.detail}") from error
        if not isinstance(answer, dict):
            raise EvalError("answer_invalid", f"{question['op']}: not an object")
        if "error" in answer:
            raise EvalError("answer_refused", f"{question['op']}: {printable(str(answer['error']))[:500]}")
        return data
