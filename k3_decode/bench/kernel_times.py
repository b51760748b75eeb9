"""Times of every kernel inside a step, and of the gaps between them: what a step's latency has to be made of."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TypedDict

import torch
from torch.autograd import DeviceType  # type: ignore[attr-defined]
from torch.profiler import ProfilerActivity, profile

from k3_decode.spans import Span

TRACED_STEPS = 8
"""Steps that a GPU traces; they come after the timed ones, for tracing delays launches."""

LEAD_IN_STEPS = 4
"""Steps before those, traced as well and left out: the first ones find a GPU that has rested."""

_STEP_ENDS = "cudaDeviceSynchronize"

MAX_NAME = 200
"""Characters of a kernel's name that are kept."""


class KernelTimes(TypedDict):
    """One kernel in every step, or the gaps.

    ``times_us`` holds ``launches`` samples a step, step by step. Where the number of launches varies from step to
    step, ``launches`` is 1 and each sample is the sum over one step. ``kernel`` is None for the gaps: from the first
    kernel's start to the last one's end, the time in which none ran.
    """

    kernel: str | None
    launches: int
    times_us: list[float]


def add_up(steps: Sequence[Sequence[Span]]) -> list[KernelTimes]:
    """Group the spans of each step by kernel.

    Time in which two kernels ran is counted with the one that began first, so that a kernel which starts early to wait
    for another (programmatic dependent launch) is not counted twice.

    Args:
        steps: Spans of each step, in any order.

    Returns:
        The kernels in the order of their first start, then the gaps; nothing unless every step has a span.
    """
    if not steps or not all(steps):
        return []
    found: defaultdict[str, list[list[float]]] = defaultdict(lambda: [[] for _ in steps])
    gaps: list[float] = []
    for index, spans in enumerate(steps):
        ordered = sorted(spans, key=lambda span: (span.start_us, span.end_us))
        gap, reached = 0.0, ordered[0].start_us
        for span in ordered:
            gap += max(0.0, span.start_us - reached)
            found[_label(span.name)][index].append(max(0.0, span.end_us - max(span.start_us, reached)))
            reached = max(reached, span.end_us)
        gaps.append(round(gap, 3))
    rows = [_row(name, times) for name, times in found.items()]
    return [*rows, {"kernel": None, "launches": 1, "times_us": gaps}]


def trace(step: Callable[[], object]) -> list[list[Span]]:
    """Run `LEAD_IN_STEPS` and `TRACED_STEPS` steps on a GPU and ask its driver when each kernel ran.

    Kernels inside graphs, copies and memory sets are among them.

    Args:
        step: Runs one step.

    Returns:
        The kernels of each traced step.
    """
    with profile(activities=[ProfilerActivity.CUDA], acc_events=True) as profiler:
        for _ in range(LEAD_IN_STEPS + TRACED_STEPS):
            step()
            torch.cuda.synchronize()
    events = [
        (event.device_type, Span(event.name, event.time_range.start, event.time_range.end))
        for event in profiler.events() or ()
    ]
    kernels = [span for device, span in events if device == DeviceType.CUDA]
    ends = [span.end_us for device, span in events if device == DeviceType.CPU and span.name == _STEP_ENDS]
    return cut(kernels, step_ends(ends, LEAD_IN_STEPS + TRACED_STEPS))[LEAD_IN_STEPS:]


def step_ends(waits_us: Iterable[float], steps: int) -> list[float]:
    """Pick the wait that ended each step.

    Args:
        waits_us: When the host had waited for the device: as often in every step, and once more when the tracer ended.
        steps: How many there were.
    """
    ordered = sorted(waits_us)
    each = max(1, (len(ordered) - 1) // steps)
    return ordered[each - 1 : each * steps : each]


def cut(spans: Iterable[Span], ends_us: Sequence[float]) -> list[list[Span]]:
    """Sort spans into steps.

    Args:
        spans: Of all steps, in any order.
        ends_us: When each step had ended, ascending, on the clock of the spans.
    """
    steps: list[list[Span]] = [[] for _ in ends_us]
    for span in spans:
        index = bisect_left(ends_us, span.end_us)
        if index < len(steps):
            steps[index].append(span)
    return steps


def _row(name: str, times: Sequence[Sequence[float]]) -> KernelTimes:
    launches = {len(of_step) for of_step in times}
    if len(launches) == 1:
        return {"kernel": name, "launches": launches.pop(), "times_us": _rounded(t for of in times for t in of)}
    return {"kernel": name, "launches": 1, "times_us": _rounded(map(sum, times))}


def _rounded(times: Iterable[float]) -> list[float]:
    return [round(time_us, 3) for time_us in times]


def _label(name: str) -> str:
    """A name as it may stand in a bundle: printable, and not too long."""
    printable = "".join(letter if letter.isprintable() else " " for letter in name).strip()
    return printable[:MAX_NAME] or "unnamed"
