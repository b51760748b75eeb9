# mypy: allow-untyped-decorators
"""The two products after the experts in one launch, for one or two rows: shared output rows and latent up-projection.

Equals two products of `k3_decode.kernels.gemv`: the shared experts' output of ``situ(gate, linear)``, and this rank's
rows of the up-projection of the normalised latent. They share no input and no output, and either alone is too small to
pay for a launch.

A block belongs to one of the two. Both read their weights as one run of memory: a warp's rows are neighbours, and a
load of the warp covers 512 bytes, which may end one row and begin the next. So the loads before the dependency wait
are the same code for both, from another address.

Where the copy engine brings the inputs (`Tail.copied`) a thread needs fewer registers, so that all blocks of a wider
shared product are resident and ask for their weights at once.
"""

import math
from dataclasses import dataclass

from k3_decode.kernels.gemv import LANE_VALUES, STRIDE, Gemv, Segment
from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import from_bits, high_bf16, low_bf16, pack_bf16, rsqrt, select_address
from k3_decode.kernels.parts.asynchronous import BARRIER_BYTES, expect_bytes, init_barriers, wait_for_barrier
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import copy_in_bulk, load_shared, load_static, store_bf16, store_shared
from k3_decode.kernels.parts.sync import WARP, barrier, block_sums, release_dependents, wait_for_predecessors, warp_sum

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
        copied: Whether the copy engine brings the inputs and the norm's weight.
        paced: Most loads of a lane that are under way at a time; 0 asks for all of them at once.
    """

    latent: int
    shared: int
    rows: int
    eps: float = 1e-5
    beta: float = 4.0
    linear_beta: float | None = 25.0
    copied: bool = False
    paced: int = 0

    @property
    def name(self) -> str:
        """Symbol of this form."""
        marks = ("_copied" if self.copied else "") + (f"_paced{self.paced}" if self.paced else "")
        return f"tail_{self.latent}_{self.shared}_rows{self.rows}{marks}"

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
        if self.copied:
            return Contract({"down and up": self.loads}, copies={"scale": 1, "r": 1, "halves": self.rows})
        return Contract(before_wait={"down and up": self.loads, "scale": self.scale_loads})

    @property
    def inputs(self) -> Gemv:
        """The product that makes its input as these two make theirs."""
        return Gemv((Segment("norm", self.latent), Segment("situ", self.shared)), self.rows, 1, "bf16",
                    self.eps, self.beta, self.linear_beta, warps=WARPS, paced=self.paced)  # fmt: skip

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
    def copied_bytes(self) -> int:
        """Shared memory of what is copied: the norm's weight, and the latents or the halves of all rows."""
        return 4 * self.latent + self.rows * max(4 * self.latent, 8 * self.shared) if self.copied else 0

    @property
    def barrier_words(self) -> int:
        """Shared memory of the barrier of what is copied."""
        return BARRIER_BYTES // 4 if self.copied else 0

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
            Uint32, (self.rows * self.staged_bytes + self.copied_bytes) // 4 + 4 * WARPS + self.barrier_words,
            byte_alignment=128,
        ).toint()  # fmt: skip
        brought = staged + self.rows * self.staged_bytes
        scratch = brought + self.copied_bytes
        arrived = scratch + 16 * WARPS
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
        addresses = [base + Int64(cutlass.min(start + i * STRIDE * 2, last)) for i in range(self.loads)]
        words = self.inputs.first_weights(addresses, n)
        scales = []
        if cutlass.const_expr(self.copied):
            self.expect(brought, arrived, thread, scale, is_up)
        else:
            chunks = [cutlass.min(thread + i * THREADS, Int32(self.latent // 4 - 1)) for i in range(self.scale_loads)]
            scales = [load_static(scale + Int64(chunk if is_up else Int32(0)) * 16) for chunk in chunks]
        wait_for_predecessors()

        if cutlass.const_expr(self.copied):
            self.copy(brought, arrived, thread, halves, r, ld_halves, is_up)
        for m in cutlass.range_constexpr(self.rows):
            target = staged + m * self.staged_bytes
            own = scratch + m * WARPS * 4  # of each row: a warp may be a row ahead of another
            if is_up:
                if cutlass.const_expr(self.copied):
                    self.normalise(target, own, thread, brought + (m + 1) * self.latent * 4, brought)
                else:
                    source = r + Int64(m * self.latent * 4)
                    self.inputs.normalise(target, own, thread, source, scales, self.latent)
            else:
                if cutlass.const_expr(self.copied):
                    self.activate(target, thread, brought + self.latent * 4 + m * self.shared * 8)
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
    def expect(self, brought: Int32, arrived: Int32, thread: Int32, scale: Int64, is_up: cutlass.Boolean) -> None:
        """Ready the barrier of what the copy engine will bring, and have it bring the norm's weight."""
        if thread == 0:
            init_barriers(arrived, 1)
            if is_up:
                expect_bytes(arrived, (self.rows + 1) * self.latent * 4)
                copy_in_bulk(brought, scale, self.latent * 4, arrived)
            else:
                expect_bytes(arrived, self.rows * self.shared * 8)
        barrier()  # all threads may wait for the copies

    @cute.jit
    def copy(
        self, brought: Int32, arrived: Int32, thread: Int32, halves: Int64, r: Int64, ld_halves: Int32,
        is_up: cutlass.Boolean,
    ) -> None:  # fmt: skip
        """Have the latents or the halves copied behind the norm's weight, and wait for them."""
        copied = brought + self.latent * 4
        if thread == 0:
            if is_up:
                copy_in_bulk(copied, r, self.rows * self.latent * 4, arrived)
            else:
                for m in cutlass.range_constexpr(self.rows):
                    source = halves + Int64(m) * Int64(ld_halves) * 4
                    copy_in_bulk(copied + m * self.shared * 8, source, self.shared * 8, arrived)
        wait_for_barrier(arrived)

    @cute.jit
    def normalise(self, target: Int32, scratch: Int32, thread: Int32, source: Int32, scales: Int32) -> None:
        """Stage a copied latent divided by its root mean square, times the norm's weight."""
        square = Float32(0.0)
        for i in cutlass.range_constexpr(self.scale_loads):
            chunk = thread + i * THREADS
            if chunk < self.latent // 4:
                for word in load_shared(source + chunk * 16):
                    square = square + from_bits(word) * from_bits(word)
        total = block_sums([square], scratch, thread, warps=WARPS)[0]
        inverse = rsqrt(total * (1.0 / self.latent) + self.eps)
        for i in cutlass.range_constexpr(self.scale_loads):
            chunk = thread + i * THREADS
            if chunk < self.latent // 4:
                pairs = zip(load_shared(source + chunk * 16), load_shared(scales + chunk * 16), strict=True)
                out = [from_bits(word) * inverse * from_bits(weight) for word, weight in pairs]
                store_shared(target + chunk * 8, [pack_bf16(out[0], out[1]), pack_bf16(out[2], out[3])])

    @cute.jit
    def activate(self, target: Int32, thread: Int32, source: Int32) -> None:
        """Stage SiTU of copied gate and linear halves."""
        for i in cutlass.range_constexpr(math.ceil(self.shared / (4 * THREADS))):
            chunk = thread + i * THREADS
            if chunk < self.shared // 4:
                gates, linears = load_shared(source + chunk * 16), load_shared(source + self.shared * 4 + chunk * 16)
                store_shared(target + chunk * 8, self.inputs.situ_words(gates, linears))

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
