from worker.bundle.schema import LedgerBucket, ReasonCount
from worker.ledger import LedgerAnswer, add_up


def bucket(rows: int, /, *, stock: int = 0, specialized: int = 0, **reasons: int) -> LedgerBucket:
    return LedgerBucket(
        rows=rows,
        tokens_per_request=1,
        phase="decode",
        speculation=0,
        specialized_steps=specialized,
        stock_steps=stock,
        reasons=tuple(ReasonCount(reason=reason, steps=steps) for reason, steps in reasons.items()),
    )


def test_steps_and_reasons_add_up_bucket_by_bucket() -> None:
    total = add_up(
        "serving",
        [
            LedgerAnswer(buckets=(bucket(4, stock=2, mode=2), bucket(1, specialized=5)), kernel_digests=("b" * 64,)),
            LedgerAnswer(buckets=(bucket(4, stock=3, mode=1, late=2),), kernel_digests=("a" * 64, "b" * 64)),
        ],
    )
    assert total.eval_id == "serving"
    assert total.buckets == (bucket(1, specialized=5), bucket(4, stock=5, late=2, mode=3))
    assert total.kernel_digests == ("a" * 64, "b" * 64)


def test_nothing_adds_up_to_an_empty_ledger() -> None:
    assert add_up("serving", []).buckets == ()
