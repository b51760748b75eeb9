"""Replays layers with instrumented kernels and reads their stamps."""

import datetime
import json
import pathlib
from collections.abc import Iterator
from typing import TypedDict

import torch

from k3_decode.bench.gpu_timing import Machine, Measured
from k3_decode.bench.layer_cases import LayerCases
from k3_decode.bench.measure import MODELS
from k3_decode.config import CONFIGS
from k3_decode.kernels.library import KernelLibrary
from k3_decode.timeline.memory import StampMemory
from k3_decode.timeline.stamp import SLOTS
from k3_decode.timeline.table import Launch, timeline

REPLAYS = 4
"""Replays of a graph, of which the last is read."""


class Timeline(TypedDict):
    """One form of a layer: when its launches started, asked, went on and ended, and the time of a layer in its graph.

    ``layer_us`` contains the stamps' own cost: of the order of a microsecond a layer.
    """

    kind: str
    name: str
    tp: int
    rows: int
    layer_us: float
    launches: list[Launch]
    gpu: str
    driver: str
    date: str
    commit: str


def replay(kernels: pathlib.Path, *, tp: int, rows: int, commit: str) -> Iterator[Timeline]:
    """Give the timelines of a KDA and an MLA layer, whole and sharded.

    Args:
        kernels: Folder of instrumented kernels, built from the package that runs.
        tp: Ranks whose share the shapes are.
        rows: Token rows.
        commit: What they were built from.

    Raises:
        UnsupportedDeviceError: There is no GPU they run on.
    """
    slots: dict[str, int] = json.loads(pathlib.Path(__file__).with_name(SLOTS).read_text(encoding="utf-8"))
    device = torch.device("cuda")
    library = KernelLibrary(kernels, device)
    machine = Machine.read(commit)
    with StampMemory(len(slots)) as memory, torch.no_grad():
        memory.show_to_gpu()
        for case in LayerCases(library, CONFIGS[MODELS[tp]], tp, device).layers(rows):
            layer_us = _replayed(case, memory)
            yield {
                "kind": "timeline",
                "name": case.name,
                "tp": tp,
                "rows": rows,
                "layer_us": round(layer_us, 2),
                "launches": timeline({name: memory.read(slot) for name, slot in slots.items()}),
                "gpu": machine.gpu,
                "driver": machine.driver,
                "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%MZ"),
                "commit": machine.commit,
            }


def _replayed(case: Measured, memory: StampMemory) -> float:
    """Replay a case in one graph, the last time into cleared stamps; give its time in microseconds a layer."""
    for launch in case.launches:
        launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for launch in case.launches:
            launch()
    start = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
    stop = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
    for _ in range(REPLAYS):
        torch.cuda.synchronize()
        memory.clear()
        start.record()
        graph.replay()
        stop.record()
    torch.cuda.synchronize()
    return float(start.elapsed_time(stop)) * 1e3 / len(case.launches)
