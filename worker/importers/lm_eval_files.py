"""What lm-eval 0.4.13 leaves in its output folder, found and checked.

One run writes ``results_DATE.json`` (``NAME_DATE.json`` when its output path ended in ``.json``) and, with
``--log_samples``, ``samples_TASK_DATE.jsonl`` for each task, beside it and with the same date. Runs of other tasks may
share the folder.
"""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field

from judge.lm_eval import LmEvalTask, read_results, read_samples
from worker.bundle import BundleError
from worker.bundle.record import Label, Sha256, Unknown
from worker.bundle.schema import ConfigEntry
from worker.errors import WorkerError
from worker.importers.folder import config_entries
from worker.importers.sources import Foreign, is_folder, parse_foreign, parse_object, read_source

MAX_RESULTS_BYTES = 16_000_000
MAX_SAMPLES_BYTES = 500_000_000
MAX_FILES_LOOKED_AT = 10_000

_DATE = r"\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d{1,6})?"
_RESULTS = re.compile(rf"(?!samples_).*_({_DATE})\.json")
_SAMPLES = re.compile(rf"samples_(.+)_({_DATE})\.jsonl")

Parsed = TypeVar("Parsed")


class _Run(Foreign):
    model_name: Label
    model_source: Label
    lm_eval_version: Label
    transformers_version: str | None = None
    chat_template_sha: Sha256 | None = None
    pretty_env_info: str | None = None
    total_evaluation_time_seconds: Annotated[str, Field(max_length=40)] | None = None
    config: dict[str, Any]
    configs: dict[str, dict[str, Any]]
    results: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Samples:
    """One samples file, as it was written.

    Attributes:
        path: Where it was.
        data: Its bytes.
    """

    path: Path
    data: bytes


@dataclass(frozen=True)
class LmEvalResult:
    """One results file with its samples.

    Attributes:
        path: Where it was.
        data: Its bytes.
        model: Model as lm-eval names it.
        source: Which of lm-eval's backends asked the model.
        version: lm-eval's version.
        transformers_version: None: not stated.
        chat_template_sha: SHA-256 of the chat template that lm-eval applied; None: it applied none.
        machine: torch's report about the machine lm-eval ran on; None: not in the file.
        duration_s: Length of the run.
        config: How lm-eval was called.
        tasks: The tasks that were run, groups left out, sorted by name.
        samples: Samples files by task.
    """

    path: Path
    data: bytes
    model: str
    source: str
    version: str
    transformers_version: str | None
    chat_template_sha: Sha256 | None
    machine: str | None
    duration_s: float | Unknown
    config: tuple[ConfigEntry, ...]
    tasks: tuple[LmEvalTask, ...]
    samples: dict[str, Samples]


def read_folder(path: Path) -> tuple[LmEvalResult, ...]:
    """Read every run in an output folder, or the one run whose results file is named.

    Args:
        path: Folder, searched with its subfolders, or a results file.

    Returns:
        Runs sorted by path. All are of one model and backend, and no task was run twice.

    Raises:
        WorkerError: See `worker.importers.sources`; ``import_ambiguous``: several models, or a task that was run
            twice; ``import_inconsistent``: a samples file without its results.
    """
    if is_folder(path):
        found, inside = _listed(path), path
        results = sorted(one for one in found if _RESULTS.fullmatch(one.name))
        if not results:
            raise WorkerError("import_missing", f"{path} holds no results_*.json of lm-eval; name its --output_path")
    else:
        if not (match := _RESULTS.fullmatch(path.name)):
            raise WorkerError("import_wrong_tool", f"{path} is not named like lm-eval's results_DATE.json")
        results, inside = [path], path.parent
        found = [one for one in _listed(inside) if one.parent == inside and one.name.endswith(f"_{match[1]}.jsonl")]
    samples = {(one.parent, match[2], match[1]): one for one in found if (match := _SAMPLES.fullmatch(one.name))}
    runs = tuple(_read_run(one, samples) for one in results)
    if samples:
        orphan = min(samples.values())
        raise WorkerError("import_inconsistent", f"{orphan} belongs to no task of a results file beside it")
    _demand_one_subject(runs)
    return runs


def _listed(folder: Path) -> list[Path]:
    """Regular files below a folder; links are not followed."""
    found = []
    for number, one in enumerate(folder.rglob("*")):
        if number >= MAX_FILES_LOOKED_AT:
            raise WorkerError(
                "import_too_large", f"{folder} holds more than {MAX_FILES_LOOKED_AT} files; name one below it"
            )
        if one.is_file() and not one.is_symlink():
            found.append(one)
    return found


def _read_run(path: Path, samples: dict[tuple[Path, str, str], Path]) -> LmEvalResult:
    """Read a results file and take its samples files out of ``samples``."""
    data = read_source(path, limit_bytes=MAX_RESULTS_BYTES)
    value = parse_object(data, path=path)
    if absent := [name for name in ("lm_eval_version", "results", "configs", "config") if name not in value]:
        hint = (
            "vLLM wrote it: use `byogpu import vllm-bench`"
            if "max_concurrency" in value
            else "lm-eval did not write it"
        )
        raise WorkerError("import_wrong_tool", f"{path} has no {', '.join(absent)}; {hint}")
    run = parse_foreign(value, _Run, path=path)
    tasks = tuple(task for task in _checked(read_results, data, path).tasks if task.name in run.configs)
    match = _RESULTS.fullmatch(path.name)
    date = match[1] if match else ""
    mine = {
        task.name: samples.pop((path.parent, date, task.name))
        for task in tasks
        if (path.parent, date, task.name) in samples
    }
    return LmEvalResult(
        path=path,
        data=data,
        model=run.model_name,
        source=run.model_source,
        version=run.lm_eval_version,
        transformers_version=run.transformers_version,
        chat_template_sha=run.chat_template_sha,
        machine=run.pretty_env_info,
        duration_s=_seconds(run.total_evaluation_time_seconds),
        config=config_entries({"model_source": run.model_source, **run.config}, path=path),
        tasks=tasks,
        samples={name: _read_samples(one) for name, one in mine.items()},
    )


def _read_samples(path: Path) -> Samples:
    data = read_source(path, limit_bytes=MAX_SAMPLES_BYTES)
    _checked(lambda stream: read_samples(stream, name=path.name), data, path)
    return Samples(path, data)


def _checked(reader: Callable[[io.BytesIO], Parsed], data: bytes, path: Path) -> Parsed:
    """Read as the judge will: what it could not read would be worth nothing in a bundle."""
    try:
        return reader(io.BytesIO(data))
    except BundleError as error:
        detail = f"{path}: {error.detail}; take the file as lm-eval 0.4.13 wrote it"
        raise WorkerError("import_invalid", detail) from error


def _demand_one_subject(runs: tuple[LmEvalResult, ...]) -> None:
    subjects = {(run.model, run.source): run.path for run in runs}
    if len(subjects) > 1:
        (one, first), (other, second), *_ = subjects.items()
        raise WorkerError(
            "import_ambiguous",
            f"{first} is about {one[0]} ({one[1]}), {second} about {other[0]} ({other[1]}); "
            "name them apart: --arm baseline=FILE --arm candidate=FILE",
        )
    seen: dict[str, Path] = {}
    for run in runs:
        for task in run.tasks:
            if task.name in seen:
                raise WorkerError(
                    "import_ambiguous",
                    f"{task.name} was run twice: {seen[task.name]} and {run.path}; name one of these files",
                )
            seen[task.name] = run.path


def _seconds(text: str | None) -> float | Unknown:
    try:
        value = float(text or "")
    except ValueError:
        return "unknown"
    return value if 0 <= value < float("inf") else "unknown"
