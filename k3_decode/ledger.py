"""The path ledger: how many steps of which shape ran on which decode path, and why.

Filled by `k3_decode.decoder.Decoder`, one entry a step, nowhere else. Shown by the engine's server, the bench and,
through them, in every bundle: a claim about the specialized path counts only where the ledger says that it ran.
"""

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypedDict

Phase = Literal["prefill", "decode", "mixed"]


class Path(StrEnum):
    """The code that ran a step."""

    SPECIALIZED = "specialized"
    STOCK = "stock"


class ReasonSteps(TypedDict):
    """How many steps one reason kept on the stock path."""

    reason: str
    steps: int


class BucketRow(TypedDict):
    """One bucket as JSON. A step with several reasons counts once under each of them."""

    rows: int
    tokens_per_request: int
    phase: Phase
    speculation: int
    specialized_steps: int
    stock_steps: int
    reasons: list[ReasonSteps]


class LedgerSnapshot(TypedDict):
    """The whole ledger as JSON, buckets and digests sorted."""

    buckets: list[BucketRow]
    kernel_digests: list[str]


@dataclass(frozen=True, order=True)
class StepShape:
    """The coordinates a step is counted under.

    Attributes:
        phase: ``decode`` when no request of the step still reads its prompt, ``prefill`` when all do, else ``mixed``.
        rows: Token rows. Exact in decode; rounded up to a power of two otherwise, so that buckets stay few.
        tokens_per_request: Largest number of rows of one request, rounded like ``rows``.
        speculation: Draft tokens verified for each request; 0 without speculation.
    """

    phase: Phase
    rows: int
    tokens_per_request: int
    speculation: int = 0

    @classmethod
    def of(cls, *, tokens: Sequence[int], reading_prompt: Sequence[bool]) -> "StepShape":
        """Describe a step without speculation.

        Args:
            tokens: Rows of each request of the step, at least one request.
            reading_prompt: For each request, whether its rows are prompt tokens.
        """
        rows, widest = sum(tokens), max(tokens)
        if not any(reading_prompt):
            return cls(phase="decode", rows=rows, tokens_per_request=widest)
        phase: Phase = "prefill" if all(reading_prompt) else "mixed"
        return cls(phase=phase, rows=_power_of_two(rows), tokens_per_request=_power_of_two(widest))


@dataclass
class _Bucket:
    steps: Counter[Path] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)


class Ledger:
    """Counts steps. Safe to read from one thread while another records."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._buckets: dict[StepShape, _Bucket] = {}
        self._kernel_digests: set[str] = set()

    def record(
        self, shape: StepShape, path: Path, *, reasons: Iterable[str] = (), kernel_digests: Iterable[str] = ()
    ) -> None:
        """Count one step that has run.

        Args:
            shape: The step's coordinates.
            path: The path that ran it.
            reasons: Every reason that kept it off the specialized path.
            kernel_digests: SHA-256 of each cubin the step launched.
        """
        with self._lock:
            bucket = self._buckets.setdefault(shape, _Bucket())
            bucket.steps[path] += 1
            bucket.reasons.update(map(str, reasons))
            self._kernel_digests.update(kernel_digests)

    def snapshot(self) -> LedgerSnapshot:
        """Return the counts so far, ready for JSON."""
        with self._lock:
            return self._snapshot()

    def reset(self) -> LedgerSnapshot:
        """Return the counts so far and start from zero, with no step lost in between."""
        with self._lock:
            closed = self._snapshot()
            self._buckets.clear()
            self._kernel_digests.clear()
            return closed

    def _snapshot(self) -> LedgerSnapshot:
        return {
            "buckets": [_row(shape, bucket) for shape, bucket in sorted(self._buckets.items())],
            "kernel_digests": sorted(self._kernel_digests),
        }


def _row(shape: StepShape, bucket: _Bucket) -> BucketRow:
    return {
        "rows": shape.rows,
        "tokens_per_request": shape.tokens_per_request,
        "phase": shape.phase,
        "speculation": shape.speculation,
        "specialized_steps": bucket.steps[Path.SPECIALIZED],
        "stock_steps": bucket.steps[Path.STOCK],
        "reasons": [{"reason": reason, "steps": steps} for reason, steps in sorted(bucket.reasons.items())],
    }


def _power_of_two(count: int) -> int:
    return 1 << (count - 1).bit_length()
