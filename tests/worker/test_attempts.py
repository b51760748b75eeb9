from datetime import UTC, datetime
from pathlib import Path

import pytest

from worker.attempts import MAX_LISTED, Attempts, run_key
from worker.bundle.schema import Subject
from worker.errors import WorkerError
from worker.suites import load

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
RUN, OTHER = "a" * 64, "b" * 64


def test_tries_are_numbered_and_each_sees_the_earlier_ones(tmp_path: Path) -> None:
    attempts = Attempts(tmp_path / "state" / "attempts.json")
    assert attempts.begin(RUN, now=NOW) == (1, ())
    attempts.finish(RUN, 1, outcome="completed", detail="bundle 1")
    number, earlier = attempts.begin(RUN, now=NOW)
    assert (number, [(a.number, a.outcome, a.detail) for a in earlier]) == (2, [(1, "completed", "bundle 1")])
    number, earlier = Attempts(attempts.path).begin(RUN, now=NOW)
    assert (number, [a.outcome for a in earlier]) == (3, ["completed", "abandoned"])


def test_another_run_has_its_own_count(tmp_path: Path) -> None:
    attempts = Attempts(tmp_path / "attempts.json")
    attempts.begin(RUN, now=NOW)
    assert attempts.begin(OTHER, now=NOW) == (1, ())
    attempts.finish(OTHER, 1, outcome="failed", detail="")
    assert attempts.begin(RUN, now=NOW)[1][0].outcome == "abandoned"


def test_a_long_history_lists_the_newest_and_keeps_the_number(tmp_path: Path) -> None:
    attempts = Attempts(tmp_path / "attempts.json")
    for _ in range(MAX_LISTED + 3):
        attempts.begin(RUN, now=NOW)
    number, earlier = attempts.begin(RUN, now=NOW)
    assert (number, len(earlier), earlier[-1].number) == (MAX_LISTED + 4, MAX_LISTED, MAX_LISTED + 3)


def test_a_broken_file_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "attempts.json"
    path.write_text("{}")
    with pytest.raises(WorkerError, match="state_invalid"):
        Attempts(path).begin(RUN, now=NOW)
    assert path.read_text() == "{}"


def test_a_folder_that_cannot_be_made_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkerError, match="work_folder_unusable"):
        Attempts(tmp_path / "file" / "attempts.json").begin(RUN, now=NOW)


def test_the_key_tells_runs_apart_by_what_is_run() -> None:
    def subject(**changes: object) -> Subject:
        usual = {
            "repository_id": 7,
            "repository": "octo/kernels",
            "pull_number": 3,
            "head_sha": "a" * 40,
            "base_sha": "unknown",
            "suite": load("smoke").reference,
            "claim_ids": (),
        }
        return Subject.model_validate({**usual, **changes})

    same = run_key(subject(), candidate_tree=RUN)
    assert run_key(subject(claim_ids=("other",), repository="octo/renamed"), candidate_tree=RUN) == same
    for changed in (subject(pull_number=4), subject(head_sha="b" * 40), subject(repository_id=8), subject(suite=None)):
        assert run_key(changed, candidate_tree=RUN) != same
    assert run_key(subject(), candidate_tree=OTHER) != same
