"""Accuracy cells: scores recomputed from the sample rows, and both arms paired document by document."""

import hashlib
from dataclasses import dataclass

import numpy as np

from judge.estimates import Estimate, Pairs
from judge.evidence import Evidence
from judge.series import MeasuredCell
from judge.stats import mcnemar, normal_sketch, paired_difference, value_at
from judge.tables import Floats, ScoreTable
from judge.thresholds import ALPHA
from worker.bundle.schema import ArmName


def task_parts(task: str | None) -> tuple[str, str, str] | None:
    """Split a cell's ``task/filter/metric``; None if it is not one. A task's own name may hold slashes."""
    parts = tuple(task.rsplit("/", 2)) if task else ()
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 else None


def scores(evidence: Evidence, cell: MeasuredCell, arm: ArmName) -> ScoreTable | None:
    """Documents of an accuracy cell in one arm; None without sample rows."""
    run, parts = evidence.lm_eval.get((cell.record.id, arm)), task_parts(cell.cell.task)
    return run.scores.get(parts) if run and parts else None


def documents_digest(table: ScoreTable) -> str:
    """SHA-256 over document and prompt digests, whatever order they ran in."""
    lines = sorted(f"{doc} {prompt}" for doc, prompt in zip(table.doc_hash, table.prompt_hash, strict=True))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Scores of the documents that both arms answered, ``[n]`` each, in the order of their ids."""

    baseline: Floats
    candidate: Floats


def pair(baseline: ScoreTable, candidate: ScoreTable) -> PairedScores:
    """Match documents by digest and prompt; documents of one arm alone, repeated or without a score stay out."""
    ours, theirs = _unique(baseline), _unique(candidate)
    both = [key for key in ours if key in theirs]
    first, second = np.array([ours[key] for key in both]), np.array([theirs[key] for key in both])
    known = np.isfinite(first) & np.isfinite(second) if both else np.zeros(0, dtype=np.bool_)
    return PairedScores(first[known], second[known])


def flips(paired: PairedScores) -> Pairs | None:
    """Who was right on which document; None unless every score is 0 or 1."""
    right = [np.isin(values, (0.0, 1.0)).all() for values in (paired.baseline, paired.candidate)]
    if not all(right):
        return None
    first, second = paired.baseline == 1.0, paired.candidate == 1.0
    lost, won = int((first & ~second).sum()), int((~first & second).sum())
    return Pairs(
        both=int((first & second).sum()),
        baseline_only=lost,
        candidate_only=won,
        neither=int((~first & ~second).sum()),
        mcnemar_p=mcnemar(lost, won),
    )


def difference(paired: PairedScores) -> Estimate | None:
    """Candidate's mean score minus the baseline's; None without documents or with scores outside 0 to 1."""
    n = len(paired.baseline)
    inside = all(((values >= 0) & (values <= 1)).all() for values in (paired.baseline, paired.candidate))
    if not n or not inside:
        return None
    changes = paired.candidate - paired.baseline
    quantiles = normal_sketch(*paired_difference(changes))
    return Estimate(
        kind="difference",
        value=float(changes.mean()),
        low=value_at(quantiles, ALPHA),
        high=value_at(quantiles, 1 - ALPHA),
        method="paired_documents",
        quantiles=quantiles,
    )


def _unique(table: ScoreTable) -> dict[tuple[str, str], float]:
    keys = list(zip(table.doc_hash, table.prompt_hash, strict=True))
    found: dict[tuple[str, str], float] = {}
    for key, score in zip(keys, table.score.tolist(), strict=True):
        found[key] = float("nan") if key in found else score
    return found
