# mypy: allow-untyped-decorators
"""Matrix times one or two rows, on CUDA cores: ``y[m] = W x[m]``, the weights streamed once.

Equals ``functional.linear`` of `k3_decode.reference` with float32 accumulation and one rounding of the output, after
the input's transformation (`Segment`).

A warp computes ``rows_per_warp`` output rows. Its lanes take 16 bytes of a row in turn, so that a load of the warp
covers 512 bytes in order. The first loads of every lane are issued before the dependency wait, because
weights do not depend on the previous kernel; the input is then staged in shared memory once a block. Where the copy
engine does that (`Gemv.copied`) a thread needs fewer registers, so that more blocks ask for their weights at once.
Asking for everything at once fills the memory's queues, in which the predecessor's last stores then wait; a paced form
(`Gemv.paced`) asks for as much as keeps memory busy.
"""

import math
from dataclasses import dataclass
from typing import Literal

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import from_bits, high_bf16, low_bf16, pack_bf16, rsqrt, situ
from k3_decode.kernels.parts.asynchronous import BARRIER_BYTES, expect_bytes, init_barriers, wait_for_barrier
from k3_decode.kernels.parts.dsl import Address, Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import (
    after_arrival,
    copy_in_bulk,
    load,
    load_shared,
    load_static,
    store_bf16,
    store_f32,
    store_shared,
)
from k3_decode.kernels.parts.sync import WARP, barrier, block_sums, release_dependents, wait_for_predecessors, warp_sum

IN_FLIGHT = 20
"""16-byte loads of a lane in flight, unless a form says otherwise; 20 leave registers for four blocks of four warps."""

IN_FLIGHT_NORM = 14
"""The same where a thread also holds its share of a norm's weight."""

CHAINS = 4
"""Sums of a lane that do not wait for one another, of all its rows together."""

LANE_VALUES = 8
STRIDE = WARP * LANE_VALUES
"""Values one load of a warp covers."""


@dataclass(frozen=True)
class Segment:
    """A run of the input vector and how it is made.

    Attributes:
        kind: ``plain`` takes bfloat16 as it is. ``norm`` normalises float32 by its root mean square and scales by a
            float32 weight. ``situ`` combines float32 gate and linear halves, ``[2 * width]``.
        width: Values it adds to the input, a multiple of 8.
    """

    kind: Literal["plain", "norm", "situ"]
    width: int


@dataclass(frozen=True)
class Gemv:
    """One compiled form of the kernel.

    Attributes:
        segments: The input, in order; their widths add up to the columns of the weights.
        rows: Rows of the input, 1 or 2.
        rows_per_warp: Output rows of a warp.
        out: Type of the output.
        eps: Added to the mean square where a segment is normalised.
        beta: Bound of SiTU's gate.
        linear_beta: Bound of SiTU's linear half.
        settles: Whether it releases its successors after its own wait only, so that what was written before is settled
            for those that follow it.
        warps: Warps of a block, which share one staged input.
        in_flight: Most 16-byte loads of a lane before the wait.
        copied: Whether the copy engine stages the input: one plain segment, a multiple of 256 wide.
        paced: Most loads of a lane that are under way at a time before the wait; 0 asks for all of them at once.
    """

    segments: tuple[Segment, ...]
    rows: int
    rows_per_warp: int
    out: Literal["bf16", "f32"]
    eps: float = 1e-5
    beta: float = 4.0
    linear_beta: float | None = 25.0
    settles: bool = False
    warps: int = 4
    in_flight: int = IN_FLIGHT
    copied: bool = False
    paced: int = 0

    @property
    def name(self) -> str:
        """Symbol of this form."""
        inputs = "_".join(f"{segment.kind}{segment.width}" for segment in self.segments)
        form = f"{self.warps}x{self.rows_per_warp}_flight{self.in_flight}_{self.out}"
        paced = f"_paced{self.paced}" if self.paced else ""
        marks = f"{paced}{'_copied' if self.copied else ''}{'_settles' if self.settles else ''}"
        return f"gemv_{inputs}_rows{self.rows}_{form}{marks}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call; ``second`` and ``scale`` are any tensor of their type where no segment needs them."""
        kinds = [segment.kind for segment in self.segments]
        return (
            Argument("w", "bf16", ("n", self.columns), static=True, stream=True),
            Argument("x", "bf16" if kinds[0] == "plain" else "f32", (self.rows, "a"), strided=True),
            Argument("second", "bf16" if kinds[-1] == "plain" else "f32", (self.rows, "b"), strided=True),
            Argument("scale", "f32", ("c",), static=True),
            Argument("y", self.out, (self.rows, "n"), strided=True, aligned=False),
        )

    @property
    def contract(self) -> Contract:
        """Every weight load is there once, the first `prefetched` before the wait, as all of the norm's weight is."""
        return Contract(
            before_wait={"w": self.prefetched, "scale": self.scale_loads},
            after_wait={"w": self.loads * self.rows_per_warp - self.prefetched},
            copies={"x": self.rows} if self.copied else {},
        )

    @property
    def scale_loads(self) -> int:
        """16-byte loads a thread makes of the norm's weight."""
        return sum(math.ceil(segment.width / (4 * self.threads)) for segment in self.segments if segment.kind == "norm")

    @property
    def columns(self) -> int:
        """Columns of the weights."""
        return sum(segment.width for segment in self.segments)

    @property
    def loads(self) -> int:
        """16-byte loads a lane makes of one weight row."""
        return math.ceil(self.columns / STRIDE)

    @property
    def prefetched(self) -> int:
        """Weight loads of a lane before the dependency wait."""
        most = min(IN_FLIGHT_NORM, self.in_flight) if self.scale_loads else self.in_flight
        return min(most, self.loads * self.rows_per_warp)

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.warps * WARP

    @property
    def rows_per_block(self) -> int:
        """Output rows of a block."""
        return self.warps * self.rows_per_warp

    @property
    def barrier_words(self) -> int:
        """Shared memory of the barrier of what is copied."""
        return BARRIER_BYTES // 4 if self.copied else 0

    @property
    def staged_bytes(self) -> int:
        """Shared memory of one staged input row, padded with zeros to whole loads."""
        return self.loads * STRIDE * 2

    @cute.jit
    def __call__(
        self, w: Tensor, x: Tensor, second: Tensor, scale: Tensor, y: Tensor, stream: Stream
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            w: ``[N, K]`` bfloat16.
            x: First segment, ``[M, width]``, rows may be strided.
            second: Second segment, or ``x`` again where there is none.
            scale: ``[width]`` float32 weight of the normalised segment, or any.
            y: ``[M, N]``, rows may be strided.
            stream: Where to run.
        """
        self.body(
            w.iterator.toint(), x.iterator.toint(), second.iterator.toint(), scale.iterator.toint(),
            y.iterator.toint(), Int32(cute.size(w, mode=[0])), Int32(x.stride[0]), Int32(second.stride[0]),
            Int32(y.stride[0]),
        ).launch(
            grid=[cute.ceil_div(cute.size(w, mode=[0]), self.rows_per_block), 1, 1], block=[self.threads, 1, 1],
            stream=stream, use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def body(
        self, w: Int64, x: Int64, second: Int64, scale: Int64, y: Int64, n: Int32, ldx: Int32, ld2: Int32, ldy: Int32
    ) -> None:
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        block, _, _ = cute.arch.block_idx()
        lane = thread % WARP
        first_row = (block * self.warps + thread // WARP) * self.rows_per_warp
        staged = cutlass.utils.SmemAllocator().allocate_array(
            Uint32, self.rows * self.staged_bytes // 4 + 4 * self.warps + self.barrier_words, byte_alignment=128
        ).toint()  # fmt: skip
        arrived = staged + self.rows * self.staged_bytes + 16 * self.warps
        if cutlass.const_expr(not self.settles):
            release_dependents()

        # Rows beyond the last repeat it; so do loads beyond a row's end, which meet zeros of the input.
        bases = [w + Int64(cutlass.min(first_row + r, n - 1)) * (self.columns * 2) for r in range(self.rows_per_warp)]
        order = [(u, r) for u in range(self.loads) for r in range(self.rows_per_warp)]
        offsets = self.lane_offsets(lane)
        stream = self.first_weights([bases[r] + Int64(offsets[u]) for u, r in order[: self.prefetched]], n)
        scales = self.norm_weight(scale, thread)
        if cutlass.const_expr(self.copied):
            self.expect_rows(arrived, thread)
        wait_for_predecessors()
        if cutlass.const_expr(self.settles):
            release_dependents()

        if cutlass.const_expr(self.copied):
            self.copy_rows(staged, arrived, thread, x, ldx)
        else:
            self.stage(staged, thread, x, second, scales, ldx, ld2)
            barrier()
        chains = max(1, CHAINS // (self.rows_per_warp * self.rows))
        acc = [[[Float32(0.0)] * chains for _ in range(self.rows)] for _ in range(self.rows_per_warp)]
        for u in cutlass.range_constexpr(self.loads):
            inputs = [load_shared(staged + m * self.staged_bytes + lane * 16 + u * WARP * 16) for m in range(self.rows)]
            values = [[f(word) for word in words for f in (low_bf16, high_bf16)] for words in inputs]
            for r in cutlass.range_constexpr(self.rows_per_warp):
                position = u * self.rows_per_warp + r
                following = position + self.prefetched
                if cutlass.const_expr(following < len(order)):
                    next_u, next_r = order[following]
                    stream.append(load_static(bases[next_r] + Int64(offsets[next_u])))
                weights = [f(word) for word in stream[position] for f in (low_bf16, high_bf16)]
                for m in cutlass.range_constexpr(self.rows):
                    for j in cutlass.range_constexpr(LANE_VALUES):
                        acc[r][m][j % chains] = acc[r][m][j % chains] + weights[j] * values[m][j]
        for r in cutlass.range_constexpr(self.rows_per_warp):
            for m in cutlass.range_constexpr(self.rows):
                total = acc[r][m][0]
                for part in acc[r][m][1:]:
                    total = total + part
                total = warp_sum(total)
                if lane == 0 and first_row + r < n:
                    self.write(y, Int64(m) * Int64(ldy) + Int64(first_row + r), total)

    def first_weights(self, addresses: list[Value], n: Value) -> list[list[Value]]:
        """Load what is asked for before the wait, each once the load `paced` before it has arrived."""
        stream: list[list[Value]] = []
        for position, address in enumerate(addresses):
            earlier = stream[position - self.paced] if 0 < self.paced <= position else None
            stream.append(load_static(address if earlier is None else after_arrival(address, earlier, Uint32(n >> 31))))
        return stream

    def lane_offsets(self, lane: Value) -> list[Value]:
        """Give the byte offset in a row of each of a lane's loads, the last one clamped to the row."""
        offsets = [lane * 16 + u * WARP * 16 for u in range(self.loads)]
        if self.columns % STRIDE:
            offsets[-1] = cutlass.min(offsets[-1], Int32(self.columns * 2 - 16))
        return offsets

    def norm_weight(self, scale: Address, thread: Value) -> list[list[Value]]:
        """Load this thread's chunks of the norm's weight, clamped to the last; none where no segment is normalised."""
        widths = [segment.width for segment in self.segments if segment.kind == "norm"]
        return [
            load_static(scale + Int64(cutlass.min(thread + i * self.threads, Int32(width // 4 - 1))) * 16)
            for width in widths
            for i in range(math.ceil(width / (4 * self.threads)))
        ]

    def write(self, y: Address, index: Value, value: Value) -> None:
        """Store one output."""
        if self.out == "bf16":
            store_bf16(y + index * 2, value)
        else:
            store_f32(y + index * 4, value)

    @cute.jit
    def expect_rows(self, arrived: Int32, thread: Int32) -> None:
        """Ready the barrier of the rows that the copy engine will bring."""
        if thread == 0:
            init_barriers(arrived, 1)
            expect_bytes(arrived, self.rows * self.staged_bytes)
        barrier()  # all threads may wait for the rows

    @cute.jit
    def copy_rows(self, staged: Int32, arrived: Int32, thread: Int32, x: Int64, ldx: Int32) -> None:
        """Have the input rows copied into shared memory, and wait for them."""
        for m in cutlass.range_constexpr(self.rows):
            if thread == 0:
                source = x + Int64(m) * Int64(ldx) * 2
                copy_in_bulk(staged + m * self.staged_bytes, source, self.staged_bytes, arrived)
        wait_for_barrier(arrived)

    @cute.jit
    def stage(
        self, staged: Int32, thread: Int32, x: Int64, second: Int64, scales: list[list[Value]], ldx: Int32, ld2: Int32
    ) -> None:
        """Put the transformed input rows into shared memory as bfloat16, zeros behind them."""
        for m in cutlass.range_constexpr(self.rows):
            start = 0
            for s in cutlass.range_constexpr(len(self.segments)):
                segment = self.segments[s]
                source, stride = (x, ldx) if s == 0 else (second, ld2)
                target = staged + m * self.staged_bytes + start * 2
                if cutlass.const_expr(segment.kind == "plain"):
                    self.copy(target, thread, source + Int64(m) * Int64(stride) * 2, segment.width)
                elif cutlass.const_expr(segment.kind == "norm"):
                    # Each row has its own: a warp may be a row ahead of another.
                    scratch = staged + self.rows * self.staged_bytes + m * self.warps * 4
                    self.normalise(
                        target, scratch, thread, source + Int64(m) * Int64(stride) * 4, scales, segment.width
                    )
                else:
                    self.activate(target, thread, source + Int64(m) * Int64(stride) * 4, segment.width)
                start += segment.width
            padding = self.loads * STRIDE - self.columns
            if cutlass.const_expr(padding > 0):  # noqa: SIM102 - decided when compiled, the inner test later
                if thread < padding // LANE_VALUES:
                    zero = Uint32(0)
                    store_shared(
                        staged + m * self.staged_bytes + self.columns * 2 + thread * 16, [zero, zero, zero, zero]
                    )

    @cute.jit
    def copy(self, target: Int32, thread: Int32, source: Int64, width: cutlass.Constexpr) -> None:
        """Stage bfloat16 unchanged."""
        for i in cutlass.range_constexpr(math.ceil(width / (LANE_VALUES * self.threads))):
            chunk = thread + i * self.threads
            if chunk < width // LANE_VALUES:
                store_shared(target + chunk * 16, load(source + Int64(chunk) * 16))

    @cute.jit
    def activate(self, target: Int32, thread: Int32, source: Int64, width: cutlass.Constexpr) -> None:
        """Stage SiTU of float32 gate and linear halves."""
        for i in cutlass.range_constexpr(math.ceil(width / (4 * self.threads))):
            chunk = thread + i * self.threads
            if chunk < width // 4:
                gates, linears = load(source + Int64(chunk) * 16), load(source + Int64(width * 4) + Int64(chunk) * 16)
                store_shared(target + chunk * 8, self.situ_words(gates, linears))

    def situ_words(self, gates: list[Value], linears: list[Value]) -> list[Value]:
        """Combine four gate and four linear words into two words of bfloat16."""
        out = [
            situ(from_bits(g), from_bits(u), beta=self.beta, linear_beta=self.linear_beta)
            for g, u in zip(gates, linears, strict=True)
        ]
        return [pack_bf16(out[0], out[1]), pack_bf16(out[2], out[3])]

    @cute.jit
    def normalise(
        self, target: Int32, scratch: Int32, thread: Int32, source: Int64, scales: list[list[Value]],
        width: cutlass.Constexpr,
    ) -> None:  # fmt: skip
        """Stage float32 divided by its root mean square, times the weight."""
        per_thread = math.ceil(width / (4 * self.threads))
        words = [
            load(source + Int64(cutlass.min(thread + i * self.threads, Int32(width // 4 - 1))) * 16)
            for i in range(per_thread)
        ]
        values = [[from_bits(word) for word in four] for four in words]
        square = Float32(0.0)
        for i in cutlass.range_constexpr(per_thread):
            if thread + i * self.threads < width // 4:
                for j in cutlass.range_constexpr(4):
                    square = square + values[i][j] * values[i][j]
        total = block_sums([square], scratch, thread, warps=self.warps)[0]
        inverse = rsqrt(total * (1.0 / width) + self.eps)
        for i in cutlass.range_constexpr(per_thread):
            chunk = thread + i * self.threads
            if chunk < width // 4:
                out = [values[i][j] * inverse * from_bits(scales[i][j]) for j in range(4)]
                store_shared(target + chunk * 8, [pack_bf16(out[0], out[1]), pack_bf16(out[2], out[3])])
