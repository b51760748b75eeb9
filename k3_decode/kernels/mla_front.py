# mypy: allow-untyped-decorators
"""What gated MLA does with one or two rows between its input projection and its attention, in one launch.

Equals the two latent norms of `k3_decode.reference.mla_layer`, its second query projection and `absorb_query` of
`k3_decode.reference.mla`, with a rounding to bfloat16 after each, as the stages of more rows have it.

A cluster serves a head. Its blocks divide the rows of the query projection, and every block normalises the latent for
itself; the products travel into a mailbox of every block, which then absorbs its share of the latent's columns. All
weights are in registers before the dependency wait. While messages travel, a warp of the first head writes the cache
row, from what it has asked for together with the rest.
"""

import math
from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Cache, Contract
from k3_decode.kernels.parts.arithmetic import from_bits, pack_bf16, rsqrt
from k3_decode.kernels.parts.dsl import Address, Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.elements import element_bytes, round_bf16, store_eight, store_one, widen
from k3_decode.kernels.parts.exchange import HEAD_BYTES, await_mailbox, mailbox_words, open_mailboxes, send
from k3_decode.kernels.parts.memory import load, load_shared, load_static, store_shared
from k3_decode.kernels.parts.sync import (
    WARP,
    barrier,
    block_sums,
    release_dependents,
    wait_for_predecessors,
    warp_sum,
)

CLUSTER = 8
WARPS = 8
THREADS = WARPS * WARP
LANE_VALUES = 8
STRIDE = WARP * LANE_VALUES
MOST_LOADS = 24
"""Most 16-byte loads of a lane of the query projection, which stay in registers across the wait."""


@dataclass(frozen=True)
class MlaFront:
    """``query = (W_UK^T q_n | q_r)`` with ``q = W_Q norm(x)``, and the cache row.

    Attributes:
        query: Width of the query latent, a multiple of 256.
        latent: Width of the key-value latent, a multiple of 256.
        nope: Width of the key part of a head: 32, 64, 128 or 256.
        shared_key: Width of the key part all heads share, a multiple of 8.
        rows: Token rows, 1 or 2.
        cache: Type of the cache's elements and of the queries: bfloat16, or e4m3 in bytes.
        eps: Added to both mean squares.
    """

    query: int
    latent: int
    nope: int
    shared_key: int
    rows: int
    cache: Cache = "bf16"
    eps: float = 1e-5

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"mla_front_{self.query}_{self.latent}_{self.nope}_{self.shared_key}_rows{self.rows}_{self.cache}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        width = self.latent + self.shared_key
        return (
            Argument("w", "bf16", ("a", self.query), static=True, stream=True),
            Argument("w_uk", "bf16", ("h", self.latent, self.nope), static=True, stream=True),
            Argument("projected", "bf16", (self.rows, "b"), strided=True),
            Argument("query_scale", "f32", (self.query,), static=True),
            Argument("cache_scale", "f32", (self.latent,), static=True),
            Argument("places", "i32", (self.rows,), aligned=False),
            Argument("query", self.cache, (self.rows, "h", width)),
            Argument("cache", self.cache, ("p", width)),
        )

    @property
    def contract(self) -> Contract:
        """All weights of a block are read before the wait."""
        return Contract(
            before_wait={
                "w": self.per_warp * self.loads,
                "w_uk": self.absorbs,
                "query_scale": 2 * self.chunks,
                "cache_scale": 2 * self.row_chunks,
            }
        )

    @property
    def fits(self) -> bool:
        """Whether a model's shapes suit it: the weights of a block in registers, whole groups of lanes a row."""
        return (
            self.rows <= 2
            and self.query % STRIDE == 0
            and self.nope in (32, 64, 128, 256)
            and self.latent % STRIDE == 0
            and self.latent // CLUSTER * self.lanes % THREADS == 0
            and self.head_width % CLUSTER == 0
            and self.per_warp * self.loads <= MOST_LOADS
        )

    @property
    def head_width(self) -> int:
        """Query products of a head."""
        return self.nope + self.shared_key

    @property
    def per_block(self) -> int:
        """Query products of a block."""
        return self.head_width // CLUSTER

    @property
    def per_warp(self) -> int:
        """Query products of a warp."""
        return math.ceil(self.per_block / WARPS)

    @property
    def loads(self) -> int:
        """16-byte loads a lane makes of one row of the query projection."""
        return self.query // STRIDE

    @property
    def staged_bytes(self) -> int:
        """Shared memory of one normalised row."""
        return self.query * 2

    @property
    def chunks(self) -> int:
        """Runs of eight columns of the query latent that a thread normalises."""
        return math.ceil(self.query / (LANE_VALUES * THREADS))

    @property
    def row_chunks(self) -> int:
        """Runs of eight columns of the key-value latent that a lane normalises for the cache row."""
        return self.latent // STRIDE

    @property
    def lanes(self) -> int:
        """Lanes that share a row of the absorbing weights."""
        return self.nope // LANE_VALUES

    @property
    def absorbs(self) -> int:
        """16-byte loads a lane makes of the absorbing weights."""
        return self.latent // CLUSTER * self.lanes // THREADS

    @cute.jit
    def __call__(
        self, w: Tensor, w_uk: Tensor, projected: Tensor, query_scale: Tensor, cache_scale: Tensor, places: Tensor,
        query: Tensor, cache: Tensor, stream: Stream,
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            w: ``[heads * (nope + shared_key), query]``, the second query projection.
            w_uk: ``[heads, latent, nope]``, the transpose of ``W_UK``.
            projected: ``[M, query + latent + shared_key + ...]`` rows of the input projection.
            query_scale: ``[query]``.
            cache_scale: ``[latent]``.
            places: ``[M]`` int32 cache row of each token; negative writes nothing.
            query: ``[M, heads, latent + shared_key]``.
            cache: ``[P, latent + shared_key]``; one row a token is written.
            stream: Where to run.
        """
        heads = cute.size(w_uk, mode=[0])
        self.body(
            w.iterator.toint(), w_uk.iterator.toint(), projected.iterator.toint(), query_scale.iterator.toint(),
            cache_scale.iterator.toint(), places.iterator.toint(), query.iterator.toint(), cache.iterator.toint(),
            Int32(heads), Int32(projected.stride[0]),
        ).launch(
            grid=[CLUSTER, heads, 1], block=[THREADS, 1, 1], cluster=[CLUSTER, 1, 1], stream=stream, use_pdl=True
        )  # fmt: skip

    @cute.kernel
    def body(
        self, w: Int64, w_uk: Int64, projected: Int64, query_scale: Int64, cache_scale: Int64, places: Int64,
        query: Int64, cache: Int64, heads: Int32, stride: Int32,
    ) -> None:  # fmt: skip
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        rank, head, _ = cute.arch.block_idx()
        lane, warp = thread % WARP, thread // WARP
        count = self.rows * self.nope // CLUSTER
        words = self.rows * (self.staged_bytes // 4 + WARPS)
        staged = cutlass.utils.SmemAllocator().allocate_array(
            Uint32, words + mailbox_words(count, CLUSTER), byte_alignment=128
        ).toint()  # fmt: skip
        scratch, box = staged + self.rows * self.staged_bytes, staged + words * 4
        release_dependents()

        own = rank * self.per_block + warp * self.per_warp  # rows beyond the block's last repeat it
        last = rank * self.per_block + self.per_block - 1
        weights = [self.projection_row(w, head, cutlass.min(own + r, last), lane) for r in range(self.per_warp)]
        column = rank * (self.latent // CLUSTER) + thread // self.lanes
        at = w_uk + (Int64(head) * self.latent + Int64(column)) * (self.nope * 2) + Int64(thread % self.lanes) * 16
        step = THREADS // self.lanes
        absorbing = [load_static(at + i * step * self.nope * 2) for i in range(self.absorbs)]
        spots = [cutlass.min(thread + i * THREADS, Int32(self.query // 8 - 1)) for i in range(self.chunks)]
        scales = [
            [from_bits(word) for half in range(2) for word in load_static(query_scale + Int64(spot) * 32 + half * 16)]
            for spot in spots
        ]
        writes = head == 0 and rank < self.rows and warp == 0
        row = projected + (Int64(rank) * Int64(stride) + Int64(self.query)) * 2
        row_scales = cute.make_rmem_tensor((self.row_chunks * LANE_VALUES,), Uint32)
        row_words = cute.make_rmem_tensor((self.row_chunks * 4 + 5,), Uint32)
        if writes:
            self.ask_for_scales(row_scales, cache_scale, lane)
        open_mailboxes([(box, count)], thread, CLUSTER)
        wait_for_predecessors()

        if writes:
            self.ask_for_row(row_words, row, places + Int64(rank) * 4, lane)
        self.stage(projected, spots, scales, staged, scratch, thread, stride)
        barrier()  # the normalised rows are there
        width, size = self.latent + self.shared_key, element_bytes(self.cache)
        for m in cutlass.range_constexpr(self.rows):
            target = query + (Int64(m) * Int64(heads) + Int64(head)) * (width * size)
            sums = self.products(weights, staged + m * self.staged_bytes, lane)
            for r in cutlass.range_constexpr(self.per_warp):
                here, value = own + r, round_bf16(sums[r])
                if here <= last:
                    if here < self.nope:
                        if lane < CLUSTER:
                            send(box, here + m * self.nope, lane, value)
                    elif lane == 0:
                        store_one(target + Int64(self.latent - self.nope + here) * size, value, self.cache)
        if writes:
            self.write_row(row_words, row_scales, cache, lane)
        await_mailbox(box)
        for m in cutlass.range_constexpr(self.rows):
            target = query + (Int64(m) * Int64(heads) + Int64(head)) * (width * size)
            message = box + HEAD_BYTES + m * self.nope * 4 + (thread % self.lanes) * 32
            q = [from_bits(word) for half in range(2) for word in load_shared(message + half * 16)]
            for i in cutlass.range_constexpr(self.absorbs):
                v = widen(absorbing[i])
                total = warp_sum(self.dot(v, q), lanes=self.lanes)
                if thread % self.lanes == 0:
                    store_one(target + Int64(column + i * step) * size, total, self.cache)

    def projection_row(self, w: Address, head: Value, row: Value, lane: Value) -> list[list[Value]]:
        """Load this lane's part of a row of the query projection."""
        base = w + (Int64(head) * self.head_width + Int64(row)) * (self.query * 2)
        return [load_static(base + Int64(lane * 16 + u * STRIDE * 2)) for u in range(self.loads)]

    @cute.jit
    def stage(
        self, projected: Int64, spots: list[Value], scales: list[list[Value]], staged: Int32, scratch: Int32,
        thread: Int32, stride: Int32,
    ) -> None:  # fmt: skip
        """Put the normalised query latents into shared memory as bfloat16."""
        values = [
            [widen(load(projected + Int64(m) * Int64(stride) * 2 + Int64(spot) * 16)) for spot in spots]
            for m in range(self.rows)
        ]
        squares = [Float32(0.0) for _ in range(self.rows)]
        for i in cutlass.range_constexpr(self.chunks):
            there = thread + i * THREADS < self.query // 8
            for m in cutlass.range_constexpr(self.rows):
                square = self.dot(values[m][i], values[m][i])
                squares[m] = squares[m] + (square if there else Float32(0.0))
        totals = block_sums(squares, scratch, thread, warps=WARPS)
        for m in cutlass.range_constexpr(self.rows):
            inverse = rsqrt(totals[m] * (1.0 / self.query) + self.eps)
            target = staged + m * self.staged_bytes
            for i in cutlass.range_constexpr(self.chunks):
                if thread + i * THREADS < self.query // 8:
                    v = [values[m][i][j] * inverse * scales[i][j] for j in range(LANE_VALUES)]
                    store_shared(target + spots[i] * 16, [pack_bf16(v[2 * j], v[2 * j + 1]) for j in range(4)])

    def products(self, weights: list[list[list[Value]]], staged: Value, lane: Value) -> list[Value]:
        """Multiply the warp's rows of the query projection by one staged row."""
        parts = [[Float32(0.0), Float32(0.0)] for _ in weights]
        for u in range(self.loads):
            x = widen(load_shared(staged + lane * 16 + u * STRIDE * 2))
            for r, row in enumerate(weights):
                v = widen(row[u])
                for j in range(LANE_VALUES):
                    parts[r][j % 2] = parts[r][j % 2] + v[j] * x[j]
        return [warp_sum(first + second) for first, second in parts]

    def dot(self, left: list[Value], right: list[Value]) -> Value:
        """Add eight products, in two sums that do not wait for one another."""
        parts = [left[0] * right[0], left[1] * right[1]]
        for j in range(2, LANE_VALUES):
            parts[j % 2] = parts[j % 2] + left[j] * right[j]
        return parts[0] + parts[1]

    @cute.jit
    def ask_for_scales(self, scales: Tensor, source: Int64, lane: Int32) -> None:
        """Load this lane's part of the norm's weight of the cache row."""
        for i in cutlass.range_constexpr(2 * self.row_chunks):
            words = load_static(source + Int64(lane + i // 2 * WARP) * 32 + i % 2 * 16)
            for j in cutlass.range_constexpr(4):
                scales[4 * i + j] = words[j]

    @cute.jit
    def ask_for_row(self, words: Tensor, source: Int64, place: Int64, lane: Int32) -> None:
        """Load this lane's part of the key-value latent, its part of the shared key if it has one, and the place."""
        for i in cutlass.range_constexpr(self.row_chunks):
            chunk = load(source + Int64(lane + i * WARP) * 16)
            for j in cutlass.range_constexpr(4):
                words[4 * i + j] = chunk[j]
        key = load(source + (Int64(cutlass.min(lane, Int32(self.shared_key // 8 - 1))) * 16 + self.latent * 2))
        for j in cutlass.range_constexpr(4):
            words[4 * self.row_chunks + j] = key[j]
        words[4 * self.row_chunks + 4] = load(place, words=1)[0]

    @cute.jit
    def write_row(self, words: Tensor, scales: Tensor, cache: Int64, lane: Int32) -> None:
        """Normalise the key-value latent of a row and write it, and the shared key, into the cache; by one warp."""
        size = element_bytes(self.cache)
        place = Int32(words[4 * self.row_chunks + 4])
        values = [widen([words[4 * i + j] for j in range(4)]) for i in range(self.row_chunks + 1)]
        square = self.dot(values[0], values[0])
        for v in values[1 : self.row_chunks]:
            square = square + self.dot(v, v)
        inverse = rsqrt(warp_sum(square) * (1.0 / self.latent) + self.eps)
        if place >= 0:
            target = cache + Int64(place) * ((self.latent + self.shared_key) * size)
            for i in cutlass.range_constexpr(self.row_chunks):
                v = [values[i][j] * inverse * from_bits(scales[LANE_VALUES * i + j]) for j in range(LANE_VALUES)]
                store_eight(target + Int64(lane + i * WARP) * (LANE_VALUES * size), v, self.cache)
            if lane < self.shared_key // 8:
                store_eight(target + (Int64(lane) * 8 + self.latent) * size, values[self.row_chunks], self.cache)
