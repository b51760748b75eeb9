# mypy: allow-untyped-decorators
"""Stages that work on one row at a time: token embedding, activations, and normalised inputs of the next product.

`Embed` gathers rows of a table. `Activate` equals `k3_decode.reference.situ`. `NormSitu` equals `rms_norm` of the
latent sum beside `situ` of the shared experts' halves: the joint input of the tail's product, for more rows than the
skinny product takes. `MlaPrepare` equals the two latent norms of `k3_decode.reference.mla_layer`, and writes the cache
row.
"""

import math
from dataclasses import dataclass
from typing import Literal

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import from_bits, high_bf16, low_bf16, pack_bf16, rsqrt, situ
from k3_decode.kernels.parts.dsl import Address, Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
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
        release_dependents()
        wait_for_predecessors()
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


@dataclass(frozen=True)
class MlaPrepare:
    """Normalise the query latent, and the key-value latent into its cache row.

    A block normalises one vector of one row: block 0 of a row the query's, block 1 the cache's.

    Attributes:
        query: Width of the query latent, a multiple of 8.
        latent: Width of the key-value latent, a multiple of 8.
        shared_key: Width of the key part all heads share, a multiple of 8.
        eps: Added to both mean squares.
    """

    query: int
    latent: int
    shared_key: int
    eps: float = 1e-5

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"mla_prepare_{self.query}_{self.latent}_{self.shared_key}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("projected", "bf16", ("m", "w"), strided=True),
            Argument("query_scale", "f32", (self.query,), static=True),
            Argument("cache_scale", "f32", (self.latent,), static=True),
            Argument("rows", "i32", ("m",), aligned=False),
            Argument("normed", "bf16", ("m", self.query)),
            Argument("cache", "bf16", ("p", self.latent + self.shared_key)),
        )

    @property
    def contract(self) -> Contract:
        """Which scale is read depends on the block, so both are read in its branch, after the one wait."""
        return Contract()

    @cute.jit
    def __call__(
        self, projected: Tensor, query_scale: Tensor, cache_scale: Tensor, rows: Tensor, normed: Tensor, cache: Tensor,
        stream: Stream,
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            projected: ``[M, query + latent + shared_key + ...]`` rows of the input projection.
            query_scale: ``[query]``.
            cache_scale: ``[latent]``.
            rows: ``[M]`` int32 cache row of each token; negative writes nothing.
            normed: ``[M, query]``.
            cache: ``[P, latent + shared_key]``; one row a token is written.
            stream: Where to run.
        """
        self.body(
            projected.iterator.toint(), query_scale.iterator.toint(), cache_scale.iterator.toint(),
            rows.iterator.toint(), normed.iterator.toint(), cache.iterator.toint(), Int32(projected.stride[0]),
        ).launch(
            grid=[2, cute.size(projected, mode=[0]), 1], block=[THREADS, 1, 1], stream=stream, use_pdl=True
        )  # fmt: skip

    @cute.kernel
    def body(
        self, projected: Int64, query_scale: Int64, cache_scale: Int64, rows: Int64, normed: Int64, cache: Int64,
        stride: Int32,
    ) -> None:  # fmt: skip
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        part, row, _ = cute.arch.block_idx()
        scratch = cutlass.utils.SmemAllocator().allocate_array(Uint32, WARPS, byte_alignment=16).toint()
        release_dependents()
        source = projected + Int64(row) * Int64(stride) * 2
        width = self.latent + self.shared_key
        wait_for_predecessors()
        if part == 0:
            scales = self.scales(query_scale, thread, "query")
            self.normalise(source, scales, normed + Int64(row) * (self.query * 2), scratch, thread, "query")
        else:
            scales = self.scales(cache_scale, thread, "cache")
            place = Int32(load(rows + Int64(row) * 4, words=1)[0])
            if place >= 0:
                target = cache + Int64(place) * (width * 2)
                self.normalise(source + self.query * 2, scales, target, scratch, thread, "cache")
                if thread < self.shared_key // 8:
                    at = Int64(thread) * 16
                    store(target + (at + self.latent * 2), load(source + (at + (self.query + self.latent) * 2)))

    def chunks(self, thread: Value, kind: Literal["query", "cache"]) -> list[Value]:
        """Give this thread's 8-column chunks, clamped to the last."""
        width = self.query if kind == "query" else self.latent
        return [
            cutlass.min(thread + i * THREADS, Int32(width // 8 - 1)) for i in range(math.ceil(width / (8 * THREADS)))
        ]

    def scales(self, scale: Address, thread: Value, kind: Literal["query", "cache"]) -> list[list[Value]]:
        """Load the weights of this thread's chunks."""
        return [
            [from_bits(word) for half in range(2) for word in load_static(scale + (Int64(chunk) * 32 + half * 16))]
            for chunk in self.chunks(thread, kind)
        ]

    @cute.jit
    def normalise(
        self, source: Int64, scales: list[list[Value]], target: Int64, scratch: Int32, thread: Int32,
        kind: cutlass.Constexpr,
    ) -> None:  # fmt: skip
        """Normalise one vector."""
        width = self.query if kind == "query" else self.latent
        chunks = self.chunks(thread, kind)
        values = [
            [f(word) for word in load(source + Int64(chunk) * 16) for f in (low_bf16, high_bf16)] for chunk in chunks
        ]
        square = Float32(0.0)
        for i in cutlass.range_constexpr(len(chunks)):
            if thread + i * THREADS < width // 8:
                for j in cutlass.range_constexpr(8):
                    square = square + values[i][j] * values[i][j]
        total = block_sums([square], scratch, thread, warps=WARPS)[0]
        inverse = rsqrt(total * (1.0 / width) + self.eps)
        for i in cutlass.range_constexpr(len(chunks)):
            if thread + i * THREADS < width // 8:
                v = [values[i][j] * inverse * scales[i][j] for j in range(8)]
                words = [pack_bf16(v[2 * j], v[2 * j + 1]) for j in range(4)]
                store(target + Int64(chunks[i]) * 16, words)


def activate(gates: list[Value], linears: list[Value], beta: float, linear_beta: float | None) -> list[Value]:
    """Combine four gates and their linear partners into two words of bfloat16."""
    v = [
        situ(from_bits(g), from_bits(u), beta=beta, linear_beta=linear_beta)
        for g, u in zip(gates, linears, strict=True)
    ]
    return [pack_bf16(v[0], v[1]), pack_bf16(v[2], v[3])]
