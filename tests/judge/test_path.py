"""Which path ran, and whether two arms are really the same thing."""

from typing import Any

import pytest

from judge.path import decode_buckets, ledger, refusal, same_path, share
from worker.bundle import canonical
from worker.bundle.schema import Arm, Cell, LedgerBucket


def bucket(
    rows: int, special: int, stock: int, *, phase: str = "decode", tokens: int = 1, **reasons: int
) -> LedgerBucket:
    return LedgerBucket.model_validate(
        {
            "rows": rows, "tokens_per_request": tokens, "phase": phase, "speculation": tokens - 1,
            "specialized_steps": special, "stock_steps": stock,
            "reasons": tuple({"reason": name, "steps": steps} for name, steps in reasons.items()),
        }
    )  # fmt: skip


def cell(metric: str, batch: int | str) -> Cell:
    return Cell.model_validate(
        {
            "id": "c", "metric": metric, "phase": "decode", "tensor_parallel": 1, "context_parallel": 1, "batch": batch,
            "context_tokens": 64, "input_tokens": "unknown", "output_tokens": "unknown",
            "speculation": {"kind": "none"}, "task": None, "arms": ("baseline",),
        }
    )  # fmt: skip


def arms(specimen: Any) -> tuple[Arm, Arm]:
    baseline, candidate = (Arm.model_validate_json(canonical(specimen.arm(name))) for name in ("baseline", "candidate"))
    return baseline, candidate


LEDGER = (bucket(1, 9, 1), bucket(4, 100, 0), bucket(8, 50, 0), bucket(32, 0, 5, phase="prefill"))


@pytest.mark.parametrize(
    ("metric", "batch", "rows"),
    [("step_latency_us", 4, [4]), ("tpot_ms", 4, [1, 4]), ("score", 4, [1, 4, 8]), ("e2e_ms", "unknown", [1, 4, 8])],
)
def test_a_cell_is_about_the_buckets_of_its_batch(
    specimen: Any, metric: str, batch: int | str, rows: list[int]
) -> None:
    found = ledger(arms(specimen)[1], "decode-step")
    assert found != "unknown"
    found = found.model_copy(update={"buckets": LEDGER})
    assert [one.rows for one in decode_buckets(found, cell(metric, batch))] == rows


def test_drafts_count_as_rows_of_their_request(specimen: Any) -> None:
    found = ledger(arms(specimen)[1], "decode-step")
    assert found != "unknown"
    found = found.model_copy(update={"buckets": (bucket(32, 5, 0, tokens=8), bucket(4, 5, 0, tokens=8))})
    assert [one.rows for one in decode_buckets(found, cell("step_latency_us", 4))] == [32]


def test_the_worst_bucket_counts() -> None:
    found = share((bucket(1, 9, 1, odd=1), bucket(4, 1000, 0)))
    assert found != "unknown"
    assert (found.specialized_steps, found.stock_steps, found.lowest_share) == (1009, 1, 0.9)
    assert [one.reason for one in found.reasons] == ["odd"]


def test_no_steps_are_unknown_and_not_specialized() -> None:
    assert share(()) == "unknown"
    assert share((bucket(1, 0, 0),)) == "unknown"


def test_the_same_code_on_the_stock_path_is_the_same_thing(cpu_specimen: Any) -> None:
    assert same_path(*arms(cpu_specimen), "decode-step")


def _code(s: Any) -> None:
    s.arm("candidate")["code"]["tree_digest"] = "9" * 64


def _config(s: Any) -> None:
    s.arm("candidate")["engine_config"][1]["value"] = "32"


def _weights(s: Any) -> None:
    for name in ("baseline", "candidate"):
        s.arm(name)["weights_digest"] = "unknown"


def _kernels(s: Any) -> None:
    s.ledger("candidate", "decode-step")["kernel_digests"] = ["9" * 64]


def _ran(s: Any) -> None:
    s.ledger("candidate", "decode-step")["buckets"][0]["specialized_steps"] = 1


def _empty(s: Any) -> None:
    s.ledger("candidate", "decode-step")["buckets"] = []


def _unknown(s: Any) -> None:
    s.arm("baseline")["ledgers"] = "unknown"


def _no_code(s: Any) -> None:
    for name in ("baseline", "candidate"):
        s.arm(name)["code"] = {"commit_sha": "unknown", "tree_digest": "unknown", "dirty": "unknown"}


def _dirty(s: Any) -> None:
    for name in ("baseline", "candidate"):
        s.arm(name)["code"] = {"commit_sha": "a" * 40, "tree_digest": "unknown", "dirty": True}


@pytest.mark.parametrize(
    "change", [_code, _config, _weights, _kernels, _ran, _empty, _unknown, _no_code, _dirty], ids=lambda f: f.__name__
)
def test_anything_else_is_not(change: Any, cpu_specimen: Any) -> None:
    change(cpu_specimen)
    assert not same_path(*arms(cpu_specimen), "decode-step")


def test_a_clean_commit_names_the_code_too(cpu_specimen: Any) -> None:
    for name in ("baseline", "candidate"):
        cpu_specimen.arm(name)["code"] = {"commit_sha": "a" * 40, "tree_digest": "unknown", "dirty": False}
    assert same_path(*arms(cpu_specimen), "decode-step")


def test_the_switch_under_test_may_differ_in_any_of_its_entries(cpu_specimen: Any) -> None:
    entry = {"name": "decode.standing_reasons", "value": '["kernels not built"]'}
    cpu_specimen.arm("candidate")["engine_config"].append(entry)
    assert same_path(*arms(cpu_specimen), "decode-step")


def test_the_refusal_names_the_leading_reasons(cpu_specimen: Any) -> None:
    baseline, candidate = arms(cpu_specimen)
    assert refusal(candidate, "decode-step") == "kernels not built, no CUDA device"
    assert refusal(baseline) == "decode mode is stock"
    assert refusal(candidate, "no-such-eval") is None
