# mypy: allow-untyped-decorators
"""Routing: the exact top-k of every token, its weights, and the table of expert units, in one block.

Equals `k3_decode.reference.moe.route`: the largest of sigmoid + bias win, the lower id on ties, NaN last; weights are
the winners' sigmoids over their sum.

A warp ranks a token: each lane holds every 32nd expert as an order-preserving integer, and each round takes the
largest key of the warp, then the lowest id that has it, so the order is total and no float is compared. The table
groups tokens by expert, in ascending order of expert and token, at most `UNIT` tokens to a unit, so that the expert's
weights are read once for all of them.
"""

from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import bits, reciprocal, select_bits, sigmoid
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
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
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors, warp_sum

WARPS = 32
THREADS = WARPS * WARP
UNIT = 8
"""Tokens of one unit, the N side of one tensor-core instruction."""
MAX_ROWS = 64


@dataclass(frozen=True)
class Route:
    """One compiled form of the kernel.

    Attributes:
        experts: Number of experts, a multiple of 32, at most 1024.
        top_k: Experts of a token, at most 32.
        scaling: Factor of the weights.
    """

    experts: int
    top_k: int
    scaling: float = 1.0

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"route_{self.experts}_top{self.top_k}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("logits", "f32", ("m", "w"), strided=True, aligned=False),
            Argument("bias", "f32", (self.experts,), static=True),
            Argument("ids", "i32", ("m", self.top_k), aligned=False),
            Argument("weights", "f32", ("m", self.top_k), aligned=False),
            Argument("places", "i32", ("m", self.top_k), aligned=False),
            Argument("unit_experts", "i32", ("u",), aligned=False),
            Argument("unit_tokens", "i32", ("u", UNIT), aligned=False),
        )

    @property
    def contract(self) -> Contract:
        """The bias is read 4 bytes a thread; 1024 threads leave 64 registers each, two short of all keys."""
        return Contract(spill_budget=4)

    @property
    def keys(self) -> int:
        """Experts of a lane."""
        return self.experts // WARP

    @cute.jit
    def __call__(
        self, logits: Tensor, bias: Tensor, ids: Tensor, weights: Tensor, places: Tensor, unit_experts: Tensor,
        unit_tokens: Tensor, stream: Stream,
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            logits: ``[M, E]`` float32, M at most 64; rows may be strided.
            bias: ``[E]`` selection bias.
            ids: ``[M, k]`` gets expert ids, best first.
            weights: ``[M, k]`` gets their weights.
            places: ``[M, k]`` gets the row of each pick among the units' rows: unit * 8 + column.
            unit_experts: ``[U]`` gets the expert of each unit, -1 beyond the last; U is at least ``M * k``.
            unit_tokens: ``[U, 8]`` gets the tokens of each unit, -1 beyond its last.
            stream: Where to run.
        """
        self.body(
            logits.iterator.toint(), bias.iterator.toint(), ids.iterator.toint(), weights.iterator.toint(),
            places.iterator.toint(), unit_experts.iterator.toint(), unit_tokens.iterator.toint(),
            Int32(cute.size(logits, mode=[0])), Int32(logits.stride[0]), Int32(cute.size(unit_experts, mode=[0])),
        ).launch(grid=[1, 1, 1], block=[THREADS, 1, 1], stream=stream, use_pdl=True)  # fmt: skip

    @cute.kernel
    def body(
        self, logits: Int64, bias: Int64, ids: Int64, weights: Int64, places: Int64, unit_experts: Int64,
        unit_tokens: Int64, m: Int32, stride: Int32, units: Int32,
    ) -> None:  # fmt: skip
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        lane, warp = thread % WARP, thread // WARP
        shared = cutlass.utils.SmemAllocator().allocate_array(
            Uint32, 4 * THREADS + WARPS, byte_alignment=128
        ).toint()  # fmt: skip
        low, high, starts, offsets, totals = [shared + i * THREADS * 4 for i in range(5)]
        release_dependents()
        if thread < self.experts:
            store_shared_f32(offsets + thread * 4, load_static_f32(bias + Int64(thread) * 4))
        zero = Uint32(0)
        store_shared(low + thread * 4, [zero])
        store_shared(high + thread * 4, [zero])
        wait_for_predecessors()
        for unit in cutlass.range(thread, units, THREADS, unroll=1):
            nothing = Int32(-1)
            store(unit_experts + Int64(unit) * 4, [nothing])
            for i in cutlass.range_constexpr(UNIT // 4):
                store(unit_tokens + Int64(unit) * (UNIT * 4) + i * 16, [nothing, nothing, nothing, nothing])
        barrier()  # the masks are clear, and no unit of an older step is left

        for token in cutlass.range(warp, m, WARPS, unroll=1):
            self.rank(logits + Int64(token) * Int64(stride) * 4, offsets, ids, weights, token, lane, low, high)
        barrier()  # the masks name every token of every expert
        self.tabulate(low, high, starts, totals, thread, unit_experts)
        for pick in cutlass.range(thread, m * self.top_k, THREADS, unroll=1):
            token = pick // self.top_k
            expert = Int32(load(ids + Int64(pick) * 4, words=1)[0])
            before = self.tokens_before(low, high, expert, token)
            place = Int32(load_shared(starts + expert * 4, words=1)[0]) * UNIT + before
            store(places + Int64(pick) * 4, [place])
            store(unit_tokens + Int64(place) * 4, [token])

    @cute.jit
    def rank(
        self, logits: Int64, offsets: Int32, ids: Int64, weights: Int64, token: Int32, lane: Int32, low: Int32,
        high: Int32,
    ) -> None:  # fmt: skip
        """Rank one token's experts; lane ``k`` of the warp writes the pick of round ``k``."""
        keys = [
            self.key(
                sigmoid(load_f32(logits + (Int64(lane) + i * WARP) * 4))
                + load_shared_f32(offsets + (lane + i * WARP) * 4)
            )
            for i in range(self.keys)
        ]
        pick = Int32(0)
        for k in cutlass.range_constexpr(self.top_k):
            best, place = keys[0], Int32(0)
            for i in cutlass.range_constexpr(1, self.keys):
                better = keys[i] > best
                best = keys[i] if better else best
                place = Int32(i) if better else place
            largest = cute.arch.warp_redux_sync(best, "umax")
            candidate = Uint32(place * WARP + lane) if best == largest else Uint32(0xFFFFFFFF)
            winner = Int32(cute.arch.warp_redux_sync(candidate, "umin"))
            pick = winner if lane == k else pick
            for i in cutlass.range_constexpr(self.keys):
                keys[i] = Uint32(0) if winner == i * WARP + lane else keys[i]
        picked = lane < self.top_k
        score = sigmoid(load_f32(logits + Int64(pick) * 4))
        score = score if picked else Float32(0.0)
        total = warp_sum(score)
        if picked:
            at = (Int64(token) * self.top_k + Int64(lane)) * 4
            store(ids + at, [pick])
            store_f32(weights + at, score * reciprocal(total + 1e-20) * self.scaling)
            mask = (low if token < WARP else high) + pick * 4
            cute.arch.inline_ptx(
                "red.shared.or.b32 [{$r0}], {$r1};", read_only_args=[mask, Uint32(1) << Uint32(token % WARP)]
            )

    def key(self, score: Value) -> Value:
        """Map a score to an integer of the same order: -0 with +0, NaN at 1, and 0 left for a taken expert."""
        word = bits(score + 0.0)
        return cute.arch.inline_ptx(
            "{ .reg .pred n, p; .reg .b32 a, b; setp.nan.f32 n, {$r1}, {$r1}; setp.lt.s32 p, {$r0}, 0; "
            "not.b32 a, {$r0}; or.b32 b, {$r0}, 0x80000000; selp.b32 a, a, b, p; selp.b32 {$w0}, 1, a, n; }",
            write_only_types=[Uint32], read_only_args=[word, score],
        )  # fmt: skip

    def tokens_before(self, low: Value, high: Value, expert: Value, token: Value) -> Value:
        """Count the tokens of an expert with a smaller index."""
        words = [load_shared(mask + expert * 4, words=1)[0] for mask in (low, high)]
        below = (Uint32(1) << Uint32(token % WARP)) - 1
        late = Uint32(token // WARP)
        full = Uint32(0xFFFFFFFF)
        in_low = words[0] & select_bits(late, full, below)
        in_high = words[1] & select_bits(late, below, Uint32(0))
        return Int32(cute.arch.popc(in_low)) + Int32(cute.arch.popc(in_high))

    @cute.jit
    def tabulate(
        self, low: Int32, high: Int32, starts: Int32, totals: Int32, thread: Int32, unit_experts: Int64
    ) -> None:
        """Give each expert its run of units: an exclusive sum of units over experts, one expert a thread."""
        lane, warp = thread % WARP, thread // WARP
        tokens = Int32(0)
        if thread < self.experts:
            tokens = Int32(cute.arch.popc(load_shared(low + thread * 4, words=1)[0])) + Int32(
                cute.arch.popc(load_shared(high + thread * 4, words=1)[0])
            )
        count = (tokens + UNIT - 1) // UNIT
        inclusive = count
        for i in cutlass.range_constexpr(5):
            other = cute.arch.shuffle_sync_up(inclusive, 1 << i, mask_and_clamp=0)
            inclusive = inclusive + (other if lane >= (1 << i) else Int32(0))
        if lane == WARP - 1:
            store_shared(totals + warp * 4, [inclusive])
        barrier()  # the sums of all warps are there
        first = inclusive - count
        for other in cutlass.range_constexpr(WARPS):
            before = Int32(load_shared(totals + other * 4, words=1)[0])
            first = first + (before if other < warp else Int32(0))
        store_shared(starts + thread * 4, [first])
        for i in cutlass.range(count):
            store(unit_experts + Int64(first + i) * 4, [thread])
        barrier()  # the starts of all experts are there
