import json
from collections.abc import Callable
from typing import Any

import pytest

from worker.suites import KernelNumerics

PLAN = KernelNumerics(kind="kernel_numerics", id="numerics", time_limit_s=60.0)


def test_both_arms_give_a_table_and_a_cell_for_each_operator(measure: Callable[..., Any]) -> None:
    ran = measure(PLAN)
    record = ran.result.record
    assert record.outcome.outcome == "completed"
    assert [(cell.id, cell.task, cell.arms) for cell in record.cells] == [
        ("numerics.kda.chunked", "kda.chunked", ("baseline", "candidate")),
        ("numerics.rms_norm", "rms_norm", ("baseline", "candidate")),
    ]
    rows = [json.loads(line) for line in ran.lines("numerics")]
    assert [row["arm"] for row in rows] == ["baseline"] * 2 + ["candidate"] * 2
    assert rows[0]["tolerance_reason"] == "float32 rounding"
    assert ran.result.ledgers == {}


def test_a_case_outside_its_tolerance_is_a_result(measure: Callable[..., Any]) -> None:
    ran = measure(PLAN, candidate="outside")
    assert ran.result.record.outcome.outcome == "completed"
    assert max(json.loads(line)["max_rel_error"] for line in ran.lines("numerics")) == 1.0


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [("crash", "process_ended"), ("malformed", "answer_invalid"), ("nothing", "answer_invalid")],
)
def test_a_broken_table_fails_the_eval_and_keeps_the_other_arms(
    measure: Callable[..., Any], behaviour: str, code: str
) -> None:
    ran = measure(PLAN, candidate=behaviour)
    assert (ran.result.record.outcome.outcome, ran.result.record.outcome.code) == ("failed", code)
    assert [json.loads(line)["arm"] for line in ran.lines("numerics")] == ["baseline"] * 2
    assert [cell.arms for cell in ran.result.record.cells] == [("baseline",), ("baseline",)]
