"""Raw samples: one record for each row of the newline-delimited JSON blobs.

`read_rows` is the only reader: it bounds line length, depth and row count, refuses duplicate keys, NaN and
infinities, and says which line is wrong. The lm-eval files are kept as that tool wrote them and are read by
`judge`, not here.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, BinaryIO, Literal, Self, TypeVar

from pydantic import Field, model_validator

from worker.bundle.canonical import canonical, parse_record
from worker.bundle.errors import BundleError
from worker.bundle.record import Amount, Count, Identifier, Label, Positive, Record, Sha256, Text, Unknown
from worker.bundle.schema import ArmName, Metric

MAX_LINE_BYTES = 1_000_000
MAX_ROWS = 2_000_000


class StepRow(Record):
    """One decode step. Role ``steps``."""

    cell: Identifier
    arm: ArmName
    block: Count
    step: Count
    latency_us: Annotated[float, Field(gt=0)]
    start_ns: Count
    """Monotonic clock of the measuring process."""


class RequestRow(Record):
    """One request to the server, also a failed one. Role ``requests``.

    Times are seconds of the load generator's monotonic clock since the eval began.
    """

    cell: Identifier
    arm: ArmName
    block: Count
    index: Count
    prompt_sha256: Sha256 | Unknown
    input_tokens: Count | Unknown
    requested_output_tokens: Positive | Unknown
    output_tokens: Count
    start_s: Amount | Unknown
    token_times_s: tuple[Amount, ...]
    """Arrival of each output token (or of each chunk, when the server sends several at once)."""
    end_s: Amount | Unknown
    output_sha256: Sha256 | Unknown
    """Of the output text in UTF-8."""
    finish_reason: Label | Unknown
    error: Text | None


class NumericsRow(Record):
    """One operator against its float64 reference. Role ``numerics``."""

    cell: Identifier
    arm: ArmName
    operator: Identifier
    case: Label
    shape: Label
    distribution: Identifier
    max_abs_error: Amount
    max_rel_error: Amount
    tolerance: Amount
    tolerance_reason: Text
    repeats: Positive
    bitwise_repeatable: bool


class TelemetryRow(Record):
    """One NVML sample of one GPU. Role ``telemetry``."""

    time_s: Amount
    gpu_index: Count
    sm_clock_mhz: Count | Unknown
    memory_clock_mhz: Count | Unknown
    power_w: Amount | Unknown
    temperature_c: Amount | Unknown
    throttle_reasons: tuple[Identifier, ...] | Unknown


class CounterRow(Record):
    """The server's own counters, read before and after a block. Role ``counters``."""

    cell: Identifier
    arm: ArmName
    block: Count
    moment: Literal["before", "after"]
    name: Label
    value: Amount


class RankedToken(Record):
    """One of the likeliest tokens at one position."""

    token: Label
    """Its name; see `StreamRow`."""
    logprob: Annotated[float, Field(le=0)]
    """Natural logarithm of its probability, as the engine reports it."""


class StreamToken(RankedToken):
    """The token that was taken at one position, and what else could have been."""

    top: Annotated[tuple[RankedToken, ...], Field(max_length=64)]
    """Likeliest first; of equally likely ones any."""


class StreamRow(Record):
    """One continuation of one prompt, token by token. Role ``streams``.

    Tokens go by the names that the server gives them, escaped as in a Python string so that each is printable.
    """

    arm: ArmName
    prompt_sha256: Sha256
    mode: Literal["greedy", "sampled"]
    draw: Count
    """Which continuation of the prompt in this mode; 0 if greedy."""
    tokens: Annotated[tuple[StreamToken, ...], Field(min_length=1, max_length=4096)]


class KernelTimes(Record):
    """Times of one kernel inside decode steps, or of the gaps between kernels."""

    kernel: Label | None
    """None: no kernel ran; then each sample is the sum of the gaps of one step."""
    launches: Positive
    """In one step; of the gaps: 1. Also 1 where it varies from step to step: then each sample is the sum of a step."""
    times_us: Annotated[tuple[Amount, ...], Field(min_length=1, max_length=100_000)]
    """Raw samples, ``launches`` for each step, step by step. Time in which two kernels ran is counted once."""

    @model_validator(mode="after")
    def _whole_steps(self) -> Self:
        if len(self.times_us) % self.launches:
            raise ValueError(f"{len(self.times_us)} times are no whole number of steps with {self.launches} launches")
        return self


class KernelTimeRow(KernelTimes):
    """Kernel times of one block. Role ``kernel_times``."""

    cell: Identifier
    arm: ArmName
    block: Count
    """They are times of its timed steps, or of steps right after them, where an engine is slower under a tracer."""


class SummaryRow(Record):
    """A number somebody typed or a tool printed. Kept to be contradicted, never to be believed. Role ``summary``."""

    cell: Identifier
    arm: ArmName
    metric: Metric | Literal["achieved_concurrency", "completed", "failed", "duration_s"]
    statistic: Literal["mean", "median", "p90", "p99", "total"]
    value: Amount


Row = TypeVar("Row", bound=Record)


def read_rows(stream: BinaryIO, row: type[Row], *, max_rows: int = MAX_ROWS) -> Iterator[Row]:
    """Yield the rows of a newline-delimited JSON blob.

    Args:
        stream: The blob, read line by line: memory stays at one line.
        row: The record each line must be.
        max_rows: Rows allowed.

    Raises:
        BundleError: ``row_invalid`` names the first bad line; ``too_many_rows``; ``line_too_long``.
    """
    number = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            raise BundleError("line_too_long", f"line {number} is longer than {MAX_LINE_BYTES} bytes")
        if number > max_rows:
            raise BundleError("too_many_rows", f"more than {max_rows} rows")
        try:
            yield parse_record(line, row, code="row_invalid")
        except BundleError as error:
            raise BundleError("row_invalid", f"line {number}: {error.detail}") from error


def write_rows(rows: Iterable[Record]) -> bytes:
    """Serialise rows, one canonical JSON object a line."""
    return b"".join(canonical(row) + b"\n" for row in rows)
