# mypy: allow-untyped-decorators
"""The two products after a sharded layer's experts in one launch, for 3 to 8 rows: shared output and up-projection.

Equals two products of `k3_decode.kernels.gemm_wide` over the columns of one input, the latent first: the shared
experts' output rows of its last columns, and this rank's rows of the up-projection of its first. They share no output,
and either alone is too small to fill the device.

A block belongs to one of the two, and has 64 outputs. A cluster of `CLUSTER` blocks divides the columns of one tile of
the up-projection, or of a few tiles of the shared product, so that a block has about as many columns of either. All
are the same code: weights, input and outputs come from other places, and a block with fewer columns meets zeros.
"""

import math
from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import select_address
from k3_decode.kernels.parts.asynchronous import show_to_products
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import after_arrival, load_static, wait_for_copies
from k3_decode.kernels.parts.pieces import CHUNK, CHUNK_WORDS, copy_word, multiply_pieces, piece_bytes, word_offset
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors
from k3_decode.kernels.parts.tile_exchange import add_tile, open_tile, tile_words

WARPS = 4
THREADS = WARPS * WARP
TILE = 16 * WARPS
"""Outputs of a block."""
CLUSTER = 8
"""Blocks that divide K of the up-projection."""
STEP = 2
"""Chunks multiplied at once, whose fragments need registers of their own."""
ROWS = 8
"""Most input rows, one tile of them."""
IN_FLIGHT, RESIDENT = 14, 3
"""Chunks of weights on their way, two 16-byte loads of a lane each, and blocks of a multiprocessor, for whose registers
they must leave room."""

PACED = 4
"""Chunks under way at a time before the wait: 0.4 us less of a layer of 8 rows at 16 ranks, and 1.2 at 8, than all
of them at once (H200, 2026-11-30)."""


@dataclass(frozen=True)
class WideTail:
    """One compiled form of the kernel.

    Attributes:
        latent: Columns of the up-projection, a multiple of 256.
        shared: Columns of the shared product, a multiple of 32.
        paced: Most chunks that are under way at a time before the wait, as in `k3_decode.kernels.gemv.Gemv`; 0 asks
            for all of them at once.
    """

    latent: int
    shared: int
    paced: int = PACED

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"tail_wide_{self.latent}_{self.shared}{f'_paced{self.paced}' if self.paced else ''}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("down", "bf16", ("n", self.shared), static=True, stream=True),
            Argument("up", "bf16", ("u", self.latent), static=True, stream=True),
            Argument("x", "bf16", ("m", self.latent + self.shared)),
            Argument("y", "bf16", ("m", "n"), strided=True, aligned=False),
            Argument("columns", "bf16", ("m", "u"), strided=True, aligned=False),
        )

    @property
    def contract(self) -> Contract:
        """Every weight load is there once, the first before the wait, and every product."""
        early = 2 * self.ahead
        return Contract(
            before_wait={"down and up": early}, after_wait={"down and up": 2 * self.chunks - early},
            products=2 * self.chunks,
        )  # fmt: skip

    @property
    def fits(self) -> bool:
        """Whether the blocks of a cluster have whole chunks of the up-projection."""
        return self.latent % (CHUNK * CLUSTER) == 0

    @property
    def shared_split(self) -> int:
        """Blocks that divide the columns of a tile of the shared product."""
        most = self.latent // CHUNK // CLUSTER
        return next((parts for parts in (1, 2, 4) if self.shared_chunks(parts) <= most), CLUSTER)

    @property
    def chunks(self) -> int:
        """Chunks of a block, of which one of the two products may use fewer."""
        return max(self.latent // CHUNK // CLUSTER, self.shared_chunks(self.shared_split))

    @property
    def ahead(self) -> int:
        """Chunks of weights before the wait."""
        return min(IN_FLIGHT, self.chunks)

    @property
    def input_bytes(self) -> int:
        """Shared memory of the input."""
        return -(-self.chunks // 2) * 2 * 4 * piece_bytes(1)

    @property
    def shared_words(self) -> int:
        """Shared memory in words: the input, then the mailbox of the tile."""
        boxes = [tile_words(ROWS, TILE, split) for split in (CLUSTER, self.shared_split)]
        return self.input_bytes // 4 + max(boxes)

    def shared_chunks(self, parts: int) -> int:
        """Give the chunks of a block where so many divide the columns of the shared product."""
        return math.ceil(self.shared / CHUNK / parts)

    @cute.jit
    def __call__(self, down: Tensor, up: Tensor, x: Tensor, y: Tensor, columns: Tensor, stream: Stream) -> None:
        """Launch.

        Args:
            down: ``[N, S]`` shared output rows.
            up: ``[U, L]`` rows of the up-projection.
            x: ``[M, L + S]`` normalised latent, then the activation of the shared experts; M at most 8.
            y: ``[M, N]`` gets the shared output; rows may be strided.
            columns: ``[M, U]`` gets the up-projection; rows may be strided.
            stream: Where to run.
        """
        n, u, own_tiles = cute.size(down, mode=[0]), cute.size(up, mode=[0]), CLUSTER // self.shared_split
        self.body(
            down.iterator.toint(), up.iterator.toint(), x.iterator.toint(), y.iterator.toint(),
            columns.iterator.toint(), Int32(n), Int32(u), Int32(cute.size(x, mode=[0])), Int32(y.stride[0]),
            Int32(columns.stride[0]),
        ).launch(
            grid=[CLUSTER, cute.ceil_div(n, TILE * own_tiles) + cute.ceil_div(u, TILE), 1], block=[THREADS, 1, 1],
            cluster=[CLUSTER, 1, 1], stream=stream, use_pdl=True, min_blocks_per_mp=RESIDENT,
            preferred_smem_carveout=-1,
        )  # fmt: skip

    @cute.kernel
    def body(
        self, down: Int64, up: Int64, x: Int64, y: Int64, columns: Int64, n: Int32, u: Int32, m: Int32, ldy: Int32,
        ldc: Int32,
    ) -> None:  # fmt: skip
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        rank, cluster, _ = cute.arch.block_idx()
        lane, warp = thread % WARP, thread // WARP
        shared = cutlass.utils.SmemAllocator().allocate_array(Uint32, self.shared_words, byte_alignment=128).toint()
        box = shared + self.input_bytes
        release_dependents()

        split = self.shared_split
        shared_clusters = cute.ceil_div(n, TILE * (CLUSTER // split))
        is_up = cluster >= shared_clusters
        tile = cluster - shared_clusters if is_up else cluster * (CLUSTER // split) + rank // split
        own_chunks = Int32(self.latent // CHUNK // CLUSTER) if is_up else Int32(self.shared_chunks(split))
        begin = (rank if is_up else rank % split) * own_chunks * CHUNK
        width = Int32(self.latent) if is_up else Int32(self.shared)
        # Rows beyond the last repeat it, and are not written; columns beyond the last meet zeros.
        base = select_address(Uint32(is_up), up, down)
        first, last = tile * TILE + warp * 16 + lane // 4, (u if is_up else n) - 1
        sources = [base + Int64(cutlass.min(first + 8 * i, last)) * Int64(width * 2) for i in range(2)]
        start, end = begin * 2 + lane % 4 * 16, width * 2 - 16
        weights = self.first_chunks(sources, start, end, n)
        if is_up:
            open_tile(box, thread, ROWS, TILE, CLUSTER)
        else:
            open_tile(box, thread, ROWS, TILE, split)
        wait_for_predecessors()

        origin = begin + (Int32(0) if is_up else Int32(self.latent))
        self.stage(shared, x, origin, cutlass.min(own_chunks * CHUNK, width - begin), m, lane, warp)
        wait_for_copies()
        show_to_products()
        barrier()  # the input is there
        sums = [[Float32(0.0) for _ in range(4)]]
        for c in cutlass.range_constexpr(0, self.chunks, STEP):
            step = range(c, min(c + STEP, self.chunks))
            for later in cutlass.range_constexpr(c + self.ahead, min(c + STEP + self.ahead, self.chunks)):
                weights.append(self.load_chunk(sources, start, end, later))
            sums = multiply_pieces(sums, [weights[own] for own in step], shared + c * 4 * piece_bytes(1), lane)
        if is_up:
            add_tile(sums, box, thread, tile, columns, u, m, ldc, TILE, CLUSTER, "bf16")
        else:
            add_tile(sums, box, thread, tile, y, n, m, ldy, TILE, split, "bf16")

    def first_chunks(self, sources: list[Value], start: Value, end: Value, n: Value) -> list[list[list[Value]]]:
        """Load what is asked for before the wait, each chunk once the one `paced` before it has arrived."""
        weights: list[list[list[Value]]] = []
        for chunk in range(self.ahead):
            own = sources
            if 0 < self.paced <= chunk:
                earlier = weights[chunk - self.paced]
                own = [after_arrival(at, words, Uint32(n >> 31)) for at, words in zip(sources, earlier, strict=True)]
            weights.append(self.load_chunk(own, start, end, chunk))
        return weights

    def load_chunk(self, sources: list[Value], start: Value, end: Value, chunk: int) -> list[list[Value]]:
        """Load this lane's 16 bytes of both weight rows."""
        offset = Int64(cutlass.min(start + chunk * CHUNK * 2, end))
        return [load_static(source + offset) for source in sources]

    @cute.jit
    def stage(
        self, shared: Int32, x: Int64, origin: Int32, live_columns: Int32, m: Int32, lane: Int32, warp: Int32
    ) -> None:
        """Copy the block's columns of the input, zeros beyond its rows and columns: a warp every fourth row."""
        for i in cutlass.range_constexpr(ROWS // WARPS):
            row = warp + i * WARPS
            source = x + (Int64(cutlass.min(row, m - 1)) * (self.latent + self.shared) + Int64(origin + lane * 2)) * 2
            for j in cutlass.range_constexpr(-(-self.chunks * CHUNK_WORDS // WARP)):
                column = lane * 2 + j * WARP * 2
                live = Int32(4) if row < m and column < live_columns else Int32(0)
                copy_word(shared + word_offset(lane, row, 1) + word_offset(j * WARP, 0, 1),
                          source + j * WARP * 4, live)  # fmt: skip
