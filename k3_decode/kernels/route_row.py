# mypy: allow-untyped-decorators
"""Routing of a step of one row: the exact top-k and its weights.

Equals `k3_decode.reference.moe.route`, as `k3_decode.kernels.route` does for several rows: the largest of sigmoid +
bias win, the lower id on ties, NaN last. A thread keeps one expert, as an order-preserving integer. The experts are
divided into k sets, whose k bests are k experts: so the top k are among those that are not below the least of the
bests, some sixty of 896. They are put up as candidates, in any order; a warp counts for each of its candidates those
that rank before it, two to four a lane. The order is total, so counts are places, and no float is compared.

It releases its successor only after its own wait, so that the latent, which the kernel before it wrote, is settled for
`k3_decode.kernels.expert_up_row`.
"""

from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import reciprocal, sigmoid
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import (
    load_f32,
    load_shared,
    load_shared_f32,
    load_static_f32,
    store,
    store_f32,
    store_shared,
    store_shared_f32,
)
from k3_decode.kernels.parts.ranking import key, named, precedes, ranked
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors, warp_sum
from k3_decode.kernels.route import UNIT

CHUNK = 2 * WARP
"""Candidates that a warp compares one with at once."""
ROUNDS = {1: 3, 2: 5}
"""Candidates of a warp that are counted without a loop, by the chunks they are compared with."""


@dataclass(frozen=True)
class RouteRow:
    """The top-k of one token.

    Attributes:
        experts: Number of experts, a multiple of 32, at most 1024.
        top_k: Experts of the token, at most 32.
        scaling: Factor of the weights.
    """

    experts: int
    top_k: int
    scaling: float = 1.0

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"route_row_{self.experts}_top{self.top_k}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("logits", "f32", (1, "w"), strided=True, aligned=False),
            Argument("bias", "f32", (self.experts,), static=True),
            Argument("ids", "i32", (1, self.top_k), aligned=False),
            Argument("weights", "f32", (1, self.top_k), aligned=False),
            Argument("places", "i32", (1, self.top_k), aligned=False),
        )

    @property
    def contract(self) -> Contract:
        """The bias is read 4 bytes a lane, so there is no 16-byte load to count."""
        return Contract()

    @property
    def warps(self) -> int:
        """Warps of the block."""
        return self.experts // WARP

    @property
    def parts(self) -> int:
        """Groups of lanes of a warp, so many that no fewer than ``top_k`` groups have a best."""
        return next(1 << i for i in range(6) if self.warps << i >= self.top_k)

    @property
    def bests(self) -> int:
        """Places of the groups' bests: a whole number for each of the ``top_k`` sets that they join."""
        return -(-self.warps * self.parts // self.top_k) * self.top_k

    @property
    def room(self) -> int:
        """Places of candidates, all that there may be and those that are read behind them."""
        return max(self.experts, ROUNDS[2] * self.warps, 2 * CHUNK) + CHUNK

    @cute.jit
    def __call__(
        self, logits: Tensor, bias: Tensor, ids: Tensor, weights: Tensor, places: Tensor, stream: Stream
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            logits: ``[1, E]`` float32.
            bias: ``[E]`` selection bias.
            ids: ``[1, k]`` gets expert ids, best first.
            weights: ``[1, k]`` gets their weights.
            places: ``[1, k]`` gets the row of each pick among the units' rows: each pick is a unit.
            stream: Where to run.
        """
        self.body(
            logits.iterator.toint(), bias.iterator.toint(), ids.iterator.toint(), weights.iterator.toint(),
            places.iterator.toint(),
        ).launch(grid=[1, 1, 1], block=[self.experts, 1, 1], stream=stream, use_pdl=True)  # fmt: skip

    @cute.kernel
    def body(self, logits: Int64, bias: Int64, ids: Int64, weights: Int64, places: Int64) -> None:
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        lane, warp = thread % WARP, thread // WARP
        candidates = cutlass.utils.SmemAllocator().allocate_array(
            Uint32, 2 * self.room + self.experts + self.bests + self.top_k + 1, byte_alignment=16
        ).toint()  # fmt: skip
        gates = candidates + self.room * 8
        bests = gates + self.experts * 4
        picks = bests + self.bests * 4
        count = picks + self.top_k * 4
        offset = load_static_f32(bias + Int64(thread) * 4)
        self.clear(candidates, bests, count, thread)
        barrier()  # there is no candidate, and no best
        wait_for_predecessors()
        release_dependents()  # only now: the successor reads the latent before it waits
        score = sigmoid(load_f32(logits + Int64(thread) * 4))
        store_shared_f32(gates + thread * 4, score)
        own = key(score + offset)
        for part in cutlass.range_constexpr(self.parts):
            among = own if lane // (WARP // self.parts) == part else Uint32(0)
            store_shared(bests + (warp * self.parts + part) * 4, [Uint32(cute.arch.warp_redux_sync(among, "umax"))])
        barrier()  # the bests of all groups are there
        if own >= self.least(bests, lane):
            place = cute.arch.inline_ptx(
                "atom.shared.add.u32 {$w0}, [{$r0}], 1;", write_only_types=[Uint32], read_only_args=[count]
            )
            store_shared(candidates + Int32(place) * 8, ranked(own, thread))
        barrier()  # all candidates are there
        self.settle(candidates, picks, Int32(load_shared(count, words=1)[0]), lane, warp)
        barrier()  # every place has its expert
        if warp == 0:
            pick = Int32(load_shared(picks + cutlass.min(lane, Int32(self.top_k - 1)) * 4, words=1)[0])
            gate = load_shared_f32(gates + pick * 4)
            gate = gate if lane < self.top_k else Float32(0.0)
            total = warp_sum(gate)
            if lane < self.top_k:
                store(ids + Int64(lane) * 4, [pick])
                store_f32(weights + Int64(lane) * 4, gate * reciprocal(total + 1e-20) * self.scaling)
                store(places + Int64(lane) * 4, [lane * UNIT])

    @cute.jit
    def clear(self, candidates: Int32, bests: Int32, count: Int32, thread: Int32) -> None:
        """Put pairs that rank before nothing in all places of candidates, and bests that are none."""
        zero = Uint32(0)
        for first in cutlass.range_constexpr(0, self.room, self.experts):
            if thread + first < self.room:
                store_shared(candidates + (thread + first) * 8, [zero, zero])
        for first in cutlass.range_constexpr(0, self.bests, self.experts):
            if thread + first < self.bests:
                store_shared(bests + (thread + first) * 4, [zero])
        if thread == 0:
            store_shared(count, [zero])

    def least(self, bests: Value, lane: Value) -> Value:
        """Give the least of the bests of the ``top_k`` sets, each of every ``top_k``-th group."""
        own = bests + cutlass.min(lane, Int32(self.top_k - 1)) * 4
        best = load_shared(own, words=1)[0]
        for first in range(self.top_k, self.bests, self.top_k):
            best = cutlass.max(best, load_shared(own + first * 4, words=1)[0])
        return Uint32(cute.arch.warp_redux_sync(best, "umin"))

    @cute.jit
    def settle(self, candidates: Int32, picks: Int32, total: Int32, lane: Int32, warp: Int32) -> None:
        """Give each candidate of this warp that is among the first its place."""
        if total <= min(CHUNK, ROUNDS[1] * self.warps):
            self.settle_few(candidates, picks, lane, warp, 1)
        elif total <= min(2 * CHUNK, ROUNDS[2] * self.warps):
            self.settle_few(candidates, picks, lane, warp, 2)
        else:
            for candidate in cutlass.range(warp, total, self.warps, unroll=1):
                pair = load_shared(candidates + candidate * 8, words=2)
                place = Int32(0)
                for first in cutlass.range(0, total, CHUNK, unroll=1):
                    place = place + self.before(load_shared(candidates + (first + 2 * lane) * 8), pair)
                if place < self.top_k:
                    store_shared(picks + place * 4, [named(pair)])

    @cute.jit
    def settle_few(
        self, candidates: Int32, picks: Int32, lane: Int32, warp: Int32, chunks: cutlass.Constexpr
    ) -> None:  # fmt: skip
        """Do so where candidates are few: all of a warp's at once."""
        others = [load_shared(candidates + (i * CHUNK + 2 * lane) * 8) for i in range(chunks)]
        own = [load_shared(candidates + (warp + i * self.warps) * 8, words=2) for i in range(ROUNDS[chunks])]
        for pair in own:
            place = Int32(0)
            for four in others:
                place = place + self.before(four, pair)
            # A place without a candidate has a pair that all candidates rank before: they are at least top_k.
            if place < self.top_k:
                store_shared(picks + place * 4, [named(pair)])

    def before(self, four: list[Value], pair: Value) -> Value:
        """Count the pairs, two a lane, that rank before one that all lanes hold."""
        votes = [cute.arch.vote_ballot_sync(precedes(other, pair) != Uint32(0)) for other in (four[:2], four[2:])]
        return Int32(cute.arch.popc(votes[0])) + Int32(cute.arch.popc(votes[1]))
