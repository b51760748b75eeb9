"""``python -m k3_decode.bench.gpu_session``: one measuring session on a GPU, JSON lines out and a short table last.

Kernels, layers and steps at the shapes of one rank, weights cold: every execution of a graph has its own weights, and
a replay goes through more of them than the L2 holds.
"""

import argparse
import json
import pathlib
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import torch
from torch import Tensor

from k3_decode.bench.gpu_timing import Machine, Row, row, time_graph
from k3_decode.bench.random_model import RandomWeights
from k3_decode.config import CONFIGS, K3Config
from k3_decode.kernels.gemv import Gemv
from k3_decode.kernels.library import KernelLibrary
from k3_decode.kernels.operator import Operator
from k3_decode.kernels.packing import pack_down, pack_up
from k3_decode.specialized.operators import StepOperators
from k3_decode.specialized.path import KernelPath

COLD_BYTES = 400_000_000
"""Weights one replay goes through: several times an H200's L2 of 60 MB."""

CONTEXT = 8192
PAGE = 64
ROWS = (1, 8, 64)

Measured = tuple[str, int, int, int, Sequence[Callable[[], None]]]
"""Name, ranks, rows, bytes of one execution, executions over different weights."""


class Bench:
    """Makes launches of the kernels of one model's shapes.

    Args:
        library: Built kernels.
        config: Shapes of one rank.
        tp: Ranks whose share they are.
        device: Where to run.
    """

    def __init__(self, library: KernelLibrary, config: K3Config, tp: int, device: torch.device) -> None:
        self.library, self.config, self.tp, self.device = library, config, tp, device
        self.weights = RandomWeights(config, 7, device)

    def tensor(self, *shape: int, dtype: torch.dtype = torch.bfloat16) -> Tensor:
        """Make a random tensor."""
        return torch.randn(shape, device=self.device).to(dtype)

    def launches(self, operator: Operator, *arguments: Sequence[Tensor] | Tensor) -> list[Callable[[], None]]:
        """Bind a kernel to tensors; a list gives every execution its own."""
        kernel = self.library.kernel(operator)
        count = max((len(a) for a in arguments if isinstance(a, list)), default=1)
        return [partial(kernel, *(a[i] if isinstance(a, list) else a for a in arguments)) for i in range(count)]

    def product(self, operator: Operator, outputs: int, rows: int) -> tuple[int, list[Callable[[], None]]]:
        """Bind a product to as many weights as are cold."""
        columns = int(operator.arguments[0].shape[1])
        size = outputs * columns * 2
        weights = [self.tensor(outputs, columns) for _ in range(max(2, -(-COLD_BYTES // size)))]
        x = self.tensor(rows, columns)
        out = torch.float32 if operator.arguments[-1].dtype == "f32" else torch.bfloat16
        y = torch.empty(rows, outputs, dtype=out, device=self.device)
        extra = (x, torch.ones(8, device=self.device)) if isinstance(operator, Gemv) else ()
        return size, self.launches(operator, weights, x, *extra, y)

    def cases(self, rows: int) -> Iterator[Measured]:
        """Yield the kernels of one row count."""
        c, ops = self.config, StepOperators(self.config, rows)
        size = ops.size
        products: list[tuple[str, Operator, int]] = [
            ("kda_in", ops.kda_in, 4 * size + c.kda_head_dim + c.num_heads),
            ("kda_out", ops.kda_out, c.hidden_size),
            ("mla_in", ops.mla_in, c.q_lora_rank + c.cache_width + c.num_heads * c.v_head_dim),
            ("mla_query", ops.mla_query, c.num_heads * c.qk_head_dim),
            ("front_replicated", ops.front, c.num_experts + c.latent_size + 2 * c.shared_size),
            ("dense_up", ops.dense_up, 2 * c.dense_size),
            ("dense_down", ops.dense_down, c.hidden_size),
            ("head", ops.head, c.vocab_size),
        ]
        for name, operator, outputs in products:
            moved, launches = self.product(operator, outputs, rows)
            yield name, self.tp, rows, moved, launches
            torch.cuda.empty_cache()
        yield from self.mixes(ops, rows)
        yield self.kda(ops, rows)
        yield from self.mla(ops, rows)
        yield from self.experts(ops, rows)

    def mixes(self, ops: StepOperators, rows: int) -> Iterator[Measured]:
        """Yield attention residuals of the model's first and last form."""
        c = self.config
        every = [self.tensor(9, rows, c.hidden_size) for _ in range(8)]
        vector = torch.rand(c.hidden_size, device=self.device)
        one = self.tensor(rows, c.hidden_size)
        for blocks, update in sorted(set(ops.mixes()))[1::3]:
            launches = self.launches(ops.mix(blocks, update), every, one, one, vector, vector, one.clone(), one.clone())
            moved = (blocks + 4) * rows * c.hidden_size * 2
            yield f"attention_residual_{blocks}_{update}", self.tp, rows, moved, launches

    def kda(self, ops: StepOperators, rows: int) -> Measured:
        """Bind KDA decode to states enough to be cold."""
        c, w = self.config, self.weights.kda()
        moved = rows * (2 * c.num_heads * 65536) + w.f_b.numel() * 2
        count = max(8, -(-COLD_BYTES // moved)) if moved < COLD_BYTES // 8 else 8
        states = [self.tensor(rows + 1, c.num_heads, 128, 128, dtype=torch.float32) for _ in range(count)]
        convs = [self.tensor(rows + 1, 3 * ops.size, 3) for _ in range(count)]
        factors = [w.f_b.clone() for _ in range(count)]
        projected = self.tensor(rows, -(-(4 * ops.size + 128 + c.num_heads) // 64) * 64)
        slots = torch.arange(1, rows + 1, dtype=torch.int32, device=self.device)
        out = torch.empty(rows, ops.size, dtype=torch.bfloat16, device=self.device)
        launches = self.launches(
            ops.kda,
            projected,
            factors,
            w.conv,
            w.a_log,
            w.dt_bias.flatten(),
            w.o_norm,
            slots,
            slots,
            convs,
            states,
            out,
        )
        return "kda_core", self.tp, rows, moved, launches

    def mla(self, ops: StepOperators, rows: int) -> Iterator[Measured]:
        """Yield MLA between its projections, over 8192 tokens a request."""
        c = self.config
        pages = CONTEXT // PAGE
        moved = rows * CONTEXT * c.cache_width * 2
        count = max(2, -(-COLD_BYTES // moved))
        caches = [self.tensor(rows * pages + 1, PAGE, c.cache_width) for _ in range(count)]
        tables = (torch.arange(rows * pages, dtype=torch.int32, device=self.device) + 1).view(rows, pages)
        context = torch.full((rows,), CONTEXT - 1, dtype=torch.int32, device=self.device)
        splits = ops.mla_core.splits
        partial_ = torch.empty(rows, c.num_heads, splits, c.kv_lora_rank, device=self.device)
        sums = torch.empty(rows, c.num_heads, splits, device=self.device)
        query = self.tensor(rows, c.num_heads, c.cache_width)
        core = self.launches(ops.mla_core, query, caches, tables, context, partial_, sums)
        yield "mla_core_8k", self.tp, rows, moved, core
        gate = self.tensor(rows, c.num_heads * c.v_head_dim)
        w_uv = [self.tensor(c.num_heads, c.v_head_dim, c.kv_lora_rank) for _ in range(64)]
        value = self.launches(ops.mla_value, w_uv, partial_, sums, gate, gate.clone())
        yield "mla_value", self.tp, rows, w_uv[0].numel() * 2 + partial_.numel() * 4, value
        w_uk = [self.tensor(c.num_heads, c.kv_lora_rank, c.qk_nope_head_dim) for _ in range(64)]
        q = self.tensor(rows, c.num_heads * c.qk_head_dim)
        yield "mla_absorb", self.tp, rows, w_uk[0].numel() * 2, self.launches(ops.mla_absorb, w_uk, q, query)
        del caches
        torch.cuda.empty_cache()

    def experts(self, ops: StepOperators, rows: int) -> Iterator[Measured]:
        """Yield routing and both expert kernels; each execution has routed its tokens its own way."""
        c, packed = self.config, self.weights.experts()
        up, up_scales = pack_up(packed.w13_packed, packed.w13_scale)
        down, down_scales = pack_down(packed.w2_packed, packed.w2_scale)
        count, units = 24 if rows == 1 else 6, rows * c.top_k
        z = torch.randn(rows, c.latent_size, device=self.device)
        bias = torch.zeros(c.num_experts, device=self.device)
        logits = [torch.randn(rows, c.num_experts, device=self.device) for _ in range(count)]

        def tables(*shape: int, dtype: torch.dtype = torch.int32) -> list[Tensor]:
            return [torch.empty(shape, dtype=dtype, device=self.device) for _ in range(count)]

        ids, weights = tables(rows, c.top_k), tables(rows, c.top_k, dtype=torch.float32)
        places, unit_experts, unit_tokens = tables(rows, c.top_k), tables(units), tables(units, 8)
        hidden = tables(units, 8, c.expert_size, dtype=torch.bfloat16)
        out = torch.empty(rows, c.latent_size, device=self.device)
        route = self.launches(ops.route, logits, bias, ids, weights, places, unit_experts, unit_tokens)
        if ops.table is not None:
            table = self.launches(ops.table, ids, places, unit_experts, unit_tokens)
            route = [_chain(one, two) for one, two in zip(route, table, strict=True)]
        yield "route", self.tp, rows, rows * c.num_experts * 4, route
        ups = self.launches(ops.expert_up, up, up_scales, z, unit_experts, unit_tokens, hidden)
        downs = self.launches(ops.expert_down, down, down_scales, hidden, ids, weights, places, out)
        for launch in route:
            launch()
        distinct = sum(len(set(each.flatten().tolist())) for each in ids) / count
        up_bytes = int(distinct * (up[0].nbytes + up_scales[0].nbytes))
        down_bytes = int(distinct * (down[0].nbytes + down_scales[0].nbytes))
        yield "expert_up", self.tp, rows, up_bytes, ups
        yield "expert_down", self.tp, rows, down_bytes, downs
        both = [_chain(one, two) for one, two in zip(ups, downs, strict=True)]
        yield "routed_experts", self.tp, rows, up_bytes + down_bytes, both


def _chain(*launches: Callable[[], None]) -> Callable[[], None]:
    def run() -> None:
        for launch in launches:
            launch()

    return run


def read_limit(library: KernelLibrary, device: torch.device) -> float:
    """Probe the read limit: a product over 1.4 GB of weights with one row, in TB/s."""
    bench = Bench(library, CONFIGS["k3-mini-r16"], 16, device)
    operator = StepOperators(bench.config, 1).kda_in
    moved, launches = bench.product(operator, 98304, 1)
    return moved / time_graph(launches[:2], replays=20).median_us / 1e6


def step_rows(library: KernelLibrary, name: str, tp: int, device: torch.device) -> Iterator[Measured]:
    """Yield the whole step of a scaled-down model; its bytes count every dense weight once and the experts used."""
    model = RandomWeights(CONFIGS[name], 3, device).model()
    config = model.config
    for rows in ROWS:
        pages = 4
        cache = model.new_cache(num_slots=rows + 1, num_blocks=rows * pages + 1, block_size=PAGE)
        path = KernelPath(model, cache, library, buckets=(rows,))
        launcher = path.launcher(rows)
        inputs = path.inputs(rows)
        inputs.slots.copy_(torch.arange(1, rows + 1, dtype=torch.int32, device=device))
        inputs.tokens.copy_(torch.randint(0, config.vocab_size, (rows,), dtype=torch.int32, device=device))
        inputs.context_lens.fill_(100)
        own = (torch.arange(rows * pages, dtype=torch.int32, device=device) + 1).view(rows, pages)
        inputs.tables[:, :pages] = own
        inputs.cache_rows.copy_(inputs.tables[:, 100 // PAGE] * PAGE + 100 % PAGE)
        yield name, tp, rows, _step_bytes(config, rows), [launcher.launch]
        del path, cache
        torch.cuda.empty_cache()


def _step_bytes(config: K3Config, rows: int) -> int:
    """Count what a step reads at least: dense weights once, the expected distinct experts, KDA states twice."""
    c, size, heads = config, config.projection_size, config.num_heads
    hidden = 2 * c.hidden_size
    kda = hidden * (5 * size + c.kda_head_dim + heads) + 2 * size * c.kda_head_dim + rows * 8 * heads * 128 * 128
    mla = (
        hidden * (c.q_lora_rank + c.cache_width + 2 * heads * c.v_head_dim)
        + 2 * heads * (c.q_lora_rank * c.qk_head_dim + c.kv_lora_rank * (c.qk_nope_head_dim + c.v_head_dim))
    )  # fmt: skip
    distinct = c.num_experts * (1 - (1 - c.top_k / c.num_experts) ** rows)
    experts = distinct * 3 * c.latent_size * c.expert_size * 17 / 32
    moe = hidden * (c.num_experts + 2 * c.latent_size + 3 * c.shared_size) + experts
    attention = len(c.kda_layer_indices) * kda + len(c.mla_layer_indices) * mla
    feed_forward = c.first_dense * 3 * hidden * c.dense_size + (c.num_layers - c.first_dense) * moe
    return int(attention + feed_forward + hidden * c.vocab_size)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; return 0."""
    parser = argparse.ArgumentParser(prog="python -m k3_decode.bench.gpu_session", description=__doc__)
    parser.add_argument("--kernels", type=pathlib.Path, required=True, help="folder of built kernels")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="file for JSON lines")
    parser.add_argument("--commit", required=True, help="commit the kernels were built from")
    parser.add_argument("--parts", nargs="+", default=["kernels", "steps"], choices=["kernels", "steps"])
    options = parser.parse_args(arguments)
    device = torch.device("cuda")
    library = KernelLibrary(options.kernels, device)
    machine = Machine.read(options.commit)
    limit = read_limit(library, device)
    torch.cuda.empty_cache()
    measured: list[Row] = []

    def note(kind: str, cases: Iterator[Measured]) -> None:
        for name, tp, rows, moved, launches in cases:
            spread = time_graph(launches)
            measured.append(
                row(machine, spread, kind=kind, name=name, tp=tp, rows=rows, moved_bytes=moved, limit_tb_s=limit)
            )

    if "kernels" in options.parts:
        for model, tp in (("k3-mini-r16", 16), ("k3-mini-r8", 8)):
            bench = Bench(library, CONFIGS[model], tp, device)
            for rows in ROWS:
                note("kernel", bench.cases(rows))
                torch.cuda.empty_cache()
    if "steps" in options.parts:
        for model, tp in (("k3-mini-r16", 16), ("k3-mini-r8", 8)):
            note("step", step_rows(library, model, tp, device))
            torch.cuda.empty_cache()
    options.out.write_text("".join(json.dumps(each) + "\n" for each in measured), "utf-8")
    print(f"read limit {limit:.2f} TB/s on {machine.gpu}, driver {machine.driver}")
    for each in measured:
        print(
            f"{each['kind']:6} tp{each['tp']:<2} rows {each['rows']:2} {each['name']:26} {each['median_us']:9.2f} us "
            f"{each['bytes'] / 1e6:9.2f} MB {each['fraction_of_limit']:5.2f} of the limit"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
