# mypy: allow-untyped-decorators
"""The two products after the experts in one launch, for one or two rows: shared output rows and latent up-projection.

Equals two products of `k3_decode.kernels.gemv`: the shared experts' output of ``situ(gate, linear)``, and this rank's
rows of the up-projection of the normalised latent. They share no input and no output, and either alone is too small to
pay for a launch.

A block belongs to one of the two. Both read their weights as one run of memory: a warp's rows are neighbours, and a
load of the warp covers 512 bytes, which may end one row and begin the next. So the loads before the dependency wait
are the same code for both, from another address.
"""

import math
from dataclasses import dataclass

from k3_decode.kernels.gemv import LANE_VALUES, STRIDE, Gemv, Segment
from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import high_bf16, low_bf16, select_address
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import load_shared, load_static, store_bf16
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors, warp_sum

WARPS = 4
THREADS = WARPS * WARP
MOST_LOADS = 15
"""16-byte loads of a lane, all before the wait."""


@dataclass(frozen=True)
class Tail:
    """One compiled form of the kernel.

    Attributes:
        latent: Columns of the up-projection, a multiple of 256.
        shared: Columns of the shared output, a multiple of 64.
        rows: Rows of the input, 1 or 2.
        eps: Added to the mean square of the latent.
        beta: Bound of SiTU's gate.
        linear_beta: Bound of SiTU's linear half.
    """

    latent: int
    shared: int
    rows: int
    eps: float = 1e-5
    beta: float = 4.0
    linear_beta: float | None = 25.0

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"tail_{self.latent}_{self.shared}_rows{self.rows}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("down", "bf16", ("n", self.shared), static=True, stream=True),
            Argument("up", "bf16", ("u", self.latent), static=True, stream=True),
            Argument("halves", "f32", (self.rows, "a"), strided=True),
            Argument("r", "f32", (self.rows, self.latent)),
            Argument("scale", "f32", (self.latent,), static=True),
            Argument("y", "bf16", (self.rows, "n"), strided=True, aligned=False),
            Argument("columns", "bf16", (self.rows, "u"), strided=True, aligned=False),
        )

    @property
    def contract(self) -> Contract:
        """All weights come before the wait, and the norm's weight."""
        return Contract(before_wait={"down and up": self.loads, "scale": self.scale_loads})

    @property
    def inputs(self) -> Gemv:
        """The product that makes its input as these two make theirs."""
        return Gemv((Segment("norm", self.latent), Segment("situ", self.shared)), self.rows, 1, "bf16",
                    self.eps, self.beta, self.linear_beta, warps=WARPS)  # fmt: skip

    @property
    def shared_rows(self) -> int:
        """Output rows of a warp of the shared product: as many as `MOST_LOADS` cover, whole loads together."""
        group = STRIDE // math.gcd(STRIDE, self.shared)
        return max(1, MOST_LOADS * STRIDE // (group * self.shared)) * group

    @property
    def shared_loads(self) -> int:
        """Loads of a lane of the shared product."""
        return self.shared_rows * self.shared // STRIDE

    @property
    def up_loads(self) -> int:
        """Loads of a lane of the up-projection, one row."""
        return self.latent // STRIDE

    @property
    def loads(self) -> int:
        """Loads of a lane of either."""
        return max(self.shared_loads, self.up_loads)

    @property
    def scale_loads(self) -> int:
        """16-byte loads a thread makes of the norm's weight."""
        return self.inputs.scale_loads

    @property
    def staged_bytes(self) -> int:
        """Shared memory of one staged input row."""
        return 2 * max(self.latent, self.shared)

    @cute.jit
    def __call__(
        self, down: Tensor, up: Tensor, halves: Tensor, r: Tensor, scale: Tensor, y: Tensor, columns: Tensor,
        stream: Stream,
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            down: ``[N, S]`` shared output rows.
            up: ``[U, L]`` rows of the up-projection.
            halves: ``[M, 2 * S]`` float32, gate first; rows may be strided.
            r: ``[M, L]`` float32, the experts' weighted sum.
            scale: ``[L]`` float32 weight of its norm.
            y: ``[M, N]`` gets the shared output; rows may be strided.
            columns: ``[M, U]`` gets the up-projection; rows may be strided.
            stream: Where to run.
        """
        n, u = cute.size(down, mode=[0]), cute.size(up, mode=[0])
        self.body(
            down.iterator.toint(), up.iterator.toint(), halves.iterator.toint(), r.iterator.toint(),
            scale.iterator.toint(), y.iterator.toint(), columns.iterator.toint(), Int32(n), Int32(u),
            Int32(halves.stride[0]), Int32(y.stride[0]), Int32(columns.stride[0]),
        ).launch(
            grid=[cute.ceil_div(n, WARPS * self.shared_rows) + cute.ceil_div(u, WARPS), 1, 1],
            block=[THREADS, 1, 1], stream=stream, use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def body(
        self, down: Int64, up: Int64, halves: Int64, r: Int64, scale: Int64, y: Int64, columns: Int64, n: Int32,
        u: Int32, ld_halves: Int32, ldy: Int32, ldc: Int32,
    ) -> None:  # fmt: skip
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        block, _, _ = cute.arch.block_idx()
        lane = thread % WARP
        staged = cutlass.utils.SmemAllocator().allocate_array(
            Uint32, self.rows * self.staged_bytes // 4 + 4 * WARPS, byte_alignment=128
        ).toint()  # fmt: skip
        release_dependents()

        # Loads beyond the last weight repeat it, and nothing is made of them.
        shared_blocks = cute.ceil_div(n, WARPS * self.shared_rows)
        is_up = block >= shared_blocks
        unit = (block - shared_blocks if is_up else block) * WARPS + thread // WARP
        first_row = unit if is_up else unit * self.shared_rows
        width = Int32(self.latent * 2) if is_up else Int32(self.shared * 2)
        base = select_address(Uint32(is_up), up, down)
        last = (u if is_up else n) * width - 16
        start = first_row * width + lane * 16
        words = [load_static(base + Int64(cutlass.min(start + i * STRIDE * 2, last))) for i in range(self.loads)]
        chunks = [cutlass.min(thread + i * THREADS, Int32(self.latent // 4 - 1)) for i in range(self.scale_loads)]
        scales = [load_static(scale + Int64(chunk if is_up else Int32(0)) * 16) for chunk in chunks]
        wait_for_predecessors()

        scratch = staged + self.rows * self.staged_bytes
        for m in cutlass.range_constexpr(self.rows):
            target = staged + m * self.staged_bytes
            if is_up:
                source = r + Int64(m * self.latent * 4)
                self.inputs.normalise(target, scratch, thread, source, scales, self.latent)
            else:
                self.inputs.activate(target, thread, halves + Int64(m) * Int64(ld_halves) * 4, self.shared)
        barrier()
        for m in cutlass.range_constexpr(self.rows):
            target = staged + m * self.staged_bytes
            if is_up:
                total = Float32(0.0)
                for i in cutlass.range_constexpr(self.up_loads):
                    total = total + dot(words[i], target + i * STRIDE * 2 + lane * 16)
                self.write(columns, m, ldc, first_row, u, warp_sum(total), lane)
            else:
                totals = [Float32(0.0) for _ in range(self.shared_rows)]
                for i in cutlass.range_constexpr(self.shared_loads):
                    at = lane * LANE_VALUES + i * STRIDE
                    product = dot(words[i], target + at % self.shared * 2)
                    for row in cutlass.range_constexpr(i * STRIDE // self.shared, -(-(i + 1) * STRIDE // self.shared)):
                        totals[row] = totals[row] + (product if at // self.shared == row else Float32(0.0))
                for row in cutlass.range_constexpr(self.shared_rows):
                    self.write(y, m, ldy, first_row + row, n, warp_sum(totals[row]), lane)

    @cute.jit
    def write(
        self, y: Int64, m: cutlass.Constexpr, stride: Int32, row: Int32, rows: Int32, value: Float32, lane: Int32
    ) -> None:
        """Store one output, unless its row is beyond the last."""
        if lane == 0 and row < rows:
            store_bf16(y + (Int64(m) * Int64(stride) + Int64(row)) * 2, value)


def dot(words: list[Value], address: Value) -> Value:
    """Multiply 8 weights by 8 staged inputs and add."""
    total = Float32(0.0)
    for weight, value in zip(words, load_shared(address), strict=True):
        total = total + low_bf16(weight) * low_bf16(value)
        total = total + high_bf16(weight) * high_bf16(value)
    return total
