"""lm-eval against servers that cannot answer it; that it works is shown by tests/worker/test_real_run.py."""

import sys
from collections.abc import Callable
from typing import Any

import pytest

from worker.suites import Accuracy

PLAN = Accuracy(
    kind="accuracy",
    id="accuracy",
    time_limit_s=120.0,
    tasks=("byogpu_copy",),
    concurrency=2,
    minimum_documents=32,
)


def test_a_tool_that_fails_fails_the_eval_and_its_last_words_are_kept(measure: Callable[..., Any]) -> None:
    ran = measure(PLAN)
    outcome = ran.result.record.outcome
    assert (outcome.outcome, outcome.code) == ("failed", "process_ended")
    assert "Traceback" in ran.text("log")
    assert {entry.name for entry in ran.draft.files} == {
        "accuracy.baseline.lm-eval.log",
        "accuracy.candidate.lm-eval.log",
    }
    assert ran.result.ledgers.keys() == {"baseline", "candidate"}


@pytest.mark.parametrize("behaviour", ["stillborn", "unwell"])
def test_without_a_server_the_tool_is_not_started(measure: Callable[..., Any], behaviour: str) -> None:
    outcome = measure(PLAN, candidate=behaviour).result.record.outcome
    assert (outcome.outcome, outcome.code) == ("failed", "engine_not_ready")


def test_the_time_limit_ends_the_tool(measure: Callable[..., Any]) -> None:
    plan = PLAN.model_copy(update={"time_limit_s": 2.0})
    assert measure(plan).result.record.outcome.outcome == "timed_out"


def test_a_machine_without_the_tool_skips_the_eval(
    measure: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lm_eval", None)
    outcome = measure(PLAN).result.record.outcome
    assert outcome.outcome == "skipped"
    assert outcome.reason == "lm-eval is not installed; install byogpu[eval]"
