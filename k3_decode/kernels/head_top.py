# mypy: allow-untyped-decorators
"""The largest logits of every row and their ids, so that a greedy step, or one of several ranks, needs no more of them.

Equals the first of a stable descending sort, the lower id first on ties, as `k3_decode.engine.sampler` ranks. Blocks
divide a row; each lane keeps its best, each warp draws the best of its lanes, the first warp those of the block. The
last block of a row to arrive draws the row's.
"""

from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.dsl import Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import load, load_f32, load_shared, store, store_f32, store_shared
from k3_decode.kernels.parts.ranking import draw, key
from k3_decode.kernels.parts.splits import arrive
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors

WARPS = 8
THREADS = WARPS * WARP
PARTS = 16
"""Blocks that divide a row."""


@dataclass(frozen=True)
class HeadTop:
    """``values, ids = top(logits)``.

    Attributes:
        count: Logits of a row to find, 1 to 8.
    """

    count: int

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"head_top_{self.count}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("logits", "f32", ("m", "v")),
            Argument("partial", "i32", ("m", PARTS, 2, self.count), aligned=False),
            Argument("counters", "i32", ("m",), aligned=False),
            Argument("values", "f32", ("m", self.count), aligned=False),
            Argument("ids", "i32", ("m", self.count), aligned=False),
        )

    @property
    def contract(self) -> Contract:
        """Nothing is read before the wait."""
        return Contract()

    @cute.jit
    def __call__(
        self, logits: Tensor, partial: Tensor, counters: Tensor, values: Tensor, ids: Tensor, stream: Stream
    ) -> None:
        """Launch.

        Args:
            logits: ``[M, V]`` float32; V at least `count`.
            partial: ``[M, PARTS, 2, count]`` int32, scratch.
            counters: ``[M]`` int32 zeros, which every launch leaves as zeros.
            values: ``[M, count]`` float32, largest first.
            ids: ``[M, count]`` int32.
            stream: Where to run.
        """
        self.body(
            logits.iterator.toint(), partial.iterator.toint(), counters.iterator.toint(), values.iterator.toint(),
            ids.iterator.toint(), Int32(cute.size(logits, mode=[1])),
        ).launch(
            grid=[PARTS, cute.size(logits, mode=[0]), 1], block=[THREADS, 1, 1], stream=stream, use_pdl=True
        )  # fmt: skip

    @cute.kernel
    def body(self, logits: Int64, partial: Int64, counters: Int64, values: Int64, ids: Int64, width: Int32) -> None:
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        part, row, _ = cute.arch.block_idx()
        lane, warp = thread % WARP, thread // WARP
        entries = 2 * self.count
        shared = cutlass.utils.SmemAllocator().allocate_array(Uint32, WARPS * entries, byte_alignment=16).toint()
        release_dependents()
        wait_for_predecessors()
        source = logits + Int64(row) * Int64(width) * 4
        best = cute.make_rmem_tensor((self.count,), Uint32)
        names = cute.make_rmem_tensor((self.count,), Int32)
        best.fill(0)
        names.fill(-1)
        for index in cutlass.range(part * THREADS + thread, width, PARTS * THREADS, unroll=4):
            found, name = key(load_f32(source + Int64(index) * 4)), Int32(index)
            for i in cutlass.range_constexpr(self.count):  # a lane meets ids in ascending order: a tie keeps the first
                ahead = found > best[i]
                key_below, name_below = best[i], names[i]
                best[i], names[i] = found if ahead else key_below, name if ahead else name_below
                found, name = key_below if ahead else found, name_below if ahead else name
        own = shared + warp * (entries * 4)
        self.pick(own, [best[i] for i in range(self.count)], [names[i] for i in range(self.count)])
        barrier()  # the lists of all warps are there
        place = (Int64(row) * PARTS + Int64(part)) * entries
        if warp == 0:
            keys, held = self.listed(shared, WARPS, lane)
            self.pick(shared, keys, held)
            if lane < entries:
                store(partial + (place + Int64(lane)) * 4, load_shared(shared + lane * 4, words=1))
        barrier()  # the block's list is written
        if thread == 0:
            store_shared(shared, [arrive(counters + Int64(row) * 4, PARTS)])
        barrier()  # all threads know whether this block is the last
        if Int32(load_shared(shared, words=1)[0]) == PARTS - 1 and warp == 0:
            keys, held = [], []
            for i in cutlass.range_constexpr(-(-PARTS * self.count // WARP)):
                each = cutlass.min(lane + i * WARP, Int32(PARTS * self.count - 1))
                at = (Int64(row) * PARTS + Int64(each // self.count)) * entries + Int64(each % self.count)
                keys.append(load(partial + at * 4, words=1)[0])
                held.append(Int32(load(partial + (at + self.count) * 4, words=1)[0]))
            self.pick(shared, keys, held)
            if lane < self.count:
                winner = Int32(load_shared(shared + (self.count + lane) * 4, words=1)[0])
                store(ids + (Int64(row) * self.count + Int64(lane)) * 4, [winner])
                value = load_f32(source + Int64(winner) * 4)
                store_f32(values + (Int64(row) * self.count + Int64(lane)) * 4, value)

    def listed(self, lists: Value, count: int, lane: Value) -> tuple[list[Value], list[Value]]:
        """Read so many lists from shared memory, their entries spread over the lanes; the last repeats."""
        keys, names = [], []
        for i in range(-(-count * self.count // WARP)):
            each = cutlass.min(lane + i * WARP, Int32(count * self.count - 1))
            at = lists + (each // self.count * 2 * self.count + each % self.count) * 4
            keys.append(load_shared(at, words=1)[0])
            names.append(Int32(load_shared(at + self.count * 4, words=1)[0]))
        return keys, names

    @cute.jit
    def pick(self, target: Int32, keys: list[Value], names: list[Value]) -> None:
        """Draw the warp's best, one after another, and leave keys and names in shared memory.

        An entry that several lanes hold is taken from all of them at once.
        """
        left, winners = keys, []
        for _ in cutlass.range_constexpr(self.count):
            largest, winner = draw(left, names)
            left = [Uint32(0) if names[i] == winner else left[i] for i in range(len(names))]
            winners.append((largest, winner))
        for k in cutlass.range_constexpr(self.count):  # all lanes hold the same entry and write the same words
            store_shared(target + k * 4, [winners[k][0]])
            store_shared(target + (self.count + k) * 4, [winners[k][1]])
