"""What ``vllm bench serve`` 0.33.0 saves with ``--save-result``, checked and put into records.

Read in that version: all times are seconds; ``latencies`` ends at the last token; a failed request has latency 0,
output length 0 and an error, which may be empty; the lists are in the order in which requests were sent. ``itls`` holds
a gap for each streamed chunk after the first, and a chunk may carry several tokens. ``max_concurrent_requests`` counts
requests that touch one second of the wall clock, so it is not the achieved concurrency. The file does not name its
version.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from worker.bundle.record import Amount, Count, Label, Positive
from worker.bundle.schema import ConfigEntry
from worker.errors import WorkerError
from worker.importers.folder import config_entries
from worker.importers.sources import Foreign, parse_foreign, parse_object, read_source

MAX_RESULT_BYTES = 200_000_000
MAX_REQUESTS = 500_000
MAX_CHUNKS = 32_768
"""Chunks of one request: its row must stay below the format's limit for a line."""

_EARLIEST = datetime(2020, 1, 1)
_ROUNDING_S = 1e-6
"""A request ends with its last chunk; a sum of gaps misses that by rounding, and by no more."""

DETAIL = ("input_lens", "output_lens", "ttfts", "itls", "latencies", "start_times", "errors")
"""Lists with one entry for each request that rows are made of; all but ``latencies`` need ``--save-detailed``."""

_MARKS = ("model_id", "num_prompts", "request_rate", "max_concurrency", "duration", "completed")
_STATISTIC = re.compile(
    r"(?:mean|median|p50|p90|p99)_(?:ttft|tpot|itl|e2el)_ms|completed|failed|duration|request_throughput|output_throughput"
)
_DERIVED = re.compile(r"(?:mean|median|std|p[0-9.]+)_\w+_ms|spec_decode_\w+|diffusion_\w+|probe_\w+|server_\w+")
_MEASURED = frozenset(
    {
        "duration", "completed", "failed", "total_input_tokens", "total_output_tokens", "request_throughput",
        "request_goodput", "output_throughput", "total_token_throughput", "max_output_tokens_per_s",
        "max_concurrent_requests", "rtfx", "rps_change_events", "queue_times", "generated_texts", "date",
        *DETAIL,
    }
)  # fmt: skip

Seconds = Annotated[float, Field(ge=0, le=1e9)]
Times = Annotated[list[Seconds], Field(max_length=MAX_REQUESTS)]


class _Totals(Foreign):
    date: Label
    model_id: Label
    num_prompts: Count
    max_concurrency: Positive | None
    duration: Annotated[float, Field(gt=0, le=1e7)]
    completed: Count
    failed: Count | None = None
    total_input_tokens: Count
    total_output_tokens: Count
    request_throughput: Amount
    output_throughput: Amount


class _Details(Foreign):
    input_lens: Annotated[list[Count], Field(max_length=MAX_REQUESTS)]
    output_lens: Annotated[list[Count], Field(max_length=MAX_REQUESTS)]
    ttfts: Times
    itls: Annotated[list[Annotated[list[Seconds], Field(max_length=MAX_CHUNKS - 1)]], Field(max_length=MAX_REQUESTS)]
    latencies: Times
    start_times: Times
    errors: Annotated[list[str], Field(max_length=MAX_REQUESTS)]
    generated_texts: Annotated[list[str], Field(max_length=MAX_REQUESTS)] | None = None


class _Statistics(Foreign):
    values: dict[str, Amount]


class _Speculation(Foreign):
    spec_decode_num_drafts: Count
    spec_decode_draft_tokens: Count
    spec_decode_accepted_tokens: Count
    spec_decode_per_position_acceptance_rates: list[Amount]


@dataclass(frozen=True)
class Request:
    """One request.

    Attributes:
        input_tokens: Prompt tokens.
        output_tokens: Tokens the server counted; 0 if it failed.
        start_s: When it was sent, since the first request of the file.
        chunk_times_s: Arrival of each streamed chunk on the same clock.
        end_s: Arrival of the last one; None: it failed.
        text: What was answered; None: not in the file.
        error: None: it ended well.
    """

    input_tokens: int
    output_tokens: int
    start_s: float
    chunk_times_s: tuple[float, ...]
    end_s: float | None
    text: str | None
    error: str | None


@dataclass(frozen=True)
class Drafts:
    """Speculation during the run, as the server counted it.

    Attributes:
        drafts: Steps that verified a draft.
        draft_tokens: Tokens in those drafts.
        accepted_tokens: Of these, how many were kept.
        positions: Most tokens in one draft.
    """

    drafts: int
    draft_tokens: int
    accepted_tokens: int
    positions: int


@dataclass(frozen=True)
class BenchResult:
    """One result file.

    Attributes:
        path: Where it was.
        data: Its bytes, as they are.
        saved_at: When it was saved, to the second, on the client's wall clock; the file does not tell its zone.
        model: Model id given to the client.
        max_concurrency: Requested; None: no limit was set.
        duration_s: Length of the run as the tool states it.
        settings: The client's settings and metadata: what is neither measured nor derived from measurements.
        statistics: The tool's own numbers by its own names; never believed.
        requests: One for each request, in the order in which they were sent; None: the file has no such rows.
        missing: Why it has none; empty if it has.
        drafts: Speculation; None: the file says nothing about it.
    """

    path: Path
    data: bytes
    saved_at: datetime
    model: str
    max_concurrency: int | None
    duration_s: float
    settings: tuple[ConfigEntry, ...]
    statistics: dict[str, float]
    requests: tuple[Request, ...] | None
    missing: str
    drafts: Drafts | None


def read_result(path: Path) -> BenchResult:
    """Read a result file.

    Raises:
        WorkerError: See `worker.importers.sources`; ``import_inconsistent``: the lists are not about the same requests.
    """
    data = read_source(path, limit_bytes=MAX_RESULT_BYTES)
    value = parse_object(data, path=path)
    _demand_bench_serve(value, path)
    totals = parse_foreign(value, _Totals, path=path)
    settings = {name: held for name, held in value.items() if name not in _MEASURED and not _DERIVED.fullmatch(name)}
    absent = [name for name in DETAIL if value.get(name) is None]
    return BenchResult(
        path=path,
        data=data,
        saved_at=_moment(totals.date, path),
        model=totals.model_id,
        max_concurrency=totals.max_concurrency,
        duration_s=totals.duration,
        settings=config_entries(settings, path=path),
        statistics=_statistics(value, path),
        requests=None if absent else _requests(parse_foreign(value, _Details, path=path), path),
        missing=f"no {', '.join(absent)}" if absent else "",
        drafts=_drafts(value, path),
    )


def _demand_bench_serve(value: dict[str, Any], path: Path) -> None:
    """Name the file's real origin where that is plain, so that the user need not guess."""
    if not (absent := [name for name in _MARKS if name not in value]):
        if "output_throughput" in value:
            return
        raise WorkerError(
            "import_wrong_tool", f"{path}: a benchmark of pooling or embeddings generates no tokens to judge"
        )
    if "lm_eval_version" in value:
        hint = "lm-eval wrote it: use `byogpu import lm-eval`"
    elif "avg_latency" in value or "elapsed_time" in value:
        hint = "`vllm bench latency` and `throughput` time no single request: use `vllm bench serve`"
    else:
        hint = "use the file that `vllm bench serve --save-result --save-detailed` writes"
    raise WorkerError("import_wrong_tool", f"{path} has no {', '.join(absent)}; {hint}")


def _requests(details: _Details, path: Path) -> tuple[Request, ...]:
    lengths = {name: len(getattr(details, name)) for name in DETAIL}
    if details.generated_texts is not None:
        lengths["generated_texts"] = len(details.generated_texts)
    if len(set(lengths.values())) > 1:
        counted = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise WorkerError(
            "import_inconsistent", f"{path}: lists differ in length ({counted}); take the file as the tool wrote it"
        )
    zero_s = min(details.start_times, default=0.0)
    return tuple(_request(details, index, zero_s) for index in range(len(details.errors)))


def _request(details: _Details, index: int, zero_s: float) -> Request:
    start_s, ttft_s, latency_s = details.start_times[index] - zero_s, details.ttfts[index], details.latencies[index]
    failed = bool(details.errors[index]) or latency_s == 0
    chunks = tuple(accumulate(details.itls[index], initial=start_s + ttft_s)) if ttft_s > 0 else ()
    end_s = start_s + latency_s
    if chunks and abs(end_s - chunks[-1]) < _ROUNDING_S:
        end_s = chunks[-1]
    texts = details.generated_texts
    return Request(
        input_tokens=details.input_lens[index],
        output_tokens=details.output_lens[index],
        start_s=start_s,
        chunk_times_s=chunks,
        end_s=None if failed else end_s,
        text=None if failed or texts is None else texts[index],
        error=(details.errors[index] or "the server gave no reason") if failed else None,
    )


def _moment(text: str, path: Path) -> datetime:
    try:
        moment = datetime.strptime(text, "%Y%m%d-%H%M%S")
    except ValueError:
        moment = datetime.min
    if moment < _EARLIEST:
        detail = f"{path}: date: {text} is not YYYYMMDD-HHMMSS; take the file as the tool wrote it"
        raise WorkerError("import_incomplete", detail)
    return moment


def _statistics(value: dict[str, Any], path: Path) -> dict[str, float]:
    stated = {name: held for name, held in sorted(value.items()) if _STATISTIC.fullmatch(name)}
    return parse_foreign({"values": stated}, _Statistics, path=path).values


def _drafts(value: dict[str, Any], path: Path) -> Drafts | None:
    if "spec_decode_num_drafts" not in value:
        return None
    found = parse_foreign(value, _Speculation, path=path)
    return Drafts(
        drafts=found.spec_decode_num_drafts,
        draft_tokens=found.spec_decode_draft_tokens,
        accepted_tokens=found.spec_decode_accepted_tokens,
        positions=len(found.spec_decode_per_position_acceptance_rates),
    )
