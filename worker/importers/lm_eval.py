"""`byogpu import lm-eval`: output folders of lm-eval become a bundle with an accuracy eval.

Results and samples go in as lm-eval wrote them; the judge recomputes every score from the samples.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from worker.bundle import Bundle
from worker.bundle.environment import Environment
from worker.bundle.record import Sha256, Unknown
from worker.bundle.schema import Arm, ArmName, Cell, Completed, EvalRecord, Failed
from worker.errors import WorkerError
from worker.identity import printable
from worker.importers.folder import drafting, finish, imported_arm, reopen
from worker.importers.lm_eval_files import LmEvalResult, read_folder
from worker.importers.sources import ARM_NAMES, identifier
from worker.importers.torch_report import environment

EVAL_ID = "accuracy"

IN_PROCESS = frozenset({"hf", "hf-auto", "huggingface", "hf-multimodal", "vllm", "vllm-vlm", "sglang"})
"""Backends that run the model in lm-eval's own process: only of these does its report describe the right machine."""

Runs = Mapping[ArmName, tuple[LmEvalResult, ...]]


def import_lm_eval(sources: Mapping[ArmName, Path], out: Path) -> Bundle:
    """Turn output folders of lm-eval 0.4.13 into a bundle.

    Args:
        sources: Output folder of each arm, or a results file in it; one or two.
        out: Folder to write; must not exist or be empty.

    Returns:
        The bundle in ``out``. Tasks without samples (no ``--log_samples``) cannot be recomputed: the eval's outcome
        names them.

    Raises:
        WorkerError: ``import_missing``, ``import_too_large``, ``import_secret``, ``import_invalid``,
            ``import_ambiguous``, ``import_wrong_tool``, ``import_incomplete``, ``import_inconsistent``,
            ``out_not_empty``, ``work_folder_unusable``; ``usage`` without any folder. Nothing is left in ``out``.
    """
    if not sources:
        raise WorkerError("usage", "name a folder for at least one arm: --arm baseline=DIR --arm candidate=DIR")
    runs: Runs = {arm: read_folder(sources[arm]) for arm in ARM_NAMES if arm in sources}
    versions = {run.version for found in runs.values() for run in found}
    with drafting(out) as draft:
        for arm, found in runs.items():
            for run in found:
                draft.add(
                    run.data,
                    name=printable(run.path.name)[:200],
                    role="lm_eval_results",
                    eval_id=EVAL_ID,
                    arm=arm,
                    media_type="application/json",
                )
                for samples in run.samples.values():
                    name = printable(samples.path.name)[:200]
                    draft.add(samples.data, name=name, role="lm_eval_samples", eval_id=EVAL_ID, arm=arm)
        finish(
            draft,
            tool="lm-eval",
            tool_version=versions.pop() if len(versions) == 1 else "unknown",
            environment=_environment(runs),
            arms=tuple(_arm(arm, found) for arm, found in runs.items()),
            record=EvalRecord(id=EVAL_ID, kind="accuracy", outcome=_outcome(runs), cells=_cells(runs), blocks=()),
        )
    return reopen(out)


def _arm(name: ArmName, runs: tuple[LmEvalResult, ...]) -> Arm:
    templates = {_chat_template(run) for run in runs}
    return imported_arm(
        name,
        model=runs[0].model,
        config=runs[0].config,
        chat_template_digest=templates.pop() if len(templates) == 1 else "unknown",
    )


def _chat_template(run: LmEvalResult) -> Sha256 | Unknown | None:
    """The template that lm-eval applied; behind a chat endpoint the server applies one that nobody saw."""
    if run.chat_template_sha is None and "chat" in run.source:
        return "unknown"
    return run.chat_template_sha


def _environment(runs: Runs) -> Environment | Unknown:
    """The machine, if every run was made on the same one and the model ran there."""
    machines = [_machine(run) for found in runs.values() for run in found]
    return machines[0] if all(machine == machines[0] for machine in machines) else "unknown"


def _machine(run: LmEvalResult) -> Environment | Unknown:
    if run.machine is None or run.source not in IN_PROCESS:
        return "unknown"
    further = {"lm_eval": run.version}
    if run.transformers_version:
        further["transformers"] = run.transformers_version
    return environment(run.machine, further=further)


def _cells(runs: Runs) -> tuple[Cell, ...]:
    """A cell for each task, filter and metric, with the arms that ran it."""
    arms: dict[tuple[str, str, str], list[ArmName]] = {}
    for arm, found in runs.items():
        for key in sorted(set(_scores(found))):
            arms.setdefault(key, []).append(arm)
    ids = _ids(list(arms))
    return tuple(
        Cell(
            id=ids[key],
            metric="score",
            phase="request",
            tensor_parallel="unknown",
            context_parallel="unknown",
            batch="unknown",
            context_tokens="unknown",
            input_tokens="unknown",
            output_tokens="unknown",
            speculation="unknown",
            task="/".join(key),
            arms=tuple(names),
        )
        for key, names in sorted(arms.items())
    )


def _scores(runs: tuple[LmEvalResult, ...]) -> Iterator[tuple[str, str, str]]:
    """Task, filter and metric of every score."""
    for run in runs:
        for task in run.tasks:
            for score in task.scores:
                yield task.name, score.filter, score.metric


def _ids(keys: list[tuple[str, str, str]]) -> dict[tuple[str, str, str], str]:
    """Spell each key as an id; keys that would be spelled alike or cut short are numbered."""
    ids: dict[tuple[str, str, str], str] = {}
    for key in sorted(keys):
        plain = identifier(".".join((EVAL_ID, *key)))
        number, spelled = 1, plain
        while spelled in ids.values():
            number += 1
            spelled = f"{plain[:70]}.{number}"
        ids[key] = spelled
    return ids


def _outcome(runs: Runs) -> Completed | Failed:
    lacking = [
        f"{arm}: {task.name}"
        for arm, found in runs.items()
        for run in found
        for task in run.tasks
        if task.name not in run.samples
    ]
    if lacking:
        detail = f"no samples for {', '.join(lacking)}"[:3900]
        return Failed(
            outcome="failed",
            code="samples_missing",
            detail=f"{detail}. Nothing of these can be recomputed: run lm-eval with --log_samples.",
        )
    durations = [run.duration_s for found in runs.values() for run in found]
    known = [value for value in durations if value != "unknown"]
    return Completed(outcome="completed", duration_s=sum(known) if len(known) == len(durations) else "unknown")
