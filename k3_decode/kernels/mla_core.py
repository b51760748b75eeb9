# mypy: allow-untyped-decorators
"""Attention of absorbed queries over the paged cache, the keys of a request divided among blocks.

Equals `absorbed_attention` of `k3_decode.reference.mla`, rounded to bfloat16, over a bfloat16 or an e4m3 cache.

Each request's keys are divided among ``splits`` blocks by its own length, read on the device. A block walks its keys 64
at a time: rows come through the page table into shared memory, zeros in place of rows beyond the length, so that
nothing unused is ever multiplied; scores and outputs run on tensor cores with 16 heads as rows; the softmax is online.
Keys that earlier steps wrote are on their way before the dependency wait.

There is no reducer kernel. The blocks of a cluster merge their outputs through each other's shared memory, a share of
the columns each; of the clusters of a request, the last block to arrive merges a share. Every sum has one order,
whoever arrives last.
"""

from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Cache, Contract
from k3_decode.kernels.parts.arithmetic import (
    LOG2_E,
    bits,
    exp2,
    from_bits,
    maximum,
    pack_bf16,
    reciprocal,
    select_bits,
)
from k3_decode.kernels.parts.attention import bf16_outputs, bf16_scores, e4m3_outputs, e4m3_scores, pack_shares
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import (
    close_copies,
    copy_to_shared,
    load,
    load_shared,
    load_shared_f32,
    store,
    store_shared,
    store_shared_f32,
    wait_for_copies,
)
from k3_decode.kernels.parts.pages import PagedRows
from k3_decode.kernels.parts.splits import NOTHING, arrive, weighted
from k3_decode.kernels.parts.sync import (
    WARP,
    barrier,
    cluster_arrive,
    cluster_barrier,
    cluster_rank,
    cluster_wait,
    load_peer,
    peer_address,
    release_dependents,
    wait_for_predecessors,
    warp_sum,
)

WARPS = 8
THREADS = WARPS * WARP
TILE = 8 * WARPS
"""Keys of a round: two warps score 16, half of the columns each, and then soften 8."""
HEADS = 16
"""Heads of a block: rows of a tensor-core product."""
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
    """

    latent: int
    shared_key: int
    splits: int
    scale: float
    cache: Cache = "bf16"
    stages: int = 1

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"mla_core_{self.latent}_{self.shared_key}_splits{self.splits}_{self.cache}_stages{self.stages}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        merged = ("m", "g", self.cluster, self.clusters, HEADS)
        return (
            Argument("query", self.cache, ("m", "h", self.width)),
            Argument("cache", self.cache, ("b", "p", self.width), settled=True),
            Argument("tables", "i32", ("m", "t"), settled=True, aligned=False),
            Argument("context_lens", "i32", ("m",), settled=True, aligned=False),
            Argument("partial", "f32", (*merged, self.columns)),
            Argument("sums", "f32", (*merged, 2)),
            Argument("counters", "i32", ("m", "g", self.cluster), aligned=False),
            Argument("out", "bf16", ("m", "h", self.latent)),
        )

    @property
    def contract(self) -> Contract:
        """A round's products are all there."""
        return Contract(products=self.width // 16 + TILE // 16 * (self.latent // WARPS // 8))

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
    def cluster(self) -> int:
        """Blocks that merge through shared memory: few, because large clusters leave multiprocessors empty."""
        return min(8, max(2, self.splits // 16))

    @property
    def clusters(self) -> int:
        """Clusters that divide the keys of a request."""
        return self.splits // self.cluster

    @property
    def columns(self) -> int:
        """Columns that a block merges."""
        return self.latent // self.cluster

    @property
    def out_pitch(self) -> int:
        """Bytes between the heads of a block's outputs in shared memory."""
        return self.latent * 4 + 32

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
            partial: ``[M, groups of 16 heads, cluster, clusters, 16, columns]`` float32, scratch.
            sums: ``[M, groups, cluster, clusters, 16, 2]`` float32, scratch.
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
            cluster=[self.cluster, 1, 1], stream=stream, use_pdl=True,
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
        words = (
            ((self.stages * TILE + HEADS) * self.pitch + HEADS * self.share_pitch) // 4
            + THREADS * 4
            + (WARPS + 2) * HEADS
        )
        keys = cutlass.utils.SmemAllocator().allocate_array(Uint32, words, byte_alignment=128).toint()
        queries = keys + self.stages * TILE * self.pitch
        shares = queries + HEADS * self.pitch
        halves = shares + HEADS * self.share_pitch
        scratch = halves + THREADS * 16
        stats = scratch + WARPS * HEADS * 4
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
        wait_for_predecessors()

        acc = cute.make_rmem_tensor((self.latent // WARPS // 8 * 4,), Float32)
        top = cute.make_rmem_tensor((2,), Float32)
        total = cute.make_rmem_tensor((2,), Float32)
        acc.fill(0.0)
        top.fill(NOTHING)
        total.fill(0.0)
        head = group * HEADS
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
            scores = self.score(queries, staged, halves, lane, warp)
            self.soften(scores, first, stop, scratch, shares, acc, top, total, lane, warp)
            self.weigh(staged, shares, acc, lane, warp)
            if cutlass.const_expr(self.stages == 1):  # noqa: SIM102 - decided when compiled, the inner test later
                if first + TILE < stop:
                    barrier()  # all warps have read the keys that the next round replaces
                    rows.copy(keys, blocks, cache, page, thread, first + TILE, first, first + 2 * TILE, stop)
                    if first + 2 * TILE < stop:
                        rows.find(blocks, table, thread, first + 2 * TILE, stop, page)
        barrier()  # all warps have read the keys, which the outputs replace
        self.leave(acc, top, total, keys, stats, scratch, lane, warp)
        self.merge(keys, stats, scratch, partial, sums, counters, out, split, row, group, heads, thread)

    @property
    def share_pitch(self) -> int:
        """Bytes between the heads of a round's shares."""
        return TILE * 2 + 16

    @cute.jit
    def load_queries(self, target: Int32, source: Int64, thread: Int32, there: Int32) -> None:
        """Start copying the queries of 16 heads, zeros for heads that are not there."""
        units = self.row_bytes // 16
        for unit in cutlass.range(thread, HEADS * units, THREADS, unroll=1):
            here = unit // units
            live = Int32(16) if here < there else Int32(0)
            copy_to_shared(target + here * self.pitch + unit % units * 16, source + Int64(unit) * 16, live)

    def score(self, queries: Value, keys: Value, halves: Value, lane: Value, warp: Value) -> list[Value]:
        """Multiply 16 heads by 16 keys, half of the columns; give the whole sums of 8 of the keys."""
        side, half = warp // 4, self.row_bytes // 2
        multiply = bf16_scores if self.cache == "bf16" else e4m3_scores
        both = multiply(
            queries + side * half, keys + (warp % 4 * 16) * self.pitch + side * half, lane, pitch=self.pitch,
            columns=self.width // 2,
        )  # fmt: skip
        first = Uint32(side)
        own, other = (
            [select_bits(first, bits(both[1 - k][i]), bits(both[k][i])) for i in range(4)] for k in (0, 1)
        )  # the first warp keeps the first tile and hands over the second
        store_shared(halves + (warp * WARP + lane) * 16, other)
        barrier()  # all halves are there
        added = load_shared(halves + (((warp + 4) % WARPS) * WARP + lane) * 16)
        return [from_bits(own[i]) + from_bits(added[i]) for i in range(4)]

    @cute.jit
    def soften(
        self, scores: list[Value], first: Int32, stop: Int32, maxima: Int32, shares: Int32, acc: Tensor, top: Tensor,
        total: Tensor, lane: Int32, warp: Int32,
    ) -> None:  # fmt: skip
        """Turn scores into shares against the running maximum, and rescale what was summed so far."""
        group, quad = lane // 4, lane % 4
        column = warp % 4 * 16 + warp // 4 * 8 + quad * 2
        values = [scores[i] * (self.scale * LOG2_E) for i in range(4)]
        for i in cutlass.range_constexpr(4):
            values[i] = values[i] if first + column + i % 2 < stop else Float32(NOTHING)
        for half in cutlass.range_constexpr(2):
            largest = maximum(values[2 * half], values[2 * half + 1])
            for distance in cutlass.range_constexpr(1, 3):
                largest = maximum(largest, cute.arch.shuffle_sync_bfly(largest, offset=distance))
            store_shared_f32(maxima + (warp * HEADS + half * 8 + group) * 4, largest)
        barrier()  # the maxima of all warps are there
        for half in cutlass.range_constexpr(2):
            largest = top[half]
            for other in cutlass.range_constexpr(WARPS):
                largest = maximum(largest, load_shared_f32(maxima + (other * HEADS + half * 8 + group) * 4))
            shrink = exp2(top[half] - largest)
            top[half] = largest
            low, high = exp2(values[2 * half] - largest), exp2(values[2 * half + 1] - largest)
            total[half] = total[half] * shrink + low + high
            packed = pack_shares(low, high, self.cache)
            store_shared(shares + (half * 8 + group) * self.share_pitch + column * 2, [packed])
            for tile in cutlass.range_constexpr(self.latent // WARPS // 8):
                for i in cutlass.range_constexpr(2):
                    acc[tile * 4 + 2 * half + i] = acc[tile * 4 + 2 * half + i] * shrink
        barrier()  # the shares of all warps are there

    def weigh(self, keys: Value, shares: Value, acc: Tensor, lane: Value, warp: Value) -> None:
        """Add the shares times the values to this warp's columns."""
        outputs = bf16_outputs if self.cache == "bf16" else e4m3_outputs
        own = keys + warp * (self.latent // WARPS * self.row_bytes // self.width)
        outputs(
            shares, own, acc, lane, pitch=self.pitch, share_pitch=self.share_pitch, keys=TILE,
            columns=self.latent // WARPS,
        )  # fmt: skip

    @cute.jit
    def leave(
        self, acc: Tensor, top: Tensor, total: Tensor, target: Int32, stats: Int32, scratch: Int32, lane: Int32,
        warp: Int32,
    ) -> None:  # fmt: skip
        """Put the block's outputs, its maxima and its sums where the peers of the cluster read them."""
        group, quad = lane // 4, lane % 4
        for half in cutlass.range_constexpr(2):
            store_shared_f32(scratch + (warp * HEADS + half * 8 + group) * 4, warp_sum(total[half], lanes=4))
            place = target + (half * 8 + group) * self.out_pitch + warp * (self.latent // WARPS * 4)
            for tile in cutlass.range_constexpr(self.latent // WARPS // 8):
                for i in cutlass.range_constexpr(2):
                    column = tile * 8 + quad * 2 + i
                    if cutlass.const_expr(self.cache == "u8"):
                        column = tile // 2 * 16 + quad * 4 + 2 * i + tile % 2
                    store_shared_f32(place + column * 4, acc[tile * 4 + 2 * half + i])
        barrier()  # the sums of all warps are there
        if warp == 0 and quad == 0:
            for half in cutlass.range_constexpr(2):
                whole = Float32(0.0)
                for other in cutlass.range_constexpr(WARPS):
                    whole = whole + load_shared_f32(scratch + (other * HEADS + half * 8 + group) * 4)
                store_shared(stats + (half * 8 + group) * 8, [bits(top[half]), bits(whole)])

    @cute.jit
    def merge(
        self, outputs: Int32, stats: Int32, scratch: Int32, partial: Int64, sums: Int64, counters: Int64, out: Int64,
        split: Int32, row: Int32, group: Int32, heads: Int32, thread: Int32,
    ) -> None:  # fmt: skip
        """Merge this block's share of the columns over the cluster, then over the clusters if it is the last."""
        rank = Int32(cluster_rank())
        units, at_head = self.columns // 4, Int64(row) * Int64(heads) + Int64(group * HEADS)
        peers = [peer_address(outputs, Int32(p)) for p in range(self.cluster)]
        cluster_barrier()  # every block has left its outputs
        groups = (heads + (HEADS - 1)) // HEADS
        slot = (Int64(row) * Int64(groups) + Int64(group)) * self.cluster + Int64(rank)
        place = (slot * self.clusters + Int64(split // self.cluster)) * HEADS
        for item in cutlass.range(thread, HEADS * units, THREADS, unroll=1):
            here, column = item // units, item % units * 4
            if group * HEADS + here < heads:
                known = [load_peer(peer + (stats - outputs) + here * 8, words=2) for peer in peers]
                at = here * self.out_pitch + (rank * self.columns + column) * 4
                top, whole, values = weighted(known, [load_peer(peer + at) for peer in peers])
                if cutlass.const_expr(self.clusters == 1):
                    self.finish(out, at_head + Int64(here), rank * self.columns + column, whole, values)
                else:
                    target = partial + ((place + Int64(here)) * self.columns + Int64(column)) * 4
                    store(target, [bits(value) for value in values])
                    if column == 0:
                        store(sums + (place + Int64(here)) * 8, [bits(top), bits(whole)])
        cluster_arrive()  # this block has read its peers
        if cutlass.const_expr(self.clusters > 1):
            barrier()  # all threads have written
            if thread == 0:
                store_shared(scratch, [arrive(counters + slot * 4, self.clusters)])
            barrier()  # all threads know whether this block is the last
            if Int32(load_shared(scratch, words=1)[0]) == self.clusters - 1:
                first = slot * self.clusters * HEADS
                for item in cutlass.range(thread, HEADS * units, THREADS, unroll=1):
                    here, column = item // units, item % units * 4
                    if group * HEADS + here < heads:
                        places = [first + Int64(n * HEADS) + Int64(here) for n in range(self.clusters)]
                        known = [load(sums + each * 8, words=2) for each in places]
                        found = [load(partial + (each * self.columns + Int64(column)) * 4) for each in places]
                        _, whole, values = weighted(known, found)
                        self.finish(out, at_head + Int64(here), rank * self.columns + column, whole, values)
        cluster_wait()  # no block leaves while a peer may still read its outputs

    @cute.jit
    def finish(self, out: Int64, head: Int64, column: Int32, whole: Float32, values: list[Value]) -> None:
        """Divide four columns by the sum and write them."""
        inverse = reciprocal(whole) if whole > 0.0 else Float32(0.0)
        v = [value * inverse for value in values]
        target = out + (head * self.latent + Int64(column)) * 2
        store(target, [pack_bf16(v[0], v[1]), pack_bf16(v[2], v[3])])
