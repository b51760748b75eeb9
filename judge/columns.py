"""Growing columns: rows go in one at a time, a numpy table comes out. Memory stays near the table's own size."""

from array import array
from dataclasses import dataclass, field

import numpy as np

from judge.tables import Floats, Integers, RequestTable, StepTable, Stream, TelemetryTable
from worker.bundle.samples import RequestRow, StepRow, StreamRow, TelemetryRow

_NAN = float("nan")


def _integers() -> "array[int]":
    return array("q")


def _floats() -> "array[float]":
    return array("d")


@dataclass
class StepColumns:
    """Collects `StepRow` of one cell and arm."""

    block: "array[int]" = field(default_factory=_integers)
    step: "array[int]" = field(default_factory=_integers)
    latency_us: "array[float]" = field(default_factory=_floats)
    start_ns: "array[int]" = field(default_factory=_integers)

    def add(self, row: StepRow) -> None:
        """Append one row."""
        self.block.append(row.block)
        self.step.append(row.step)
        self.latency_us.append(row.latency_us)
        self.start_ns.append(row.start_ns)

    def table(self) -> StepTable:
        """What was collected."""
        return StepTable(_ints(self.block), _ints(self.step), _reals(self.latency_us), _ints(self.start_ns))


@dataclass
class RequestColumns:
    """Collects `RequestRow` of one cell and arm."""

    block: "array[int]" = field(default_factory=_integers)
    index: "array[int]" = field(default_factory=_integers)
    input_tokens: "array[float]" = field(default_factory=_floats)
    requested: "array[float]" = field(default_factory=_floats)
    output_tokens: "array[int]" = field(default_factory=_integers)
    start_s: "array[float]" = field(default_factory=_floats)
    end_s: "array[float]" = field(default_factory=_floats)
    times: "array[float]" = field(default_factory=_floats)
    ends: "array[int]" = field(default_factory=_integers)
    failed: "array[int]" = field(default_factory=_integers)
    prompt: list[str] = field(default_factory=list)
    output: list[str] = field(default_factory=list)
    finish: list[str] = field(default_factory=list)

    def add(self, row: RequestRow) -> None:
        """Append one row."""
        self.block.append(row.block)
        self.index.append(row.index)
        self.input_tokens.append(_known(row.input_tokens))
        self.requested.append(_known(row.requested_output_tokens))
        self.output_tokens.append(row.output_tokens)
        self.start_s.append(_known(row.start_s))
        self.end_s.append(_known(row.end_s))
        self.times.extend(row.token_times_s)
        self.ends.append(len(self.times))
        self.failed.append(row.error is not None)
        self.prompt.append(row.prompt_sha256)
        self.output.append(row.output_sha256)
        self.finish.append(row.finish_reason)

    def table(self) -> RequestTable:
        """What was collected."""
        return RequestTable(
            block=_ints(self.block),
            index=_ints(self.index),
            input_tokens=_reals(self.input_tokens),
            requested_output_tokens=_reals(self.requested),
            output_tokens=_ints(self.output_tokens),
            start_s=_reals(self.start_s),
            end_s=_reals(self.end_s),
            token_times_s=_reals(self.times),
            token_offsets=np.concatenate(([0], _ints(self.ends))).astype(np.int64),
            failed=_ints(self.failed).astype(np.bool_),
            prompt=tuple(self.prompt),
            output=tuple(self.output),
            finish_reason=tuple(self.finish),
        )


@dataclass
class TelemetryColumns:
    """Collects `TelemetryRow` of one eval."""

    time_s: "array[float]" = field(default_factory=_floats)
    gpu: "array[int]" = field(default_factory=_integers)
    clock: "array[float]" = field(default_factory=_floats)
    throttle: list[tuple[str, ...] | None] = field(default_factory=list)

    def add(self, row: TelemetryRow) -> None:
        """Append one row."""
        self.time_s.append(row.time_s)
        self.gpu.append(row.gpu_index)
        self.clock.append(_known(row.sm_clock_mhz))
        self.throttle.append(None if row.throttle_reasons == "unknown" else tuple(sorted(row.throttle_reasons)))

    def table(self) -> TelemetryTable:
        """What was collected."""
        return TelemetryTable(_reals(self.time_s), _ints(self.gpu), _reals(self.clock), tuple(self.throttle))


@dataclass
class StreamNames:
    """Turns `StreamRow` into streams of numbers: one for each name of a token, in the order in which they are met."""

    numbers: dict[str, int] = field(default_factory=dict)

    def stream(self, row: StreamRow) -> Stream:
        """One row."""
        ranked = tuple({self._number(one.token): one.logprob for one in (*at.top, at)} for at in row.tokens)
        return Stream(row.prompt_sha256, row.mode, row.draw, tuple(self._number(at.token) for at in row.tokens), ranked)

    def _number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))


def _known(value: float | str) -> float:
    return _NAN if isinstance(value, str) else float(value)


def _ints(values: "array[int]") -> Integers:
    return np.frombuffer(values, dtype=np.int64) if values else np.empty(0, dtype=np.int64)


def _reals(values: "array[float]") -> Floats:
    return np.frombuffer(values, dtype=np.float64) if values else np.empty(0, dtype=np.float64)
