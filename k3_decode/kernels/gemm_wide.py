# mypy: allow-untyped-decorators
"""Matrix times 16 to 64 rows on tensor cores, the weights streamed once: ``y = x W^T``.

Equals `k3_decode.kernels.gemm.Gemm`, which is for fewer rows. There each warp reads the staged input for itself, which
takes more of shared memory and of a warp's time the more rows there are. Here it lies in pieces that the four warps of
a warpgroup read at once (`k3_decode.kernels.parts.pieces`), and goes round a ring of sections, copied while the section
before is multiplied. Weights are the first operand as there: a lane's 16 bytes of two weight rows are the fragments of
two products, as they came. Every block reads the whole input of its columns from L2, so blocks are as wide as
registers allow: up to 256 outputs, one block a multiprocessor. A cluster of ``split`` blocks divides K.
"""

import math
from dataclasses import dataclass
from typing import Literal

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.asynchronous import show_to_products
from k3_decode.kernels.parts.dsl import Address, Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import close_copies, load_static, store_shared_f32, wait_for_copies
from k3_decode.kernels.parts.partial_tiles import add_partial_tiles
from k3_decode.kernels.parts.pieces import (
    CHUNK,
    CHUNK_WORDS,
    copy_word,
    multiply_pieces,
    piece_bytes,
    word_offset,
)
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors

IN_FLIGHT = {8: 10, 16: 4}
"""Chunks of weights on their way, two 16-byte loads of a lane each, by warps of a block: what registers hold."""
SECTION = 4
"""Chunks of a section."""
STEP = 2
"""Chunks multiplied at once, whose fragments need registers of their own."""
DEPTH = 4
"""Sections of the ring."""


@dataclass(frozen=True)
class WideGemm:
    """One compiled form of the kernel.

    Attributes:
        columns: Columns of the weights, a multiple of 8.
        tiles: Input rows in tiles of 8, 2 to 8.
        split: Blocks that divide K, 1 to 8.
        out: Type of the output.
        warps: Warps of a block, 8 or 16.
        settles: Whether it releases its successors after its own wait only, so that what was written before is settled
            for those that follow it.
    """

    columns: int
    tiles: int
    split: int
    out: Literal["bf16", "f32"]
    warps: int = 16
    settles: bool = False

    @property
    def name(self) -> str:
        """Symbol of this form."""
        form = f"gemm_wide_{self.columns}_rows{self.tiles * 8}_split{self.split}_warps{self.warps}_{self.out}"
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
        """Every weight load is there once, the first before the wait, and every product."""
        early = 2 * self.ahead
        return Contract(
            before_wait={"w": early}, after_wait={"w": 2 * self.chunks - early}, products=2 * self.chunks
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
    def ahead(self) -> int:
        """Chunks of weights before the wait."""
        return min(IN_FLIGHT[self.warps], self.chunks)

    @property
    def chunks(self) -> int:
        """Chunks of a block."""
        return math.ceil(math.ceil(self.columns / CHUNK) / self.split)

    @property
    def sections(self) -> int:
        """Sections of a block."""
        return math.ceil(self.chunks / SECTION)

    @property
    def section_bytes(self) -> int:
        """Shared memory of a section of the input."""
        return SECTION * 4 * piece_bytes(self.tiles)

    @property
    def shared_words(self) -> int:
        """Shared memory in words: the ring, then the partial tile in its place."""
        return max(min(DEPTH, self.sections) * self.section_bytes // 4, self.tiles * 8 * self.tile)

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
            cluster=[self.split, 1, 1], stream=stream, use_pdl=True, min_blocks_per_mp=1,
            preferred_smem_carveout=-1,
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
        start = part * (self.chunks * CHUNK * 2) + quad * 16
        rows = [w + Int64(cutlass.min(first + 8 * i, n - 1)) * (self.columns * 2) + Int64(start) for i in range(2)]
        ahead = self.ahead
        weights = [self.load_chunk(rows, start, c) for c in range(ahead)]
        wait_for_predecessors()
        if cutlass.const_expr(self.settles):
            release_dependents()

        # A warp copies every `warps`-th row, a lane a pair of columns in each half of a section.
        mine = [warp + i * self.warps for i in range(math.ceil(self.tiles * 8 / self.warps))]
        column = part * (self.chunks * CHUNK) + lane * 2
        sources = [x + (Int64(cutlass.min(row, m - 1)) * Int64(ldx) + Int64(column)) * 2 for row in mine]
        lives = [Int32(4) if row < m else Int32(0) for row in mine]
        targets = [shared + word_offset(lane, row, self.tiles) for row in mine]
        copied = min(DEPTH - 1, self.sections)
        for s in cutlass.range_constexpr(copied):
            self.stage(targets, sources, lives, column, s)
        sums = [[Float32(0.0) for _ in range(4)] for _ in range(self.tiles)]
        for s in cutlass.range_constexpr(self.sections):
            wait_for_copies(copied - 1 - s)
            show_to_products()
            barrier()  # this section is there, and all warps have read the one before
            if cutlass.const_expr(copied < self.sections):
                self.stage(targets, sources, lives, column, copied)
                copied += 1
            pieces = shared + s % DEPTH * self.section_bytes
            for c in cutlass.range_constexpr(s * SECTION, min((s + 1) * SECTION, self.chunks), STEP):
                step = range(c, min(c + STEP, self.chunks))
                for later in cutlass.range_constexpr(step.start + ahead, min(step.stop + ahead, self.chunks)):
                    weights.append(self.load_chunk(rows, start, later))
                at = pieces + (c - s * SECTION) * 4 * piece_bytes(self.tiles)
                sums = multiply_pieces(sums, [weights[own] for own in step], at, lane)
        barrier()  # all warps have read the input that the partial tile replaces
        for j in cutlass.range_constexpr(self.tiles):
            for i in cutlass.range_constexpr(4):
                column, row = j * 8 + quad * 2 + i % 2, warp * 16 + group + 8 * (i // 2)
                store_shared_f32(shared + (column * self.tile + row) * 4, sums[j][i])
        add_partial_tiles(
            shared, thread, tile, y, n, m, ldy, self.tiles * 8, self.tile, self.threads, self.split, self.out
        )  # fmt: skip

    def load_chunk(self, rows: list[Address], start: Value, chunk: int) -> list[list[Value]]:
        """Load this lane's 16 bytes of both weight rows."""
        offset = chunk * CHUNK * 2
        if ((self.split - 1) * self.chunks + chunk + 1) * CHUNK <= self.columns:
            return [load_static(row + offset) for row in rows]
        inside = cutlass.min(start + offset, Int32(self.columns * 2 - 16)) - start
        return [load_static(row + Int64(inside)) for row in rows]

    @cute.jit
    def stage(
        self, targets: list[Value], sources: list[Value], lives: list[Value], column: Int32,
        section: cutlass.Constexpr,
    ) -> None:  # fmt: skip
        """Start copying a section of the input, zeros beyond its rows and columns."""
        place = section % DEPTH * self.section_bytes
        for j in cutlass.range_constexpr(SECTION * CHUNK_WORDS // WARP):
            offset = section * SECTION * CHUNK + j * WARP * 2
            inside = ((self.split - 1) * self.chunks * CHUNK + offset + WARP * 2) <= self.columns
            for i in cutlass.range_constexpr(len(sources)):
                live = lives[i]
                if cutlass.const_expr(not inside):
                    live = live if column + offset < self.columns else Int32(0)
                copy_word(targets[i] + (place + word_offset(j * WARP, 0, self.tiles)), sources[i] + offset * 2, live)
        close_copies()
