"""lm-eval against each arm's server, on documents that ship with the worker.

lm-eval runs in the worker's Python, not in an arm's: an arm answers prompts and has no part in the scoring.
"""

import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worker.bundle.canonical import describe
from worker.bundle.record import Count
from worker.bundle.schema import ArmName, Cell
from worker.engine import EngineServer
from worker.errors import EvalError
from worker.evals import streams
from worker.evals.trial import ARMS, NO_SPECULATION, Setting, Trial, stage
from worker.processes import Child
from worker.redacted_json import redact_document, redact_lines
from worker.suites import Accuracy
from worker.suites.plan import plan_eval
from worker.variables import clean_environment

SEED = 1234
MAX_RESULTS_BYTES = 16_000_000
MAX_SAMPLES_BYTES = 256_000_000


class _Counts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    effective: Count


class _Results(BaseModel):
    """What the worker needs of lm-eval's results file."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    results: dict[str, dict[str, Any]]
    n_samples: Annotated[dict[str, _Counts], Field(alias="n-samples")]


def hindrance() -> str | None:
    """Why lm-eval cannot run on this machine; None: it can."""
    return None if find_spec("lm_eval") else "lm-eval is not installed; install byogpu[eval]"


def measure(plan: Accuracy, setting: Setting, trial: Trial) -> None:
    """Add lm-eval's results and samples of both arms to the bundle, as it wrote them, and a cell for each score.

    Token streams follow, if the suite asks for them: the servers are up, and nothing is timed.

    Both arms run side by side, since nothing is timed here.

    Raises:
        WorkerError: ``process_not_started``.
        EvalError: ``process_ended``, ``results_missing``, ``answer_invalid``, ``documents_too_few``, and what
            `worker.engine` raises.
        TimeLimitError: The time limit passed.
    """
    seeds = plan_eval(plan, setting.seeds).seeds
    with ExitStack() as stack, stage(setting.progress, plan.id, total=1 + len(ARMS)):
        servers = [
            stack.enter_context(
                EngineServer(arm, config=setting.config, folder=setting.folder / plan.id / arm.name / "server")
            )
            for arm in setting.arms
        ]
        running: list[tuple[EngineServer, Child, Path]] = []
        for server in servers:
            trial.watch(server.child, arm=server.arm.name, name="server")
            server.wait_ready(trial.deadline)
            trial.identities[server.arm.name] = server.identity(trial.deadline)
        for server in servers:
            folder = setting.folder / plan.id / server.arm.name / "lm-eval"
            child = stack.enter_context(_start(plan, server.url, model=setting.config, folder=folder))
            trial.watch(child, arm=server.arm.name, name="lm-eval")
            running.append((server, child, folder / "out"))
        setting.progress.advance(plan.id)
        failures = []
        for server, child, out in running:
            try:
                child.wait(trial.deadline)
                _keep(plan, setting, trial, server.arm.name, out)
                if plan.streams is not None:
                    trial.streams += streams.collect(plan.streams, seeds, server, trial.deadline)
            except EvalError as error:
                failures.append(error)
            trial.take(server.arm.name, server.take_ledger(trial.deadline))
            setting.progress.advance(plan.id)
        if failures:
            raise failures[0]


def _start(plan: Accuracy, url: str, *, model: str, folder: Path) -> Child:
    tasks = folder / "tasks"
    with resources.as_file(resources.files("worker.evals").joinpath("tasks")) as shipped:
        shutil.copytree(shipped, tasks)
    options = {
        "model": model,
        "base_url": f"{url}/v1/completions",
        "tokenizer_backend": "remote",
        "num_concurrent": plan.concurrency,
        "max_retries": 1,
    }
    command = [
        sys.executable, "-m", "lm_eval", "run", "--model", "local-completions",
        "--model_args", ",".join(f"{name}={value}" for name, value in options.items()),
        "--tasks", ",".join(plan.tasks), "--include_path", ".", "--seed", str(SEED),
        "--log_samples", "--output_path", "../out",
    ]  # fmt: skip
    # Run in the tasks' folder, so that no absolute path gets into what lm-eval writes.
    return Child(command, environment=clean_environment(folder), folder=tasks, keep_output=False)


def _keep(plan: Accuracy, setting: Setting, trial: Trial, arm: ArmName, out: Path) -> None:
    results = sorted(out.rglob("results_*.json"))
    samples = sorted(out.rglob("samples_*.jsonl"))
    if len(results) != 1 or len(samples) != len(plan.tasks):
        raise EvalError("results_missing", f"lm-eval left {len(results)} results and {len(samples)} samples files")
    if results[0].stat().st_size > MAX_RESULTS_BYTES or sum(f.stat().st_size for f in samples) > MAX_SAMPLES_BYTES:
        raise EvalError("answer_too_large", "lm-eval wrote more than a bundle takes")
    data = results[0].read_bytes()
    setting.draft.add(
        redact_document(data, setting.redactor, where="lm-eval results"),
        name=results[0].name,
        role="lm_eval_results",
        eval_id=plan.id,
        arm=arm,
        media_type="application/json",
    )
    for path in samples:
        setting.draft.add(
            redact_lines(path.read_bytes(), setting.redactor, where="lm-eval samples"),
            name=path.name,
            role="lm_eval_samples",
            eval_id=plan.id,
            arm=arm,
        )
    try:
        parsed = _Results.model_validate_json(data)
    except ValidationError as error:
        raise EvalError("answer_invalid", f"lm-eval results: {describe(error)}") from error
    _add_cells(plan, trial, parsed, arm)
    for task in plan.tasks:
        found = parsed.n_samples[task].effective if task in parsed.n_samples else 0
        if found < plan.minimum_documents:
            raise EvalError("documents_too_few", f"{task}: {found} documents, {plan.minimum_documents} are demanded")


def _add_cells(plan: Accuracy, trial: Trial, parsed: _Results, arm: ArmName) -> None:
    """List a cell for each task, filter and metric; the second arm joins the cells of the first."""
    known = {cell.id: index for index, cell in enumerate(trial.cells)}
    for name in _scores(parsed):
        cell = _cell(plan, name, (arm,))
        if cell.id in known:
            trial.cells[known[cell.id]] = _cell(plan, name, ARMS)
        else:
            trial.cells.append(cell)


def _scores(parsed: _Results) -> Iterator[str]:
    for task, values in sorted(parsed.results.items()):
        for key in sorted(values):
            metric, comma, chosen = key.partition(",")
            if comma and not metric.endswith("_stderr"):
                yield f"{task}/{chosen}/{metric}"


def _cell(plan: Accuracy, name: str, arms: tuple[ArmName, ...]) -> Cell:
    return Cell(
        id=f"{plan.id}.{name.replace('/', '.').lower()}"[:80],
        metric="score",
        phase="request",
        tensor_parallel=1,
        context_parallel=1,
        batch=plan.concurrency,
        context_tokens="unknown",
        input_tokens="unknown",
        output_tokens="unknown",
        speculation=NO_SPECULATION,
        task=name,
        arms=arms,
    )
