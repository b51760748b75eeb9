# mypy: allow-untyped-decorators
"""The first half of the routed experts of a step of one row, from MXFP4: gate and linear rows with SiTU.

Equals the first half of `k3_decode.reference.moe.routed_experts`, as `k3_decode.kernels.expert_up` does for several
rows, but needs no table and no prepared latent. A block serves a pick and 32 weight rows; its warps divide K, and each
brings its own columns of the latent to float16, scaled by a power of two of their largest magnitude, or to MXFP8. It
does so before its wait: routing releases it when the latent is settled. No warp waits for another until all have their
sums. All columns of the products are the same token.

It releases its successor only after its own wait, so that what routing wrote is settled for the second half.
"""

from dataclasses import dataclass

from k3_decode.config import ExpertAct
from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import (
    absolute,
    bits,
    from_bits,
    maximum,
    pack_bf16,
    pack_f16,
    situ,
)
from k3_decode.kernels.parts.dsl import (
    Float32,
    Int32,
    Int64,
    Stream,
    Tensor,
    Uint32,
    cute,
    cutlass,
    on_hopper,
)
from k3_decode.kernels.parts.memory import (
    load,
    load_shared,
    load_shared_f32,
    load_static,
    store_bf16,
    store_shared,
    store_shared_f32,
)
from k3_decode.kernels.parts.mxfp4 import CODE_SCALE, load_scales, multiply, row_scale
from k3_decode.kernels.parts.mxfp8 import multiply_blocks, round_to_odd, stage_blocks
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors
from k3_decode.kernels.route import UNIT

GROUP = 32
"""Weights that share a scale, the columns of one 16-byte load of a lane."""
ROWS = 32
"""Weight rows of a block, two tensor-core tiles."""
LANE_VALUES = 8
"""Columns of the latent that a lane brings at once."""
RESIDENT, BLACKWELL_RESIDENT = {4: 4, 14: 2}, {4: 3, 14: 2}
"""Blocks a multiprocessor, by their warps: more would be spread unevenly, and leave too few registers."""


@dataclass(frozen=True)
class ExpertUpRow:
    """``h = situ(W1 z, W3 z)`` for every pick of one token.

    Attributes:
        latent: Columns, a multiple of 32 for each warp.
        width: Intermediate width of an expert on this rank, a multiple of 16.
        top_k: Picks.
        warps: Warps of a block, 4 or 14.
        in_flight: Weight loads of a lane under way at a time.
        beta: Bound of SiTU's gate.
        linear_beta: Bound of SiTU's linear half.
        act: How the latent meets the weights.
    """

    latent: int
    width: int
    top_k: int
    warps: int
    in_flight: int
    beta: float = 4.0
    linear_beta: float | None = 25.0
    act: ExpertAct = "bf16"

    @property
    def name(self) -> str:
        """Symbol of this form."""
        form = f"expert_up_row_{self.latent}_{self.width}_top{self.top_k}_warps{self.warps}_flight{self.in_flight}"
        return form if self.act == "bf16" else f"{form}_{self.act}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        tiles, groups = 2 * self.width // ROWS, self.latent // GROUP
        return (
            Argument("w", "i32", ("e", tiles, groups, WARP, 4), static=True, stream=True),
            Argument("scales", "i32", ("e", tiles, 8, groups), static=True),
            Argument("z", "f32", (1, "v"), strided=True, settled=True),
            Argument("ids", "i32", (1, self.top_k), aligned=False),
            Argument("hidden", "bf16", (self.top_k, UNIT, self.width)),
        )

    @property
    def contract(self) -> Contract:
        """All weights come after the wait, because the step chooses the expert; the latent comes before."""
        return Contract(
            before_wait={"z": 2 * self.rounds}, after_wait={"w": self.groups},
            products=(4 if self.act == "bf16" else 2) * self.groups,
        )  # fmt: skip

    @property
    def groups(self) -> int:
        """Groups of a warp."""
        return self.latent // GROUP // self.warps

    @property
    def rounds(self) -> int:
        """Times that a lane brings columns of the latent."""
        return -(-self.groups * GROUP // (LANE_VALUES * WARP))

    @property
    def staged_bytes(self) -> int:
        """Shared memory of a warp's columns, which in MXFP8 have their blocks' scales behind them."""
        return self.groups * GROUP * 2 if self.act == "bf16" else -(-self.groups * (GROUP + 4) // 16) * 16

    @cute.jit
    def __call__(
        self, w: Tensor, scales: Tensor, z: Tensor, ids: Tensor, hidden: Tensor, stream: Stream
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            w: Packed gate and linear rows (`k3_decode.kernels.packing`).
            scales: Their exponents.
            z: ``[1, L]`` latent, float32.
            ids: ``[1, k]`` experts.
            hidden: ``[k, 8, I]`` gets the activations, of each pick in the first row.
            stream: Where to run.
        """
        self.body(
            w.iterator.toint(), scales.iterator.toint(), z.iterator.toint(), ids.iterator.toint(),
            hidden.iterator.toint(),
        ).launch(
            grid=[2 * self.width // ROWS, self.top_k, 1], block=[self.warps * WARP, 1, 1], stream=stream, use_pdl=True,
            min_blocks_per_mp=(RESIDENT if on_hopper() else BLACKWELL_RESIDENT)[self.warps], preferred_smem_carveout=-1,
        )  # fmt: skip

    @cute.kernel
    def body(self, w: Int64, scales: Int64, z: Int64, ids: Int64, hidden: Int64) -> None:
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        tile, pick, _ = cute.arch.block_idx()
        lane, warp = thread % WARP, thread // WARP
        staged_words = self.warps * self.staged_bytes // 4
        shared = cutlass.utils.SmemAllocator().allocate_array(
            Uint32, staged_words + self.warps * (ROWS + 1), byte_alignment=128
        ).toint()  # fmt: skip
        partial = shared + staged_words * 4
        own = shared + warp * self.staged_bytes
        self.stage(own, partial + (self.warps * ROWS + warp) * 4, z + Int64(warp * (self.groups * GROUP)) * 4, lane)
        wait_for_predecessors()
        release_dependents()  # only now: the successor reads what routing wrote before it waits
        expert = Int32(load(ids + Int64(pick) * 4, words=1)[0])
        tiles, all_groups = 2 * self.width // ROWS, self.latent // GROUP
        block = Int64(expert) * tiles + Int64(tile)
        base = w + ((block * all_groups + Int64(warp * self.groups)) * WARP + Int64(lane)) * 16
        table = scales + ((block * 8 + Int64(lane // 4)) * all_groups + Int64(warp * self.groups)) * 4
        in_flight = min(self.in_flight, self.groups)
        weights = [load_static(base + g * WARP * 16) for g in range(in_flight)]
        width = next(words for words in (4, 2, 1) if self.groups % words == 0)
        near = min(self.groups, -(-in_flight // width) * width)
        exponents = load_scales(table, near, width)
        cute.arch.sync_warp()  # a warp reads only the columns it has staged itself
        acc = [[Float32(0.0) for _ in range(4)] for _ in range(2)]
        for g in cutlass.range_constexpr(self.groups):
            if cutlass.const_expr(g % width == 0 and g + near < self.groups):
                exponents = exponents + load_scales(table + (g + near) * 4, width, width)
            if cutlass.const_expr(g + in_flight < self.groups):
                weights.append(load_static(base + (g + in_flight) * WARP * 16))
            if cutlass.const_expr(self.act == "bf16"):
                acc = multiply(weights[g], exponents[g], load_shared(own + lane % 4 * 16 + g * GROUP * 2), acc)
            else:
                codes = load_shared(own + lane % 4 * 8 + g * GROUP, words=2)
                scale = load_shared_f32(own + (self.groups * GROUP + g * 4))
                acc = multiply_blocks(weights[g], exponents[g], codes, [scale, scale], acc)
        if lane % 4 == 0:
            for t in cutlass.range_constexpr(2):
                for half in cutlass.range_constexpr(2):
                    row = t * 16 + half * 8 + lane // 4
                    store_shared_f32(partial + (warp * ROWS + row) * 4, acc[t][2 * half])
        barrier()  # the sums of all warps are there
        if warp == 0:
            self.finish(partial, lane, hidden + (Int64(pick) * (UNIT * self.width) + Int64(tile * (ROWS // 2))) * 2)

    @cute.jit
    def stage(self, target: Int32, inverse: Int32, source: Int64, lane: Int32) -> None:
        """Put this warp's columns into shared memory, scaled, and the inverse of the scale, or those of the blocks."""
        count = self.groups * GROUP // LANE_VALUES
        places = [cutlass.min(lane + i * WARP, Int32(count - 1)) for i in range(self.rounds)]
        values = [
            [from_bits(word) for half in range(2) for word in load(source + Int64(place) * 32 + half * 16)]
            for place in places
        ]
        if cutlass.const_expr(self.act == "mxfp8"):
            words = [[pack_bf16(eight[2 * j], eight[2 * j + 1]) for j in range(4)] for eight in values]
            stage_blocks(target, target + self.groups * GROUP, 4, words, lane, self.groups * GROUP)
        else:
            largest = Float32(0.0)
            for eight in values:
                for value in eight:
                    largest = maximum(largest, absolute(value))
            scale, back = row_scale(from_bits(Uint32(cute.arch.warp_redux_sync(bits(largest), "umax"))))
            for i in cutlass.range_constexpr(self.rounds):
                scaled = [value * scale for value in values[i]]
                # Lanes beyond the last columns hold them as well, and write the same words.
                store_shared(target + places[i] * 16, [pack_f16(scaled[2 * j], scaled[2 * j + 1]) for j in range(4)])
            store_shared_f32(inverse, back)

    @cute.jit
    def finish(self, partial: Int32, lane: Int32, target: Int64) -> None:
        """Add the warps' sums in order, unscaled, a row a lane; gate and linear rows meet eight lanes away."""
        total = Float32(0.0)
        for other in cutlass.range_constexpr(self.warps):
            own = load_shared_f32(partial + (other * ROWS + lane) * 4)
            if cutlass.const_expr(self.act == "bf16"):
                own = own * load_shared_f32(partial + (self.warps * ROWS + other) * 4)
            total = total + own
        total = total * CODE_SCALE
        linear = cute.arch.shuffle_sync_bfly(total, ROWS // 4)
        value = situ(total, linear, beta=self.beta, linear_beta=self.linear_beta)
        if cutlass.const_expr(self.act == "mxfp8"):
            value = round_to_odd(value)
        if lane // 8 % 2 == 0:
            store_bf16(target + Int64(lane // 16 * 8 + lane % 8) * 2, value)
