"""The path ledger as an arm's programs report it, summed over the blocks of an eval."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from worker.bundle.record import Identifier, Record, Sha256
from worker.bundle.schema import LedgerBucket, PathLedger, ReasonCount

StepPhase = Literal["prefill", "decode", "mixed"]


class LedgerAnswer(Record):
    """What `k3_decode.ledger` shows: steps by shape, and the kernels launched."""

    buckets: Annotated[tuple[LedgerBucket, ...], Field(max_length=10_000)]
    kernel_digests: Annotated[tuple[Sha256, ...], Field(max_length=10_000)]


class _Sum:
    def __init__(self) -> None:
        self.specialized = 0
        self.stock = 0
        self.reasons: Counter[str] = Counter()

    def add(self, bucket: LedgerBucket) -> None:
        self.specialized += bucket.specialized_steps
        self.stock += bucket.stock_steps
        self.reasons.update({one.reason: one.steps for one in bucket.reasons})


def add_up(eval_id: Identifier, answers: Iterable[LedgerAnswer]) -> PathLedger:
    """Sum ledgers bucket by bucket.

    Args:
        eval_id: The eval whose steps they count.
        answers: Any number of ledgers; none gives a ledger without buckets.
    """
    sums: defaultdict[tuple[StepPhase, int, int, int], _Sum] = defaultdict(_Sum)
    digests: set[str] = set()
    for answer in answers:
        digests.update(answer.kernel_digests)
        for bucket in answer.buckets:
            sums[bucket.phase, bucket.rows, bucket.tokens_per_request, bucket.speculation].add(bucket)
    return PathLedger(
        eval_id=eval_id,
        buckets=tuple(
            LedgerBucket(
                rows=rows,
                tokens_per_request=width,
                phase=phase,
                speculation=speculation,
                specialized_steps=total.specialized,
                stock_steps=total.stock,
                reasons=tuple(
                    ReasonCount(reason=reason, steps=steps) for reason, steps in sorted(total.reasons.items())
                ),
            )
            for (phase, rows, width, speculation), total in sorted(sums.items())
        ),
        kernel_digests=tuple(sorted(digests)),
    )
