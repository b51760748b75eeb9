import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from worker.environment import Nvml
from worker.suites import DecodeStep

ORDER = ("baseline", "candidate", "candidate", "baseline")


def plan(**changes: Any) -> DecodeStep:
    fields: dict[str, Any] = {
        "kind": "decode_step",
        "id": "decode-step",
        "time_limit_s": 60.0,
        "batches": (1, 4),
        "context_tokens": (64,),
        "steps_per_block": 5,
        "warmup_steps": 1,
        "block_order": ORDER,
        "rounds": 2,
    }
    return DecodeStep(**{**fields, **changes})


def test_blocks_follow_the_plan_and_end_with_a_drift_block(measure: Callable[..., Any]) -> None:
    ran = measure(plan())
    record = ran.result.record
    assert record.outcome.outcome == "completed"
    assert [block.arm for block in record.blocks] == [*ORDER, *ORDER, "baseline"]
    assert [block.purpose for block in record.blocks] == ["measure"] * 8 + ["drift"]
    assert [block.index for block in record.blocks] == list(range(9))
    assert [cell.id for cell in record.cells] == ["decode-step.b1.c64", "decode-step.b4.c64"]


def test_every_raw_step_is_kept_and_the_ledger_counts_them(measure: Callable[..., Any]) -> None:
    ran = measure(plan())
    rows = [json.loads(line) for line in ran.lines("steps")]
    assert len(rows) == 9 * 2 * 5
    assert Counter(row["arm"] for row in rows) == {"baseline": 50, "candidate": 40}
    assert {row["step"] for row in rows} == set(range(5))
    baseline = ran.result.ledgers["baseline"]
    assert [(bucket.rows, bucket.stock_steps) for bucket in baseline.buckets] == [(1, 25), (4, 25)]
    assert ran.result.ledgers["candidate"].buckets[0].reasons[0].steps == 20


def test_kernels_are_timed_in_the_last_block_of_each_arm(measure: Callable[..., Any]) -> None:
    rows = [json.loads(line) for line in measure(plan(kernel_times=True)).lines("kernel_times")]
    assert {(row["arm"], row["block"]) for row in rows} == {("baseline", 8), ("candidate", 6)}
    assert Counter(row["cell"] for row in rows) == {"decode-step.b1.c64": 4, "decode-step.b4.c64": 4}
    assert {(row["kernel"], row["launches"], len(row["times_us"])) for row in rows} == {("mix", 2, 10), (None, 1, 5)}


def test_kernels_are_timed_only_where_the_suite_asks_for_them(measure: Callable[..., Any]) -> None:
    assert measure(plan(rounds=1)).lines("kernel_times") == []


def test_kernel_times_of_no_whole_steps_fail_the_eval(measure: Callable[..., Any]) -> None:
    outcome = measure(plan(kernel_times=True, rounds=1), candidate="uneven").result.record.outcome
    assert (outcome.outcome, outcome.code) == ("failed", "answer_invalid")
    assert "no whole number of steps" in outcome.detail


def test_the_identity_of_each_engine_is_kept(measure: Callable[..., Any]) -> None:
    identities = measure(plan(rounds=1)).result.identities
    baseline, candidate = identities["baseline"], identities["candidate"]
    assert (baseline.model, baseline.quantization, baseline.weights_digest) == ("k3-tiny", "mxfp4", "a" * 64)
    assert baseline.chat_template_digest == "unknown"
    differing = set(baseline.config) ^ set(candidate.config)
    assert {(entry.name, entry.value) for entry in differing} == {("decode", "stock"), ("decode", "specialized")}
    values = {entry.name: entry.value for entry in baseline.config}
    assert (values["model.situ_linear_beta"], values["engine.max_running"]) == ("null", "64")


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        ("crash", "process_ended"),
        ("malformed", "answer_invalid"),
        ("flood", "answer_too_large"),
        ("short", "answer_invalid"),
        ("nan", "answer_invalid"),
        ("negative", "answer_invalid"),
        ("list", "answer_invalid"),
        ("refuses", "answer_refused"),
    ],
)
def test_a_misbehaving_session_fails_the_eval_and_keeps_what_was_measured(
    measure: Callable[..., Any], behaviour: str, code: str
) -> None:
    ran = measure(plan(), candidate=behaviour)
    outcome = ran.result.record.outcome
    assert (outcome.outcome, outcome.code) == ("failed", code)
    rows = [json.loads(line) for line in ran.lines("steps")]
    assert Counter(row["arm"] for row in rows) == {"baseline": 10, "candidate": 15}
    assert len(ran.result.record.cells) == 2


def test_the_log_of_a_crash_is_kept_without_the_path_it_names(measure: Callable[..., Any], tmp_path: Any) -> None:
    ran = measure(plan(), candidate="crash")
    assert "the kernel at fault lives in [masked scratch_folder]/candidate" in ran.text("log")
    [entry] = [entry for entry in ran.draft.files if entry.role == "log"]
    assert (entry.arm, entry.media_type, entry.eval_id) == ("candidate", "text/plain", "decode-step")


def test_the_time_limit_ends_a_hung_session(measure: Callable[..., Any]) -> None:
    ran = measure(plan(time_limit_s=3.0), baseline="slow")
    assert ran.result.record.outcome.outcome == "timed_out"
    assert ran.result.record.outcome.limit_s == 3.0
    assert ran.lines("steps")


def test_telemetry_is_on_the_clock_of_the_steps(measure: Callable[..., Any], fake_nvml: Callable[..., Any]) -> None:
    ran = measure(plan(rounds=1), nvml=Nvml(fake_nvml(1)))
    samples = [json.loads(line)["time_s"] for line in ran.lines("telemetry")]
    starts = [json.loads(line)["start_ns"] / 1e9 for line in ran.lines("steps")]
    assert samples[0] <= starts[0]
    assert samples[-1] >= samples[0]
    assert abs(samples[-1] - starts[-1]) < 60
