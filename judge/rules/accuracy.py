"""Family A: scores come from all documents, from this run's answers, and from the same task in both arms."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from judge.accuracy import task_parts
from judge.evidence import Evidence
from judge.lm_eval import LmEvalRun, LmEvalTask
from judge.rules.record import Found, rule
from judge.tables import ScoreTable
from judge.thresholds import MIN_DOCUMENTS_FOR_VARIETY, SCORE_TOLERANCE
from worker.bundle.schema import ArmName
from worker.suites import Accuracy


@rule(
    "A-001",
    "error",
    "blocks",
    title="Documents were limited",
    hint="Run lm-eval without --limit.",
    bears_on=("accuracy",),
)
def no_limit(evidence: Evidence) -> Iterator[Found]:
    """The first documents of a task are not the task; a score over some of them is another score."""
    for (eval_id, arm), run in sorted(evidence.lm_eval.items()):
        if run.limit is not None:
            yield _found(eval_id, arm, f"limit {run.limit:g}")


@rule(
    "A-002",
    "error",
    "blocks",
    title="The number of documents is not what it should be",
    hint="Run every document of the task, and keep every row.",
    bears_on=("accuracy",),
)
def effective_documents(evidence: Evidence) -> Iterator[Found]:
    """The score of a task is over all its documents, and every one of them has a row for each filter."""
    for eval_id, arm, run, task in _tasks(evidence):
        used, total = task.documents_used, task.documents_total
        if used is not None and total is not None and used < total:
            yield _found(eval_id, arm, f"{task.name}: {used} of {total} documents", task.name)
        for (name, filter_name, metric), table in sorted(run.scores.items()):
            if name == task.name and used is not None and len(table.doc_id) != used:
                detail = f"{name}/{filter_name}/{metric}: {len(table.doc_id)} rows for {used} documents"
                yield _found(eval_id, arm, detail, name)


@rule(
    "A-003",
    "error",
    "quarantines",
    title="A score is not the mean of its own rows",
    hint="Keep results and samples of one run as lm-eval wrote them.",
    bears_on=("accuracy",),
)
def scores_recomputed(evidence: Evidence) -> Iterator[Found]:
    """Scores are recomputed from the rows; a result that says something else was edited, or is about other rows."""
    for eval_id, arm, run, task in _tasks(evidence):
        for score in task.scores:
            table = run.scores.get((task.name, score.filter, score.metric))
            if not score.mean or table is None or not np.isfinite(table.score).all() or not len(table.score):
                continue
            mean = float(table.score.mean())
            if abs(mean - score.value) > SCORE_TOLERANCE:
                detail = f"{task.name}/{score.filter}/{score.metric}: reported {score.value:.6g}, rows give {mean:.6g}"
                yield _found(eval_id, arm, detail, task.name)


@rule(
    "A-004",
    "error",
    "quarantines",
    title="Sample rows are not those of the run",
    hint="Keep results and samples of one run as lm-eval wrote them.",
    bears_on=("accuracy",),
)
def samples_of_the_run(evidence: Evidence) -> Iterator[Found]:
    """lm-eval digests every document, prompt and target in order; rows that were taken out or put in change it."""
    for eval_id, arm, run, task in _tasks(evidence):
        found = run.sample_hashes.get(task.name)
        if task.task_hash is not None and found is not None and found != task.task_hash:
            detail = f"{task.name}: the results say {task.task_hash[:12]}…, the rows give {found[:12]}…"
            yield _found(eval_id, arm, detail, task.name)


@rule(
    "A-005",
    "error",
    "blocks",
    title="The arms ran different tasks",
    hint="Run both arms with the same task files and the same lm-eval.",
    bears_on=("accuracy",),
)
def tasks_equal(evidence: Evidence) -> Iterator[Found]:
    """Another version, number of examples or configuration of a task gives another score by itself."""
    for (eval_id, arm), run in sorted(evidence.lm_eval.items()):
        other = evidence.lm_eval.get((eval_id, "candidate"))
        if arm != "baseline" or other is None:
            continue
        if run.version != other.version:
            yield _found(eval_id, None, f"lm-eval {run.version or 'unknown'} and {other.version or 'unknown'}")
        for name in sorted({*run.tasks, *other.tasks}):
            ours, theirs = run.tasks.get(name), other.tasks.get(name)
            if ours is None or theirs is None:
                yield _found(eval_id, None, f"only one arm ran {name}", name)
                continue
            for field in ("version", "n_shot", "config_digest", "documents_total"):
                if getattr(ours, field) != getattr(theirs, field):
                    detail = f"{name}: {field} {_short(getattr(ours, field))} and {_short(getattr(theirs, field))}"
                    yield _found(eval_id, None, detail, name)


@rule(
    "A-006",
    "error",
    "blocks",
    title="The arms answered different documents",
    hint="Fix the order of choices and examples in the task file, so that both arms see the same prompts.",
    bears_on=("accuracy",),
)
def documents_equal(evidence: Evidence) -> Iterator[Found]:
    """Flips are counted document by document; prompts that differ are different questions."""
    for (eval_id, arm), run in sorted(evidence.lm_eval.items()):
        other = evidence.lm_eval.get((eval_id, "candidate"))
        if arm != "baseline" or other is None:
            continue
        for key in sorted({*run.scores} & {*other.scores}):
            ours, theirs = _prompts(run.scores[key]), _prompts(other.scores[key])
            if ours != theirs:
                alone = sum(((ours - theirs) + (theirs - ours)).values())
                yield _found(eval_id, None, f"{'/'.join(key)}: {alone} documents or prompts of one arm only", key[0])


@rule(
    "A-007",
    "error",
    "blocks",
    title="Answers came from a cache",
    hint="Run lm-eval without use_cache.",
    bears_on=("accuracy",),
)
def no_cache(evidence: Evidence) -> Iterator[Found]:
    """A cached answer is the answer of another run, perhaps of other code."""
    for (eval_id, arm), run in sorted(evidence.lm_eval.items()):
        if run.cached:
            yield _found(eval_id, arm, "lm-eval's response cache was on")


@rule(
    "A-008",
    "error",
    "blocks",
    title="A document was counted more than once",
    hint="Keep one row for each document and filter.",
    bears_on=("accuracy",),
)
def documents_once(evidence: Evidence) -> Iterator[Found]:
    """Repeating easy documents raises a score."""
    for (eval_id, arm), run in sorted(evidence.lm_eval.items()):
        for key, table in sorted(run.scores.items()):
            ids = len(table.doc_id) - len(np.unique(table.doc_id))
            repeats = max(ids, len(table.doc_id) - len(_prompts(table)))
            if repeats:
                yield _found(eval_id, arm, f"{'/'.join(key)}: {repeats} rows repeat a document", key[0])


@rule(
    "A-009",
    "error",
    "blocks",
    title="A cell has no sample rows",
    hint="Run lm-eval with --log_samples and keep the samples files.",
    bears_on=("accuracy",),
)
def samples_present(evidence: Evidence) -> Iterator[Found]:
    """A score without the answers it was made from cannot be recomputed, so it counts for nothing."""
    for record in evidence.manifest.evals:
        if record.kind != "accuracy" or record.outcome.outcome != "completed":
            continue
        for cell in record.cells:
            parts = task_parts(cell.task)
            for arm in cell.arms:
                run = evidence.lm_eval.get((record.id, arm))
                if run is None or parts is None or parts not in run.scores:
                    where = f"evals/{record.id}/cells/{cell.id}/{arm}"
                    detail = f"no rows of {cell.task or 'an unnamed task'}"
                    yield Found(detail, where, eval_id=record.id, cell=cell.id, arm=arm)


@rule(
    "A-010",
    "warning",
    "notes",
    title="Too few documents",
    hint="Run a suite with more documents.",
)
def enough_documents(evidence: Evidence) -> Iterator[Found]:
    """Below the suite's number of documents a score moves too much from one document to the next."""
    for eval_id, arm, run, task in _tasks(evidence):
        plan = evidence.plan(eval_id)
        rows = max((len(table.doc_id) for key, table in run.scores.items() if key[0] == task.name), default=0)
        if isinstance(plan, Accuracy) and 0 < rows < plan.minimum_documents:
            yield _found(
                eval_id, arm, f"{task.name}: {rows} documents, the suite asks for {plan.minimum_documents}", task.name
            )


@rule(
    "A-011",
    "warning",
    "notes",
    title="One answer to every document",
    hint="Look at the samples: a model that says the same thing to everything is broken, or was not asked.",
)
def answers_vary(evidence: Evidence) -> Iterator[Found]:
    """An arm that gives every document the same answer was not measured by the task, whatever its score."""
    for (eval_id, arm), run in sorted(evidence.lm_eval.items()):
        for key, table in sorted(run.scores.items()):
            if len(table.output_sha256) >= MIN_DOCUMENTS_FOR_VARIETY and len(set(table.output_sha256)) == 1:
                yield _found(eval_id, arm, f"{'/'.join(key)}: {len(table.output_sha256)} identical answers", key[0])


@rule(
    "A-012",
    "error",
    "blocks",
    title="Accuracy with simulated acceptance",
    hint="Measure accuracy with natural acceptance, or without speculation.",
    bears_on=("accuracy",),
)
def acceptance_natural(evidence: Evidence) -> Iterator[Found]:
    """Simulated acceptance takes drafts for right that are not: it is for speed, and its answers are nobody's."""
    for record in evidence.manifest.evals:
        for cell in record.cells if record.kind == "accuracy" else ():
            if cell.speculation != "unknown" and cell.speculation.kind == "synthetic":
                where = f"evals/{record.id}/cells/{cell.id}"
                yield Found("the cell's acceptance is synthetic", where, eval_id=record.id, cell=cell.id)


def _tasks(evidence: Evidence) -> Iterator[tuple[str, ArmName, LmEvalRun, LmEvalTask]]:
    for (eval_id, arm), run in sorted(evidence.lm_eval.items()):
        for name in sorted(run.tasks):
            yield eval_id, arm, run, run.tasks[name]


def _found(eval_id: str, arm: ArmName | None, detail: str, task: str | None = None) -> Found:
    where = "/".join(part for part in ("evals", eval_id, task, arm) if part)
    return Found(detail, where[:200], eval_id=eval_id, arm=arm)


def _prompts(table: ScoreTable) -> Counter[tuple[str, str]]:
    return Counter(zip(table.doc_hash, table.prompt_hash, strict=True))


def _short(value: object) -> str:
    text = "unknown" if value is None else str(value)
    return f"{text[:12]}…" if len(text) > 40 else text


RULES = (
    no_limit,
    effective_documents,
    scores_recomputed,
    samples_of_the_run,
    tasks_equal,
    documents_equal,
    no_cache,
    documents_once,
    samples_present,
    enough_documents,
    answers_vary,
    acceptance_natural,
)
