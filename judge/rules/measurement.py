"""Family M: what was measured obeys its own identities, and both arms did the same work under the same load."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from judge.comparability import concurrency_agrees
from judge.evidence import Evidence
from judge.rules.record import Found, rule
from judge.series import achieved_concurrency, first_and_last_s, usable
from judge.tables import Flags, Floats, RequestTable
from judge.thresholds import (
    IDENTITY_SHARE,
    IDENTITY_SLACK_S,
    MAX_ERROR_RATE,
    MAX_FINISH_DIFFERENCE,
    MAX_IDENTITY_VIOLATIONS,
    MIN_OUTPUT_SHARE,
)
from worker.bundle.schema import ArmName, Cell, EvalRecord

_ARMS: tuple[ArmName, ...] = ("baseline", "candidate")


@rule(
    "M-001",
    "error",
    "quarantines",
    title="Token times out of order",
    hint="Keep the rows as the load generator wrote them.",
    bears_on=("speed",),
)
def token_times_ordered(evidence: Evidence) -> Iterator[Found]:
    """Tokens arrive one after the other between the request's start and its end; other times were not measured."""
    for record, cell, arm, table in _requests(evidence):
        owner = np.repeat(np.arange(len(table.block)), table.chunks)
        falling = (np.diff(table.token_times_s) < 0) & (owner[1:] == owner[:-1])
        first, last = first_and_last_s(table)
        outside = (first < table.start_s) | (last > table.end_s) | (table.end_s < table.start_s)
        wrong = np.union1d(owner[1:][falling], np.flatnonzero(outside))
        if len(wrong):
            yield _found(record, cell, arm, f"{len(wrong)} requests, the first is request {table.index[wrong[0]]}")


@rule(
    "M-002",
    "error",
    "blocks",
    title="Token times do not match the token count",
    hint="Record the arrival of every chunk, and the server's own count of output tokens.",
    bears_on=("speed",),
)
def token_times_counted(evidence: Evidence) -> Iterator[Found]:
    """A request with more arrivals than tokens, or tokens without an arrival, gives a wrong time per token."""
    for record, cell, arm, table in _requests(evidence):
        if not len(table.token_times_s):
            continue
        # The last chunk of a stream may carry the finish reason and no token.
        wrong = ~table.failed & (
            (table.chunks > table.output_tokens + 1) | ((table.chunks == 0) & (table.output_tokens > 0))
        )
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            yield _found(
                record,
                cell,
                arm,
                f"{int(wrong.sum())} requests; request {table.index[first]} has {table.chunks[first]} arrivals "
                f"and {table.output_tokens[first]} tokens",
            )


@rule(
    "M-003",
    "error",
    "blocks",
    title="E2E is not TTFT + TPOT x (n - 1)",
    hint="Take a request's end when its last token arrives, on the clock of its token times.",
    bears_on=("speed",),
)
def end_to_end_identity(evidence: Evidence) -> Iterator[Found]:
    """The parts of a request's time add up to the whole; where they do not, one metric is about another time."""
    for record, cell, arm, table in _requests(evidence):
        _, last = first_and_last_s(table)
        slack_s = IDENTITY_SLACK_S + IDENTITY_SHARE * (table.end_s - table.start_s)
        known = usable(table) & np.isfinite(last)
        wrong = known & (np.abs(table.end_s - last) > slack_s)
        if wrong.sum() > MAX_IDENTITY_VIOLATIONS * max(int(known.sum()), 1):
            worst = float(np.abs(table.end_s - last)[wrong].max())
            yield _found(
                record, cell, arm, f"{int(wrong.sum())} of {int(known.sum())} requests, by up to {worst:.3f} s"
            )


@rule(
    "M-004",
    "error",
    "blocks",
    title="The requested concurrency was not reached",
    hint="Send enough requests, raise the server's limit of running requests, or claim the concurrency achieved.",
    bears_on=("speed",),
)
def concurrency_reached(evidence: Evidence) -> Iterator[Found]:
    """The batch decides which decode path runs; a number at two in flight is no evidence about four."""
    for record, cell, arm, table in _requests(evidence, kinds=("serving",)):
        achieved = achieved_concurrency(table)
        if achieved is not None and cell.batch != "unknown" and not concurrency_agrees(achieved, cell.batch):
            yield _found(record, cell, arm, f"requested {cell.batch}, achieved {achieved:.2f}")


@rule(
    "M-005",
    "error",
    "blocks",
    title="The arms achieved different concurrencies",
    hint="Start both arms with the same limits, and drive them with the same client.",
    bears_on=("speed",),
)
def concurrency_equal(evidence: Evidence) -> Iterator[Found]:
    """More requests in flight raise throughput and latency by themselves; the arms would differ without any change."""
    for record, cell, ours, theirs in _pairs(evidence, kinds=("serving",)):
        first, second = achieved_concurrency(ours), achieved_concurrency(theirs)
        if first is not None and second is not None and not concurrency_agrees(first, second):
            yield _found(record, cell, None, f"baseline {first:.2f}, candidate {second:.2f}")


@rule(
    "M-006",
    "error",
    "blocks",
    title="Outputs are not of the requested length",
    hint="Set ignore_eos, or ask for what the model produces.",
    bears_on=("speed",),
)
def output_length(evidence: Evidence) -> Iterator[Found]:
    """Shorter outputs are cheaper, and the last tokens, at the longest context, are the expensive ones."""
    for record, cell, arm, table in _requests(evidence, kinds=("serving",)):
        asked = table.requested_output_tokens
        wrong = ~table.failed & np.isfinite(asked) & _off_length(table.output_tokens / np.nan_to_num(asked, nan=1.0))
        if wrong.any():
            share = float((table.output_tokens / asked)[wrong].mean())
            yield _found(
                record, cell, arm, f"{int(wrong.sum())} of {len(wrong)} requests, on average {share:.0%} of the length"
            )


@rule(
    "M-007",
    "error",
    "blocks",
    title="The arms produced outputs of different length",
    hint="Set the same sampling options and stop conditions in both arms.",
    bears_on=("speed",),
)
def output_length_equal(evidence: Evidence) -> Iterator[Found]:
    """Requests that end earlier in one arm make it look faster without being so."""
    for record, cell, ours, theirs in _pairs(evidence, kinds=("serving",)):
        first, second = (float(t.output_tokens[~t.failed].mean()) if (~t.failed).any() else 0.0 for t in (ours, theirs))
        if min(first, second) < MIN_OUTPUT_SHARE * max(first, second):
            yield _found(record, cell, None, f"baseline {first:.1f} tokens on average, candidate {second:.1f}")


@rule(
    "M-008",
    "error",
    "blocks",
    title="Too many requests failed",
    hint="The rows hold each error; mend the cause and run again.",
    bears_on=("speed",),
)
def error_rate(evidence: Evidence) -> Iterator[Found]:
    """Failed requests leave the averages, and a server that drops the slow ones looks fast."""
    for record, cell, arm, table in _requests(evidence):
        failed = int(table.failed.sum())
        if failed > MAX_ERROR_RATE * len(table.failed):
            yield _found(record, cell, arm, f"{failed} of {len(table.failed)} requests failed")


@rule(
    "M-010",
    "warning",
    "notes",
    title="The arms finished requests for different reasons",
    hint="Compare the rows' finish reasons; set the same stop conditions in both arms.",
)
def finish_reasons_equal(evidence: Evidence) -> Iterator[Found]:
    """A different mix of `stop` and `length` means that the arms answered differently."""
    for record, cell, ours, theirs in _pairs(evidence):
        first, second = _shares(ours), _shares(theirs)
        for reason in sorted({*first, *second}):
            before, after = first.get(reason, 0.0), second.get(reason, 0.0)
            if abs(before - after) > MAX_FINISH_DIFFERENCE:
                yield _found(record, cell, None, f"{reason}: baseline {before:.0%}, candidate {after:.0%}")


@rule(
    "M-011",
    "error",
    "blocks",
    title="The arms got different prompts",
    hint="Send the same prompts to both arms.",
    bears_on=("speed",),
)
def prompts_equal(evidence: Evidence) -> Iterator[Found]:
    """Arms that do different work cannot be compared, whatever the averages say."""
    for record, cell, ours, theirs in _pairs(evidence, kinds=("serving",)):
        first, second = Counter(ours.prompt), Counter(theirs.prompt)
        if "unknown" not in first and "unknown" not in second and set(first) != set(second):
            alone = len(set(first) ^ set(second))
            yield _found(record, cell, None, f"{alone} prompts were sent to one arm only")


@rule(
    "M-012",
    "error",
    "blocks",
    title="A prompt was sent twice to one arm",
    hint="Give every request its own prompt, with a prefix that no other has.",
    bears_on=("speed",),
)
def prompts_unique(evidence: Evidence) -> Iterator[Found]:
    """A server may answer a prompt it has seen from its prefix cache, and then nothing of the prefill is measured."""
    for record, cell, arm, table in _requests(evidence, kinds=("serving",)):
        repeats = sum(count - 1 for prompt, count in Counter(table.prompt).items() if prompt != "unknown")
        if repeats:
            yield _found(record, cell, arm, f"{repeats} requests repeat a prompt")


@rule(
    "M-013",
    "warning",
    "notes",
    title="A server counter fell during a block",
    hint="The server was restarted or its counters were reset; run again without that.",
)
def counters_rise(evidence: Evidence) -> Iterator[Found]:
    """Counters only rise while a server lives; one that fell means that another server answered the second time."""
    before = {(r.cell, r.arm, r.block, r.name): r.value for r in evidence.counters if r.moment == "before"}
    for row in evidence.counters:
        start = before.get((row.cell, row.arm, row.block, row.name))
        if row.moment == "after" and row.name.endswith("_total") and start is not None and row.value < start:
            where = f"cells/{row.cell}/{row.arm}/blocks/{row.block}"
            yield Found(f"{row.name} fell from {start:g} to {row.value:g}", where, cell=row.cell, arm=row.arm)


@rule(
    "M-016",
    "error",
    "blocks",
    title="Prompts were answered from the prefix cache",
    hint="Turn prefix caching off, or send prompts that share no beginning.",
    bears_on=("speed",),
)
def prefix_cache_cold(evidence: Evidence) -> Iterator[Found]:
    """A cached prefix is not computed, so times are those of a shorter prompt; the server's own counter tells."""
    before = {(r.cell, r.arm, r.block, r.name): r.value for r in evidence.counters if r.moment == "before"}
    for row in evidence.counters:
        start = before.get((row.cell, row.arm, row.block, row.name))
        if row.moment == "after" and "prefix_cache_hit" in row.name and start is not None and row.value > start:
            where = f"cells/{row.cell}/{row.arm}/blocks/{row.block}"
            yield Found(f"{row.name} rose by {row.value - start:g}", where, cell=row.cell, arm=row.arm)


@rule(
    "M-014",
    "error",
    "blocks",
    title="An operator is outside its tolerance",
    hint="The numerics table names case, shape and distribution; the reference is in k3_decode/reference.",
    bears_on=("speed", "accuracy"),
)
def numerics_within_tolerance(evidence: Evidence) -> Iterator[Found]:
    """A kernel that computes something else is not a faster kernel."""
    for (cell, arm), rows in sorted(evidence.numerics.items()):
        wrong = [row for row in rows if row.max_rel_error > row.tolerance]
        if wrong and arm == "candidate":
            worst = max(wrong, key=lambda row: (row.max_rel_error, row.case))
            yield Found(
                f"{len(wrong)} of {len(rows)} cases; {worst.operator}, {worst.case}, {worst.distribution}: "
                f"{worst.max_rel_error:.3g}, allowed {worst.tolerance:.3g}",
                f"cells/{cell}/{arm}",
                arm="candidate",
            )


@rule(
    "M-015",
    "info",
    "notes",
    title="An operator does not repeat bit for bit",
    hint="Expected of atomics and of unordered reductions; otherwise look for a race.",
)
def numerics_repeat(evidence: Evidence) -> Iterator[Found]:
    """The same input gave different bits: harmless in an unordered sum, the first sign of a race elsewhere."""
    for (cell, arm), rows in sorted(evidence.numerics.items()):
        wrong = sum(not row.bitwise_repeatable for row in rows)
        if wrong:
            yield Found(f"{wrong} of {len(rows)} cases", f"cells/{cell}/{arm}", cell=cell, arm=arm)


def _requests(
    evidence: Evidence, *, kinds: tuple[str, ...] = ("serving", "accuracy")
) -> Iterator[tuple[EvalRecord, Cell, ArmName, RequestTable]]:
    for record in evidence.manifest.evals:
        for cell in record.cells if record.kind in kinds else ():
            for arm in _ARMS:
                if (table := evidence.requests.get((cell.id, arm))) is not None:
                    yield record, cell, arm, table


def _pairs(
    evidence: Evidence, *, kinds: tuple[str, ...] = ("serving", "accuracy")
) -> Iterator[tuple[EvalRecord, Cell, RequestTable, RequestTable]]:
    for record, cell, arm, table in _requests(evidence, kinds=kinds):
        other = evidence.requests.get((cell.id, "candidate"))
        if arm == "baseline" and other is not None:
            yield record, cell, table, other


def _found(record: EvalRecord, cell: Cell, arm: ArmName | None, detail: str) -> Found:
    where = f"evals/{record.id}/cells/{cell.id}" + (f"/{arm}" if arm else "")
    return Found(detail, where, eval_id=record.id, cell=cell.id, arm=arm)


def _off_length(share: Floats) -> Flags:
    return (share < MIN_OUTPUT_SHARE) | (share > 1 / MIN_OUTPUT_SHARE)


def _shares(table: RequestTable) -> dict[str, float]:
    return {reason: count / len(table.finish_reason) for reason, count in Counter(table.finish_reason).items()}


RULES = (
    token_times_ordered,
    token_times_counted,
    end_to_end_identity,
    concurrency_reached,
    concurrency_equal,
    output_length,
    output_length_equal,
    error_rate,
    finish_reasons_equal,
    prompts_equal,
    prompts_unique,
    counters_rise,
    numerics_within_tolerance,
    numerics_repeat,
    prefix_cache_cold,
)
