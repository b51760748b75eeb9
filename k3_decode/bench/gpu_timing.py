"""Times launches on a GPU: one graph replayed many times, weights cold, the read limit probed in the same run."""

import datetime
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

import torch

Kind = Literal["kernel", "layer", "step", "rank"]

OURS = "kernels"
REPLAYS = 40
WARM_UP = 5


@dataclass(frozen=True)
class Measured:
    """One thing to time.

    Attributes:
        name: Of the stage.
        tp: Ranks whose share the shapes are.
        rows: Token rows.
        moved_bytes: Fewest bytes one execution moves through device memory.
        launches: Executions over different weights.
    """

    name: str
    tp: int
    rows: int
    moved_bytes: int
    launches: Sequence[Callable[[], None]]


class Row(TypedDict):
    """One measured row, as written to ``bench/results``. Times are of one execution of ``name``.

    ``arm`` is ``kernels`` or what they are compared with. ``ratio_to_stock`` is the time of the stock arm over this
    row's, None where nothing of stock was measured in the same session. Quantiles are None where a harness of others
    reports none; limit and fraction where forms of kernels were timed against each other and no limit was probed.
    """

    kind: str
    name: str
    tp: int
    rows: int
    q: int
    arm: str
    median_us: float
    p10_us: float | None
    p90_us: float | None
    n: int
    bytes: int
    limit_tb_s: float | None
    fraction_of_limit: float | None
    ratio_to_stock: float | None
    gpu: str
    driver: str
    clocks: str
    date: str
    commit: str


@dataclass(frozen=True)
class Machine:
    """What a row says about where it was measured."""

    gpu: str
    driver: str
    commit: str

    @classmethod
    def read(cls, commit: str) -> "Machine":
        """Ask the driver."""
        gpu, driver = _query("name,driver_version")
        return cls(gpu, driver, commit)


@dataclass(frozen=True)
class Spread:
    """Times of one execution, in microseconds."""

    median_us: float
    p10_us: float | None
    p90_us: float | None
    n: int

    @classmethod
    def of(cls, times_us: Sequence[float]) -> "Spread":
        """Summarise times."""
        times = sorted(times_us)
        last = len(times) - 1
        return cls(times[len(times) // 2], times[len(times) // 10], times[min(last, len(times) * 9 // 10)], len(times))


def time_graph(launches: Sequence[Callable[[], None]], *, replays: int = REPLAYS) -> Spread:
    """Capture the launches in one graph and time its replays.

    Args:
        launches: One execution each, over different weights, so that none finds its own in the cache.
        replays: Timed replays.

    Returns:
        Time of a replay divided by the launches.
    """
    for launch in launches:
        launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for launch in launches:
            launch()
    for _ in range(WARM_UP):
        graph.replay()
    torch.cuda.synchronize()
    times = []
    for _ in range(replays):
        start = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
        stop = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
        start.record()
        graph.replay()
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop) * 1e3 / len(launches))
    return Spread.of(times)


def row(machine: Machine, spread: Spread, measured: Measured, *, kind: str, limit_tb_s: float, arm: str = OURS) -> Row:
    """Write a measurement down.

    Args:
        machine: Where.
        spread: Times.
        measured: What.
        kind: ``kernel``, ``layer`` or ``step``.
        limit_tb_s: Read limit of this run.
        arm: Whose code ran.
    """

    def rounded(value: float | None) -> float | None:
        return None if value is None else round(value, 3)

    return {
        "kind": kind,
        "name": measured.name,
        "tp": measured.tp,
        "rows": measured.rows,
        "q": 1,
        "arm": arm,
        "median_us": round(spread.median_us, 3),
        "p10_us": rounded(spread.p10_us),
        "p90_us": rounded(spread.p90_us),
        "n": spread.n,
        "bytes": measured.moved_bytes,
        "limit_tb_s": round(limit_tb_s, 3),
        "fraction_of_limit": round(measured.moved_bytes / spread.median_us / 1e6 / limit_tb_s, 3),
        "ratio_to_stock": None,
        "gpu": machine.gpu,
        "driver": machine.driver,
        "clocks": " / ".join(_query("clocks.sm,clocks.mem")),
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%MZ"),
        "commit": machine.commit,
    }


def _query(fields: str) -> list[str]:
    command = ["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader"]
    return [
        part.strip() for part in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split(",")
    ]
