"""One measurement on a GPU: kernels, layers and steps at the shapes of one rank, and what they compare with."""

import pathlib
import sys
from collections.abc import Iterable, Sequence

import torch

from k3_decode.bench.gpu_timing import Kind, Machine, Measured, Row, row, time_graph
from k3_decode.bench.kernel_cases import KernelCases
from k3_decode.bench.layer_cases import LayerCases
from k3_decode.bench.peers import CUBLAS, cublas_products, stock_times, with_ratios
from k3_decode.build.sets import PROBE
from k3_decode.config import CONFIGS
from k3_decode.kernels.library import KernelLibrary
from k3_decode.kernels.tactics import product

DEEP = {16: ("k3-mini-r16-deep", "k3-rank-tp16"), 8: ()}
"""Models with the same shapes and more layers, the last at full depth where it fits one GPU."""

MODELS = {16: "k3-mini-r16", 8: "k3-mini-r8"}
"""Models with the shapes of one of so many ranks."""


def measure(
    kinds: Sequence[Kind],
    library: KernelLibrary,
    *,
    ranks: Sequence[int],
    rows: Sequence[int],
    commit: str,
    stock: pathlib.Path | None = None,
) -> list[Row]:
    """Measure, cold weights and replayed graphs throughout.

    Args:
        kinds: What to measure.
        library: Built kernels.
        ranks: Ranks whose share the shapes are, keys of `MODELS`.
        rows: Row counts.
        commit: What the kernels were built from.
        stock: What a harness of stock vLLM left (`k3_decode.bench.peers`) on this GPU beside it; products
            through cuBLAS are measured instead if None.

    Returns:
        Our rows, then those of the other arm.
    """
    device = torch.device("cuda")
    machine = Machine.read(commit)
    limit = read_limit(library, device)
    torch.cuda.empty_cache()

    def timed(kind: str, cases: Iterable[Measured], arm: str | None = None) -> list[Row]:
        found = []
        for case in cases:
            names = {} if arm is None else {"arm": arm}
            found.append(row(machine, time_graph(case.launches), case, kind=kind, limit_tb_s=limit, **names))
        torch.cuda.empty_cache()
        return found

    ours: list[Row] = []
    peers: list[Row] = []
    for tp in ranks:
        config = CONFIGS[MODELS[tp]]
        if "kernel" in kinds:
            kernels = KernelCases(library, config, tp, device)
            for count in rows:
                ours += timed("kernel", kernels.cases(count))
                if stock is None:
                    peers += timed("kernel", cublas_products(config, tp, count, device), CUBLAS)
        if "layer" in kinds or "step" in kinds:
            layers = LayerCases(library, config, tp, device)
            for count in rows:
                ours += timed("layer", layers.layers(count)) if "layer" in kinds else []
                ours += timed("step", [layers.step(count)]) if "step" in kinds else []
        for name in DEEP[tp] if "rank" in kinds else ():
            deep = LayerCases(library, CONFIGS[name], tp, device)
            ours += timed("step", [deep.step(1), deep.sharded_step(1)])
            del deep
            torch.cuda.empty_cache()
    if stock is None:
        print(f"no trace of stock vLLM: compared with {CUBLAS}; KDA, experts and layers have no peer", file=sys.stderr)
    else:
        peers += _stock_rows(stock, ours, machine, limit)
    return with_ratios(ours, peers)


def _stock_rows(folder: pathlib.Path, ours: Sequence[Row], machine: Machine, limit: float) -> list[Row]:
    """Write stock's times down, each with the bytes of our row of the same name; one without such a row is dropped."""
    moved = {(each["kind"], each["name"], each["tp"], each["rows"]): each["bytes"] for each in ours}
    found = []
    for each in stock_times(folder):
        key = (each.kind, each.name, each.tp, each.rows)
        if key in moved:
            case = Measured(each.name, each.tp, each.rows, moved[key], [])
            found.append(row(machine, each.spread, case, kind=each.kind, limit_tb_s=limit, arm=each.arm))
    return found


def read_limit(library: KernelLibrary, device: torch.device) -> float:
    """Probe the read limit: a product over 1.4 GB of weights with one row, in TB/s."""
    cases = KernelCases(library, CONFIGS[MODELS[16]], 16, device)
    case = cases.product("probe", product(*PROBE, 1), PROBE[1], 1)
    return case.moved_bytes / time_graph(case.launches[:2], replays=20).median_us / 1e6
