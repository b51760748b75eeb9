# mypy: allow-untyped-decorators
"""Matrix times up to 64 rows on tensor cores, the weights streamed once: ``y = x W^T``.

Equals ``functional.linear`` of `k3_decode.reference` with float32 accumulation and one rounding of the output.

The weights are the A operand: a warp owns 16 output rows, and input rows are the N side in tiles of 8, so 1 to 8 rows
cost one instruction. Every block reads the whole input of its columns from L2, and the wider a block, the less of that:
a block has eight warps where there are outputs enough, else four. The order of K inside a product is free, so a lane
loads 16 bytes of two weight rows and uses them as the fragments of two instructions, with no shuffle and no shared
memory. A cluster of ``split`` blocks divides K; each keeps its partial tile in shared memory, and after a cluster
barrier each block adds a share of the outputs over all blocks in rank order, which gives the same bits on every run.
"""

import math
from dataclasses import dataclass
from typing import Literal

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import mma_bf16
from k3_decode.kernels.parts.dsl import Address, Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import (
    copy_to_shared,
    load_shared,
    load_shared_f32,
    load_static,
    store_bf16,
    store_f32,
    store_shared_f32,
    wait_for_copies,
)
from k3_decode.kernels.parts.sync import (
    WARP,
    barrier,
    cluster_barrier,
    cluster_rank,
    load_peer_f32,
    peer_address,
    release_dependents,
    wait_for_predecessors,
)

CHUNK = 32
"""Columns of one pair of 16-byte loads: 4 lanes of 8 values."""
IN_FLIGHT = 10
"""Chunks in flight, 20 16-byte loads of a lane: sixteen warps' registers fit a multiprocessor."""
STAGE_BYTES = {4: 60_000, 8: 100_000}
"""Most shared memory of the staged input, by warps of a block: three blocks of four share a multiprocessor, or two of
eight."""


@dataclass(frozen=True)
class Gemm:
    """One compiled form of the kernel.

    Attributes:
        columns: Columns of the weights, a multiple of 8.
        tiles: Input rows in tiles of 8, 1 to 8.
        split: Blocks that divide K, 1 to 8.
        out: Type of the output.
        warps: Warps of a block, 4 or 8.
        settles: Whether it releases its successors after its own wait only, so that what was written before is settled
            for those that follow it.
    """

    columns: int
    tiles: int
    split: int
    out: Literal["bf16", "f32"]
    warps: int = 4
    settles: bool = False

    @property
    def name(self) -> str:
        """Symbol of this form."""
        form = f"gemm_{self.columns}_rows{self.tiles * 8}_split{self.split}_warps{self.warps}_{self.out}"
        return f"{form}_settles" if self.settles else form

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("w", "bf16", ("n", self.columns), static=True, stream=True),
            Argument("x", "bf16", ("m", "a"), strided=True),
            Argument("y", self.out, ("m", "n"), strided=True, aligned=False),
        )

    @property
    def contract(self) -> Contract:
        """Every weight load is there once, the first `prefetched` before the wait, and every product."""
        return Contract(
            before_wait={"w": self.prefetched}, after_wait={"w": 2 * self.chunks - self.prefetched},
            products=2 * self.chunks * self.tiles,
        )  # fmt: skip

    @property
    def tile(self) -> int:
        """Output rows of a block."""
        return 16 * self.warps

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.warps * WARP

    @property
    def chunks(self) -> int:
        """Chunks of a block."""
        return math.ceil(math.ceil(self.columns / CHUNK) / self.split)

    @property
    def stages(self) -> int:
        """Rounds in which the input is staged."""
        return math.ceil(self.tiles * 8 * self.chunks * CHUNK * 2 / STAGE_BYTES[self.warps])

    @property
    def stage_chunks(self) -> int:
        """Chunks staged at once."""
        return math.ceil(self.chunks / self.stages)

    @property
    def pitch(self) -> int:
        """Bytes between staged rows: 64 more than a multiple of 128, so that 8 lanes meet no bank twice."""
        return self.stage_chunks * 64 + (0 if self.stage_chunks % 2 else 64)

    @property
    def prefetched(self) -> int:
        """Weight loads of a lane before the dependency wait."""
        return 2 * min(IN_FLIGHT, self.chunks)

    @property
    def shared_words(self) -> int:
        """Shared memory in words: the staged input, then the partial tile in its place."""
        return max(self.tiles * 8 * self.pitch // 4, self.tiles * 8 * self.tile)

    @cute.jit
    def __call__(self, w: Tensor, x: Tensor, y: Tensor, stream: Stream) -> None:
        """Launch.

        Args:
            w: ``[N, K]`` bfloat16.
            x: ``[M, K]`` bfloat16, rows may be strided; M at most ``8 * tiles``.
            y: ``[M, N]``, rows may be strided.
            stream: Where to run.
        """
        self.body(
            w.iterator.toint(), x.iterator.toint(), y.iterator.toint(), Int32(cute.size(w, mode=[0])),
            Int32(cute.size(x, mode=[0])), Int32(x.stride[0]), Int32(y.stride[0]),
        ).launch(
            grid=[self.split, cute.ceil_div(cute.size(w, mode=[0]), self.tile), 1], block=[self.threads, 1, 1],
            cluster=[self.split, 1, 1], stream=stream, use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def body(self, w: Int64, x: Int64, y: Int64, n: Int32, m: Int32, ldx: Int32, ldy: Int32) -> None:
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        part, tile, _ = cute.arch.block_idx()
        lane, warp = thread % WARP, thread // WARP
        group, quad = lane // 4, lane % 4
        shared = cutlass.utils.SmemAllocator().allocate_array(Uint32, self.shared_words, byte_alignment=128).toint()
        if cutlass.const_expr(not self.settles):
            release_dependents()

        # Rows beyond the last repeat it; columns beyond the last repeat the last 16 bytes and meet zeros.
        first = tile * self.tile + warp * 16 + group
        rows = [w + Int64(cutlass.min(first + 8 * i, n - 1)) * (self.columns * 2) for i in range(2)]
        start = part * (self.chunks * CHUNK * 2) + quad * 16
        weights = [self.load_chunk(rows, start, c) for c in range(self.prefetched // 2)]
        wait_for_predecessors()
        if cutlass.const_expr(self.settles):
            release_dependents()

        acc = [[Float32(0.0) for _ in range(4)] for _ in range(self.tiles)]
        for s in cutlass.range_constexpr(self.stages):
            base = s * self.stage_chunks
            count = min(self.stage_chunks, self.chunks - base)
            if cutlass.const_expr(s > 0):
                barrier()  # all warps have read the previous round's input
            self.stage(shared, thread, x, part * self.chunks + base, m, ldx)
            barrier()
            for i in cutlass.range_constexpr(count):
                c = base + i
                if cutlass.const_expr(c + self.prefetched // 2 < self.chunks):
                    weights.append(self.load_chunk(rows, start, c + self.prefetched // 2))
                upper, lower = weights[c]
                for j in cutlass.range_constexpr(self.tiles):
                    v = load_shared(shared + (group + j * 8) * self.pitch + i * 64 + quad * 16)
                    acc[j] = mma_bf16([upper[0], lower[0], upper[1], lower[1]], [v[0], v[1]], acc[j])
                    acc[j] = mma_bf16([upper[2], lower[2], upper[3], lower[3]], [v[2], v[3]], acc[j])
        barrier()  # all warps have read the input that the partial tile replaces
        for j in cutlass.range_constexpr(self.tiles):
            for i in cutlass.range_constexpr(4):
                column, row = j * 8 + quad * 2 + i % 2, warp * 16 + group + 8 * (i // 2)
                store_shared_f32(shared + (column * self.tile + row) * 4, acc[j][i])
        self.finish(shared, thread, tile, y, n, m, ldy)

    def load_chunk(self, rows: list[Address], start: Value, chunk: int) -> list[list[Value]]:
        """Load this lane's 16 bytes of both weight rows."""
        offset = Int64(start) + chunk * CHUNK * 2
        if self.columns != self.chunks * CHUNK * self.split:
            offset = cutlass.min(offset, Int64(self.columns * 2 - 16))
        return [load_static(row + offset) for row in rows]

    @cute.jit
    def stage(self, shared: Int32, thread: Int32, x: Int64, chunk: Int32, m: Int32, ldx: Int32) -> None:
        """Put one round of the input into shared memory, zeros beyond its rows and columns."""
        units = self.stage_chunks * 4
        for unit in cutlass.range(thread, self.tiles * 8 * units, self.threads, unroll=4):
            row, column = unit // units, chunk * CHUNK + unit % units * 8
            live = Int32(16) if row < m and column < self.columns else Int32(0)
            source = x + (Int64(row) * Int64(ldx) + Int64(column)) * 2
            copy_to_shared(shared + row * self.pitch + unit % units * 16, source, live)
        wait_for_copies()

    @cute.jit
    def finish(self, shared: Int32, thread: Int32, tile: Int32, y: Int64, n: Int32, m: Int32, ldy: Int32) -> None:
        """Add the partial tiles of the cluster in rank order and write this block's share."""
        rank = Int32(0)
        peers, load_partial = [shared], load_shared_f32
        if cutlass.const_expr(self.split > 1):
            rank = Int32(cluster_rank())
            peers = [peer_address(shared, Int32(p)) for p in range(self.split)]
            load_partial = load_peer_f32
            cluster_barrier()  # every block has stored its partial tile
        else:
            barrier()
        for i in cutlass.range_constexpr(math.ceil(self.tiles * 8 * self.tile / (self.threads * self.split))):
            element = (i * self.split + rank) * self.threads + thread
            column, row = element // self.tile, tile * self.tile + element % self.tile
            if column < m and row < n:
                total = load_partial(peers[0] + element * 4)
                for p in cutlass.range_constexpr(1, self.split):
                    total = total + load_partial(peers[p] + element * 4)
                index = Int64(column) * Int64(ldy) + Int64(row)
                if cutlass.const_expr(self.out == "bf16"):
                    store_bf16(y + index * 2, total)
                else:
                    store_f32(y + index * 4, total)
        if cutlass.const_expr(self.split > 1):
            cluster_barrier()  # no block leaves while a peer may still read its tile
