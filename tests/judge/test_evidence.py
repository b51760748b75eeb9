"""Reading a bundle: every row counted, and everything unreadable a problem and never an exception."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge.evidence import OFFLINE, collect
from judge.reading import MAX_SECRETS_LISTED

Read = Callable[..., Any]
STEPS = "decode-step.steps.jsonl"


def line(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def test_rows_become_columns_and_none_is_lost(specimen: Any, collected: Read) -> None:
    evidence = collected(specimen)
    for arm in ("baseline", "candidate"):
        for cell in ("decode-step.b1.c64", "decode-step.b4.c64"):
            rows, table = specimen.of("steps", "decode-step", arm=arm, cell=cell), evidence.steps[(cell, arm)]
            assert table.latency_us.tolist() == [row["latency_us"] for row in rows]
            assert table.start_ns.tolist() == [row["start_ns"] for row in rows]
            assert table.block.tolist() == [row["block"] for row in rows]
        rows, requests = specimen.of("requests", "serving", arm=arm), evidence.requests[("serving.c2", arm)]
        assert requests.token_times_s.tolist() == [time for row in rows for time in row["token_times_s"]]
        assert requests.chunks.tolist() == [len(row["token_times_s"]) for row in rows]
        assert requests.end_s.tolist() == [row["end_s"] for row in rows]
    assert evidence.problems == ()
    assert evidence.context == OFFLINE
    assert evidence.suite is not None
    assert evidence.arms_with_rows == ("baseline", "candidate")


def test_unknown_numbers_are_nan(specimen: Any, collected: Read) -> None:
    specimen.of("requests", "serving")[0].update(start_s="unknown", input_tokens="unknown", end_s="unknown")
    table = collected(specimen).requests[("serving.c2", "baseline")]
    assert np.isnan([table.start_s[0], table.end_s[0], table.input_tokens[0]]).all()
    assert np.isfinite(table.start_s[1:]).all()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"not json\n", "row_invalid"),
        (b'{"cell":"a","cell":"b"}\n', "row_invalid"),
        (b'{"latency_us":NaN}\n', "row_invalid"),
        (b"\xff\xfe\n", "row_invalid"),
        (b"[" * 100_000 + b"\n", "row_invalid"),
        (b'"' + b"x" * 1_100_000 + b'"\n', "line_too_long"),
        (line(cell="decode-step.b1.c64", arm="third", block=0, step=0, latency_us=1.0, start_ns=0), "row_invalid"),
        (line(cell="x", arm="baseline", block=2**60, step=0, latency_us=1.0, start_ns=0), "row_invalid"),
        (line(cell="x", arm="baseline", block=0, step=0, latency_us=-1.0, start_ns=0), "row_invalid"),
    ],
    ids=["text", "duplicate-key", "nan", "not-utf8", "deep", "long-line", "arm", "huge", "negative"],
)
def test_a_hostile_file_is_a_problem(data: bytes, code: str, specimen: Any, collected: Read) -> None:
    specimen.replaced[STEPS] = data
    evidence = collected(specimen)
    assert [(one.code, one.eval_id) for one in evidence.problems] == [(code, "decode-step")]
    assert evidence.steps == {}
    assert len(evidence.problems[0].detail) <= 400


@pytest.mark.parametrize(
    ("lies_there", "code"), [(None, "blob_missing"), (b"other", "blob_corrupt"), (b"", "blob_corrupt")]
)
def test_a_blob_that_is_not_the_one_listed_is_not_read(
    lies_there: bytes | None, code: str, specimen: Any, collected: Read
) -> None:
    specimen.damaged[STEPS] = lies_there
    evidence = collected(specimen)
    assert [one.code for one in evidence.problems] == [code]
    assert evidence.steps == {}
    assert evidence.requests


def test_a_size_that_does_not_fit_is_a_problem(specimen: Any, collected: Read, tmp_path: Path) -> None:
    files = [entry.model_dump(mode="json") for entry in specimen.write(tmp_path / "first").manifest.files]
    files[0]["size_bytes"] += 1
    specimen.manifest["files"] = files
    assert [one.code for one in collected(specimen).problems] == ["size_mismatch"]


@pytest.mark.parametrize(
    ("results", "code"),
    [
        (b"[]", "lm_eval_invalid"),
        (b"{", "json_invalid"),
        (b'{"results": {"t": {"acc,none": 1e400}}}', "lm_eval_invalid"),
        (b'{"results": {"": {}}}', "lm_eval_invalid"),
        (b'{"results": {"t": {}}, "n-samples": {"t": {"original": -1, "effective": 0}}}', "lm_eval_invalid"),
    ],
)
def test_a_broken_results_file_is_a_problem(results: bytes, code: str, specimen: Any, collected: Read) -> None:
    specimen.replaced["candidate/results_2026.json"] = results
    assert [(one.code, one.arm) for one in collected(specimen).problems] == [(code, "candidate")]


@pytest.mark.parametrize(
    "change",
    [{"doc_id": "one"}, {"doc_hash": "short"}, {"filter": ""}, {"metrics": "exact_match"}, {"resps": None}],
    ids=lambda change: next(iter(change)),
)
def test_a_broken_sample_row_is_a_problem(change: dict[str, Any], specimen: Any, collected: Read) -> None:
    specimen.samples[("baseline", "byogpu_copy")][3].update(change)
    problems = collected(specimen).problems
    assert [one.code for one in problems] == ["row_invalid"]
    assert problems[0].detail.startswith("line 4: ")


def test_a_score_that_is_no_number_is_not_a_score(specimen: Any, collected: Read) -> None:
    specimen.samples[("baseline", "byogpu_copy")][3]["exact_match"] = [1, 0]
    scores = collected(specimen).lm_eval[("accuracy", "baseline")].scores[("byogpu_copy", "none", "exact_match")]
    assert np.isnan(scores.score[3])
    assert np.isfinite(scores.score).sum() == len(scores.score) - 1


def test_samples_belong_to_the_task_their_hashes_say(specimen: Any, collected: Read) -> None:
    """File names are for display: exchanging them changes nothing."""
    one, other = ("candidate", "byogpu_copy"), ("candidate", "byogpu_parity")
    specimen.samples[one], specimen.samples[other] = specimen.samples[other], specimen.samples[one]
    run = collected(specimen).lm_eval[("accuracy", "candidate")]
    assert run.sample_hashes == {name: task.task_hash for name, task in run.tasks.items()}


def test_a_files_eval_and_arm_must_be_known_where_they_matter(specimen: Any, collected: Read) -> None:
    specimen.extra.append(("r", "lm_eval_results", None, "candidate", b"{}"))
    specimen.extra.append(("s", "lm_eval_samples", "accuracy", None, b""))
    assert [one.code for one in collected(specimen).problems] == ["eval_missing", "arm_missing"]


def test_an_unknown_suite_is_none(specimen: Any, collected: Read) -> None:
    specimen.manifest["subject"]["suite"]["digest"] = "9" * 64
    evidence = collected(specimen)
    assert evidence.suite is None
    assert evidence.plan("decode-step") is None
    assert evidence.floors.p50 == 20


def test_secrets_are_counted_up_to_a_limit(specimen: Any, collected: Read) -> None:
    token = "ghp_" + "a1B2" * 9
    specimen.extra.append(("log", "log", None, None, f"{token}\n".encode() * (MAX_SECRETS_LISTED + 50)))
    evidence = collected(specimen)
    assert len(evidence.secrets) == MAX_SECRETS_LISTED
    assert evidence.secrets[1].offset == len(token) + 1


def test_a_secret_across_two_windows_is_found_once_at_its_place(specimen: Any, collected: Read) -> None:
    before = b"x " * 524_280
    specimen.extra.append(("log", "log", None, None, before + b"ghp_" + b"a1B2" * 9 + b" end"))
    hits = {(one.kind, one.offset) for one in collected(specimen).secrets}
    assert hits == {("github_token", len(before))}


def test_reading_twice_gives_the_same(specimen: Any, tmp_path: Path) -> None:
    bundle = specimen.write(tmp_path / "bundle")
    first, second = collect(bundle), collect(bundle)
    assert first.bundle_id == second.bundle_id
    assert first.problems == second.problems
    for key, table in first.steps.items():
        assert np.array_equal(table.latency_us, second.steps[key].latency_us)
