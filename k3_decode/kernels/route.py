# mypy: allow-untyped-decorators
"""Routing: the exact top-k of every token and its weights, and the experts' input.

`RouteRank` equals `k3_decode.reference.moe.route`: the largest of sigmoid + bias win, the lower id on ties, NaN last;
weights are the winners' sigmoids over their sum. A block ranks a token, its experts spread over the lanes of four warps
as order-preserving integers. The top k lie in the k lanes whose best is best: a lane counts the bests before its own,
and the first k lanes put their experts up as candidates, who count the candidates before them. The order is total, so
counts are places, and no float is compared. Meanwhile four more warps bring the token's latent to float16, scaled by a
power of two of its largest magnitude, or to MXFP8: every block of an expert would have to do it again.

`k3_decode.kernels.route_row` routes a single row, which needs no grouping by expert and no prepared latent.
"""

from dataclasses import dataclass

from k3_decode.config import ExpertAct
from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import (
    absolute,
    from_bits,
    high_bf16,
    low_bf16,
    maximum,
    pack_bf16,
    pack_f16,
    reciprocal,
    select_bits,
    sigmoid,
)
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.e4m3 import pack_e4m3
from k3_decode.kernels.parts.memory import (
    load,
    load_f32,
    load_shared,
    load_shared_f32,
    load_static_f32,
    store,
    store_f32,
    store_shared,
    store_shared_f32,
)
from k3_decode.kernels.parts.mxfp4 import row_scale
from k3_decode.kernels.parts.mxfp8 import BLOCK, block_scale
from k3_decode.kernels.parts.ranking import count_before, key, named, precedes, ranked
from k3_decode.kernels.parts.sync import (
    WARP,
    barrier,
    partial_barrier,
    release_dependents,
    wait_for_predecessors,
    warp_max,
    warp_sum,
)

UNIT = 8
"""Tokens of one unit, the N side of one tensor-core instruction."""
RANK_WARPS = 4
SCALE_WARPS = 4
RANKING, SCALING = 2, 1
"""Barriers of the warps that rank, and of those that scale."""


@dataclass(frozen=True)
class RouteRank:
    """The top-k of every token, and its latent as the experts read it.

    Attributes:
        latent: Width of the latent, a multiple of 8.
        experts: Number of experts, a multiple of 32, at most 1024.
        top_k: Experts of a token, at most 32.
        scaling: Factor of the weights.
        act: How the experts read the latent.
    """

    latent: int
    experts: int
    top_k: int
    scaling: float = 1.0
    act: ExpertAct = "bf16"

    @property
    def name(self) -> str:
        """Symbol of this form."""
        form = f"route_rank_{self.latent}_{self.experts}_top{self.top_k}"
        return form if self.act == "bf16" else f"{form}_{self.act}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("logits", "f32", ("m", "w"), strided=True, aligned=False),
            Argument("bias", "f32", (self.experts,), static=True),
            Argument("z", "f32", ("m", "v"), strided=True),
            *latent_arguments(self.latent, self.act),
            Argument("ids", "i32", ("m", self.top_k), aligned=False),
            Argument("weights", "f32", ("m", self.top_k), aligned=False),
        )

    @property
    def contract(self) -> Contract:
        """The bias is read 4 bytes a lane, so there is no 16-byte load to count."""
        return Contract()

    @property
    def keys(self) -> int:
        """Experts of a lane."""
        return -(-self.experts // (WARP * RANK_WARPS))

    @property
    def candidates(self) -> int:
        """Experts of the lanes whose best is among the first."""
        return self.top_k * self.keys

    @cute.jit
    def __call__(
        self, logits: Tensor, bias: Tensor, z: Tensor, scaled: Tensor, inverses: Tensor, ids: Tensor, weights: Tensor,
        stream: Stream,
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            logits: ``[M, E]`` float32; rows may be strided.
            bias: ``[E]`` selection bias.
            z: ``[M, L]`` latent, float32; rows may be strided.
            scaled: ``[M, L / 2]`` gets pairs of float16, each row times a power of two of its own; for MXFP8
                ``[M, L / 4]`` fours of e4m3.
            inverses: ``[M]`` gets the inverse of each row's power; for MXFP8 ``[M, L / 32]`` the blocks' scales.
            ids: ``[M, k]`` gets expert ids, best first.
            weights: ``[M, k]`` gets their weights.
            stream: Where to run.
        """
        self.body(
            logits.iterator.toint(), bias.iterator.toint(), z.iterator.toint(), scaled.iterator.toint(),
            inverses.iterator.toint(), ids.iterator.toint(), weights.iterator.toint(), Int32(logits.stride[0]),
            Int32(z.stride[0]),
        ).launch(
            grid=[cute.size(logits, mode=[0]), 1, 1], block=[(RANK_WARPS + SCALE_WARPS) * WARP, 1, 1], stream=stream,
            use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def body(
        self, logits: Int64, bias: Int64, z: Int64, scaled: Int64, inverses: Int64, ids: Int64, weights: Int64,
        stride: Int32, ldz: Int32,
    ) -> None:  # fmt: skip
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        row, _, _ = cute.arch.block_idx()
        lane, warp = thread % WARP, thread // WARP
        lanes = RANK_WARPS * WARP
        shared = cutlass.utils.SmemAllocator().allocate_array(
            Uint32, 2 * lanes + 2 * (self.candidates + 1) + self.top_k + SCALE_WARPS + self.experts, byte_alignment=16
        ).toint()  # fmt: skip
        picks = shared + (2 * lanes + 2 * (self.candidates + 1)) * 4
        maxima = picks + self.top_k * 4
        gates = maxima + SCALE_WARPS * 4
        release_dependents()
        # Lanes beyond the last expert hold the last one under a key that never wins.
        own = [lane + (warp + i * RANK_WARPS) * WARP for i in range(self.keys)]
        held = [cutlass.min(expert, Int32(self.experts - 1)) for expert in own]
        offsets = [load_static_f32(bias + Int64(expert) * 4) for expert in held]
        wait_for_predecessors()
        source = logits + Int64(row) * Int64(stride) * 4
        if warp >= RANK_WARPS:
            latent, other = z + Int64(row) * Int64(ldz) * 4, thread - RANK_WARPS * WARP
            if cutlass.const_expr(self.act == "bf16"):
                self.scale(latent, scaled, inverses, maxima, row, other)
            else:
                self.quantise(latent, scaled, inverses, row, other)
        if warp < RANK_WARPS:
            self.rank(shared, picks, gates, source, offsets, held, own, thread)
        barrier()  # every place has its expert
        if warp == 0:
            pick = Int32(load_shared(picks + cutlass.min(lane, Int32(self.top_k - 1)) * 4, words=1)[0])
            score = load_shared_f32(gates + pick * 4)
            score = score if lane < self.top_k else Float32(0.0)
            total = warp_sum(score)
            if lane < self.top_k:
                place = (Int64(row) * self.top_k + Int64(lane)) * 4
                store(ids + place, [pick])
                store_f32(weights + place, score * reciprocal(total + 1e-20) * self.scaling)

    @property
    def chunks(self) -> int:
        """16-byte loads of a lane that scales the latent."""
        return -(-self.latent // (4 * SCALE_WARPS * WARP))

    @cute.jit
    def rank(
        self, shared: Int32, picks: Int32, gates: Int32, source: Int64, offsets: list[Value], held: list[Value],
        own: list[Value], thread: Int32,
    ) -> None:  # fmt: skip
        """Find the top k of all experts and leave their ids in shared memory, best first."""
        lanes = RANK_WARPS * WARP
        candidates = shared + 2 * lanes * 4
        scores = [sigmoid(load_f32(source + Int64(expert) * 4)) for expert in held]
        keys = [key(score + offset) for score, offset in zip(scores, offsets, strict=True)]
        for expert, score in zip(held, scores, strict=True):
            store_shared_f32(gates + expert * 4, score)
        keys = [keys[i] if own[i] < self.experts else Uint32(0) for i in range(self.keys)]
        pairs = [ranked(keys[i], own[i]) for i in range(self.keys)]
        best = pairs[0]
        for other in pairs[1:]:
            better = precedes(other, best)
            best = [select_bits(better, other[i], best[i]) for i in range(2)]
        store_shared(shared + thread * 8, best)
        partial_barrier(lanes, which=RANKING)  # the best of every lane is there
        place = count_before(shared, lanes, best)
        if place < self.top_k:
            for i in cutlass.range_constexpr(self.keys):
                store_shared(candidates + (place * self.keys + i) * 8, pairs[i])
        partial_barrier(lanes, which=RANKING)  # all candidates are there
        for first in cutlass.range_constexpr(0, self.candidates, lanes):
            if thread + first < self.candidates:
                mine = load_shared(candidates + (thread + first) * 8, words=2)
                final = count_before(candidates, self.candidates, mine)
                if final < self.top_k:
                    store_shared(picks + final * 4, [named(mine)])

    @cute.jit
    def scale(
        self, source: Int64, scaled: Int64, inverses: Int64, maxima: Int32, row: Int32, thread: Int32
    ) -> None:  # fmt: skip
        """Write the latent as float16, times the power of two of its largest magnitude."""
        places = [cutlass.min(thread + i * SCALE_WARPS * WARP, Int32(self.latent // 4 - 1)) for i in range(self.chunks)]
        values = [[from_bits(word) for word in load(source + Int64(place) * 16)] for place in places]
        largest = Float32(0.0)
        for i in cutlass.range_constexpr(self.chunks):
            for j in cutlass.range_constexpr(4):
                largest = maximum(largest, absolute(values[i][j]))
        store_shared_f32(maxima + thread // WARP * 4, warp_max(largest))
        partial_barrier(SCALE_WARPS * WARP, which=SCALING)  # the maxima of the scaling warps are there
        for other in cutlass.range_constexpr(SCALE_WARPS):
            largest = maximum(largest, load_shared_f32(maxima + other * 4))
        scale, inverse = row_scale(largest)
        if thread == 0:
            store_f32(inverses + Int64(row) * 4, inverse)
        for i in cutlass.range_constexpr(self.chunks):
            place = thread + i * SCALE_WARPS * WARP
            if place < self.latent // 4:
                four = [value * scale for value in values[i]]
                target = scaled + Int64(row) * (self.latent * 2) + Int64(place) * 8
                store(target, [pack_f16(four[0], four[1]), pack_f16(four[2], four[3])])

    @cute.jit
    def quantise(self, source: Int64, codes: Int64, scales: Int64, row: Int32, thread: Int32) -> None:
        """Write the latent, rounded to bfloat16 as the reference has it, as e4m3, and the scale of every 32."""
        for i in cutlass.range_constexpr(self.chunks):
            place = thread + i * SCALE_WARPS * WARP
            at = cutlass.min(place, Int32(self.latent // 4 - 1))
            four = [from_bits(word) for word in load(source + Int64(at) * 16)]
            pairs = [pack_bf16(four[0], four[1]), pack_bf16(four[2], four[3])]
            values = [half(pair) for pair in pairs for half in (low_bf16, high_bf16)]
            largest = absolute(values[0])
            for value in values[1:]:
                largest = maximum(largest, absolute(value))
            factor, scale = block_scale(cute.arch.warp_reduction_max(largest, threads_in_group=BLOCK // 4))
            if place < self.latent // 4:
                codes_at = codes + Int64(row) * self.latent + Int64(place) * 4
                store(codes_at, [pack_e4m3([value * factor for value in values])])
                if thread % (BLOCK // 4) == 0:
                    store_f32(scales + (Int64(row) * (self.latent // BLOCK) + Int64(place // (BLOCK // 4))) * 4, scale)


def latent_arguments(latent: int, act: ExpertAct) -> tuple[Argument, Argument]:
    """Give what routing writes of a step's latents and the experts read.

    Args:
        latent: Width of the latent.
        act: How the experts read it.
    """
    if act == "bf16":
        return Argument("scaled", "i32", ("m", latent // 2)), Argument("inverses", "f32", ("m",), aligned=False)
    return Argument("scaled", "i32", ("m", latent // 4)), Argument("inverses", "f32", ("m", latent // BLOCK))
