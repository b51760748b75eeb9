# mypy: allow-untyped-decorators
"""Stages that work on one row at a time: token embedding, activations, and normalised inputs of the next product.

`Embed` gathers rows of a table. It is the first kernel of a step, and none of the step's starts before the step before
is over. `Activate` equals `k3_decode.reference.situ`. `NormSitu` equals `rms_norm` of the latent sum beside `situ` of
the shared experts' halves: the joint input of the tail's product, for more rows than the skinny product takes.
"""

import math
from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import from_bits, pack_bf16, rsqrt, situ
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import load, load_static, store
from k3_decode.kernels.parts.sync import WARP, block_sums, release_dependents, wait_for_predecessors

WARPS = 4
THREADS = WARPS * WARP


@dataclass(frozen=True)
class Embed:
    """``out[m] = table[ids[m]]``.

    Attributes:
        hidden: Columns, a multiple of 8.
    """

    hidden: int

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"embed_{self.hidden}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("table", "bf16", ("v", self.hidden), static=True, stream=True),
            Argument("ids", "i32", ("m",), aligned=False),
            Argument("out", "bf16", ("m", self.hidden)),
        )

    @property
    def contract(self) -> Contract:
        """One 16-byte load a thread, after the wait, because the step names the row."""
        return Contract(after_wait={"table": 1})

    @cute.jit
    def __call__(self, table: Tensor, ids: Tensor, out: Tensor, stream: Stream) -> None:
        """Launch.

        Args:
            table: ``[V, H]`` bfloat16.
            ids: ``[M]`` int32; values beyond the table are taken as its last row.
            out: ``[M, H]``.
            stream: Where to run.
        """
        self.body(
            table.iterator.toint(), ids.iterator.toint(), out.iterator.toint(), Int32(cute.size(table, mode=[0]))
        ).launch(
            grid=[math.ceil(self.hidden / (8 * THREADS)), cute.size(ids, mode=[0]), 1], block=[THREADS, 1, 1],
            stream=stream, use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def body(self, table: Int64, ids: Int64, out: Int64, vocabulary: Int32) -> None:
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        part, row, _ = cute.arch.block_idx()
        wait_for_predecessors()
        release_dependents()  # only now: kernels of the step read before their wait what the step before left
        chunk = part * THREADS + thread
        token = Int32(load(ids + Int64(row) * 4, words=1)[0])
        token = cutlass.max(cutlass.min(token, vocabulary - 1), Int32(0))
        if chunk < self.hidden // 8:
            at = Int64(chunk) * 16
            store(out + Int64(row) * (self.hidden * 2) + at, load_static(table + Int64(token) * (self.hidden * 2) + at))


@dataclass(frozen=True)
class Activate:
    """``out = situ(gate, linear)`` in bfloat16.

    Attributes:
        width: Width of each half, a multiple of 4.
        beta: Bound of SiTU's gate.
        linear_beta: Bound of SiTU's linear half.
    """

    width: int
    beta: float = 4.0
    linear_beta: float | None = 25.0

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"activate_{self.width}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (Argument("halves", "f32", ("m", 2 * self.width)), Argument("out", "bf16", ("m", self.width)))

    @property
    def contract(self) -> Contract:
        """Both halves are read once, after the wait."""
        return Contract(after_wait={"halves": 2})

    @cute.jit
    def __call__(self, halves: Tensor, out: Tensor, stream: Stream) -> None:
        """Launch.

        Args:
            halves: ``[M, 2 * width]`` float32, gate first.
            out: ``[M, width]`` bfloat16.
            stream: Where to run.
        """
        self.body(halves.iterator.toint(), out.iterator.toint()).launch(
            grid=[math.ceil(self.width / (4 * THREADS)), cute.size(out, mode=[0]), 1], block=[THREADS, 1, 1],
            stream=stream, use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def body(self, halves: Int64, out: Int64) -> None:
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        part, row, _ = cute.arch.block_idx()
        release_dependents()
        wait_for_predecessors()
        chunk = part * THREADS + thread
        if chunk < self.width // 4:
            source = halves + Int64(row) * (self.width * 8) + Int64(chunk) * 16
            words = activate(load(source), load(source + self.width * 4), self.beta, self.linear_beta)
            store(out + Int64(row) * (self.width * 2) + Int64(chunk) * 8, words)


@dataclass(frozen=True)
class NormSitu:
    """``out = [rms_norm(r) * scale, situ(gate, linear)]`` in bfloat16.

    Attributes:
        latent: Width of ``r``, a multiple of 4.
        width: Width of each half, a multiple of 4.
        eps: Added to the mean square.
        beta: Bound of SiTU's gate.
        linear_beta: Bound of SiTU's linear half.
    """

    latent: int
    width: int
    eps: float = 1e-5
    beta: float = 4.0
    linear_beta: float | None = 25.0

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"norm_situ_{self.latent}_{self.width}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("r", "f32", ("m", self.latent)),
            Argument("halves", "f32", ("m", "b"), strided=True),
            Argument("scale", "f32", (self.latent,), static=True),
            Argument("out", "bf16", ("m", self.latent + self.width)),
        )

    @property
    def contract(self) -> Contract:
        """The scale is read before the wait."""
        return Contract(before_wait={"scale": math.ceil(self.latent / (4 * THREADS))})

    @cute.jit
    def __call__(self, r: Tensor, halves: Tensor, scale: Tensor, out: Tensor, stream: Stream) -> None:
        """Launch.

        Args:
            r: ``[M, latent]`` float32.
            halves: ``[M, 2 * width]`` float32, gate first; rows may be strided.
            scale: ``[latent]`` float32.
            out: ``[M, latent + width]`` bfloat16.
            stream: Where to run.
        """
        self.body(
            r.iterator.toint(), halves.iterator.toint(), scale.iterator.toint(), out.iterator.toint(),
            Int32(halves.stride[0]),
        ).launch(grid=[cute.size(r, mode=[0]), 1, 1], block=[THREADS, 1, 1], stream=stream, use_pdl=True)  # fmt: skip

    @cute.kernel
    def body(self, r: Int64, halves: Int64, scale: Int64, out: Int64, stride: Int32) -> None:
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        row, _, _ = cute.arch.block_idx()
        scratch = cutlass.utils.SmemAllocator().allocate_array(Uint32, WARPS, byte_alignment=16).toint()
        release_dependents()
        rounds = math.ceil(self.latent / (4 * THREADS))
        chunks = [cutlass.min(thread + i * THREADS, Int32(self.latent // 4 - 1)) for i in range(rounds)]
        scales = [load_static(scale + Int64(chunk) * 16) for chunk in chunks]
        wait_for_predecessors()
        values = [
            [from_bits(word) for word in load(r + Int64(row) * (self.latent * 4) + Int64(chunk) * 16)]
            for chunk in chunks
        ]
        square = Float32(0.0)
        for i in cutlass.range_constexpr(rounds):
            if thread + i * THREADS < self.latent // 4:
                for j in cutlass.range_constexpr(4):
                    square = square + values[i][j] * values[i][j]
        total = block_sums([square], scratch, thread, warps=WARPS)[0]
        inverse = rsqrt(total * (1.0 / self.latent) + self.eps)
        target = out + Int64(row) * ((self.latent + self.width) * 2)
        for i in cutlass.range_constexpr(rounds):
            if thread + i * THREADS < self.latent // 4:
                v = [values[i][j] * inverse * from_bits(scales[i][j]) for j in range(4)]
                store(target + Int64(chunks[i]) * 8, [pack_bf16(v[0], v[1]), pack_bf16(v[2], v[3])])
        source = halves + Int64(row) * Int64(stride) * 4
        for chunk in cutlass.range(thread, self.width // 4, THREADS, unroll=1):
            gates, linears = load(source + Int64(chunk) * 16), load(source + (Int64(chunk) * 16 + self.width * 4))
            store(target + (Int64(chunk) * 8 + self.latent * 2), activate(gates, linears, self.beta, self.linear_beta))


def activate(gates: list[Value], linears: list[Value], beta: float, linear_beta: float | None) -> list[Value]:
    """Combine four gates and their linear partners into two words of bfloat16."""
    v = [
        situ(from_bits(g), from_bits(u), beta=beta, linear_beta=linear_beta)
        for g, u in zip(gates, linears, strict=True)
    ]
    return [pack_bf16(v[0], v[1]), pack_bf16(v[2], v[3])]
