"""lm-eval 0.4.13's own files, as it wrote them."""

from pathlib import Path

import pytest

from judge.lm_eval import LmEvalRun, assemble, read_results, read_samples

FOLDER = Path(__file__).parents[1] / "data" / "imports" / "lm_eval"


def run(name: str) -> LmEvalRun:
    results, samples = [], []
    for path in sorted((FOLDER / name).rglob("*")):
        if path.is_file():
            with path.open("rb") as stream:
                if path.suffix == ".json":
                    results.append(read_results(stream))
                else:
                    samples.append(read_samples(stream, name=path.name))
    assert results
    return assemble(results, samples)


@pytest.mark.parametrize("name", ["baseline", "candidate", "in_process", "limited"])
def test_task_hashes_and_scores_come_out_again(name: str) -> None:
    found = run(name)
    assert found.version == "0.4.13"
    checked = 0
    for task in found.tasks.values():
        for score in task.scores:
            table = found.scores[(task.name, score.filter, score.metric)]
            assert score.mean
            assert table.score.mean() == pytest.approx(score.value, abs=1e-12)
            assert len(table.doc_id) == task.documents_used
            checked += 1
        if task.scores:
            assert found.sample_hashes[task.name] == task.task_hash
    assert checked >= 4


def test_both_arms_ran_the_same_task() -> None:
    baseline, candidate = run("baseline").tasks["box_sums"], run("candidate").tasks["box_sums"]
    assert baseline.config_digest == candidate.config_digest
    assert baseline.task_hash == candidate.task_hash
    assert (baseline.n_shot, baseline.version) == (2, "1.0")


def test_the_limit_is_seen() -> None:
    assert run("limited").limit == 5
    assert run("limited").tasks["box_sums"].documents_total == 12
    assert run("baseline").limit is None
    assert not run("baseline").cached


def test_results_without_samples_have_no_scores() -> None:
    found = run("no_samples")
    assert found.scores == {}
    assert found.tasks["box_sums"].scores
