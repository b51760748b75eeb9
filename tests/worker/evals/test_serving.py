import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from worker.suites import Serving

ORDER = ("baseline", "candidate", "candidate", "baseline")


def plan(**changes: Any) -> Serving:
    fields: dict[str, Any] = {
        "kind": "serving",
        "id": "serving",
        "time_limit_s": 60.0,
        "concurrency": (2,),
        "requests_per_block": 4,
        "input_tokens": 32,
        "output_tokens": 6,
        "block_order": ORDER,
        "rounds": 1,
    }
    return Serving(**{**fields, **changes})


def rows_of(ran: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran.lines("requests")]


def test_every_request_of_every_block_is_a_row(measure: Callable[..., Any]) -> None:
    ran = measure(plan())
    assert ran.result.record.outcome.outcome == "completed"
    assert [block.arm for block in ran.result.record.blocks] == list(ORDER)
    rows = rows_of(ran)
    assert Counter((row["arm"], row["block"]) for row in rows) == {
        ("baseline", 0): 4,
        ("candidate", 1): 4,
        ("candidate", 2): 4,
        ("baseline", 3): 4,
    }
    for row in rows:
        assert (row["input_tokens"], row["output_tokens"], row["requested_output_tokens"]) == (32, 6, 6)
        assert len(row["token_times_s"]) == 6
        assert (row["finish_reason"], row["error"]) == ("length", None)
        times = [row["start_s"], *row["token_times_s"], row["end_s"]]
        assert times == sorted(times)


def test_no_prompt_is_sent_twice_to_an_arm_and_both_arms_get_the_same(measure: Callable[..., Any]) -> None:
    rows = rows_of(measure(plan()))
    prompts = {arm: Counter(row["prompt_sha256"] for row in rows if row["arm"] == arm) for arm in ORDER}
    assert set(prompts["baseline"].values()) == {1}
    assert prompts["baseline"] == prompts["candidate"]


def test_load_is_as_concurrent_as_asked_for(measure: Callable[..., Any]) -> None:
    rows = rows_of(measure(plan(concurrency=(1, 2))))
    for cell, most in (("serving.c1", 1), ("serving.c2", 2)):
        for block in range(4):
            mine = [row for row in rows if row["cell"] == cell and row["block"] == block]
            overlapping = [sum(o["start_s"] <= row["start_s"] < o["end_s"] for o in mine) for row in mine]
            assert max(overlapping) == most


def test_counters_surround_each_block_and_the_ledger_leaves_the_warm_up_out(measure: Callable[..., Any]) -> None:
    ran = measure(plan())
    counters = [json.loads(line) for line in ran.lines("counters")]
    first = {row["moment"]: row["value"] for row in counters if row["block"] == 0}
    assert first["after"] - first["before"] == 4
    assert {row["name"] for row in counters} == {"served_total"}
    assert sum(bucket.stock_steps for bucket in ran.result.ledgers["baseline"].buckets) == 2 * 4 * 6


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("refuses", "status 500"),
        ("truncated", "before it said that it was done"),
        ("malformed", "malformed event"),
        ("endless", "an event of more than"),
        ("error", "the server says"),
    ],
)
def test_a_failed_request_is_a_row_and_the_eval_goes_on(
    measure: Callable[..., Any], behaviour: str, words: str
) -> None:
    ran = measure(plan(), candidate=behaviour)
    assert ran.result.record.outcome.outcome == "completed"
    rows = rows_of(ran)
    assert len(rows) == 16
    [failed] = [row for row in rows if row["error"] is not None]
    assert failed["arm"] == "candidate"
    assert words in failed["error"]
    assert failed["end_s"] >= failed["start_s"]


def test_a_secret_in_an_error_is_masked(measure: Callable[..., Any]) -> None:
    ran = measure(plan(), candidate="error")
    assert "sk-0123456789" not in ran.text("requests")
    assert "[masked " in ran.text("requests")


def test_a_server_that_dies_fails_the_eval_and_keeps_its_log_and_rows(measure: Callable[..., Any]) -> None:
    ran = measure(plan(), candidate="die")
    outcome = ran.result.record.outcome
    assert (outcome.outcome, outcome.code) == ("failed", "process_ended")
    assert "the engine hit an assertion" in ran.text("log")
    rows = rows_of(ran)
    assert Counter(row["arm"] for row in rows if row["error"] is None)["baseline"] == 4
    assert any(row["error"] for row in rows)


def test_a_silent_server_runs_into_the_time_limit_and_its_request_is_a_row(measure: Callable[..., Any]) -> None:
    ran = measure(plan(time_limit_s=4.0), candidate="silent")
    assert ran.result.record.outcome.outcome == "timed_out"
    assert [row["error"] for row in rows_of(ran) if row["error"]] == ["cut off at the time limit"]


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        ("stillborn", "engine_not_ready"),
        ("bad-port", "engine_not_ready"),
        ("unwell", "engine_not_ready"),
        ("flood", "answer_too_large"),
    ],
)
def test_a_server_that_does_not_come_up_fails_the_eval(measure: Callable[..., Any], behaviour: str, code: str) -> None:
    outcome = measure(plan(), candidate=behaviour).result.record.outcome
    assert (outcome.outcome, outcome.code) == ("failed", code)


def test_a_server_that_is_never_ready_runs_into_the_time_limit(measure: Callable[..., Any]) -> None:
    assert measure(plan(time_limit_s=2.0), baseline="never-ready").result.record.outcome.outcome == "timed_out"
