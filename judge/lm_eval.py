"""lm-eval's own files, read as they were written (version 0.4.13): results JSON and samples JSONL."""

from collections.abc import Mapping
from dataclasses import dataclass

from judge.tables import ScoreTable
from worker.bundle.record import Label, Record, Sha256


class ReportedScore(Record):
    """A number in ``results``. Typed, therefore never believed."""

    metric: Label
    filter: Label
    value: float


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
    generation: Label | None
    """Digest of the task's own configuration."""
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
        sample_hashes: SHA-256 recomputed over each samples file the way lm-eval builds ``task_hash``, by task.
    """

    version: str | None
    limit: float | None
    cached: bool
    tasks: Mapping[str, LmEvalTask]
    scores: Mapping[tuple[str, str, str], ScoreTable]
    sample_hashes: Mapping[str, str]
