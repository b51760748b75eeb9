"""Times the reference's operators on the host, for whoever asks; for everybody else an operator costs one look-up more.

An operator that runs inside another is part of it, so that spans never overlap and may be added up. On a GPU an
operator has returned long before it has run: there `k3_decode.bench.gpu_trace` asks the device.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Span:
    """When one kernel or operator ran, on a clock of its step."""

    name: str
    start_us: float
    end_us: float


@dataclass
class _Recording:
    spans: list[Span] = field(default_factory=list)
    inside: bool = False


_RECORDING: ContextVar[_Recording | None] = ContextVar("recording", default=None)


@contextmanager
def recorded() -> Iterator[list[Span]]:
    """Fill a list with the spans of every operator that this thread runs meanwhile, in the order in which they end."""
    recording = _Recording()
    token = _RECORDING.set(recording)
    try:
        yield recording.spans
    finally:
        _RECORDING.reset(token)


def operator(function: Callable[P, R]) -> Callable[P, R]:
    """Let `recorded` see a function, under its own name."""

    name = function.__name__.lstrip("_")

    @wraps(function)
    def timed(*arguments: P.args, **named: P.kwargs) -> R:
        recording = _RECORDING.get()
        if recording is None or recording.inside:
            return function(*arguments, **named)
        recording.inside = True
        start_ns = time.perf_counter_ns()
        try:
            return function(*arguments, **named)
        finally:
            end_ns = time.perf_counter_ns()
            recording.inside = False
            recording.spans.append(Span(name, start_ns / 1000, end_ns / 1000))

    return timed
