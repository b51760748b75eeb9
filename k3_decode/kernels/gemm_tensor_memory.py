# mypy: allow-untyped-decorators
"""Matrix times 32 or 64 rows on Blackwell's tensor memory, the weights streamed once: ``y = x W^T``.

Equals `k3_decode.kernels.gemm.Gemm`, whose products go through registers. Here both operands stay in shared memory and
the sums in tensor memory: a block owns 128 outputs, the weights are the first operand, and input rows are the N side.
Sections of 64 columns go round a ring. All threads copy, one starts the products of a section when it is there, and a
section's place is filled again when its products are done. A cluster divides K and adds up as `Gemm`'s does.

Compiled, and its machine code checked; never run, for want of the hardware.
"""

import math
from dataclasses import dataclass
from typing import Literal

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.asynchronous import BARRIER_BYTES, init_barriers, show_to_products, wait_for_barrier
from k3_decode.kernels.parts.dsl import Int32, Int64, Stream, Tensor, Uint32, cute, cutlass
from k3_decode.kernels.parts.memory import close_copies, copy_to_shared, load_shared, store_shared_f32, wait_for_copies
from k3_decode.kernels.parts.partial_tiles import add_partial_tiles
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors
from k3_decode.kernels.parts.tensor_memory import (
    LANES,
    ROW_BYTES,
    STEP_BYTES,
    allocate,
    free,
    load_products,
    multiply_tiles,
    product_descriptor,
    signal_products,
    tile_descriptor,
)

THREADS = 128
SECTION = ROW_BYTES // 2
"""Columns of a section."""
DEPTH = 6
"""Sections of the ring, 144 KB with 64 rows."""
PIECES = ROW_BYTES // 16
UNIT_BYTES = 1024


@dataclass(frozen=True)
class TensorMemoryGemm:
    """One compiled form of the kernel.

    Attributes:
        columns: Columns of the weights, a multiple of 8.
        rows: Input rows, 32 or 64.
        split: Blocks that divide K, 1 to 8.
        out: Type of the output.
    """

    columns: int
    rows: int
    split: int
    out: Literal["bf16", "f32"]

    @property
    def architectures(self) -> tuple[str, ...]:
        """What it compiles for."""
        return ("sm_100a", "sm_103a")

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"gemm_tensor_memory_{self.columns}_rows{self.rows}_split{self.split}_{self.out}"

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
        """Every weight is copied once, the sections of a filled ring before the wait, and every product is there."""
        early = PIECES * self.filled
        return Contract(
            before_wait={"w": early}, after_wait={"w": PIECES * self.sections - early},
            products=self.sections * (ROW_BYTES // STEP_BYTES),
        )  # fmt: skip

    @property
    def sections(self) -> int:
        """Sections of a block."""
        return math.ceil(math.ceil(self.columns / SECTION) / self.split)

    @property
    def filled(self) -> int:
        """Sections on their way before the first product."""
        return min(DEPTH - 1, self.sections)

    @property
    def section_bytes(self) -> int:
        """Shared memory of a section: the weights' tile, then the inputs'."""
        return (LANES + self.rows) * ROW_BYTES

    @cute.jit
    def __call__(self, w: Tensor, x: Tensor, y: Tensor, stream: Stream) -> None:
        """Launch.

        Args:
            w: ``[N, K]`` bfloat16.
            x: ``[M, K]`` bfloat16, rows may be strided; M at most ``rows``.
            y: ``[M, N]``, rows may be strided.
            stream: Where to run.
        """
        self.body(
            w.iterator.toint(), x.iterator.toint(), y.iterator.toint(), Int32(cute.size(w, mode=[0])),
            Int32(cute.size(x, mode=[0])), Int32(x.stride[0]), Int32(y.stride[0]),
        ).launch(
            grid=[self.split, cute.ceil_div(cute.size(w, mode=[0]), LANES), 1], block=[THREADS, 1, 1],
            cluster=[self.split, 1, 1], stream=stream, use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def body(self, w: Int64, x: Int64, y: Int64, n: Int32, m: Int32, ldx: Int32, ldy: Int32) -> None:
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        part, tile, _ = cute.arch.block_idx()
        lane, warp = thread % WARP, thread // WARP
        ring_bytes = DEPTH * self.section_bytes
        words = (ring_bytes + (DEPTH + 1) * BARRIER_BYTES + 8) // 4
        ring = cutlass.utils.SmemAllocator().allocate_array(Uint32, words, byte_alignment=UNIT_BYTES).toint()
        done = ring + ring_bytes
        slot = done + (DEPTH + 1) * BARRIER_BYTES
        release_dependents()
        if warp == 0:
            allocate(slot, self.rows)
        if thread == 0:
            init_barriers(done, DEPTH + 1)
        first = part * self.sections
        for s in cutlass.range_constexpr(self.filled):
            self.copy(ring + s * self.section_bytes, w, tile * LANES, n, first + s, thread, Int32(self.columns), LANES)
        close_copies()
        wait_for_predecessors()
        for s in cutlass.range_constexpr(self.filled):
            inputs = ring + s * self.section_bytes + LANES * ROW_BYTES
            self.copy(inputs, x, Int32(0), m, first + s, thread, ldx, self.rows)
            close_copies()
        closed = self.filled
        memory = Int32(0)
        for s in cutlass.range_constexpr(self.sections):
            wait_for_copies(closed - 1 - s)
            show_to_products()
            barrier()  # the section is there, and at first the barriers and the tensor memory
            if cutlass.const_expr(s == 0):
                memory = Int32(load_shared(slot, words=1)[0])
            at = ring + s % DEPTH * self.section_bytes
            if warp == 0:
                with cute.arch.elect_one():
                    for k in cutlass.range_constexpr(ROW_BYTES // STEP_BYTES):
                        a = tile_descriptor(at + k * STEP_BYTES)
                        b = tile_descriptor(at + LANES * ROW_BYTES + k * STEP_BYTES)
                        multiply_tiles(memory, a, b, product_descriptor(LANES, self.rows), s + k > 0)
                    signal_products(done + s % DEPTH * BARRIER_BYTES)
                    if cutlass.const_expr(s == self.sections - 1):
                        signal_products(done + DEPTH * BARRIER_BYTES)
            if cutlass.const_expr(closed < self.sections):
                place = closed % DEPTH
                if cutlass.const_expr(closed >= DEPTH):  # the products of what is there now must be done
                    wait_for_barrier(done + place * BARRIER_BYTES, (closed // DEPTH - 1) % 2)
                target = ring + place * self.section_bytes
                self.copy(target, w, tile * LANES, n, first + closed, thread, Int32(self.columns), LANES)
                self.copy(target + LANES * ROW_BYTES, x, Int32(0), m, first + closed, thread, ldx, self.rows)
                close_copies()
                closed += 1
        wait_for_barrier(done + DEPTH * BARRIER_BYTES)
        for half in cutlass.range_constexpr(self.rows // WARP):
            sums = load_products(memory + (warp * WARP << 16) + half * WARP)
            for column in cutlass.range_constexpr(WARP):
                element = (half * WARP + column) * LANES + warp * WARP + lane
                store_shared_f32(ring + element * 4, sums[column])
        barrier()  # all warps have read the tensor memory
        if warp == 0:
            free(memory, self.rows)
        add_partial_tiles(
            ring, thread, tile, y, n, m, ldy, self.rows, LANES, THREADS, self.split, self.out
        )  # fmt: skip

    @cute.jit
    def copy(
        self, target: Int32, source: Int64, row: Int32, limit: Int32, section: Int32, thread: Int32, pitch: Int32,
        count: cutlass.Constexpr,
    ) -> None:  # fmt: skip
        """Start copying a section of ``count`` rows from ``row`` on; rows beyond the limit and columns are zeros."""
        piece, columns = thread % PIECES, section * SECTION + thread % PIECES * 8
        for i in cutlass.range_constexpr(count * PIECES // THREADS):
            place = thread // PIECES + i * (THREADS // PIECES)
            live = Int32(16) if row + place < limit and columns < self.columns else Int32(0)
            address = source + (Int64(row + place) * Int64(pitch) + Int64(columns)) * 2
            copy_to_shared(target + place * ROW_BYTES + (piece ^ place % 8) * 16, address, live)
