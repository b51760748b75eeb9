import threading

import pytest

from k3_decode.ledger import Ledger, Path, StepShape


def decode(rows: int) -> StepShape:
    return StepShape.of(tokens=[1] * rows, reading_prompt=[False] * rows)


@pytest.mark.parametrize(
    ("tokens", "reading", "expected"),
    [
        ([1, 1, 1], [False] * 3, StepShape("decode", 3, 1)),
        ([4, 4], [False, False], StepShape("decode", 8, 4)),
        ([37], [True], StepShape("prefill", 64, 64)),
        ([5, 9], [True, True], StepShape("prefill", 16, 16)),
        ([1, 9], [False, True], StepShape("mixed", 16, 16)),
        ([1], [True], StepShape("prefill", 1, 1)),
    ],
)
def test_shapes(tokens, reading, expected):
    assert StepShape.of(tokens=tokens, reading_prompt=reading) == expected


def test_steps_are_counted_by_shape_path_and_reason():
    ledger = Ledger()
    ledger.record(decode(4), Path.SPECIALIZED, kernel_digests=["b" * 64, "a" * 64])
    ledger.record(decode(4), Path.STOCK, reasons=["x", "y"])
    ledger.record(decode(4), Path.STOCK, reasons=["x"])
    ledger.record(decode(2), Path.STOCK, reasons=["x"])
    snapshot = ledger.snapshot()
    assert snapshot["kernel_digests"] == ["a" * 64, "b" * 64]
    assert [bucket["rows"] for bucket in snapshot["buckets"]] == [2, 4]
    assert snapshot["buckets"][1] == {
        "rows": 4,
        "tokens_per_request": 1,
        "phase": "decode",
        "speculation": 0,
        "specialized_steps": 1,
        "stock_steps": 2,
        "reasons": [{"reason": "x", "steps": 2}, {"reason": "y", "steps": 1}],
    }


def test_reset_returns_what_it_clears():
    ledger = Ledger()
    ledger.record(decode(1), Path.STOCK, reasons=["x"])
    before = ledger.snapshot()
    assert ledger.reset() == before
    assert ledger.snapshot() == {"buckets": [], "kernel_digests": []}


def test_no_step_is_lost_between_ledgers_that_follow_each_other():
    ledger, closed = Ledger(), []
    recorder = threading.Thread(
        target=lambda: [ledger.record(decode(1), Path.STOCK, reasons=["x"]) for _ in range(5000)]
    )
    recorder.start()
    while recorder.is_alive():
        closed.append(ledger.reset())
    recorder.join()
    closed.append(ledger.reset())
    assert sum(bucket["stock_steps"] for each in closed for bucket in each["buckets"]) == 5000
