# mypy: allow-untyped-decorators
"""Output rows of the routed experts by unit, and their weighted sum: the second half where a step has many rows.

Equals `k3_decode.kernels.expert_down.ExpertDown`. There a block serves a token, and weights that tokens share are
decoded for each of them. Here a block serves a unit, up to 8 tokens of one expert, so that they are decoded once; the
units' rows go through memory, and `ExpertSum` adds each token's in expert order.

A block of `ExpertDownUnits` streams a share of the expert's output rows through its four warps without a break: the
loads of the next 32 rows are in flight while those of the present ones are multiplied. What routing wrote is settled
before the wait and read there, so that a block without a unit has nothing to wait for behind it.
"""

from dataclasses import dataclass

from k3_decode.config import ExpertAct
from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import bits, from_bits
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import (
    load,
    load_f32,
    load_shared,
    load_shared_f32,
    load_static,
    store,
    store_f32,
    store_shared,
    store_shared_f32,
)
from k3_decode.kernels.parts.mxfp4 import CODE_SCALE, load_scales, multiply, pack_row, row_largest, row_scale
from k3_decode.kernels.parts.mxfp8 import multiply_blocks, stage_blocks
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors, warp_max

WARPS = 4
THREADS = WARPS * WARP
UNIT = 8
GROUP = 32
"""Weights that share a scale, the columns of one 16-byte load of a lane."""
ROWS = 32
"""Weight rows of a warp's tile, two tensor-core tiles."""
MOST_PARTS = 7
IN_FLIGHT = 8
"""Weight loads of a lane in flight, few enough for `RESIDENT` blocks a multiprocessor: of an expert's 445 MB in 127 us,
where 14 in three took 133 (H200, 2026-11-30)."""
RESIDENT = 4


@dataclass(frozen=True)
class ExpertDownUnits:
    """``r = W2_e h`` for every token of every unit.

    Attributes:
        latent: Output rows, a multiple of 128.
        width: Intermediate width of an expert on this rank, a multiple of 32.
        act: How the hidden activation meets the weights.
    """

    latent: int
    width: int
    act: ExpertAct = "bf16"

    @property
    def name(self) -> str:
        """Symbol of this form."""
        form = f"expert_down_units_{self.latent}_{self.width}"
        return form if self.act == "bf16" else f"{form}_{self.act}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        tiles = self.latent // ROWS
        return (
            Argument("w", "i32", ("e", tiles, self.groups, WARP, 4), static=True, stream=True),
            Argument("scales", "i32", ("e", tiles, 8, self.groups), static=True),
            Argument("hidden", "bf16", ("u", UNIT, self.width)),
            Argument("unit_experts", "i32", ("u",), aligned=False, settled=True),
            Argument("unit_tokens", "i32", ("u", UNIT), settled=True),
            Argument("rows", "f32", ("u", UNIT, self.latent)),
        )

    @property
    def contract(self) -> Contract:
        """All weights come after the wait: most blocks start long after the predecessor has ended."""
        loads = self.turns * self.groups
        return Contract(after_wait={"w": loads}, products=(4 if self.act == "bf16" else 2) * loads)

    @property
    def groups(self) -> int:
        """Groups of an expert's row."""
        return self.width // GROUP

    @property
    def parts(self) -> int:
        """Blocks that divide a unit's output rows."""
        tiles = self.latent // (ROWS * WARPS)
        return next(parts for parts in range(MOST_PARTS, 0, -1) if tiles % parts == 0)

    @property
    def turns(self) -> int:
        """Tiles of a warp."""
        return self.latent // (ROWS * WARPS) // self.parts

    @property
    def pitch(self) -> int:
        """Bytes between staged rows: so far from a multiple of 128 that 8 lanes meet no bank twice."""
        if self.act == "bf16":
            return self.width * 2 + (64 if self.width % 64 == 0 else 0)
        return self.width + (32 if self.width % 64 == 0 else 0)

    @property
    def scale_words(self) -> int:
        """Scales of a staged row: one, or one a block."""
        return 1 if self.act == "bf16" else self.groups

    @cute.jit
    def __call__(
        self, w: Tensor, scales: Tensor, hidden: Tensor, unit_experts: Tensor, unit_tokens: Tensor, rows: Tensor,
        stream: Stream,
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            w: Packed output rows (`k3_decode.kernels.packing`).
            scales: Their exponents.
            hidden: ``[U, 8, I]`` what `ExpertUp` wrote.
            unit_experts: ``[U]`` expert of each unit, -1 for none.
            unit_tokens: ``[U, 8]`` its tokens, -1 for none.
            rows: ``[U, 8, L]`` gets the products of the units' tokens; other rows are left as they are.
            stream: Where to run.
        """
        self.body(
            w.iterator.toint(), scales.iterator.toint(), hidden.iterator.toint(), unit_experts.iterator.toint(),
            unit_tokens.iterator.toint(), rows.iterator.toint(),
        ).launch(
            grid=[self.parts, cute.size(unit_experts, mode=[0]), 1], block=[THREADS, 1, 1], stream=stream,
            use_pdl=True, min_blocks_per_mp=RESIDENT, preferred_smem_carveout=-1,
        )  # fmt: skip

    @cute.kernel
    def body(
        self, w: Int64, scales: Int64, hidden: Int64, unit_experts: Int64, unit_tokens: Int64, rows: Int64
    ) -> None:
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        part, unit, _ = cute.arch.block_idx()
        lane, warp = thread % WARP, thread // WARP
        shared = cutlass.utils.SmemAllocator().allocate_array(
            Uint32, UNIT * self.pitch // 4 + UNIT * self.scale_words, byte_alignment=128
        ).toint()  # fmt: skip
        inverses = shared + UNIT * self.pitch
        release_dependents()
        found = load(unit_experts + Int64(unit) * 4, words=1)[0]
        words = [word for half in range(2) for word in load(unit_tokens + Int64(unit) * (UNIT * 4) + half * 16)]
        expert, tokens = Int32(found), [Int32(word) for word in words]
        wait_for_predecessors()
        if expert >= 0:
            tile = Int64(part * self.turns * WARPS + warp)
            first = Int64(expert) * (self.latent // ROWS) + tile
            order = [(i, g) for i in range(self.turns) for g in range(self.groups)]
            base = w + (first * (self.groups * WARP) + Int64(lane)) * 16
            table = scales + (first * 8 + Int64(lane // 4)) * (self.groups * 4)
            in_flight = min(IN_FLIGHT, len(order))
            weights = [load_static(base + self.offset(i, g)) for i, g in order[:in_flight]]
            exponents = [load_scales(table, self.groups)]
            source = hidden + Int64(unit) * (UNIT * self.width * 2)
            for i in cutlass.range_constexpr(UNIT // WARPS):
                self.stage(shared, inverses, source, warp * (UNIT // WARPS) + i, lane)
            barrier()  # the unit's tokens are staged
            group, quad = lane // 4, lane % 4
            staged = shared + group * self.pitch + quad * (16 if self.act == "bf16" else 8)
            inverse = [Float32(CODE_SCALE), Float32(CODE_SCALE)]
            if cutlass.const_expr(self.act == "bf16"):
                inverse = [load_shared_f32(inverses + (quad * 2 + i) * 4) for i in range(2)]
            own = [pick(tokens, quad * 2 + i) for i in range(2)]
            for i in cutlass.range_constexpr(self.turns):
                if cutlass.const_expr(i + 1 < self.turns):
                    exponents.append(load_scales(table + (i + 1) * WARPS * 8 * self.groups * 4, self.groups))
                acc = [[Float32(0.0) for _ in range(4)] for _ in range(2)]
                for g in cutlass.range_constexpr(self.groups):
                    position = i * self.groups + g
                    if cutlass.const_expr(position + in_flight < len(order)):
                        next_i, next_g = order[position + in_flight]
                        weights.append(load_static(base + self.offset(next_i, next_g)))
                    if cutlass.const_expr(self.act == "bf16"):
                        acc = multiply(weights[position], exponents[i][g], load_shared(staged + g * GROUP * 2), acc)
                    else:
                        blocks = load_shared(inverses + (g * UNIT + quad * 2) * 4, words=2)
                        factors = [from_bits(block) for block in blocks]
                        codes = load_shared(staged + g * GROUP, words=2)
                        acc = multiply_blocks(weights[position], exponents[i][g], codes, factors, acc)
                place = Int32(tile) * ROWS + i * WARPS * ROWS + group
                for t in cutlass.range_constexpr(2):
                    for j in cutlass.range_constexpr(4):
                        if own[j % 2] >= 0:
                            row = Int64(unit * UNIT + quad * 2 + j % 2) * self.latent
                            column = Int64(place + t * 16 + j // 2 * 8)
                            store_f32(rows + (row + column) * 4, acc[t][j] * inverse[j % 2])

    def offset(self, turn: int, group: int) -> int:
        """Give the byte offset of a group of a warp's tile of a turn."""
        return (turn * WARPS * self.groups + group) * (WARP * 16)

    @cute.jit
    def stage(self, shared: Int32, inverses: Int32, source: Int64, column: Int32, lane: Int32) -> None:
        """Put one token's hidden row into shared memory, scaled; of a token that is not there, anything."""
        count = self.width // 8
        rounds = (count + WARP - 1) // WARP
        places = [cutlass.min(lane + j * WARP, Int32(count - 1)) for j in range(rounds)]
        words = [load(source + (Int64(column) * count + Int64(place)) * 16) for place in places]
        if cutlass.const_expr(self.act == "mxfp8"):
            codes = shared + column * self.pitch
            stage_blocks(codes, inverses + column * 4, UNIT * 4, words, lane, self.width)
        else:
            scale, inverse = row_scale(warp_max(row_largest(words)))
            store_shared_f32(inverses + column * 4, inverse * CODE_SCALE)
            for j in cutlass.range_constexpr(rounds):
                packed = pack_row(words[j], scale)
                if lane + j * WARP < count:
                    store_shared(shared + column * self.pitch + (lane + j * WARP) * 16, packed)


@dataclass(frozen=True)
class ExpertSum:
    """``r = sum_k w_k rows[place_k]`` for every token, in the order of its picks.

    Attributes:
        latent: Width of a row, a multiple of 4.
        top_k: Picks of a token.
    """

    latent: int
    top_k: int

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"expert_sum_{self.latent}_top{self.top_k}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("rows", "f32", ("u", UNIT, self.latent)),
            Argument("weights", "f32", ("m", self.top_k), aligned=False),
            Argument("places", "i32", ("m", self.top_k), aligned=False),
            Argument("out", "f32", ("m", self.latent)),
        )

    @property
    def contract(self) -> Contract:
        """Nothing is read before the wait."""
        return Contract(after_wait={"rows": self.top_k})

    @cute.jit
    def __call__(self, rows: Tensor, weights: Tensor, places: Tensor, out: Tensor, stream: Stream) -> None:
        """Launch.

        Args:
            rows: ``[U, 8, L]`` what `ExpertDownUnits` wrote.
            weights: ``[M, k]`` weights of the picks.
            places: ``[M, k]`` their rows.
            out: ``[M, L]`` gets the sums.
            stream: Where to run.
        """
        self.body(
            rows.iterator.toint(), weights.iterator.toint(), places.iterator.toint(), out.iterator.toint()
        ).launch(
            grid=[(self.latent // 4 + THREADS - 1) // THREADS, cute.size(out, mode=[0]), 1], block=[THREADS, 1, 1],
            stream=stream, use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def body(self, rows: Int64, weights: Int64, places: Int64, out: Int64) -> None:
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        block, token, _ = cute.arch.block_idx()
        release_dependents()
        wait_for_predecessors()
        column = block * THREADS + thread
        at = Int64(cutlass.min(column, Int32(self.latent // 4 - 1))) * 16
        picks = [Int64(token * self.top_k + k) * 4 for k in range(self.top_k)]
        where = [load(places + pick, words=1)[0] for pick in picks]
        factors = [load_f32(weights + pick) for pick in picks]
        words = [load(rows + Int64(place) * (self.latent * 4) + at) for place in where]
        total = [Float32(0.0) for _ in range(4)]
        for k in cutlass.range_constexpr(self.top_k):
            for i in cutlass.range_constexpr(4):
                total[i] = total[i] + factors[k] * from_bits(words[k][i])
        if column < self.latent // 4:
            store(out + Int64(token) * (self.latent * 4) + at, [bits(value) for value in total])


def pick(values: list[Value], index: Value) -> Value:
    """Give one of a list's values by an index that is known when the kernel runs."""
    found = values[0]
    for i in range(1, len(values)):
        same = cutlass.max(Int32(1) - cutlass.max(index - i, i - index), Int32(0))  # 1 where the index is i, else 0
        found = found + (values[i] - found) * same
    return found
