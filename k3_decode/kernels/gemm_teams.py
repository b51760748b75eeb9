# mypy: allow-untyped-decorators
"""Matrix times 16 to 64 rows by teams of warps that divide K within a block: ``y = x W^T``, for few columns.

Equals `k3_decode.kernels.gemm_wide.WideGemm`, which divides K over a cluster: with few columns, adding the tiles of its
blocks takes longer than reading the weights. Here a block has 64 outputs, and each of its four teams of four warps a
quarter of K: all of its weights in registers before the wait, and its own columns of the input in pieces
(`k3_decode.kernels.parts.pieces`). The tiles of the teams meet in the block's shared memory and are added in order,
which gives the same bits on every run.
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
    store_shared,
    wait_for_copies,
)
from k3_decode.kernels.parts.pieces import CHUNK, CHUNK_WORDS, copy_word, multiply_pieces, piece_bytes, word_offset
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors
from k3_decode.kernels.parts.tile_exchange import PADDING, write_sums

TEAMS, WARPS = 4, 4
"""Teams of a block, and warps of a team."""
THREADS = TEAMS * WARPS * WARP
TILE = 16 * WARPS
"""Outputs of a block."""
MOST_CHUNKS = 8
"""Chunks of a team whose weights registers hold, two 16-byte loads of a lane each."""
PACED = 3
"""Chunks under way at a time before the wait, as in `k3_decode.kernels.gemv.Gemv`."""
STEP = 2
"""Chunks multiplied at once, whose fragments need registers of their own."""
SECTION = 4
"""Chunks of a team that are copied together; each section has a place of its own."""


@dataclass(frozen=True)
class TeamGemm:
    """One compiled form of the kernel.

    Attributes:
        columns: Columns of the weights, a multiple of 8; at most `MOST_CHUNKS` chunks a team.
        tiles: Input rows in tiles of 8, 2 to 8.
        out: Type of the output.
        settles: Whether it releases its successors after its own wait only, so that what was written before is settled
            for those that follow it.
    """

    columns: int
    tiles: int
    out: Literal["bf16", "f32"]
    settles: bool = False

    @property
    def name(self) -> str:
        """Symbol of this form."""
        form = f"gemm_teams_{self.columns}_rows{self.tiles * 8}_{self.out}"
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
        """Every weight load is there once, before the wait, and every product."""
        return Contract(before_wait={"w": 2 * self.chunks}, products=2 * self.chunks)

    @property
    def chunks(self) -> int:
        """Chunks of a team."""
        return math.ceil(math.ceil(self.columns / CHUNK) / TEAMS)

    @property
    def split(self) -> int:
        """Teams that divide K."""
        return TEAMS

    @property
    def even(self) -> bool:
        """Whether all teams have whole chunks."""
        return self.chunks * TEAMS * CHUNK == self.columns

    @property
    def resident(self) -> int:
        """Blocks of a multiprocessor."""
        return 1

    @property
    def sections(self) -> int:
        """Sections of a team."""
        return math.ceil(self.chunks / SECTION)

    @property
    def input_bytes(self) -> int:
        """Shared memory of a team's input."""
        return self.sections * SECTION * 4 * piece_bytes(self.tiles)

    @property
    def pitch(self) -> int:
        """Bytes from one output of a tile to the next."""
        return (self.tiles * 8 + PADDING) * 4

    @property
    def shared_words(self) -> int:
        """Shared memory in words: the input of all teams, then their tiles in its place."""
        return TEAMS * max(self.input_bytes, TILE * self.pitch) // 4

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
            grid=[cute.ceil_div(cute.size(w, mode=[0]), TILE), 1, 1], block=[THREADS, 1, 1], stream=stream,
            use_pdl=True, min_blocks_per_mp=1, preferred_smem_carveout=-1,
        )  # fmt: skip

    @cute.kernel
    def body(self, w: Int64, x: Int64, y: Int64, n: Int32, m: Int32, ldx: Int32, ldy: Int32) -> None:
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        tile, _, _ = cute.arch.block_idx()
        lane, warp = thread % WARP, thread // WARP
        team, own = warp // WARPS, warp % WARPS
        shared = cutlass.utils.SmemAllocator().allocate_array(Uint32, self.shared_words, byte_alignment=128).toint()
        if cutlass.const_expr(not self.settles):
            release_dependents()

        # Rows beyond the last repeat it; columns beyond the last repeat the last 16 bytes and meet zeros.
        first = tile * TILE + own * 16 + lane // 4
        begin = team * (self.chunks * CHUNK)
        rows = [w + Int64(cutlass.min(first + 8 * i, n - 1)) * (self.columns * 2) for i in range(2)]
        weights = self.all_chunks(rows, begin * 2 + lane % 4 * 16, n)
        wait_for_predecessors()
        if cutlass.const_expr(self.settles):
            release_dependents()

        pieces = shared + team * self.input_bytes
        for s in cutlass.range_constexpr(self.sections):
            self.stage(pieces, x, begin, m, ldx, own, lane, s)
        sums = [[Float32(0.0) for _ in range(4)] for _ in range(self.tiles)]
        for s in cutlass.range_constexpr(self.sections):
            wait_for_copies(self.sections - 1 - s)
            show_to_products()
            barrier()  # this section is there
            for c in cutlass.range_constexpr(s * SECTION, min((s + 1) * SECTION, self.chunks), STEP):
                step = range(c, min(c + STEP, self.chunks))
                sums = multiply_pieces(sums, [weights[i] for i in step], pieces + c * 4 * piece_bytes(self.tiles), lane)
        barrier()  # all teams have read the input that their tiles replace
        for half in cutlass.range_constexpr(2):
            place = shared + (team * TILE + own * 16 + lane // 4 + 8 * half) * self.pitch + lane % 4 * 8
            for j in cutlass.range_constexpr(self.tiles):
                store_shared(place + j * 32, sums[j][2 * half : 2 * half + 2])
        barrier()  # the tiles of all teams are there
        write_sums(
            shared, thread, tile, y, n, m, ldy, Int32(0), self.tiles * 8, TILE, TILE, TEAMS, self.pitch, THREADS,
            self.out,
        )  # fmt: skip

    def all_chunks(self, rows: list[Address], start: Value, n: Value) -> list[list[list[Value]]]:
        """Load a team's weights, each chunk once the one `PACED` before it has arrived."""
        weights: list[list[list[Value]]] = []
        for chunk in range(self.chunks):
            offset = start + chunk * CHUNK * 2
            if not self.even:
                offset = cutlass.min(offset, Int32(self.columns * 2 - 16))
            own = [row + Int64(offset) for row in rows]
            if chunk >= PACED:
                earlier = weights[chunk - PACED]
                own = [after_arrival(at, words, Uint32(n >> 31)) for at, words in zip(own, earlier, strict=True)]
            weights.append([load_static(at) for at in own])
        return weights

    @cute.jit
    def stage(
        self, pieces: Int32, x: Int64, begin: Int32, m: Int32, ldx: Int32, own: Int32, lane: Int32,
        section: cutlass.Constexpr,
    ) -> None:  # fmt: skip
        """Start copying a section of a team's input, zeros beyond its rows and columns: a warp every fourth row."""
        for i in cutlass.range_constexpr(self.tiles * 8 // WARPS):
            row = own + i * WARPS
            source = x + (Int64(cutlass.min(row, m - 1)) * Int64(ldx) + Int64(begin + lane * 2)) * 2
            target = pieces + word_offset(lane, row, self.tiles)
            for j in cutlass.range_constexpr(SECTION * CHUNK_WORDS // WARP):
                offset = section * SECTION * CHUNK + j * WARP * 2
                if cutlass.const_expr(offset < self.chunks * CHUNK):
                    live = Int32(4) if row < m else Int32(0)
                    if cutlass.const_expr(offset + WARP * 2 > self.chunks * CHUNK or not self.even):
                        live = live if begin + lane * 2 + offset < self.columns else Int32(0)
                    copy_word(target + word_offset(offset // 2, 0, self.tiles), source + offset * 2, live)
        close_copies()
