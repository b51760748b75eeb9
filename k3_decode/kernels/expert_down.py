# mypy: allow-untyped-decorators
"""The second half of the routed experts, from MXFP4: output rows and their weighted sum, a token at a time.

Equals the second half of `k3_decode.reference.moe.routed_experts`: weights are exact, products accumulate in float32,
outputs are not rounded before they are added. The hidden activation, bfloat16 as the first half left it, enters as
float16 scaled by a power of two of its row, or is rounded to MXFP8.

A block serves a token and 32 output rows; its warps divide the token's experts and add ``w_e * W2_e h`` in expert
order, so no atomics and no second pass over the sum. Tokens that share an expert meet its rows in L2. Its first weights
are on their way while the first half still runs.
"""

from dataclasses import dataclass

from k3_decode.config import ExpertAct
from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.dsl import (
    Address,
    Float32,
    Int32,
    Int64,
    Stream,
    Tensor,
    Uint32,
    Value,
    cute,
    cutlass,
)
from k3_decode.kernels.parts.memory import (
    after_arrival,
    load,
    load_f32,
    load_shared,
    load_shared_f32,
    load_static,
    store_f32,
    store_shared,
    store_shared_f32,
)
from k3_decode.kernels.parts.mxfp4 import CODE_SCALE, load_scales, multiply, pack_row, row_largest, row_scale
from k3_decode.kernels.parts.mxfp8 import multiply_blocks, stage_blocks
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors, warp_max

WARPS = 4
UNIT = 8
GROUP = 32
"""Weights that share a scale, the columns of one 16-byte load of a lane."""
ROWS = 32
"""Weight rows of a warp's tile, two tensor-core tiles."""
IN_FLIGHT, RESIDENT = 10, 3
"""Weight loads of a lane in flight unless a form says otherwise, and blocks of four warps a multiprocessor, whose
registers they must leave room for."""


@dataclass(frozen=True)
class ExpertDown:
    """``r = sum_e w_e W2_e h_e`` for every token.

    Attributes:
        latent: Output rows, a multiple of 32.
        width: Intermediate width of an expert on this rank, a multiple of 32.
        top_k: Experts of a token, a multiple of ``warps``.
        warps: Warps of a block: 4, or more where a step has so few rows that blocks are fewer than multiprocessors.
        act: How the hidden activation meets the weights.
        in_flight: Weight loads of a lane in flight, and before the wait.
        paced: Most of those that are under way at a time before the wait; 0 asks for all of them at once.
    """

    latent: int
    width: int
    top_k: int
    warps: int = WARPS
    act: ExpertAct = "bf16"
    in_flight: int = IN_FLIGHT
    paced: int = 0

    @property
    def name(self) -> str:
        """Symbol of this form."""
        form = f"expert_down_{self.latent}_{self.width}_top{self.top_k}_warps{self.warps}"
        if self.paced:
            form += f"_flight{self.in_flight}_paced{self.paced}"
        return form if self.act == "bf16" else f"{form}_{self.act}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        tiles = self.latent // ROWS
        return (
            Argument("w", "i32", ("e", tiles, self.groups, WARP, 4), static=True, stream=True),
            Argument("scales", "i32", ("e", tiles, 8, self.groups), static=True),
            Argument("hidden", "bf16", ("u", UNIT, self.width)),
            Argument("ids", "i32", ("m", self.top_k), settled=True),
            Argument("weights", "f32", ("m", self.top_k), aligned=False, settled=True),
            Argument("places", "i32", ("m", self.top_k), aligned=False, settled=True),
            Argument("out", "f32", ("m", self.latent)),
        )

    @property
    def contract(self) -> Contract:
        """The first weights come before the wait: the first half is released when routing has chosen the experts."""
        early, each = min(self.in_flight, self.loads), 4 if self.act == "bf16" else 2
        return Contract(before_wait={"w": early}, after_wait={"w": self.loads - early}, products=each * self.loads)

    @property
    def groups(self) -> int:
        """Groups of an expert's row."""
        return self.width // GROUP

    @property
    def loads(self) -> int:
        """16-byte weight loads of a lane."""
        return self.top_k // self.warps * self.groups

    @property
    def pitch(self) -> int:
        """Bytes between staged rows, which in MXFP8 have their blocks' scales behind them."""
        return self.width * 2 if self.act == "bf16" else -(-(self.width + self.groups * 4) // 16) * 16

    @cute.jit
    def __call__(
        self, w: Tensor, scales: Tensor, hidden: Tensor, ids: Tensor, weights: Tensor, places: Tensor, out: Tensor,
        stream: Stream,
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            w: Packed output rows (`k3_decode.kernels.packing`).
            scales: Their exponents.
            hidden: ``[U, 8, I]`` what `ExpertUp` or `ExpertUpRow` wrote.
            ids: ``[M, k]`` experts of each token.
            weights: ``[M, k]`` their weights.
            places: ``[M, k]`` their rows of ``hidden``.
            out: ``[M, L]`` gets the weighted sums.
            stream: Where to run.
        """
        self.body(
            w.iterator.toint(), scales.iterator.toint(), hidden.iterator.toint(), ids.iterator.toint(),
            weights.iterator.toint(), places.iterator.toint(), out.iterator.toint(),
        ).launch(
            grid=[cute.size(ids, mode=[0]), self.latent // ROWS, 1], block=[self.warps * WARP, 1, 1], stream=stream,
            use_pdl=True, min_blocks_per_mp=RESIDENT if self.warps == WARPS else 1,
            preferred_smem_carveout=-1,
        )  # fmt: skip

    @cute.kernel
    def body(
        self, w: Int64, scales: Int64, hidden: Int64, ids: Int64, weights: Int64, places: Int64, out: Int64
    ) -> None:
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        row, tile, _ = cute.arch.block_idx()
        lane, warp = thread % WARP, thread // WARP
        shared = cutlass.utils.SmemAllocator().allocate_array(
            Uint32, self.top_k * self.pitch // 4 + self.warps * ROWS, byte_alignment=128
        ).toint()  # fmt: skip
        partial = shared + self.top_k * self.pitch
        release_dependents()
        own = self.top_k // self.warps
        picks = [Int64(row) * self.top_k + Int64(warp * own + i) for i in range(own)]
        chosen_ids = [load(ids + pick * 4, words=1)[0] for pick in picks]
        places_words = [load(places + pick * 4, words=1)[0] for pick in picks]
        chosen = [load_f32(weights + pick * 4) for pick in picks]
        experts = [Int32(word) for word in chosen_ids]
        blocks = [Int64(expert) * (self.latent // ROWS) + Int64(tile) for expert in experts]
        order = [(i, g) for i in range(own) for g in range(self.groups)]
        in_flight = min(self.in_flight, len(order))
        bases = [w + (block * (self.groups * WARP) + Int64(lane)) * 16 for block in blocks]
        stream = self.first_weights([bases[i] + g * WARP * 16 for i, g in order[:in_flight]], experts[0])
        tables = [scales + (block * 8 + Int64(lane // 4)) * (self.groups * 4) for block in blocks]
        exponents = [load_scales(table, self.groups) for table in tables[:1]]
        rows = [Int64(word) for word in places_words]
        wait_for_predecessors()
        words = [self.load_row(hidden + place * (self.width * 2), lane) for place in rows]
        factors = [self.stage(shared + (warp * own + i) * self.pitch, words[i], lane) * chosen[i] for i in range(own)]
        cute.arch.sync_warp()  # a warp reads only the rows it has staged itself
        total = [Float32(0.0) for _ in range(4)]
        for i in cutlass.range_constexpr(own):
            acc = [[Float32(0.0) for _ in range(4)] for _ in range(2)]
            source = shared + (warp * own + i) * self.pitch
            if cutlass.const_expr(i + 1 < own):
                exponents.append(load_scales(tables[i + 1], self.groups))
            for g in cutlass.range_constexpr(self.groups):
                position = i * self.groups + g
                if cutlass.const_expr(position + in_flight < len(order)):
                    next_i, next_g = order[position + in_flight]
                    stream.append(load_static(bases[next_i] + next_g * WARP * 16))
                if cutlass.const_expr(self.act == "bf16"):
                    group = load_shared(source + lane % 4 * 16 + g * GROUP * 2)
                    acc = multiply(stream[position], exponents[i][g], group, acc, shifts=True)
                else:
                    codes = load_shared(source + lane % 4 * 8 + g * GROUP, words=2)
                    block = load_shared_f32(source + self.width + g * 4)
                    acc = multiply_blocks(stream[position], exponents[i][g], codes, [block, block], acc)
            for t in cutlass.range_constexpr(2):
                for half in cutlass.range_constexpr(2):
                    total[2 * t + half] = total[2 * t + half] + acc[t][2 * half] * factors[i]
        # All columns of the products are the same token, so each lane of a quad has all four rows.
        for i in cutlass.range_constexpr(4):
            store_shared_f32(partial + (warp * ROWS + i * 8 + lane // 4) * 4, total[i])
        barrier()  # the sums of all warps are there
        if thread < ROWS:
            result = load_shared_f32(partial + thread * 4)
            for other in cutlass.range_constexpr(1, self.warps):
                result = result + load_shared_f32(partial + (other * ROWS + thread) * 4)
            store_f32(out + (Int64(row) * self.latent + Int64(tile * ROWS + thread)) * 4, result)

    def first_weights(self, addresses: list[Value], expert: Value) -> list[list[Value]]:
        """Load what is asked for before the wait, each once the load `paced` before it has arrived."""
        stream: list[list[Value]] = []
        for position, address in enumerate(addresses):
            earlier = stream[position - self.paced] if 0 < self.paced <= position else None
            zero = Uint32(expert) >> Uint32(31)
            stream.append(load_static(address if earlier is None else after_arrival(address, earlier, zero)))
        return stream

    def load_row(self, source: Address, lane: Value) -> list[list[Value]]:
        """Load this lane's 8-value chunks of a hidden row, clamped to the last."""
        count = self.width // 8
        rounds = (count + WARP - 1) // WARP
        return [load(source + Int64(cutlass.min(lane + j * WARP, Int32(count - 1))) * 16) for j in range(rounds)]

    @cute.jit
    def stage(self, target: Int32, words: list[list[Value]], lane: Int32) -> Value:
        """Put one hidden row into shared memory, scaled; return what its sums are still to be multiplied by."""
        if cutlass.const_expr(self.act == "mxfp8"):
            stage_blocks(target, target + self.width, 4, words, lane, self.width)
            rest = Float32(CODE_SCALE)
        else:
            scale, inverse = row_scale(warp_max(row_largest(words)))
            for j in cutlass.range_constexpr(len(words)):
                packed = pack_row(words[j], scale)
                if lane + j * WARP < self.width // 8:
                    store_shared(target + (lane + j * WARP) * 16, packed)
            rest = inverse * CODE_SCALE
        return rest
