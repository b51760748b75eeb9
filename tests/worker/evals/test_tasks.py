"""The documents that ship with the worker: enough of them, all different, and answers that are right."""

import json
from pathlib import Path

import pytest
import yaml

import worker.evals
from worker.suites import Accuracy, published

TASKS = Path(worker.evals.__file__).with_name("tasks")


def documents(task: str) -> list[dict[str, str | int]]:
    return [json.loads(line) for line in (TASKS / f"{task}.jsonl").read_text().splitlines()]


def test_every_task_of_every_suite_ships_and_has_enough_documents() -> None:
    plans = [plan for suite in published() for plan in suite.evals if isinstance(plan, Accuracy)]
    assert plans
    for plan in plans:
        for task in plan.tasks:
            assert yaml.safe_load((TASKS / f"{task}.yaml").read_text())["task"] == task
            found = documents(task)
            assert len(found) >= plan.minimum_documents
            assert len({json.dumps(document, sort_keys=True) for document in found}) == len(found)


def test_copy_asks_for_the_word_it_repeats() -> None:
    for document in documents("byogpu_copy"):
        words = str(document["prompt"]).split()
        assert set(words) == {document["answer"]}


def test_parity_knows_the_parity_and_both_answers_occur() -> None:
    found = documents("byogpu_parity")
    for document in found:
        bits = str(document["prompt"]).removeprefix("Bits ").removesuffix(", parity")
        assert document["label"] == bits.count("1") % 2
    assert {document["label"] for document in found} == {0, 1}


@pytest.mark.parametrize("path", sorted(TASKS.glob("*.yaml")), ids=lambda path: path.name)
def test_a_task_names_no_path_and_no_hub(path: Path) -> None:
    task = yaml.safe_load(path.read_text())
    assert task["dataset_path"] == "json"
    [data] = task["dataset_kwargs"]["data_files"].values()
    assert data == f"{path.stem}.jsonl"
