# mypy: allow-untyped-decorators
"""Attention of absorbed queries over the paged cache, the keys of a request divided among blocks.

Equals `absorbed_attention` of `k3_decode.reference.mla`, rounded to bfloat16, over a bfloat16 or an e4m3 cache.

Each request's keys are divided among ``splits`` blocks by its own length, read on the device. A block walks its keys 64
at a time: rows come through the page table into shared memory, zeros in place of rows beyond the length, so that
nothing unused is ever multiplied; scores and outputs run on tensor cores with 8 or 16 heads as columns; the softmax is
online. Keys that earlier steps wrote are on their way before the dependency wait.

There is no reducer kernel. The blocks of a cluster merge their outputs through each other's shared memory, a share of
the columns each; of the clusters of a request, the last block to arrive merges a share. Every sum has one order,
whoever arrives last.
"""

from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Cache, Contract
from k3_decode.kernels.parts.arithmetic import LOG2_E, bits, exp2, from_bits, maximum
from k3_decode.kernels.parts.attention import TILE_HEADS, outputs, pack_shares, scores
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import (
    close_copies,
    copy_to_shared,
    load,
    load_shared,
    store_shared,
    store_shared_f32,
    wait_for_copies,
)
from k3_decode.kernels.parts.merging import Merging
from k3_decode.kernels.parts.pages import PagedRows
from k3_decode.kernels.parts.splits import NOTHING
from k3_decode.kernels.parts.sync import (
    WARP,
    barrier,
    release_dependents,
    wait_for_predecessors,
    warp_max,
    warp_sum,
)

WARPS = 8
THREADS = WARPS * WARP
TILE = 8 * WARPS
"""Keys of a round: two warps score 16, half of the columns each; a warp then softens those of one or two heads."""
SCORE_PITCH = (TILE + 4) * 4
"""Bytes between the heads of a round's scores, where lanes that write together meet no bank twice."""
SHARE_PITCH = TILE * 2 + 16
"""Bytes between the heads of a round's shares, of which 8 meet no bank twice."""
FRESH = 8
"""The last keys of a row, which this step may have written: most rows of one request in a step."""


@dataclass(frozen=True)
class MlaCore:
    """Attention of absorbed queries over the paged cache.

    Attributes:
        latent: Width of the latent, which is also the width of the values: 512.
        shared_key: Width of the shared key part; latent and it are a multiple of 64 together.
        splits: Blocks that divide the keys of a request: a power of two.
        scale: Softmax scale.
        cache: Type of queries and cache: bfloat16, or e4m3 in bytes.
        stages: Rounds of keys in shared memory: with 2, the next round's are copied while this one's are multiplied.
        cluster: Blocks that merge through shared memory. Large clusters leave multiprocessors empty, small ones more
            parts to merge through device memory.
        tiles: Tiles of 8 heads of a block, 1 or 2.
    """

    latent: int
    shared_key: int
    splits: int
    scale: float
    cache: Cache = "bf16"
    stages: int = 1
    cluster: int = 4
    tiles: int = 2

    @property
    def name(self) -> str:
        """Symbol of this form."""
        form = f"splits{self.splits}_{self.cache}_stages{self.stages}_cluster{self.cluster}_heads{self.heads}"
        return f"mla_core_{self.latent}_{self.shared_key}_{form}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("query", self.cache, ("m", "h", self.width)),
            Argument("cache", self.cache, ("b", "p", self.width), settled=True),
            Argument("tables", "i32", ("m", "t"), settled=True, aligned=False),
            Argument("context_lens", "i32", ("m",), settled=True, aligned=False),
            *self.merging.scratch,
            Argument("counters", "i32", ("m", "g", self.cluster), aligned=False),
            Argument("out", "bf16", ("m", "h", self.latent)),
        )

    @property
    def contract(self) -> Contract:
        """A round's products are all there."""
        return Contract(products=self.tiles * (self.width // 32 + TILE // 16 * (self.latent // WARPS // 16)))

    @property
    def heads(self) -> int:
        """Heads of a block."""
        return self.tiles * TILE_HEADS

    @property
    def width(self) -> int:
        """Elements of a cache row."""
        return self.latent + self.shared_key

    @property
    def row_bytes(self) -> int:
        """Bytes of a cache row."""
        return self.width * (2 if self.cache == "bf16" else 1)

    @property
    def pitch(self) -> int:
        """Bytes between staged rows: an odd multiple of 16, so that 8 rows meet no bank twice."""
        return self.row_bytes + 16

    @property
    def resident(self) -> int:
        """Blocks of a multiprocessor that registers must be left for; bfloat16 needs no more of them unasked."""
        return 1 if self.cache == "bf16" else 2

    @property
    def merging(self) -> Merging:
        """How the blocks of a request merge what they found."""
        return Merging(self.latent, self.tiles, self.splits, WARPS, self.cache, self.cluster)

    @cute.jit
    def __call__(
        self, query: Tensor, cache: Tensor, tables: Tensor, context_lens: Tensor, partial: Tensor, sums: Tensor,
        counters: Tensor, out: Tensor, stream: Stream,
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            query: ``[M, heads, width]``.
            cache: ``[blocks, block_size, width]``; the rows of this step are written. Rows before a request's last
                `FRESH` were written before this step.
            tables: ``[M, blocks of a request]`` int32, written before this step.
            context_lens: ``[M]`` int32 tokens before this one, written before this step; negative attends to nothing.
            partial: ``[M, groups of heads, cluster, clusters, heads of a block, columns]`` float32, scratch.
            sums: ``[M, groups, cluster, clusters, heads of a block, 2]`` float32, scratch.
            counters: ``[M, groups, cluster]`` int32 zeros, which every launch leaves as zeros.
            out: ``[M, heads, latent]`` bfloat16; zeros for rows that attend to nothing.
            stream: Where to run.
        """
        self.body(
            query.iterator.toint(), cache.iterator.toint(), tables.iterator.toint(), context_lens.iterator.toint(),
            partial.iterator.toint(), sums.iterator.toint(), counters.iterator.toint(), out.iterator.toint(),
            Int32(cute.size(query, mode=[1])), Int32(cute.size(cache, mode=[1])), Int32(cute.size(tables, mode=[1])),
        ).launch(
            grid=[self.splits, cute.size(query, mode=[0]), cute.size(counters, mode=[1])], block=[THREADS, 1, 1],
            cluster=[self.cluster, 1, 1], stream=stream, use_pdl=True, min_blocks_per_mp=self.resident,
            preferred_smem_carveout=-1,
        )  # fmt: skip

    @cute.kernel
    def body(
        self, query: Int64, cache: Int64, tables: Int64, context_lens: Int64, partial: Int64, sums: Int64,
        counters: Int64, out: Int64, heads: Int32, page: Int32, pages: Int32,
    ) -> None:  # fmt: skip
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        split, row, group = cute.arch.block_idx()
        lane, warp = thread % WARP, thread // WARP
        bytes_of_heads = self.heads * (self.pitch + SHARE_PITCH + 2 * SCORE_PITCH + 16)
        words = (self.stages * TILE * self.pitch + bytes_of_heads) // 4
        keys = cutlass.utils.SmemAllocator().allocate_array(Uint32, words, byte_alignment=128).toint()
        queries = keys + self.stages * TILE * self.pitch
        shares = queries + self.heads * self.pitch
        halves = shares + self.heads * SHARE_PITCH
        stats = halves + self.heads * (2 * SCORE_PITCH)
        shrinks = stats + self.heads * 8
        release_dependents()

        length = Int32(load(context_lens + Int64(row) * 4, words=1)[0]) + 1
        share = (length + (self.splits * TILE - 1)) // (self.splits * TILE) * TILE
        start, stop = split * share, cutlass.min(split * share + share, length)
        settled = cutlass.min(stop, length - FRESH)
        table = tables + Int64(row) * Int64(pages) * 4
        rows = PagedRows(self.row_bytes, self.pitch, TILE, THREADS, 8 if self.cache == "bf16" else 4)
        blocks = cute.make_rmem_tensor((rows.passes,), Int32)
        if start < stop:
            rows.find(blocks, table, thread, start, stop, page)
            rows.copy(keys, blocks, cache, page, thread, start, start, settled, settled)
        head = group * self.heads
        self.clear_queries(queries, thread, heads - head)
        wait_for_predecessors()

        acc = cute.make_rmem_tensor((self.latent // WARPS // 4 * self.tiles,), Float32)
        top = cute.make_rmem_tensor((self.tiles,), Float32)
        total = cute.make_rmem_tensor((self.tiles,), Float32)
        acc.fill(0.0)
        top.fill(NOTHING)
        total.fill(0.0)
        if start < stop:
            source = query + (Int64(row) * Int64(heads) + Int64(head)) * self.row_bytes
            self.load_queries(queries, source, thread, heads - head)
            rows.copy(keys, blocks, cache, page, thread, start, cutlass.max(settled, start), start + TILE, stop)
            if start + TILE < stop:
                rows.find(blocks, table, thread, start + TILE, stop, page)
        close_copies()
        for first in cutlass.range(start, stop, TILE, unroll=1):
            staged = keys
            if cutlass.const_expr(self.stages == 2):
                odd = (first - start) // TILE % 2
                staged = keys + odd * (TILE * self.pitch)
                if first + TILE < stop:
                    barrier()  # all warps have read the keys that the next round replaces
                    other = keys + (1 - odd) * (TILE * self.pitch)
                    rows.copy(other, blocks, cache, page, thread, first + TILE, first, first + 2 * TILE, stop)
                    if first + 2 * TILE < stop:
                        rows.find(blocks, table, thread, first + 2 * TILE, stop, page)
            close_copies()
            wait_for_copies(self.stages - 1)
            barrier()  # all rows are staged
            self.score(queries, staged, halves, lane, warp)
            barrier()  # both halves of all scores are there
            self.soften(halves, first, stop, shares, shrinks, top, total, lane, warp)
            barrier()  # the shares of all heads are there
            self.weigh(staged, shares, shrinks, acc, lane, warp)
            if cutlass.const_expr(self.stages == 1):  # noqa: SIM102 - decided when compiled, the inner test later
                if first + TILE < stop:
                    barrier()  # all warps have read the keys that the next round replaces
                    rows.copy(keys, blocks, cache, page, thread, first + TILE, first, first + 2 * TILE, stop)
                    if first + 2 * TILE < stop:
                        rows.find(blocks, table, thread, first + 2 * TILE, stop, page)
        slot = Int64(row) * Int64((heads + (self.heads - 1)) // self.heads) + Int64(group)
        target = out + (Int64(row) * Int64(heads) + Int64(head)) * (self.latent * 2)
        live, merging = cutlass.min(heads - head, Int32(self.heads)), self.merging
        barrier()  # all warps have read the keys, which the outputs replace
        self.note(top, total, stats, warp)
        merging.merge(acc, keys, stats, shrinks, partial, sums, counters, target, split, slot, live, thread)

    @cute.jit
    def clear_queries(self, target: Int32, thread: Int32, there: Int32) -> None:
        """Put zeros in place of the queries of heads that are not there."""
        units = self.row_bytes // 16
        for unit in cutlass.range(there * units + thread, self.heads * units, THREADS, unroll=1):
            store_shared(target + unit // units * self.pitch + unit % units * 16, [Uint32(0)] * 4)

    @cute.jit
    def load_queries(self, target: Int32, source: Int64, thread: Int32, there: Int32) -> None:
        """Start copying the queries of the heads that are there."""
        units = self.row_bytes // 16
        for unit in cutlass.range(thread, cutlass.min(there, Int32(self.heads)) * units, THREADS, unroll=1):
            copy_to_shared(
                target + unit // units * self.pitch + unit % units * 16, source + Int64(unit) * 16, Int32(16)
            )

    def score(self, queries: Value, keys: Value, halves: Value, lane: Value, warp: Value) -> None:
        """Multiply 16 keys by the heads, half of the columns, and leave the sums where all warps read them."""
        side, half = warp // 4, self.row_bytes // 2
        found = scores(
            keys + (warp % 4 * 16) * self.pitch + side * half, queries + side * half, lane, pitch=self.pitch,
            row_bytes=half, tiles=self.tiles, cache=self.cache,
        )  # fmt: skip
        place = halves + side * (self.heads * SCORE_PITCH) + (warp % 4 * 16 + lane // 4) * 4
        for tile in range(self.tiles):
            for i in range(4):
                head = tile * TILE_HEADS + lane % 4 * 2 + i % 2
                store_shared_f32(place + head * SCORE_PITCH + i // 2 * 32, found[tile][i])

    @cute.jit
    def soften(
        self, halves: Int32, first: Int32, stop: Int32, shares: Int32, shrinks: Int32, top: Tensor, total: Tensor,
        lane: Int32, warp: Int32,
    ) -> None:  # fmt: skip
        """Turn the scores of this warp's heads into shares against their running maxima; a lane has two keys."""
        for tile in cutlass.range_constexpr(self.tiles):
            head = warp * self.tiles + tile
            place = halves + head * SCORE_PITCH + lane * 8
            both = [load_shared(place + side * (self.heads * SCORE_PITCH), words=2) for side in range(2)]
            values = [(from_bits(both[0][i]) + from_bits(both[1][i])) * (self.scale * LOG2_E) for i in range(2)]
            for i in cutlass.range_constexpr(2):
                values[i] = values[i] if first + lane * 2 + i < stop else Float32(NOTHING)
            largest = maximum(top[tile], warp_max(maximum(values[0], values[1])))
            shrink = exp2(top[tile] - largest)
            top[tile] = largest
            values = [exp2(value - largest) for value in values]
            total[tile] = total[tile] * shrink + (values[0] + values[1])
            store_shared(shares + head * SHARE_PITCH + lane * 4, [pack_shares(values[0], values[1], self.cache)])
            store_shared_f32(shrinks + head * 4, shrink)  # all lanes hold the same and write the same word

    @cute.jit
    def weigh(self, keys: Int32, shares: Int32, shrinks: Int32, acc: Tensor, lane: Int32, warp: Int32) -> None:
        """Rescale what was summed so far of this warp's columns, and add the values times the shares."""
        for tile in cutlass.range_constexpr(self.tiles):
            known = load_shared(shrinks + (tile * TILE_HEADS + lane % 4 * 2) * 4, words=2)
            for run in cutlass.range_constexpr(self.latent // WARPS // 16):
                for i in cutlass.range_constexpr(4):
                    place = (run * self.tiles + tile) * 4 + i
                    acc[place] = acc[place] * from_bits(known[i % 2])
        outputs(
            keys + warp * (self.latent // WARPS * self.row_bytes // self.width), shares, acc, lane, pitch=self.pitch,
            share_pitch=SHARE_PITCH, keys=TILE, columns=self.latent // WARPS, tiles=self.tiles, cache=self.cache,
        )  # fmt: skip

    @cute.jit
    def note(self, top: Tensor, total: Tensor, stats: Int32, warp: Int32) -> None:
        """Leave the maxima and sums of this warp's heads where the peers of the cluster read them."""
        for tile in cutlass.range_constexpr(self.tiles):
            whole = warp_sum(total[tile])
            store_shared(stats + (warp * self.tiles + tile) * 8, [bits(top[tile]), bits(whole)])
