# mypy: allow-untyped-decorators
"""Matrix times 3 to 64 rows on tensor cores, the weights streamed once: ``y = x W^T``.

Equals ``functional.linear`` of `k3_decode.reference` with float32 accumulation and one rounding of the output.

The weights are the first operand: a warp owns 16 outputs. The order of K inside a product is free, so a lane loads 16
bytes of two weight rows, and they are the fragments of two products, as they came, with no shuffle and no shared
memory. The input lies in pieces that the four warps of a warpgroup read at once (`k3_decode.kernels.parts.pieces`), and
goes round a ring of sections, copied while the section before is multiplied. A cluster of ``split`` blocks divides K.

With up to 8 rows, blocks are of four warps and a multiprocessor holds as many as their weights on the way leave
registers for; their sums travel through mailboxes (`k3_decode.kernels.parts.tile_exchange`). With more, every block
reads the whole input of its columns from L2, so that blocks are as wide as registers allow: up to 256 outputs, one
block a multiprocessor. Their tiles are large, and peers read them after a cluster barrier, which was faster.
"""

import math
from dataclasses import dataclass
from typing import Literal

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.asynchronous import show_to_products
from k3_decode.kernels.parts.dsl import Address, Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import (
    after_arrival,
    close_copies,
    load_static,
    store_shared_f32,
    wait_for_copies,
)
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
from k3_decode.kernels.parts.tile_exchange import add_tile, open_tile, tile_words

RESIDENT = {10: 4, 12: 4, 14: 3, 28: 2}
"""Blocks of a multiprocessor by the most chunks of weights on their way, two 16-byte loads of a lane each, of blocks of
four warps that serve 8 rows: what registers hold."""
IN_FLIGHT = {8: 10, 16: 4}
"""The chunks of blocks that serve more rows, one a multiprocessor, by their warps."""
SECTION, SHORT_SECTION = 4, 16
"""Chunks of a section, of more rows and of 8."""
STEP = 2
"""Chunks multiplied at once, whose fragments need registers of their own."""
DEPTH = 4
"""Sections of the ring."""
MANY_SECTIONS = 6
"""More sections of 8 rows than these are more addresses than the compiler can keep."""


@dataclass(frozen=True)
class WideGemm:
    """One compiled form of the kernel.

    Attributes:
        columns: Columns of the weights, a multiple of 8.
        tiles: Input rows in tiles of 8, 1 to 8.
        split: Blocks that divide K, 1 to 8.
        out: Type of the output.
        warps: Warps of a block: 4 with one tile of rows, else 8 or 16.
        in_flight: Chunks of weights on their way: one of `RESIDENT` with one tile of rows, else what `IN_FLIGHT` says.
        paced: Most chunks that are under way at a time before the wait, as in `k3_decode.kernels.gemv.Gemv`; 0 asks
            for all of them at once.
        settles: Whether it releases its successors after its own wait only, so that what was written before is settled
            for those that follow it.
    """

    columns: int
    tiles: int
    split: int
    out: Literal["bf16", "f32"]
    warps: int
    in_flight: int
    paced: int = 0
    settles: bool = False

    @property
    def name(self) -> str:
        """Symbol of this form."""
        form = f"gemm_wide_{self.columns}_rows{self.tiles * 8}_split{self.split}_warps{self.warps}"
        form += f"_flight{self.in_flight}_{self.out}"
        return f"{form}{f'_paced{self.paced}' if self.paced else ''}{'_settles' if self.settles else ''}"

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
        return min(self.in_flight, self.chunks)

    @property
    def short(self) -> bool:
        """Whether it serves at most 8 rows."""
        return self.tiles == 1

    @property
    def resident(self) -> int:
        """Blocks of a multiprocessor."""
        return RESIDENT[self.in_flight] if self.short else 1

    @property
    def chunks(self) -> int:
        """Chunks of a block."""
        return math.ceil(math.ceil(self.columns / CHUNK) / self.split)

    @property
    def sections(self) -> int:
        """Sections of a block."""
        return math.ceil(self.chunks / self.section)

    @property
    def section(self) -> int:
        """Chunks of a section, a multiple of 4."""
        return min(SHORT_SECTION, 4 * math.ceil(self.chunks / 4)) if self.short else SECTION

    @property
    def section_bytes(self) -> int:
        """Shared memory of a section of the input."""
        return self.section * 4 * piece_bytes(self.tiles)

    @property
    def ring_bytes(self) -> int:
        """Shared memory of the ring."""
        return min(DEPTH, self.sections) * self.section_bytes

    @property
    def shared_words(self) -> int:
        """Shared memory in words: the ring, then the mailbox of the tile, or the partial tile in its place."""
        if self.short:
            return self.ring_bytes // 4 + tile_words(8, self.tile, self.split)
        return max(self.ring_bytes // 4, self.tiles * 8 * self.tile)

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
            cluster=[self.split, 1, 1], stream=stream, use_pdl=True, min_blocks_per_mp=self.resident,
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
        box = shared + self.ring_bytes
        if cutlass.const_expr(not self.settles):
            release_dependents()

        # Rows beyond the last repeat it; columns beyond the last repeat the last 16 bytes and meet zeros.
        first = tile * self.tile + warp * 16 + group
        start = part * (self.chunks * CHUNK * 2) + quad * 16
        rows = [w + Int64(cutlass.min(first + 8 * i, n - 1)) * (self.columns * 2) + Int64(start) for i in range(2)]
        ahead = self.ahead
        weights = self.first_chunks(rows, start, n)
        if cutlass.const_expr(self.short):
            open_tile(box, thread, 8, self.tile, self.split)
        wait_for_predecessors()
        if cutlass.const_expr(self.settles):
            release_dependents()

        # A warp copies every `warps`-th row, a lane a pair of columns of every 64 of a section.
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
            if cutlass.const_expr(self.short and self.sections > MANY_SECTIONS and s >= DEPTH):
                # Zero, which the compiler cannot know: else it keeps the addresses of the turn before in registers that
                # the weights need.
                pieces = pieces + (n >> 31 & s)
            for c in cutlass.range_constexpr(s * self.section, min((s + 1) * self.section, self.chunks), STEP):
                step = range(c, min(c + STEP, self.chunks))
                for later in cutlass.range_constexpr(step.start + ahead, min(step.stop + ahead, self.chunks)):
                    weights.append(self.load_chunk(rows, start, later))
                at = pieces + (c - s * self.section) * 4 * piece_bytes(self.tiles)
                sums = multiply_pieces(sums, [weights[own] for own in step], at, lane)
        if cutlass.const_expr(self.short):
            add_tile(sums, box, thread, tile, y, n, m, ldy, self.tile, self.split, self.out)
        else:
            barrier()  # all warps have read the input that the partial tile replaces
            for j in cutlass.range_constexpr(self.tiles):
                for i in cutlass.range_constexpr(4):
                    column, row = j * 8 + quad * 2 + i % 2, warp * 16 + group + 8 * (i // 2)
                    store_shared_f32(shared + (column * self.tile + row) * 4, sums[j][i])
            add_partial_tiles(
                shared, thread, tile, y, n, m, ldy, self.tiles * 8, self.tile, self.threads, self.split, self.out
            )  # fmt: skip

    def first_chunks(self, rows: list[Address], start: Value, n: Value) -> list[list[list[Value]]]:
        """Load what is asked for before the wait, each chunk once the one `paced` before it has arrived."""
        weights: list[list[list[Value]]] = []
        for chunk in range(self.ahead):
            own = rows
            if 0 < self.paced <= chunk:
                earlier = weights[chunk - self.paced]
                own = [after_arrival(row, words, Uint32(n >> 31)) for row, words in zip(rows, earlier, strict=True)]
            weights.append(self.load_chunk(own, start, chunk))
        return weights

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
        for j in cutlass.range_constexpr(self.section * CHUNK_WORDS // WARP):
            offset = section * self.section * CHUNK + j * WARP * 2
            inside = ((self.split - 1) * self.chunks * CHUNK + offset + WARP * 2) <= self.columns
            for i in cutlass.range_constexpr(len(sources)):
                live = lives[i]
                if cutlass.const_expr(not inside):
                    live = live if column + offset < self.columns else Int32(0)
                copy_word(targets[i] + (place + word_offset(j * WARP, 0, self.tiles)), sources[i] + offset * 2, live)
        close_copies()
