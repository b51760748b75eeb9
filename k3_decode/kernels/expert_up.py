# mypy: allow-untyped-decorators
"""The first half of the routed experts, from MXFP4: gate and linear rows with SiTU.

Equals the first half of `k3_decode.reference.moe.routed_experts`: weights are exact, products accumulate in float32.
With bfloat16 activations the latent enters as float16 scaled by a power of two of its row, which holds every bfloat16
within 2^-24 of the row's largest exactly; with MXFP8 as e4m3 with a scale for every 32. `k3_decode.kernels.route` makes
either of the latent. How a nibble becomes an operand is in `k3_decode.kernels.parts.mxfp4` and
`k3_decode.kernels.parts.mxfp8`.

A block serves a unit (one expert, up to 8 tokens) and 32 weight rows; its warps divide K. It releases its successor
only after its own wait, so that what routing wrote is settled for the second half before that kernel's wait.
"""

from dataclasses import dataclass

from k3_decode.config import ExpertAct
from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import from_bits, situ
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
    copy_to_shared,
    load,
    load_f32,
    load_shared,
    load_shared_f32,
    load_static,
    store_bf16,
    store_shared_f32,
    wait_for_copies,
)
from k3_decode.kernels.parts.mxfp4 import CODE_SCALE, load_scales, multiply
from k3_decode.kernels.parts.mxfp8 import multiply_blocks, round_to_odd
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors
from k3_decode.kernels.route import latent_arguments

WARPS = 4
THREADS = WARPS * WARP
UNIT = 8
GROUP = 32
"""Weights that share a scale, the columns of one 16-byte load of a lane."""
ROWS = 32
"""Weight rows of a warp's tile, two tensor-core tiles."""
IN_FLIGHT, RESIDENT = 14, 3
"""Weight loads of a lane in flight, and blocks of four warps a multiprocessor, whose registers they must leave room
for. Four blocks take all of its shared memory: alone they are a little faster (891 MB in
231 us with 10 loads each, 237 with 14 in three), but nothing of the second half can start beside them, and a layer of 8
rows took 106 us instead of 92 (H200, 2026-11-30)."""
SCALES_AHEAD = 16
"""Groups whose scales are loaded before they are needed."""


@dataclass(frozen=True)
class ExpertUp:
    """``h = situ(W1 z, W3 z)`` for every unit.

    Attributes:
        latent: Columns, a multiple of 128.
        width: Intermediate width of an expert on this rank, a multiple of 16.
        beta: Bound of SiTU's gate.
        linear_beta: Bound of SiTU's linear half.
        act: How the latent is given.
    """

    latent: int
    width: int
    beta: float = 4.0
    linear_beta: float | None = 25.0
    act: ExpertAct = "bf16"

    @property
    def name(self) -> str:
        """Symbol of this form."""
        form = f"expert_up_{self.latent}_{self.width}"
        return form if self.act == "bf16" else f"{form}_{self.act}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        tiles, groups = 2 * self.width // ROWS, self.latent // GROUP
        return (
            Argument("w", "i32", ("e", tiles, groups, WARP, 4), static=True, stream=True),
            Argument("scales", "i32", ("e", tiles, 8, groups), static=True),
            *latent_arguments(self.latent, self.act),
            Argument("unit_experts", "i32", ("u",), aligned=False),
            Argument("unit_tokens", "i32", ("u", UNIT)),
            Argument("hidden", "bf16", ("u", UNIT, self.width)),
        )

    @property
    def contract(self) -> Contract:
        """All weights come after the wait, because the step chooses the expert."""
        return Contract(after_wait={"w": self.groups}, products=(4 if self.act == "bf16" else 2) * self.groups)

    @property
    def groups(self) -> int:
        """Groups of a warp."""
        return self.latent // GROUP // WARPS

    @property
    def pitch(self) -> int:
        """Bytes between staged rows; where they are codes, so far from a multiple of 128 that lanes share no bank."""
        return self.latent * 2 if self.act == "bf16" else self.latent + 32

    @property
    def scale_pitch(self) -> int:
        """Bytes between the staged scales of two rows."""
        return 0 if self.act == "bf16" else self.latent // GROUP * 4 + 16

    @cute.jit
    def __call__(
        self, w: Tensor, scales: Tensor, scaled: Tensor, inverses: Tensor, unit_experts: Tensor, unit_tokens: Tensor,
        hidden: Tensor, stream: Stream,
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            w: Packed gate and linear rows (`k3_decode.kernels.packing`).
            scales: Their exponents.
            scaled: The latent as `RouteRank` wrote it.
            inverses: Its scales, likewise.
            unit_experts: ``[U]`` expert of each unit, -1 for none.
            unit_tokens: ``[U, 8]`` its tokens, -1 for none.
            hidden: ``[U, 8, I]`` gets the activations of the units' tokens; other rows are left as they are.
            stream: Where to run.
        """
        self.body(
            w.iterator.toint(), scales.iterator.toint(), scaled.iterator.toint(), inverses.iterator.toint(),
            unit_experts.iterator.toint(), unit_tokens.iterator.toint(), hidden.iterator.toint(),
        ).launch(
            grid=[2 * self.width // ROWS, cute.size(unit_experts, mode=[0]), 1], block=[THREADS, 1, 1],
            stream=stream, use_pdl=True, min_blocks_per_mp=RESIDENT, preferred_smem_carveout=-1,
        )  # fmt: skip

    @cute.kernel
    def body(
        self, w: Int64, scales: Int64, scaled: Int64, inverses: Int64, unit_experts: Int64, unit_tokens: Int64,
        hidden: Int64,
    ) -> None:  # fmt: skip
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        tile, unit, _ = cute.arch.block_idx()
        lane, warp = thread % WARP, thread // WARP
        staged_words = max(UNIT * (self.pitch + self.scale_pitch) // 4, WARPS * ROWS * UNIT)
        shared = cutlass.utils.SmemAllocator().allocate_array(Uint32, staged_words, byte_alignment=128).toint()
        wait_for_predecessors()
        release_dependents()  # only now: the successor reads what routing wrote before it waits
        found = load(unit_experts + Int64(unit) * 4, words=1)[0]
        tokens = self.tokens(unit_tokens + Int64(unit) * (UNIT * 4))
        expert = Int32(found)
        if expert >= 0:
            tiles, all_groups = 2 * self.width // ROWS, self.latent // GROUP
            block = Int64(expert) * tiles + Int64(tile)
            base = w + ((block * all_groups + Int64(warp * self.groups)) * WARP + Int64(lane)) * 16
            in_flight = min(IN_FLIGHT, self.groups)
            weights = [load_static(base + g * WARP * 16) for g in range(in_flight)]
            self.stage(shared, thread, scaled, inverses, tokens)
            table = scales + ((block * 8 + Int64(lane // 4)) * all_groups + Int64(warp * self.groups)) * 4
            width = next(words for words in (4, 2, 1) if self.groups % words == 0)
            near = min(self.groups, SCALES_AHEAD)
            exponents = load_scales(table, near, width)
            wait_for_copies()
            barrier()  # the unit's tokens are staged
            acc = [[Float32(0.0) for _ in range(4)] for _ in range(2)]
            token = lane // 4
            if cutlass.const_expr(self.act == "bf16"):
                # Odd rows swap the halves of every 128 bytes, so that the eight lanes of a phase meet no bank twice.
                source = shared + token * self.pitch + warp * (self.groups * GROUP * 2) + lane % 4 * 16
                swap = token % 2 * (GROUP * 2) * (1 - 2 * (warp * self.groups % 2))
                sources = [source + swap, source - swap]
            else:
                sources = [shared + token * self.pitch + warp * (self.groups * GROUP) + lane % 4 * 8]
                sources += self.scale_rows(shared, lane % 4 * 2, warp)
                blocks = []
            for g in cutlass.range_constexpr(self.groups):
                if cutlass.const_expr(g % width == 0 and g + near < self.groups):
                    exponents = exponents + load_scales(table + (g + near) * 4, width, width)
                if cutlass.const_expr(g + in_flight < self.groups):
                    weights.append(load_static(base + (g + in_flight) * WARP * 16))
                if cutlass.const_expr(self.act == "bf16"):
                    acc = multiply(weights[g], exponents[g], load_shared(sources[g % 2] + g * GROUP * 2), acc)
                else:
                    if cutlass.const_expr(g % width == 0):
                        blocks = [load_shared(row + g * 4, words=width) for row in sources[1:]]
                    factors = [from_bits(row[g % width]) for row in blocks]
                    codes = load_shared(sources[0] + g * GROUP, words=2)
                    acc = multiply_blocks(weights[g], exponents[g], codes, factors, acc)
            barrier()  # all warps have read the tokens that the partial sums replace
            self.finish(shared, inverses, thread, acc, tile, unit, unit_tokens, hidden)

    def tokens(self, source: Address) -> list[Value]:
        """Load the unit's tokens, all at once."""
        return [Int32(word) for half in range(UNIT // 4) for word in load(source + half * 16)]

    def scale_rows(self, shared: Value, first: Value, warp: Value) -> list[Value]:
        """Give where the scales of two tokens lie that a lane holds sums of, from this warp's first group on."""
        rows = shared + UNIT * self.pitch + warp * (self.groups * 4)
        return [rows + (first + i) * self.scale_pitch for i in range(2)]

    @cute.jit
    def stage(self, shared: Int32, thread: Int32, scaled: Int64, inverses: Int64, tokens: list[Value]) -> None:
        """Start copying the unit's tokens; the place of a token that is not there keeps whatever it holds.

        A column of a product depends on its own token alone, and columns without a token are never written.
        """
        size = self.latent * (2 if self.act == "bf16" else 1)
        units, scales = size // 16, shared + UNIT * self.pitch
        for column in cutlass.range_constexpr(UNIT):
            if tokens[column] >= 0:
                row = scaled + Int64(tokens[column]) * size
                for i in cutlass.range_constexpr((units + THREADS - 1) // THREADS):
                    unit = thread + i * THREADS
                    if unit < units:
                        place = unit ^ 4 if column % 2 and self.act == "bf16" else unit
                        copy_to_shared(shared + column * self.pitch + place * 16, row + Int64(unit) * 16, Int32(16))
                if cutlass.const_expr(self.act == "mxfp8"):
                    count = self.latent // GROUP // 4
                    source = inverses + Int64(tokens[column]) * (count * 16)
                    for i in cutlass.range_constexpr((count + THREADS - 1) // THREADS):
                        unit = thread + i * THREADS
                        if unit < count:
                            target = scales + column * self.scale_pitch + unit * 16
                            copy_to_shared(target, source + Int64(unit) * 16, Int32(16))

    @cute.jit
    def finish(
        self, shared: Int32, inverses: Int64, thread: Int32, acc: list[list[Value]], tile: Int32, unit: Int32,
        unit_tokens: Int64, hidden: Int64,
    ) -> None:  # fmt: skip
        """Add the warps' partial sums in order, activate, and write: one unit of hidden width and token a thread."""
        lane, warp = thread % WARP, thread // WARP
        group, quad = lane // 4, lane % 4
        for t in cutlass.range_constexpr(2):
            for i in cutlass.range_constexpr(4):
                row, column = t * 16 + group + 8 * (i // 2), quad * 2 + i % 2
                store_shared_f32(shared + ((warp * ROWS + row) * UNIT + column) * 4, acc[t][i])
        barrier()  # the partial sums of all warps are there
        column, place = thread // 16, thread % 16
        token = Int32(load(unit_tokens + Int64(unit * UNIT + column) * 4, words=1)[0])
        if token >= 0:
            row = place // 8 * 16 + place % 8
            gate, linear = Float32(0.0), Float32(0.0)
            for other in cutlass.range_constexpr(WARPS):
                gate = gate + load_shared_f32(shared + ((other * ROWS + row) * UNIT + column) * 4)
                linear = linear + load_shared_f32(shared + ((other * ROWS + row + 8) * UNIT + column) * 4)
            inverse = Float32(CODE_SCALE)
            if cutlass.const_expr(self.act == "bf16"):
                inverse = inverse * load_f32(inverses + Int64(token) * 4)
            value = situ(gate * inverse, linear * inverse, beta=self.beta, linear_beta=self.linear_beta)
            if cutlass.const_expr(self.act == "mxfp8"):
                value = round_to_odd(value)
            store_bf16(hidden + (Int64(unit * UNIT + column) * self.width + Int64(tile * 16 + place)) * 2, value)
