"""What `k3_decode.bench kernel` times: each kernel of a decode step at the shapes of one rank, weights cold.

Every execution of a graph has its own weights, and a replay goes through more of them than the L2 holds.
"""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import torch
from torch import Tensor

from k3_decode.bench.gpu_timing import Measured
from k3_decode.bench.random_model import RandomWeights
from k3_decode.config import K3Config
from k3_decode.kernels.catalog import CACHES
from k3_decode.kernels.gemv import Gemv
from k3_decode.kernels.library import KernelLibrary
from k3_decode.kernels.operator import Operator
from k3_decode.kernels.packing import pack_down, pack_up
from k3_decode.kernels.route import latent_arguments
from k3_decode.kernels.rows import NormSitu
from k3_decode.specialized.buffers import StepBuffers
from k3_decode.specialized.operators import StepOperators
from k3_decode.specialized.sharded import ShardedOperators

COLD_BYTES = 400_000_000
"""Weights one replay goes through: several times an H200's L2 of 60 MB."""

CONTEXT = 8192
PAGE = 64


class KernelCases:
    """Makes launches of the kernels of one model's shapes.

    Args:
        library: Built kernels.
        config: Shapes of one rank.
        tp: Ranks whose share they are.
        device: Where to run.
        cold_bytes: Weights one replay goes through.
        context: Tokens in the cache of each request.
    """

    def __init__(
        self,
        library: KernelLibrary,
        config: K3Config,
        tp: int,
        device: torch.device,
        *,
        cold_bytes: int = COLD_BYTES,
        context: int = CONTEXT,
    ) -> None:
        self.library, self.config, self.tp, self.device = library, config, tp, device
        self.cold_bytes, self.context = cold_bytes, context
        self.weights = RandomWeights(config, 7, device)

    def cases(self, rows: int) -> Iterator[Measured]:
        """Yield the kernels of one row count."""
        ops = StepOperators(self.config, rows)
        for name, operator, outputs in products(ops):
            yield self.product(name, operator, outputs, rows)
            torch.cuda.empty_cache()
        yield from self._mixes(ops, rows)
        yield self._kda(ops, rows)
        for cache in CACHES:
            yield from self._mla(dataclasses.replace(ops, cache=cache), rows)
        yield from self._experts(ops, rows)

    def product(self, name: str, operator: Operator, outputs: int, rows: int) -> Measured:
        """Bind a product to as many weights as are cold."""
        columns = int(operator.arguments[0].shape[1])
        size = outputs * columns * 2
        weights = [self._tensor(outputs, columns) for _ in range(max(2, -(-self.cold_bytes // size)))]
        x = self._tensor(rows, columns)
        out = torch.float32 if operator.arguments[-1].dtype == "f32" else torch.bfloat16
        y = torch.empty(rows, outputs, dtype=out, device=self.device)
        extra = (x, torch.ones(8, device=self.device)) if isinstance(operator, Gemv) else ()
        return self._measured(name, rows, size, self._launches(operator, weights, x, *extra, y))

    def _mixes(self, ops: StepOperators, rows: int) -> Iterator[Measured]:
        """Yield a few of the model's attention residuals."""
        c = self.config
        every = [self._tensor(9, rows, c.hidden_size) for _ in range(8)]
        vector = torch.rand(c.hidden_size, device=self.device)
        one = self._tensor(rows, c.hidden_size)
        for blocks, update in sorted(set(ops.mixes()))[1::3]:
            launches = self._launches(
                ops.mix(blocks, update), every, one, one, vector, vector, one.clone(), one.clone()
            )  # fmt: skip
            moved = (blocks + 4) * rows * c.hidden_size * 2
            yield self._measured(f"attention_residual_{blocks}_{update}", rows, moved, launches)

    def _kda(self, ops: StepOperators, rows: int) -> Measured:
        """Bind KDA decode to states enough to be cold."""
        c, w = self.config, self.weights.kda()
        moved = rows * (2 * c.num_heads * 65536) + w.f_b.numel() * 2
        count = max(8, -(-self.cold_bytes // moved)) if moved < self.cold_bytes // 8 else 8
        states = [self._tensor(rows + 1, c.num_heads, 128, 128, dtype=torch.float32) for _ in range(count)]
        convs = [self._tensor(rows + 1, 3 * ops.size, 3) for _ in range(count)]
        factors = [w.f_b.clone() for _ in range(count)]
        projected = self._tensor(rows, -(-(4 * ops.size + 128 + c.num_heads) // 64) * 64)
        slots = torch.arange(1, rows + 1, dtype=torch.int32, device=self.device)
        out = torch.empty(rows, ops.size, dtype=torch.bfloat16, device=self.device)
        launches = self._launches(
            ops.kda, projected, factors, w.conv, w.a_log, w.dt_bias.flatten(), w.o_norm, slots, slots, convs, states,
            out,
        )  # fmt: skip
        return self._measured("kda_core", rows, moved, launches)

    def _mla(self, ops: StepOperators, rows: int) -> Iterator[Measured]:
        """Yield MLA between its projections, over 8192 tokens a request."""
        c, pages = self.config, self.context // PAGE
        moved = rows * self.context * c.cache_width * (2 if ops.cache == "bf16" else 1)
        caches = [
            self._tensor(rows * pages + 1, PAGE, c.cache_width) for _ in range(max(2, -(-self.cold_bytes // moved)))
        ]  # fmt: skip
        tables = (torch.arange(rows * pages, dtype=torch.int32, device=self.device) + 1).view(rows, pages)
        context = torch.full((rows,), self.context - 1, dtype=torch.int32, device=self.device)
        buffers = StepBuffers.allocate(ops, self.device)
        scratch = (buffers.partial, buffers.sums, buffers.counters)
        query, latents = self._tensor(rows, c.num_heads, c.cache_width), self._tensor(rows, c.num_heads, c.kv_lora_rank)
        if ops.cache == "u8":
            query = query.to(torch.float8_e4m3fn).view(torch.uint8)
            caches = [each.to(torch.float8_e4m3fn).view(torch.uint8) for each in caches]
        core = self._launches(ops.mla_core, query, caches, tables, context, *scratch, latents)
        yield self._measured(f"mla_core_8k{'_e4m3' if ops.cache == 'u8' else ''}", rows, moved, core)
        del caches
        torch.cuda.empty_cache()
        if ops.cache == "u8":
            return
        gate = self._tensor(rows, c.num_heads * c.v_head_dim)
        w_uv = [self._tensor(c.num_heads, c.v_head_dim, c.kv_lora_rank) for _ in range(64)]
        value = self._launches(ops.mla_value, w_uv, latents, gate, context, gate.clone())
        yield self._measured("mla_value", rows, w_uv[0].numel() * 2, value)
        yield self._mla_front(ops, rows, query)

    def _mla_front(self, ops: StepOperators, rows: int, query: Tensor) -> Measured:
        """Bind MLA between its input projection and its attention: one launch, or the last of three."""
        c = self.config
        w_uk = [self._tensor(c.num_heads, c.kv_lora_rank, c.qk_nope_head_dim) for _ in range(64)]
        if ops.mla_front is None:
            q = self._tensor(rows, c.num_heads * c.qk_head_dim)
            absorb = self._launches(ops.mla_absorb, w_uk, q, query)
            return self._measured("mla_absorb", rows, w_uk[0].nbytes, absorb)
        w_q = [self._tensor(c.num_heads * c.qk_head_dim, c.q_lora_rank) for _ in w_uk]
        projected = self._tensor(rows, c.q_lora_rank + c.cache_width)
        norms = torch.ones(c.q_lora_rank, device=self.device), torch.ones(c.kv_lora_rank, device=self.device)
        places = torch.arange(rows, dtype=torch.int32, device=self.device)
        front = self._launches(
            ops.mla_front, w_q, w_uk, projected, *norms, places, query, self._tensor(rows, c.cache_width)
        )  # fmt: skip
        return self._measured("mla_front", rows, w_q[0].nbytes + w_uk[0].nbytes, front)

    def _experts(self, ops: StepOperators, rows: int) -> Iterator[Measured]:
        """Yield routing and both expert kernels, each execution with a routing of its own, and the chain of all."""
        c = self.config
        packed = self.weights.experts()
        up, up_scales = pack_up(packed.w13_packed, packed.w13_scale, c.expert_act)
        down, down_scales = pack_down(packed.w2_packed, packed.w2_scale, c.expert_act)
        count, units = 24 if rows == 1 else 6, rows * c.top_k
        bias = torch.zeros(c.num_experts, device=self.device)
        front = [
            torch.randn(rows, c.num_experts + c.latent_size + 2 * c.shared_size, device=self.device)
            for _ in range(count)
        ]
        logits = [each[:, : c.num_experts] for each in front]
        z = [each[:, c.num_experts : c.num_experts + c.latent_size] for each in front]

        def tables(*shape: int, dtype: torch.dtype = torch.int32) -> list[Tensor]:
            return [torch.empty(shape, dtype=dtype, device=self.device) for _ in range(count)]

        scaled, inverses = (
            tables(*(size if isinstance(size, int) else rows for size in argument.shape), dtype=dtype)
            for argument, dtype in zip(
                latent_arguments(c.latent_size, c.expert_act), (torch.int32, torch.float32), strict=True
            )
        )
        ids, weights = tables(rows, c.top_k), tables(rows, c.top_k, dtype=torch.float32)
        places, unit_experts, unit_tokens = tables(rows, c.top_k), tables(units), tables(units, 8)
        hidden = tables(units, 8, c.expert_size, dtype=torch.bfloat16)
        out = torch.empty(rows, c.latent_size, device=self.device)
        if ops.table is None:
            route = self._launches(ops.route, logits, bias, ids, weights, places)
            ups = self._launches(ops.expert_up, up, up_scales, z, ids, hidden)
        else:
            rank = self._launches(ops.route, logits, bias, z, scaled, inverses, ids, weights)
            table = self._launches(ops.table, ids, places, unit_experts, unit_tokens)
            route = [chain(one, two) for one, two in zip(rank, table, strict=True)]
            ups = self._launches(ops.expert_up, up, up_scales, scaled, inverses, unit_experts, unit_tokens, hidden)
        yield self._measured("route", rows, rows * (c.num_experts + c.latent_size) * 4, route)
        if ops.expert_sum is None:
            downs = self._launches(ops.expert_down, down, down_scales, hidden, ids, weights, places, out)
        else:
            rows_out = torch.empty(units, 8, c.latent_size, device=self.device)
            by_unit = self._launches(ops.expert_down, down, down_scales, hidden, unit_experts, unit_tokens, rows_out)
            sums = self._launches(ops.expert_sum, rows_out, weights, places, out)
            downs = [chain(one, two) for one, two in zip(by_unit, sums, strict=True)]
        for launch in route:
            launch()
        distinct = sum(len(set(each.flatten().tolist())) for each in ids) / count
        up_bytes = int(distinct * (up[0].nbytes + up_scales[0].nbytes))
        down_bytes = int(distinct * (down[0].nbytes + down_scales[0].nbytes))
        yield self._measured("expert_up", rows, up_bytes, ups)
        yield self._measured("expert_down", rows, down_bytes, downs)
        both = [chain(one, two) for one, two in zip(ups, downs, strict=True)]
        yield self._measured("routed_experts", rows, up_bytes + down_bytes, both)
        after = [chain(one, two) for one, two in zip(route, both, strict=True)]
        yield self._measured("route_to_weighted_sum", rows, up_bytes + down_bytes, after)
        yield self._chain(rows, out, after, up_bytes + down_bytes)

    def _chain(self, rows: int, out: Tensor, routed: Sequence[Callable[[], None]], routed_bytes: int) -> Measured:
        """Bind what is between a layer's second residual and its up-projection: a share of the front to latent norm."""
        c, share = self.config, ShardedOperators(self.config, self.tp, rows)
        x, rest = self._tensor(rows, c.hidden_size), sum(share.outputs)
        front = [self._tensor(rest, c.hidden_size) for _ in routed]
        published = torch.empty(rows, rest, device=self.device)
        extra = (x, torch.ones(8, device=self.device)) if isinstance(share.front, Gemv) else ()
        first = self._launches(share.front, front, x, *extra, published)
        scale, joined = torch.ones(c.latent_size, device=self.device), self._tensor(rows, c.latent_size + c.shared_size)
        norm = NormSitu(c.latent_size, c.shared_size, c.rms_eps, c.situ_beta, c.situ_linear_beta)
        last = partial(self.library.kernel(norm), out, published[:, -2 * c.shared_size :], scale, joined)
        launches = [chain(one, two, last) for one, two in zip(first, routed, strict=True)]
        return self._measured("front_to_latent_norm", rows, front[0].nbytes + routed_bytes, launches)

    def _tensor(self, *shape: int, dtype: torch.dtype = torch.bfloat16) -> Tensor:
        return torch.randn(shape, device=self.device).to(dtype)

    def _launches(self, operator: Operator, *arguments: Sequence[Tensor] | Tensor) -> list[Callable[[], None]]:
        """Bind a kernel to tensors; a list gives every execution its own."""
        kernel = self.library.kernel(operator)
        count = max((len(each) for each in arguments if isinstance(each, list)), default=1)
        return [
            partial(kernel, *(each[i] if isinstance(each, list) else each for each in arguments)) for i in range(count)
        ]

    def _measured(self, name: str, rows: int, moved: int, launches: Sequence[Callable[[], None]]) -> Measured:
        return Measured(name, self.tp, rows, moved, launches)


def products(ops: StepOperators) -> list[tuple[str, Operator, int]]:
    """List the products of a step that are launches of their own: name, operator, outputs."""
    c = ops.config
    query = ("mla_query", ops.mla_query, c.num_heads * c.qk_head_dim)
    return [
        ("kda_in", ops.kda_in, 4 * ops.size + c.kda_head_dim + c.num_heads),
        ("kda_out", ops.kda_out, c.hidden_size),
        ("mla_in", ops.mla_in, c.q_lora_rank + c.cache_width + c.num_heads * c.v_head_dim),
        *([query] if ops.mla_front is None else []),
        ("mla_out", ops.mla_out, c.hidden_size),
        ("front_replicated", ops.front, c.num_experts + c.latent_size + 2 * c.shared_size),
        ("dense_up", ops.dense_up, 2 * c.dense_size),
        ("dense_down", ops.dense_down, c.hidden_size),
        ("head", ops.head, c.vocab_size),
    ]


def chain(*launches: Callable[[], None]) -> Callable[[], None]:
    """Make one execution of several launches in order."""

    def run() -> None:
        for launch in launches:
            launch()

    return run
