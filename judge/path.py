"""Which decode path ran behind a cell, from the arm's ledger."""

from collections import Counter
from typing import Literal

from worker.bundle.record import Amount, Count, Record, Unknown
from worker.bundle.schema import Arm, Cell, LedgerBucket, PathLedger, ReasonCount

SWITCH = "decode"
"""The entry, or first part of entries, of the resolved engine configuration that selects the path under test and says
why it cannot start: the one thing in which arms of one configuration may differ."""


class PathShare(Record):
    """Decode steps behind a cell, by the path that ran them."""

    specialized_steps: Count
    stock_steps: Count
    lowest_share: Amount
    """Smallest share of specialized steps in any one bucket, 0 to 1."""
    reasons: tuple[ReasonCount, ...]
    """Why steps ran stock, most frequent first. A step with several reasons counts under each."""


def ledger(arm: Arm, eval_id: str) -> PathLedger | Unknown:
    """The arm's ledger for an eval; ``unknown`` if it has none."""
    if arm.ledgers == "unknown":
        return "unknown"
    return next((one for one in arm.ledgers if one.eval_id == eval_id), "unknown")


def decode_buckets(found: PathLedger, cell: Cell | None) -> tuple[LedgerBucket, ...]:
    """Buckets of pure decode steps that a cell is about.

    A decode-step cell is about exactly its batch; a serving cell about every batch up to its concurrency, because
    requests come and go; any other cell about all.

    Args:
        found: One eval's ledger.
        cell: The cell; None: all decode buckets.
    """
    decode = tuple(bucket for bucket in found.buckets if bucket.phase == "decode")
    if cell is None or cell.batch == "unknown" or cell.metric in ("score", "max_relative_error"):
        return decode
    exact = cell.metric == "step_latency_us"
    return tuple(bucket for bucket in decode if _fits(bucket, cell.batch, exact=exact))


def share(buckets: tuple[LedgerBucket, ...]) -> PathShare | Unknown:
    """Add up buckets; ``unknown`` if they hold no step."""
    counted = [bucket for bucket in buckets if bucket.specialized_steps + bucket.stock_steps]
    if not counted:
        return "unknown"
    reasons: Counter[str] = Counter()
    for bucket in counted:
        reasons.update({reason.reason: reason.steps for reason in bucket.reasons})
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return PathShare(
        specialized_steps=sum(bucket.specialized_steps for bucket in counted),
        stock_steps=sum(bucket.stock_steps for bucket in counted),
        lowest_share=min(bucket_share(bucket) for bucket in counted),
        reasons=tuple(ReasonCount(reason=reason, steps=steps) for reason, steps in ordered),
    )


def bucket_share(bucket: LedgerBucket) -> float:
    """Share of a bucket's steps that ran specialized; 0 without steps."""
    total = bucket.specialized_steps + bucket.stock_steps
    return bucket.specialized_steps / total if total else 0.0


def mean_rows(buckets: tuple[LedgerBucket, ...]) -> float | None:
    """Requests in a decode step on average, weighted by steps; None without steps."""
    steps = sum(bucket.specialized_steps + bucket.stock_steps for bucket in buckets)
    rows = sum((b.specialized_steps + b.stock_steps) * b.rows / max(b.tokens_per_request, 1) for b in buckets)
    return rows / steps if steps else None


def same_path(baseline: Arm, candidate: Arm, eval_id: str) -> bool:
    """Whether both arms really ran the same thing: code, image, weights, configuration, kernels, and stock throughout.

    What is unknown proves nothing, so code and weights must be known. The switch under test may differ: the ledger,
    not the switch, says what ran.
    """
    if baseline.ledgers == "unknown" or candidate.ledgers == "unknown":
        return False
    ours, theirs = ledger(baseline, eval_id), ledger(candidate, eval_id)
    if ours == "unknown" or theirs == "unknown":
        return False
    stock = not any(bucket.specialized_steps for one in (ours, theirs) for bucket in one.buckets)
    ran = all(any(bucket.stock_steps for bucket in one.buckets) for one in (ours, theirs))
    identities = [
        (arm.image_digest, arm.model, arm.quantization, arm.weights_digest, arm.draft_digest, arm.tokenizer_digest,
         arm.chat_template_digest, _configuration(arm))
        for arm in (baseline, candidate)
    ]  # fmt: skip
    return (
        stock
        and ran
        and ours.kernel_digests == theirs.kernel_digests
        and identities[0] == identities[1]
        and baseline.weights_digest != "unknown"
        and _same_code(baseline, candidate)
    )


def refusal(arm: Arm, eval_id: str | None = None) -> str | None:
    """Why an arm's decode steps ran stock: the most frequent reasons in one eval, or in all; None if nothing says."""
    if arm.ledgers == "unknown":
        return None
    reasons: Counter[str] = Counter()
    for one in arm.ledgers:
        if eval_id in (None, one.eval_id):
            for bucket in decode_buckets(one, None):
                reasons.update({reason.reason: reason.steps for reason in bucket.reasons})
    leading = sorted(reason for reason, steps in reasons.items() if steps == max(reasons.values()))
    return ", ".join(leading)[:200] or None


def _fits(bucket: LedgerBucket, batch: int, *, exact: bool) -> bool:
    requests = bucket.rows / max(bucket.tokens_per_request, 1)
    return requests == batch if exact else requests <= batch


def _configuration(arm: Arm) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((entry.name, entry.value) for entry in arm.engine_config if entry.name.split(".")[0] != SWITCH))


def _same_code(first: Arm, second: Arm) -> bool:
    if "unknown" not in (first.code.tree_digest, second.code.tree_digest):
        return first.code.tree_digest == second.code.tree_digest
    clean: Literal[False] = False
    known = "unknown" not in (first.code.commit_sha, second.code.commit_sha)
    return known and first.code.commit_sha == second.code.commit_sha and first.code.dirty is second.code.dirty is clean
