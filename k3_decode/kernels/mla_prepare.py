# mypy: allow-untyped-decorators
"""Latent norms of gated MLA, and the cache row: the two norms of `k3_decode.reference.mla_layer`."""

import math
from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Cache, Contract
from k3_decode.kernels.parts.arithmetic import from_bits, rsqrt
from k3_decode.kernels.parts.dsl import Address, Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.elements import element_bytes, store_eight, widen
from k3_decode.kernels.parts.memory import load, load_static
from k3_decode.kernels.parts.sync import WARP, block_sums, release_dependents, wait_for_predecessors

WARPS = 4
THREADS = WARPS * WARP


@dataclass(frozen=True)
class MlaPrepare:
    """Normalise the query latent, and the key-value latent into its cache row.

    A block normalises one vector of one row: block 0 of a row the query's, block 1 the cache's.

    Attributes:
        query: Width of the query latent, a multiple of 8.
        latent: Width of the key-value latent, a multiple of 8.
        shared_key: Width of the key part all heads share, a multiple of 8.
        cache: Type of the cache's elements: bfloat16, or e4m3 in bytes.
        eps: Added to both mean squares.
    """

    query: int
    latent: int
    shared_key: int
    cache: Cache = "bf16"
    eps: float = 1e-5

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"mla_prepare_{self.query}_{self.latent}_{self.shared_key}_{self.cache}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("projected", "bf16", ("m", "w"), strided=True),
            Argument("query_scale", "f32", (self.query,), static=True),
            Argument("cache_scale", "f32", (self.latent,), static=True),
            Argument("rows", "i32", ("m",), aligned=False),
            Argument("normed", "bf16", ("m", self.query)),
            Argument("cache", self.cache, ("p", self.latent + self.shared_key)),
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
        wait_for_predecessors()
        if part == 0:
            scales = self.scales(query_scale, thread, self.query)
            self.normalise(source, scales, normed + Int64(row) * (self.query * 2), scratch, thread, self.query, "bf16")
        else:
            scales = self.scales(cache_scale, thread, self.latent)
            place = Int32(load(rows + Int64(row) * 4, words=1)[0])
            if place >= 0:
                target = cache + Int64(place) * ((self.latent + self.shared_key) * element_bytes(self.cache))
                latent = source + self.query * 2
                self.normalise(latent, scales, target, scratch, thread, self.latent, self.cache)
                if thread < self.shared_key // 8:
                    values = widen(load(latent + (Int64(thread) * 16 + self.latent * 2)))
                    at = (Int64(thread) * 8 + self.latent) * element_bytes(self.cache)
                    store_eight(target + at, values, self.cache)

    def chunks(self, thread: Value, width: int) -> list[Value]:
        """Give this thread's 8-column chunks, clamped to the last."""
        return [
            cutlass.min(thread + i * THREADS, Int32(width // 8 - 1)) for i in range(math.ceil(width / (8 * THREADS)))
        ]

    def scales(self, scale: Address, thread: Value, width: int) -> list[list[Value]]:
        """Load the weights of this thread's chunks."""
        return [
            [from_bits(word) for half in range(2) for word in load_static(scale + (Int64(chunk) * 32 + half * 16))]
            for chunk in self.chunks(thread, width)
        ]

    @cute.jit
    def normalise(
        self, source: Int64, scales: list[list[Value]], target: Int64, scratch: Int32, thread: Int32,
        width: cutlass.Constexpr, kind: cutlass.Constexpr,
    ) -> None:  # fmt: skip
        """Normalise one vector."""
        chunks = self.chunks(thread, width)
        values = [widen(load(source + Int64(chunk) * 16)) for chunk in chunks]
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
                store_eight(target + Int64(chunks[i]) * (8 * element_bytes(kind)), v, kind)
