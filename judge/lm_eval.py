"""lm-eval's own files, read as they were written (version 0.4.13): results JSON and samples JSONL.

Nothing in ``results`` is believed: scores are recomputed from the sample rows, and lm-eval's ``task_hash``, which
covers every document, prompt and target in order, is recomputed from them too.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, BinaryIO

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from judge.tables import ScoreTable
from worker.bundle import BundleError, check_json, digest
from worker.bundle.canonical import describe
from worker.bundle.record import Label, Record, Sha256
from worker.bundle.samples import MAX_LINE_BYTES

MAX_RESULTS_BYTES = 16_000_000
MAX_SAMPLE_ROWS = 500_000
MEAN_METRICS = frozenset({"acc", "acc_norm", "exact_match"})
"""Metrics that lm-eval averages unless a task says otherwise."""

_ADDRESS = re.compile(rb"0x[0-9a-fA-F]{6,16}")


class ReportedScore(Record):
    """A number in ``results``. Typed, therefore never believed."""

    metric: Label
    filter: Label
    value: float
    mean: bool
    """Whether the task averages this metric over documents, so that it can be recomputed."""


class LmEvalTask(Record):
    """One task of a results file."""

    name: Label
    version: Label | None
    n_shot: int | None
    documents_total: int | None
    """``n-samples.original``."""
    documents_used: int | None
    """``n-samples.effective``."""
    task_hash: Sha256 | None
    """SHA-256 over the hashes of all sample rows, as lm-eval wrote it."""
    config_digest: Sha256
    """Of the task's configuration, without ``metadata`` (it names the server's address) and memory addresses."""
    scores: tuple[ReportedScore, ...]


@dataclass(frozen=True, eq=False)
class LmEvalRun:
    """One arm's output for one accuracy eval.

    Attributes:
        version: lm-eval's version.
        limit: The ``limit`` used; None: none.
        cached: Whether responses came through lm-eval's response cache.
        tasks: The tasks of the results files, by name.
        scores: Per-document scores by (task, filter, metric).
        sample_hashes: ``task_hash`` recomputed from the sample rows, by task.
    """

    version: str | None
    limit: float | None
    cached: bool
    tasks: Mapping[str, LmEvalTask]
    scores: Mapping[tuple[str, str, str], ScoreTable]
    sample_hashes: Mapping[str, str]


# ------------------------------------------------------------------ the shapes lm-eval writes
class _Foreign(BaseModel):
    """Another program's record: what is not needed is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class _Counts(_Foreign):
    original: Annotated[int, Field(ge=0)]
    effective: Annotated[int, Field(ge=0)]


class _RunConfig(_Foreign):
    limit: float | None = None
    use_cache: str | None = None


class _Results(_Foreign):
    results: dict[Label, dict[str, Any]]
    configs: dict[str, dict[str, Any]] = {}
    versions: dict[str, str | float | None] = {}
    n_shot: Annotated[dict[str, int | None], Field(alias="n-shot")] = {}
    n_samples: Annotated[dict[str, _Counts], Field(alias="n-samples")] = {}
    config: _RunConfig = _RunConfig()
    lm_eval_version: str | None = None
    task_hashes: dict[str, str] = {}


class _Sample(BaseModel):
    """One line of a samples file; the scores are further keys, named by ``metrics``."""

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)

    doc_id: Annotated[int, Field(ge=0, le=2**53)]
    filter: Label
    metrics: Annotated[list[Label], Field(max_length=64)]
    doc_hash: Sha256
    prompt_hash: Sha256
    target_hash: Sha256
    resps: list[Any]


# ------------------------------------------------------------------ reading
@dataclass
class _Columns:
    doc_id: list[int] = field(default_factory=list)
    doc_hash: list[str] = field(default_factory=list)
    prompt_hash: list[str] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    output: list[str] = field(default_factory=list)

    def table(self) -> ScoreTable:
        return ScoreTable(
            np.array(self.doc_id, dtype=np.int64),
            tuple(self.doc_hash),
            tuple(self.prompt_hash),
            np.array(self.score, dtype=np.float64),
            tuple(self.output),
        )


@dataclass(frozen=True)
class Results:
    """One results file.

    Attributes:
        limit: The ``limit`` used; None: none.
        cached: Whether responses came through lm-eval's response cache.
        version: lm-eval's version.
        tasks: The tasks, sorted by name.
    """

    limit: float | None
    cached: bool
    version: str | None
    tasks: tuple[LmEvalTask, ...]


@dataclass(frozen=True)
class SampleFile:
    """One samples file, its task not yet known.

    Attributes:
        name: Display name in the bundle.
        task_hash: lm-eval's ``task_hash`` recomputed over its rows.
        scores: Per-document scores by (filter, metric).
    """

    name: str
    task_hash: str
    scores: Mapping[tuple[str, str], ScoreTable]


def read_results(stream: BinaryIO) -> Results:
    """Read a results file.

    Raises:
        BundleError: ``results_too_large``, ``json_invalid``, ``lm_eval_invalid``.
    """
    data = stream.read(MAX_RESULTS_BYTES + 1)
    if len(data) > MAX_RESULTS_BYTES:
        raise BundleError("results_too_large", f"a results file has more than {MAX_RESULTS_BYTES} bytes")
    try:
        parsed = _Results.model_validate(check_json(data))
        tasks = tuple(_task(name, parsed) for name in sorted(parsed.results))
    except ValidationError as error:
        raise BundleError("lm_eval_invalid", describe(error)) from error
    return Results(parsed.config.limit, parsed.config.use_cache is not None, parsed.lm_eval_version, tasks)


def read_samples(stream: BinaryIO, *, name: str) -> SampleFile:
    """Read a samples file, one row for each document and filter.

    Raises:
        BundleError: ``line_too_long``, ``too_many_rows``, ``row_invalid`` with the first bad line.
    """
    running, columns = hashlib.sha256(), defaultdict[tuple[str, str], _Columns](_Columns)
    for number, line in _lines(stream):
        try:
            row = _Sample.model_validate(check_json(line))
            output = digest(_plain(row.resps))
        except ValidationError as error:
            raise BundleError("row_invalid", f"line {number}: {describe(error)}") from error
        except BundleError as error:
            raise BundleError("row_invalid", f"line {number}: {error.detail}") from error
        running.update((row.doc_hash + row.prompt_hash + row.target_hash).encode())
        for metric in dict.fromkeys(row.metrics):
            column = columns[(row.filter, metric)]
            column.doc_id.append(row.doc_id)
            column.doc_hash.append(row.doc_hash)
            column.prompt_hash.append(row.prompt_hash)
            column.score.append(_number((row.model_extra or {}).get(metric)))
            column.output.append(output)
    return SampleFile(name, running.hexdigest(), {key: column.table() for key, column in columns.items()})


def assemble(results: Sequence[Results], files: Sequence[SampleFile]) -> LmEvalRun:
    """Join one arm's results and samples files.

    A samples file belongs to the task whose ``task_hash`` its rows give; else to the one its name contains, so that
    an edited file is still held against the task it pretends to be.
    """
    tasks = {task.name: task for one in results for task in one.tasks}
    limits = [one.limit for one in results if one.limit is not None]
    scores: dict[tuple[str, str, str], ScoreTable] = {}
    hashes: dict[str, str] = {}
    for file in files:
        task = _owner(file, tasks)
        hashes[task] = file.task_hash
        scores.update({(task, *key): table for key, table in file.scores.items()})
    return LmEvalRun(
        version=next((one.version for one in results if one.version), None),
        limit=min(limits) if limits else None,
        cached=any(one.cached for one in results),
        tasks=tasks,
        scores=scores,
        sample_hashes=hashes,
    )


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            raise BundleError("line_too_long", f"line {number} is longer than {MAX_LINE_BYTES} bytes")
        if number > MAX_SAMPLE_ROWS:
            raise BundleError("too_many_rows", f"more than {MAX_SAMPLE_ROWS} rows")
        yield number, line


def _task(name: str, parsed: _Results) -> LmEvalTask:
    config = parsed.configs.get(name, {})
    counts = parsed.n_samples.get(name)
    version = parsed.versions.get(name)
    means = _means(config)
    scores = []
    for key, value in sorted(parsed.results[name].items()):
        metric, comma, filter_name = key.rpartition(",")
        if comma and not metric.endswith("_stderr") and isinstance(value, int | float) and not isinstance(value, bool):
            scores.append(
                ReportedScore(metric=metric, filter=filter_name, value=float(value), mean=means.get(metric, False))
            )
    stable = _ADDRESS.sub(b"0x", _plain({key: value for key, value in config.items() if key != "metadata"}))
    task_hash = parsed.task_hashes.get(name)
    return LmEvalTask(
        name=name,
        version=None if version is None else str(version)[:200],
        n_shot=parsed.n_shot.get(name),
        documents_total=counts.original if counts else None,
        documents_used=counts.effective if counts else None,
        task_hash=task_hash if task_hash and re.fullmatch("[0-9a-f]{64}", task_hash) else None,
        config_digest=digest(stable),
        scores=tuple(scores),
    )


def _means(config: dict[str, Any]) -> dict[str, bool]:
    found = dict.fromkeys(MEAN_METRICS, True)
    listed = config.get("metric_list")
    for entry in listed if isinstance(listed, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("metric"), str) and "aggregation" in entry:
            found[entry["metric"]] = entry["aggregation"] == "mean"
    return found


def _owner(file: SampleFile, tasks: Mapping[str, LmEvalTask]) -> str:
    by_hash = [name for name, task in tasks.items() if task.task_hash == file.task_hash]
    by_name = [name for name in tasks if f"samples_{name}_" in file.name or file.name == f"samples_{name}.jsonl"]
    candidates = by_hash or sorted(by_name, key=len, reverse=True)
    return candidates[0] if candidates else file.name


def _plain(value: object) -> bytes:
    """JSON that only this module compares; lm-eval's values need not have a canonical form."""
    try:
        return json.dumps(value, sort_keys=True).encode()
    except RecursionError as error:
        raise BundleError("json_invalid", "nested too deeply") from error


def _number(value: object) -> float:
    return float(value) if isinstance(value, bool | int | float) else float("nan")
