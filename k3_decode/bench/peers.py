"""What the kernels are compared with: stock vLLM's layers where its traces are given, else cuBLAS.

Stock is vLLM itself on the same GPU in the same session, measured by a harness that leaves for each engine a file
``res_TAG.json`` (arguments, and the time of a replayed decode step) and for each batch a trace ``k_TAG_BxC.tsv.gz``
(start ns, duration ns, stream, correlation id, name of every kernel of some replayed steps). A layer runs from its
first attention-residual kernel to the next layer's.
"""

import gzip
import json
import pathlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch

from k3_decode.bench.gpu_timing import OURS, Measured, Row, Spread
from k3_decode.config import CONFIGS, K3Config
from k3_decode.errors import ArgumentError

CUBLAS = f"cuBLAS (torch {torch.__version__})"

MODELS = {"k3r8": ("k3-mini-r8", 8), "k3r16": ("k3-mini-r16", 16)}
"""Models of the harness: ours of the same shapes, and the ranks whose share they are."""

_FEWEST_KERNELS = 100
"""Of one correlation id: a replayed graph, not a single launch."""

_COLD_BYTES = 400_000_000


class _Launch(NamedTuple):
    start_ns: int
    duration_ns: int
    stream: int
    correlation: int
    kernel: str

    @property
    def stop_ns(self) -> int:
        return self.start_ns + self.duration_ns


@dataclass(frozen=True)
class StockTime:
    """A time of the stock arm, under the name of what it compares with."""

    kind: str
    name: str
    tp: int
    rows: int
    arm: str
    spread: Spread


def stock_times(folder: pathlib.Path) -> list[StockTime]:
    """Read what a harness of stock vLLM left in a folder.

    Raises:
        ArgumentError: There is nothing of it, or a trace holds no replayed step.
    """
    found = [each for path in sorted(folder.glob("res_*.json")) for each in _engine(path)]
    if not found:
        raise ArgumentError("stock_times", "folder", expected="res_TAG.json files", got=str(folder))
    return found


def _engine(path: pathlib.Path) -> Iterator[StockTime]:
    """Yield the times of one engine: its steps, and the layers of its traces."""
    answer = json.loads(path.read_text("utf-8"))
    arguments: dict[str, str] = answer["args"]
    name, tp = MODELS[pathlib.PurePath(arguments["model"]).name]
    tag = path.stem.removeprefix("res_")
    arm = f"vLLM {arguments.get('version', '0.33.0')}, {arguments.get('attn', 'FLASHMLA')}, rank path"
    for combination, result in answer["res"].items():
        rows = int(combination.split("x")[0])
        if "graph_replay_ms" in result:
            spread = Spread(result["graph_replay_ms"] * 1e3, None, None, 30)
            yield StockTime("step", name, tp, rows, arm, spread)
        trace = path.with_name(f"k_{tag}_{combination}.tsv.gz")
        if trace.is_file():
            for (kind, what), times in _trace(trace, CONFIGS[name]).items():
                yield StockTime(kind, what, tp, rows, arm, Spread.of(times))


def _trace(path: pathlib.Path, config: K3Config) -> Mapping[tuple[str, str], Sequence[float]]:
    """Collect the times of a trace's layers, and of some stages in them, in microseconds."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        fields = [line.rstrip("\n").split("\t") for line in lines]
    replays: dict[int, list[_Launch]] = defaultdict(list)
    for *numbers, kernel in fields:
        start_ns, duration_ns, stream, correlation = map(int, numbers)
        replays[correlation].append(_Launch(start_ns, duration_ns, stream, correlation, kernel))
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for replay in replays.values():
        if len(replay) < _FEWEST_KERNELS:
            continue
        launches = sorted(replay)
        marks = [launch.start_ns for launch in launches if "_attn_res" in launch.kernel]
        if len(marks) != 2 * config.num_layers + 1:
            raise ArgumentError(
                "stock_times", path.name, expected=f"{2 * config.num_layers + 1} attention residuals", got=len(marks)
            )
        for index in range(config.first_dense, config.num_layers):
            start, middle, stop = marks[2 * index : 2 * index + 3]
            found["layer", f"{config.layer_kind(index)}_moe_layer"].append((stop - start) / 1e3)
            for what, time_us in _stages([each for each in launches if start <= each.start_ns < stop], middle):
                found["kernel", what].append(time_us)
    if not found:
        raise ArgumentError("stock_times", path.name, expected="replayed steps", got="none")
    return found


def _stages(layer: Sequence[_Launch], middle_ns: int) -> Iterator[tuple[str, float]]:
    """Yield the stages of one layer that are told by the names of their kernels."""
    experts = [each for each in layer if re.search("marlin", each.kernel, re.IGNORECASE)]
    choice = [each for each in layer if "topk" in each.kernel]
    norm = [each for each in layer if "rms_norm" in each.kernel and each.start_ns > middle_ns]
    core = [each for each in layer if "kda_decode_fusion" in each.kernel]
    if len(experts) == 2:
        yield "routed_experts", (experts[1].stop_ns - experts[0].start_ns) / 1e3
        if choice and norm and norm[-1].start_ns > experts[1].start_ns:
            yield "route_to_weighted_sum", (norm[-1].start_ns - choice[0].start_ns) / 1e3
    if len(core) == 1:
        yield "kda_core", core[0].duration_ns / 1e3


def with_ratios(rows: Sequence[Row], peers: Sequence[Row]) -> list[Row]:
    """Fill in how many times longer the fastest peer takes, and append the peers.

    Args:
        rows: Of our kernels.
        peers: Rows of another arm in the same session.
    """
    best: dict[tuple[str, str, int, int], float] = {}
    for each in peers:
        key = (each["kind"], each["name"], each["tp"], each["rows"])
        best[key] = min(each["median_us"], best.get(key, each["median_us"]))
    compared: list[Row] = []
    for each in rows:
        stock = best.get((each["kind"], each["name"].removesuffix("_sharded_front"), each["tp"], each["rows"]))
        ratio = None if stock is None or each["arm"] != OURS else round(stock / each["median_us"], 3)
        compared.append({**each, "ratio_to_stock": ratio})
    return [*compared, *peers]


def cublas_products(config: K3Config, tp: int, rows: int, device: torch.device) -> Iterator[Measured]:
    """Yield the larger products of a step through cuBLAS, the peers where no trace of stock is given."""
    size, hidden = config.projection_size, config.hidden_size
    shapes = {
        "kda_in": (4 * size + config.kda_head_dim + config.num_heads, hidden),
        "kda_out": (hidden, size),
        "front_replicated": (config.num_experts + config.latent_size + 2 * config.shared_size, hidden),
        "dense_up": (2 * config.dense_size, hidden),
        "head": (config.vocab_size, hidden),
    }
    for name, (outputs, columns) in shapes.items():
        moved = 2 * outputs * columns
        weights = [
            torch.randn(outputs, columns, device=device).bfloat16() for _ in range(max(2, -(-_COLD_BYTES // moved)))
        ]
        x = torch.randn(rows, columns, device=device).bfloat16()
        y = torch.empty(rows, outputs, device=device, dtype=torch.bfloat16)
        launches = [partial(_multiply, x, weight, y) for weight in weights]
        yield Measured(name, tp, rows, moved, launches)


def _multiply(x: torch.Tensor, weight: torch.Tensor, y: torch.Tensor) -> None:
    torch.mm(x, weight.t(), out=y)
