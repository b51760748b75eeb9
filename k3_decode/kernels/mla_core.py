# mypy: allow-untyped-decorators
"""Attention of absorbed queries over the paged cache, the keys of a request divided among blocks.

With `k3_decode.kernels.mla_value` it equals the absorbed form of `k3_decode.reference.mla`, with a bfloat16 cache.

Each request's keys are divided among ``splits`` blocks by its own length, read on the device. A block walks its keys 64
at a time: rows come through the page table into shared memory, zeros in place of rows beyond the length, so that
nothing unused is ever multiplied; scores and outputs run on tensor cores with 16 heads as rows; the softmax is online.
Each block leaves a normalised output and the logarithm of its sum, which are merged where values are expanded anyway,
so there is no reducer kernel.
"""

import math
from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import LOG2_E, bits, exp2, log2, maximum, mma_bf16, pack_bf16, reciprocal
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import (
    copy_to_shared,
    load,
    load_matrices,
    load_shared,
    load_shared_f32,
    store,
    store_f32,
    store_shared,
    store_shared_f32,
    wait_for_copies,
)
from k3_decode.kernels.parts.splits import NOTHING
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors, warp_sum

WARPS = 4
THREADS = WARPS * WARP
TILE = 16 * WARPS


@dataclass(frozen=True)
class MlaCore:
    """Attention of absorbed queries over the paged cache, one partial result a split.

    Attributes:
        heads: Heads of this rank.
        latent: Width of the latent, which is also the width of the values; a multiple of 64.
        shared_key: Width of the shared key part; latent and it are a multiple of 16 together.
        splits: Blocks that divide the keys of a request.
        scale: Softmax scale.
    """

    heads: int
    latent: int
    shared_key: int
    splits: int
    scale: float

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"mla_core_heads{self.heads}_{self.latent}_{self.shared_key}_splits{self.splits}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("query", "bf16", ("m", self.heads, self.width)),
            Argument("cache", "bf16", ("b", "p", self.width)),
            Argument("tables", "i32", ("m", "t"), aligned=False),
            Argument("context_lens", "i32", ("m",), aligned=False),
            Argument("partial", "f32", ("m", self.heads, self.splits, self.latent)),
            Argument("sums", "f32", ("m", self.heads, self.splits), aligned=False),
        )

    @property
    def contract(self) -> Contract:
        """Nothing is read before the wait."""
        return Contract(products=2 * (self.width // 16) + 4 * self.latent // WARPS // 8)

    @property
    def width(self) -> int:
        """Elements of a cache row."""
        return self.latent + self.shared_key

    @property
    def pitch(self) -> int:
        """Bytes between staged rows: 16 more than a multiple of 128, so that 8 rows meet no bank twice."""
        return self.width * 2 + 16

    @cute.jit
    def __call__(
        self, query: Tensor, cache: Tensor, tables: Tensor, context_lens: Tensor, partial: Tensor, sums: Tensor,
        stream: Stream,
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            query: ``[M, heads, width]`` bfloat16.
            cache: ``[blocks, block_size, width]`` bfloat16; the rows of this step are written.
            tables: ``[M, blocks of a request]`` int32.
            context_lens: ``[M]`` int32 tokens before this one; negative attends to nothing.
            partial: ``[M, heads, splits, latent]`` float32 gets each split's output; empty splits write none.
            sums: ``[M, heads, splits]`` float32 gets ``log2`` of each split's sum, `NOTHING` if empty.
            stream: Where to run.
        """
        self.body(
            query.iterator.toint(), cache.iterator.toint(), tables.iterator.toint(), context_lens.iterator.toint(),
            partial.iterator.toint(), sums.iterator.toint(), Int32(cute.size(cache, mode=[1])),
            Int32(cute.size(tables, mode=[1])),
        ).launch(
            grid=[self.splits, cute.size(query, mode=[0]), math.ceil(self.heads / 16)], block=[THREADS, 1, 1],
            stream=stream, use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def body(
        self, query: Int64, cache: Int64, tables: Int64, context_lens: Int64, partial: Int64, sums: Int64,
        page: Int32, pages: Int32,
    ) -> None:  # fmt: skip
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        split, row, head_group = cute.arch.block_idx()
        lane, warp = thread % WARP, thread // WARP
        score_pitch = TILE * 2 + 16
        words = ((TILE + 16) * self.pitch + 16 * score_pitch) // 4 + TILE + 2 * WARPS * 16
        shared = cutlass.utils.SmemAllocator().allocate_array(Uint32, words, byte_alignment=128).toint()
        queries = shared + TILE * self.pitch
        scores = queries + 16 * self.pitch
        places = scores + 16 * score_pitch
        maxima = places + TILE * 4
        release_dependents()
        wait_for_predecessors()

        length = Int32(load(context_lens + Int64(row) * 4, words=1)[0]) + 1
        share = (length + (self.splits * TILE - 1)) // (self.splits * TILE) * TILE
        start, stop = split * share, cutlass.min(split * share + share, length)
        head = head_group * 16
        out = cute.make_rmem_tensor((self.latent // WARPS // 8 * 4,), Float32)
        top = cute.make_rmem_tensor((2,), Float32)
        total = cute.make_rmem_tensor((2,), Float32)
        out.fill(0.0)
        top.fill(NOTHING)
        total.fill(0.0)
        if start < stop:
            self.load_queries(queries, query + (Int64(row) * self.heads + Int64(head)) * (self.width * 2), thread, head)
        for first in cutlass.range(start, stop, TILE, unroll=1):
            self.load_keys(shared, places, cache, tables + Int64(row) * Int64(pages) * 4, thread, first, stop, page)
            products = self.score(shared, queries, lane, warp)
            self.soften(products, first, stop, maxima, scores, out, top, total, lane, warp, score_pitch)
            self.weigh(shared, scores, out, lane, warp, score_pitch)
            barrier()  # all warps have read the keys and scores that the next round replaces
        self.finish(out, top, total, maxima, partial, sums, row, head, split, lane, warp)

    @cute.jit
    def load_queries(self, target: Int32, source: Int64, thread: Int32, head: Int32) -> None:
        """Start copying the queries of 16 heads, zeros for heads that are not there."""
        units = self.width // 8
        for unit in cutlass.range(thread, 16 * units, THREADS, unroll=1):
            here = unit // units
            live = Int32(16) if head + here < self.heads else Int32(0)
            copy_to_shared(target + here * self.pitch + unit % units * 16, source + Int64(unit) * 16, live)

    @cute.jit
    def load_keys(
        self, target: Int32, places: Int32, cache: Int64, table: Int64, thread: Int32, first: Int32, stop: Int32,
        page: Int32,
    ) -> None:  # fmt: skip
        """Copy 64 rows through the page table, zeros beyond the last, and wait for them and the queries."""
        if thread < TILE:
            key = cutlass.min(first + thread, stop - 1)
            block = Int32(load(table + Int64(key // page) * 4, words=1)[0])
            store_shared(places + thread * 4, [block * page + key % page])
        barrier()  # the places of all rows are known
        units = self.width // 8
        for unit in cutlass.range(thread, TILE * units, THREADS, unroll=6):
            key = unit // units
            place = Int32(load_shared(places + key * 4, words=1)[0])
            live = Int32(16) if first + key < stop else Int32(0)
            source = cache + Int64(place) * (self.width * 2) + Int64(unit % units) * 16
            copy_to_shared(target + key * self.pitch + unit % units * 16, source, live)
        wait_for_copies()
        barrier()  # all rows are staged

    def score(self, keys: Value, queries: Value, lane: Value, warp: Value) -> list[list[Value]]:
        """Multiply 16 heads by this warp's 16 keys."""
        products = [[Float32(0.0) for _ in range(4)] for _ in range(2)]
        a_place = queries + (lane % 16) * self.pitch + lane // 16 * 16
        b_place = keys + (warp * 16 + lane // 16 * 8 + lane % 8) * self.pitch + lane // 8 % 2 * 16
        for step in range(self.width // 16):
            a, b = load_matrices(a_place + step * 32), load_matrices(b_place + step * 32)
            products = [mma_bf16(a, b[2 * tile : 2 * tile + 2], products[tile]) for tile in range(2)]
        return products

    @cute.jit
    def soften(
        self, products: list[list[Value]], first: Int32, stop: Int32, maxima: Int32, scores: Int32, out: Tensor,
        top: Tensor, total: Tensor, lane: Int32, warp: Int32, score_pitch: cutlass.Constexpr,
    ) -> None:  # fmt: skip
        """Turn scores into shares against the running maximum, and rescale what was summed so far."""
        group, quad = lane // 4, lane % 4
        factor = self.scale * LOG2_E
        values = [[products[tile][i] * factor for i in range(4)] for tile in range(2)]
        for tile in cutlass.range_constexpr(2):
            for i in cutlass.range_constexpr(4):
                key = first + warp * 16 + tile * 8 + quad * 2 + i % 2
                values[tile][i] = values[tile][i] if key < stop else Float32(NOTHING)
        for half in cutlass.range_constexpr(2):
            largest = maximum(
                maximum(values[0][2 * half], values[0][2 * half + 1]),
                maximum(values[1][2 * half], values[1][2 * half + 1]),
            )
            for distance in cutlass.range_constexpr(1, 3):
                largest = maximum(largest, cute.arch.shuffle_sync_bfly(largest, offset=distance))
            store_shared_f32(maxima + (warp * 16 + half * 8 + group) * 4, largest)
        barrier()  # the maxima of all warps are there
        for half in cutlass.range_constexpr(2):
            largest = top[half]
            for other in cutlass.range_constexpr(WARPS):
                largest = maximum(largest, load_shared_f32(maxima + (other * 16 + half * 8 + group) * 4))
            shrink = exp2(top[half] - largest)
            top[half] = largest
            added = Float32(0.0)
            for tile in cutlass.range_constexpr(2):
                shares = [exp2(values[tile][2 * half + i] - largest) for i in range(2)]
                added = added + shares[0] + shares[1]
                column = warp * 16 + tile * 8 + quad * 2
                store_shared(scores + (half * 8 + group) * score_pitch + column * 2, [pack_bf16(shares[0], shares[1])])
            total[half] = total[half] * shrink + added
            for tile in cutlass.range_constexpr(self.latent // WARPS // 8):
                for i in cutlass.range_constexpr(2):
                    out[tile * 4 + 2 * half + i] = out[tile * 4 + 2 * half + i] * shrink
        barrier()  # the shares of all warps are there

    @cute.jit
    def weigh(
        self, keys: Int32, scores: Int32, out: Tensor, lane: Int32, warp: Int32, score_pitch: cutlass.Constexpr
    ) -> None:
        """Add the shares times the values to this warp's columns."""
        columns = self.latent // WARPS
        for step in cutlass.range_constexpr(TILE // 16):
            a = load_matrices(scores + (lane % 16) * score_pitch + step * 32 + lane // 16 * 16)
            for pair in cutlass.range_constexpr(columns // 16):
                place = keys + (step * 16 + lane % 16) * self.pitch + (warp * columns + pair * 16) * 2 + lane // 16 * 16
                b = load_matrices(place, transposed=True)
                for tile in cutlass.range_constexpr(2):
                    at = (2 * pair + tile) * 4
                    added = mma_bf16(a, b[2 * tile : 2 * tile + 2], [out[at + i] for i in range(4)])
                    for i in cutlass.range_constexpr(4):
                        out[at + i] = added[i]

    @cute.jit
    def finish(
        self, out: Tensor, top: Tensor, total: Tensor, maxima: Int32, partial: Int64, sums: Int64, row: Int32,
        head: Int32, split: Int32, lane: Int32, warp: Int32,
    ) -> None:  # fmt: skip
        """Divide by the sum and write the split's output with the logarithm of its sum."""
        group, quad = lane // 4, lane % 4
        for half in cutlass.range_constexpr(2):
            store_shared_f32(maxima + (warp * 16 + half * 8 + group) * 4, warp_sum(total[half], lanes=4))
        barrier()  # the sums of all warps are there
        for half in cutlass.range_constexpr(2):
            here = head + half * 8 + group
            whole = Float32(0.0)
            for other in cutlass.range_constexpr(WARPS):
                whole = whole + load_shared_f32(maxima + (other * 16 + half * 8 + group) * 4)
            if here < self.heads:
                place = (Int64(row) * self.heads + Int64(here)) * self.splits + Int64(split)
                if warp == 0 and quad == 0:
                    empty = Float32(NOTHING)
                    store_f32(sums + place * 4, (top[half] + log2(whole)) if whole > 0.0 else empty)
                if whole > 0.0:
                    inverse = reciprocal(whole)
                    for tile in cutlass.range_constexpr(self.latent // WARPS // 8):
                        column = warp * (self.latent // WARPS) + tile * 8 + quad * 2
                        pair = [bits(out[tile * 4 + 2 * half + i] * inverse) for i in range(2)]
                        store(partial + (place * self.latent + Int64(column)) * 4, pair)
