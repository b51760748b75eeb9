"""`byogpu import vllm-bench`: one or two result files of ``vllm bench serve`` become a bundle with a serving eval.

The rows carry start and end of every request, so the achieved concurrency can be recomputed; what the tool printed goes
in as summary rows and is believed by nobody. The original files are in the bundle, unchanged.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Literal

from worker.bundle import Bundle
from worker.bundle.record import Unknown
from worker.bundle.samples import CounterRow, RequestRow, SummaryRow
from worker.bundle.schema import ArmName, Block, Cell, Completed, EvalRecord, Failed, Metric
from worker.errors import WorkerError
from worker.identity import printable
from worker.importers.folder import drafting, finish, imported_arm, reopen
from worker.importers.sources import ARM_NAMES
from worker.importers.vllm_result import BenchResult, Drafts, Request, read_result

EVAL_ID = "serving"

_TIMES: Mapping[str, Metric] = {"ttft": "ttft_ms", "tpot": "tpot_ms", "itl": "itl_ms", "e2el": "e2e_ms"}
_STATISTICS: Mapping[str, str] = {"mean": "mean", "median": "median", "p50": "median", "p90": "p90", "p99": "p99"}
_TOTALS: Mapping[str, tuple[str, str]] = {
    "completed": ("completed", "total"),
    "failed": ("failed", "total"),
    "duration": ("duration_s", "total"),
    "request_throughput": ("requests_per_s", "mean"),
    "output_throughput": ("output_tokens_per_s", "mean"),
}


def import_vllm_bench(sources: Mapping[ArmName, Path], out: Path) -> Bundle:
    """Turn result files of ``vllm bench serve`` 0.33.0 into a bundle.

    Both arms share a cell, so that they are compared, unless their files show different loads: other prompt lengths,
    other output lengths, speculation in one only. The requested concurrency may differ: the cell's is then unknown and
    the achieved one decides.

    Args:
        sources: File of each arm; one or two.
        out: Folder to write; must not exist or be empty.

    Returns:
        The bundle in ``out``. A file without ``--save-detailed`` has no rows: the eval's outcome says so.

    Raises:
        WorkerError: ``import_missing``, ``import_too_large``, ``import_secret``, ``import_invalid``,
            ``import_ambiguous``, ``import_wrong_tool``, ``import_incomplete``, ``import_inconsistent``,
            ``out_not_empty``, ``work_folder_unusable``; ``usage`` without any file. Nothing is left in ``out``.
    """
    if not sources:
        raise WorkerError("usage", "name a result file for at least one arm: --arm baseline=FILE --arm candidate=FILE")
    results = {name: read_result(sources[name]) for name in ARM_NAMES if name in sources}
    cells = _cells(results)
    began_s = _began_s(results)
    with drafting(out) as draft:
        blocks = []
        for index, arm in enumerate(sorted(results, key=lambda name: (began_s[name], name))):
            result = results[arm]
            blocks.append(Block(index=index, arm=arm, purpose="measure"))
            cell = next(one.id for one in cells if arm in one.arms)
            draft.add(
                result.data,
                name=printable(result.path.name)[:200],
                role="imported",
                eval_id=EVAL_ID,
                arm=arm,
                media_type="application/json",
            )
            summary = _summary_rows(result, cell, arm)
            draft.add_rows(summary, name=f"{arm}-summary.jsonl", role="summary", eval_id=EVAL_ID, arm=arm)
            if result.requests is not None:
                rows = (
                    _row(one, number, cell=cell, arm=arm, block=index, began_s=began_s[arm])
                    for number, one in enumerate(result.requests)
                )
                draft.add_rows(rows, name=f"{arm}-requests.jsonl", role="requests", eval_id=EVAL_ID, arm=arm)
            if result.drafts is not None:
                counters = _counter_rows(result.drafts, cell, arm, index)
                draft.add_rows(counters, name=f"{arm}-counters.jsonl", role="counters", eval_id=EVAL_ID, arm=arm)
        finish(
            draft,
            tool="vllm-bench",
            tool_version="unknown",
            environment="unknown",
            arms=tuple(imported_arm(arm, model=one.model, config=one.settings) for arm, one in results.items()),
            record=EvalRecord(id=EVAL_ID, kind="serving", outcome=_outcome(results), cells=cells, blocks=tuple(blocks)),
        )
    return reopen(out)


# ------------------------------------------------------------------ what the numbers are about
def _cells(results: Mapping[ArmName, BenchResult]) -> tuple[Cell, ...]:
    if same_load(*results.values()):
        return (_cell(EVAL_ID, results),)
    return tuple(_cell(f"{EVAL_ID}-{arm}", {arm: result}) for arm, result in results.items())


def same_load(*results: BenchResult) -> bool:
    """Whether files can be about the same load: nothing in them shows that they are not.

    Lengths must agree where every request of a file has the same; else prompts must have the same lengths, each as
    often. Answers of various lengths say nothing. The number of requests and the concurrency may differ.
    """
    first, *others = [result for result in results if result.requests is not None] or results[:1]
    return all(
        _agree(_lengths(first, "input_tokens"), _lengths(other, "input_tokens"), ragged_says=True)
        and _agree(_lengths(first, "output_tokens"), _lengths(other, "output_tokens"), ragged_says=False)
        and _positions(first) == _positions(other)
        for other in others
    )


def _agree(first: Counter[int], second: Counter[int], *, ragged_says: bool) -> bool:
    if len(first) == 1 == len(second):
        return first.keys() == second.keys()
    return first == second or not ragged_says


def _lengths(result: BenchResult, name: Literal["input_tokens", "output_tokens"]) -> Counter[int]:
    return Counter(getattr(request, name) for request in result.requests or () if request.error is None)


def _positions(result: BenchResult) -> int | None:
    return result.drafts.positions if result.drafts else None


def _cell(cell_id: str, results: Mapping[ArmName, BenchResult]) -> Cell:
    """The coordinate of request rows: they bear on every metric of requests, so one cell stands for all."""
    return Cell(
        id=cell_id,
        metric="e2e_ms",
        phase="request",
        tensor_parallel="unknown",
        context_parallel="unknown",
        batch=_only({result.max_concurrency or "unknown" for result in results.values()}),
        context_tokens="unknown",
        input_tokens=_only({length for one in results.values() for length in _lengths(one, "input_tokens")}),
        output_tokens=_only({length for one in results.values() for length in _lengths(one, "output_tokens")}),
        speculation="unknown",
        task=None,
        arms=tuple(results),
    )


def _only(values: set[int | Unknown] | set[int]) -> int | Unknown:
    """The one value there is; ``unknown`` for none, several, or a length of 0, which no coordinate has."""
    match list(values):
        case [int(value)] if value > 0:
            return value
        case _:
            return "unknown"


def _outcome(results: Mapping[ArmName, BenchResult]) -> Completed | Failed:
    lacking = [f"{arm}: {one.missing}" for arm, one in results.items() if one.requests is None]
    if lacking:
        return Failed(
            outcome="failed",
            code="rows_missing",
            detail=f"{'; '.join(lacking)}. Nothing can be recomputed: run `vllm bench serve` with --save-detailed.",
        )
    return Completed(outcome="completed", duration_s=sum(result.duration_s for result in results.values()))


# ------------------------------------------------------------------ rows
def _began_s(results: Mapping[ArmName, BenchResult]) -> dict[ArmName, float]:
    """When each arm's run began, in seconds since the first of them.

    Within an arm, times are the client's monotonic clock. Two clients share no such clock, so the arms are placed by
    their wall clocks, to the second: enough to tell whether they ran one after the other.
    """
    began = {arm: one.saved_at - timedelta(seconds=one.duration_s) for arm, one in results.items()}
    return {arm: (moment - min(began.values())).total_seconds() for arm, moment in began.items()}


def _row(request: Request, index: int, *, cell: str, arm: ArmName, block: int, began_s: float) -> RequestRow:
    return RequestRow(
        cell=cell,
        arm=arm,
        block=block,
        index=index,
        prompt_sha256="unknown",
        input_tokens=request.input_tokens,
        requested_output_tokens="unknown",
        output_tokens=request.output_tokens,
        start_s=began_s + request.start_s,
        token_times_s=tuple(began_s + time_s for time_s in request.chunk_times_s),
        end_s="unknown" if request.end_s is None else began_s + request.end_s,
        output_sha256="unknown" if request.text is None else _digest(request.text),
        finish_reason="unknown",
        error=None if request.error is None else _last_line(request.error),
    )


def _summary_rows(result: BenchResult, cell: str, arm: ArmName) -> Iterator[SummaryRow]:
    for name, value in result.statistics.items():
        metric, statistic = _TOTALS.get(name) or _time_statistic(name)
        yield SummaryRow.model_validate(
            {"cell": cell, "arm": arm, "metric": metric, "statistic": statistic, "value": value}
        )


def _time_statistic(name: str) -> tuple[str, str]:
    """``p50_e2el_ms`` to the metric and statistic it stands for."""
    statistic, time, _ = name.split("_")
    return _TIMES[time], _STATISTICS[statistic]


def _counter_rows(drafts: Drafts, cell: str, arm: ArmName, block: int) -> Iterator[CounterRow]:
    """The tool writes only by how much each counter grew: here each starts at 0."""
    grown = {
        "vllm:spec_decode_num_drafts_total": drafts.drafts,
        "vllm:spec_decode_num_draft_tokens_total": drafts.draft_tokens,
        "vllm:spec_decode_num_accepted_tokens_total": drafts.accepted_tokens,
    }
    for name, value in grown.items():
        yield CounterRow(cell=cell, arm=arm, block=block, moment="before", name=name, value=0.0)
        yield CounterRow(cell=cell, arm=arm, block=block, moment="after", name=name, value=float(value))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _last_line(error: str) -> str:
    """What an error says in the end: the tool keeps whole tracebacks."""
    return printable(error.strip().splitlines()[-1] if error.strip() else "the server gave no reason")[:4096]
