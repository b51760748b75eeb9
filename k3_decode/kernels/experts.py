# mypy: allow-untyped-decorators
"""The routed experts from MXFP4, in two kernels: gate and linear rows with SiTU, then output rows and weighted sum.

Equals `k3_decode.reference.moe.routed_experts` with bfloat16 activations: weights are exact, products accumulate in
float32. Activations enter as float16 scaled by a power of two of their row, which holds every bfloat16 within 2^-24 of
the row's largest exactly (`k3_decode.kernels.route` makes them of the latent).

How a nibble becomes a float16 is in `k3_decode.kernels.parts.mxfp4`.

`ExpertUp`: a block serves a unit (one expert, up to 8 tokens) and 32 weight rows; its warps divide K. It releases its
successor only after its own wait, so that what routing wrote is settled for `ExpertDown` before that kernel's wait.
`ExpertDown`: a block serves a token and 32 output rows; its warps divide the token's experts and add ``w_e * W2_e h``
in expert order, so no atomics and no second pass over the sum. Tokens that share an expert meet its rows in L2. Its
first weights are on their way while `ExpertUp` still runs.
"""

from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import situ
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
    on_hopper,
)
from k3_decode.kernels.parts.memory import (
    copy_to_shared,
    load,
    load_f32,
    load_shared,
    load_shared_f32,
    load_static,
    store_bf16,
    store_f32,
    store_shared,
    store_shared_f32,
    wait_for_copies,
)
from k3_decode.kernels.parts.mxfp4 import CODE_SCALE, load_scales, multiply, pack_row, row_largest, row_scale
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors, warp_max

WARPS = 4
THREADS = WARPS * WARP
UNIT = 8
GROUP = 32
"""Weights that share a scale, the columns of one 16-byte load of a lane."""
ROWS = 32
"""Weight rows of a warp's tile, two tensor-core tiles."""
UP_IN_FLIGHT, UP_RESIDENT = {1: 7, 8: 14}, {1: 4, 8: 3}
DOWN_IN_FLIGHT, RESIDENT = 10, 3
"""Weight loads of a lane in flight, in the first half by a unit's tokens, and blocks of four warps a multiprocessor,
whose registers they must leave room for. Four blocks of 8 tokens take all of its shared memory: alone they are a little
faster (891 MB in 231 us with 10 loads each, 237 with 14 in three), but nothing of the second half can start beside
them, and a layer of 8 rows took 106 us instead of 92 (H200, 2026-11-30)."""
SCALES_AHEAD = 16
"""Groups whose scales are loaded before they are needed."""


@dataclass(frozen=True)
class ExpertUp:
    """``h = situ(W1 z, W3 z)`` for every unit.

    Attributes:
        latent: Columns, a multiple of 128.
        width: Intermediate width of an expert on this rank, a multiple of 16.
        columns: Most tokens of a unit: 1, where a step has one row, or 8.
        beta: Bound of SiTU's gate.
        linear_beta: Bound of SiTU's linear half.
    """

    latent: int
    width: int
    columns: int
    beta: float = 4.0
    linear_beta: float | None = 25.0

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"expert_up_{self.latent}_{self.width}_columns{self.columns}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        tiles, groups = 2 * self.width // ROWS, self.latent // GROUP
        return (
            Argument("w", "i32", ("e", tiles, groups, WARP, 4), static=True, stream=True),
            Argument("scales", "i32", ("e", tiles, 8, groups), static=True),
            Argument("scaled", "i32", ("m", self.latent // 2)),
            Argument("inverses", "f32", ("m",), aligned=False),
            Argument("unit_experts", "i32", ("u",), aligned=False),
            Argument("unit_tokens", "i32", ("u", UNIT)),
            Argument("hidden", "bf16", ("u", UNIT, self.width)),
        )

    @property
    def contract(self) -> Contract:
        """All weights come after the wait, because the step chooses the expert."""
        return Contract(after_wait={"w": self.groups}, products=4 * self.groups)

    @property
    def groups(self) -> int:
        """Groups of a warp."""
        return self.latent // GROUP // WARPS

    @property
    def resident(self) -> int:
        """Blocks a multiprocessor; on Blackwell the registers of one fewer, where this number of blocks spills."""
        return UP_RESIDENT[self.columns] if on_hopper() else RESIDENT

    @property
    def pitch(self) -> int:
        """Bytes between staged rows."""
        return self.latent * 2

    @cute.jit
    def __call__(
        self, w: Tensor, scales: Tensor, scaled: Tensor, inverses: Tensor, unit_experts: Tensor, unit_tokens: Tensor,
        hidden: Tensor, stream: Stream,
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            w: Packed gate and linear rows (`k3_decode.kernels.packing`).
            scales: Their exponents.
            scaled: ``[M, L / 2]`` pairs of float16, what `RouteRank` wrote.
            inverses: ``[M]`` likewise.
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
            stream=stream, use_pdl=True, min_blocks_per_mp=self.resident, preferred_smem_carveout=-1,
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
        staged_words = max(self.columns * self.pitch // 4, WARPS * ROWS * UNIT)
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
            in_flight = min(UP_IN_FLIGHT[self.columns], self.groups)
            weights = [load_static(base + g * WARP * 16) for g in range(in_flight)]
            self.stage(shared, thread, scaled, tokens)
            table = scales + ((block * 8 + Int64(lane // 4)) * all_groups + Int64(warp * self.groups)) * 4
            width = next(words for words in (4, 2, 1) if self.groups % words == 0)
            near = min(self.groups, SCALES_AHEAD)
            exponents = load_scales(table, near, width)
            wait_for_copies()
            barrier()  # the unit's tokens are staged
            acc = [[Float32(0.0) for _ in range(4)] for _ in range(2)]
            token = cutlass.min(lane // 4, Int32(self.columns - 1))
            # Odd rows swap the halves of every 128 bytes, so that the eight lanes of a phase meet no bank twice.
            source = shared + token * self.pitch + warp * (self.groups * GROUP * 2) + lane % 4 * 16
            swap = token % 2 * (GROUP * 2) * (1 - 2 * (warp * self.groups % 2))
            sources = [source + swap, source - swap]
            for g in cutlass.range_constexpr(self.groups):
                if cutlass.const_expr(g % width == 0 and g + near < self.groups):
                    exponents = exponents + load_scales(table + (g + near) * 4, width, width)
                if cutlass.const_expr(g + in_flight < self.groups):
                    weights.append(load_static(base + (g + in_flight) * WARP * 16))
                acc = multiply(weights[g], exponents[g], load_shared(sources[g % 2] + g * GROUP * 2), acc)
            barrier()  # all warps have read the tokens that the partial sums replace
            self.finish(shared, inverses, thread, acc, tile, unit, unit_tokens, hidden)

    def tokens(self, source: Address) -> list[Value]:
        """Load the unit's tokens, all at once; a step of one row has only token 0."""
        if self.columns == 1:
            return [Int32(0)]
        return [Int32(word) for half in range(UNIT // 4) for word in load(source + half * 16)]

    @cute.jit
    def stage(self, shared: Int32, thread: Int32, scaled: Int64, tokens: list[Value]) -> None:
        """Start copying the unit's tokens; the place of a token that is not there keeps whatever it holds.

        A column of a product depends on its own token alone, and columns without a token are never written.
        """
        units = self.latent // 8
        for column in cutlass.range_constexpr(self.columns):
            if tokens[column] >= 0:
                row = scaled + Int64(tokens[column]) * (self.latent * 2)
                for i in cutlass.range_constexpr((units + THREADS - 1) // THREADS):
                    unit = thread + i * THREADS
                    if unit < units:
                        place = unit ^ 4 if column % 2 else unit
                        copy_to_shared(shared + column * self.pitch + place * 16, row + Int64(unit) * 16, Int32(16))

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
        if token >= 0 and column < self.columns:
            row = place // 8 * 16 + place % 8
            gate, linear = Float32(0.0), Float32(0.0)
            for other in cutlass.range_constexpr(WARPS):
                gate = gate + load_shared_f32(shared + ((other * ROWS + row) * UNIT + column) * 4)
                linear = linear + load_shared_f32(shared + ((other * ROWS + row + 8) * UNIT + column) * 4)
            inverse = load_f32(inverses + Int64(token) * 4) * CODE_SCALE
            value = situ(gate * inverse, linear * inverse, beta=self.beta, linear_beta=self.linear_beta)
            store_bf16(hidden + (Int64(unit * UNIT + column) * self.width + Int64(tile * 16 + place)) * 2, value)


@dataclass(frozen=True)
class ExpertDown:
    """``r = sum_e w_e W2_e h_e`` for every token.

    Attributes:
        latent: Output rows, a multiple of 32.
        width: Intermediate width of an expert on this rank, a multiple of 32.
        top_k: Experts of a token, a multiple of ``warps``.
        warps: Warps of a block: 4, or more where a step has so few rows that blocks are fewer than multiprocessors.
    """

    latent: int
    width: int
    top_k: int
    warps: int = WARPS

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"expert_down_{self.latent}_{self.width}_top{self.top_k}_warps{self.warps}"

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
        """The first weights come before the wait: `ExpertUp` is released when routing has chosen the experts."""
        early = min(DOWN_IN_FLIGHT, self.loads)
        return Contract(before_wait={"w": early}, after_wait={"w": self.loads - early}, products=4 * self.loads)

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
        """Bytes between staged rows."""
        return self.width * 2

    @cute.jit
    def __call__(
        self, w: Tensor, scales: Tensor, hidden: Tensor, ids: Tensor, weights: Tensor, places: Tensor, out: Tensor,
        stream: Stream,
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            w: Packed output rows (`k3_decode.kernels.packing`).
            scales: Their exponents.
            hidden: ``[U, 8, I]`` what `ExpertUp` wrote.
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
        in_flight = min(DOWN_IN_FLIGHT, len(order))
        bases = [w + (block * (self.groups * WARP) + Int64(lane)) * 16 for block in blocks]
        stream = [load_static(bases[i] + g * WARP * 16) for i, g in order[:in_flight]]
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
            source = shared + (warp * own + i) * self.pitch + lane % 4 * 16
            if cutlass.const_expr(i + 1 < own):
                exponents.append(load_scales(tables[i + 1], self.groups))
            for g in cutlass.range_constexpr(self.groups):
                position = i * self.groups + g
                if cutlass.const_expr(position + in_flight < len(order)):
                    next_i, next_g = order[position + in_flight]
                    stream.append(load_static(bases[next_i] + next_g * WARP * 16))
                group = load_shared(source + g * GROUP * 2)
                acc = multiply(stream[position], exponents[i][g], group, acc, shifts=True)
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

    def load_row(self, source: Address, lane: Value) -> list[list[Value]]:
        """Load this lane's 8-value chunks of a hidden row, clamped to the last."""
        count = self.width // 8
        rounds = (count + WARP - 1) // WARP
        return [load(source + Int64(cutlass.min(lane + j * WARP, Int32(count - 1))) * 16) for j in range(rounds)]

    @cute.jit
    def stage(self, target: Int32, words: list[list[Value]], lane: Int32) -> Value:
        """Put one hidden row into shared memory as scaled float16 and return the inverse of its scale."""
        count = self.width // 8
        scale, inverse = row_scale(warp_max(row_largest(words)))
        for j in cutlass.range_constexpr(len(words)):
            packed = pack_row(words[j], scale)
            if lane + j * WARP < count:
                store_shared(target + (lane + j * WARP) * 16, packed)
        return inverse * CODE_SCALE
