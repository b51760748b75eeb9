# mypy: allow-untyped-decorators
"""Absorbed queries of gated MLA: `k3_decode.reference.mla.absorb_query` for one token a request."""

from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Cache, Contract
from k3_decode.kernels.parts.arithmetic import high_bf16, low_bf16, mma_bf16, pack_bf16
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Stream, Tensor, cute, cutlass
from k3_decode.kernels.parts.e4m3 import pack_e4m3, store_e4m3
from k3_decode.kernels.parts.memory import load, load_static, store, store_bf16
from k3_decode.kernels.parts.sync import WARP, release_dependents, wait_for_predecessors

WARPS = 4
THREADS = WARPS * WARP
TILE = 16 * WARPS


@dataclass(frozen=True)
class MlaAbsorb:
    """``query = (W_UK^T q_n | q_r)`` of every head.

    Attributes:
        latent: Width of the latent, a multiple of 64.
        nope: Width of the key part of a head, a multiple of 32.
        shared_key: Width of the key part all heads share, a multiple of 8.
        out: Type of the queries: bfloat16, or e4m3 in bytes, for a cache of the same.
    """

    latent: int
    nope: int
    shared_key: int
    out: Cache = "bf16"

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"mla_absorb_{self.latent}_{self.nope}_{self.shared_key}_{self.out}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("w", "bf16", ("h", self.latent, self.nope), static=True, stream=True),
            Argument("q", "bf16", ("m", "a"), strided=True),
            Argument("query", self.out, ("m", "h", self.latent + self.shared_key)),
        )

    @property
    def contract(self) -> Contract:
        """All weights of a block are read before the wait."""
        return Contract(before_wait={"w": 2 * self.chunks}, products=2 * self.chunks)

    @property
    def chunks(self) -> int:
        """Pairs of 16-byte loads of a lane."""
        return self.nope // 32

    @cute.jit
    def __call__(self, w: Tensor, q: Tensor, query: Tensor, stream: Stream) -> None:
        """Launch.

        Args:
            w: ``[heads, latent, nope]``, the transpose of ``W_UK``.
            q: ``[M, heads * (nope + shared_key)]``, rows may be strided.
            query: ``[M, heads, latent + shared_key]``.
            stream: Where to run.
        """
        rows = cute.size(q, mode=[0])
        self.body(
            w.iterator.toint(), q.iterator.toint(), query.iterator.toint(), Int32(cute.size(w, mode=[0])), Int32(rows),
            Int32(q.stride[0]),
        ).launch(
            grid=[self.latent // TILE, cute.size(w, mode=[0]), cute.ceil_div(rows, 8)], block=[THREADS, 1, 1],
            stream=stream, use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def body(self, w: Int64, q: Int64, query: Int64, heads: Int32, m: Int32, stride: Int32) -> None:
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        tile, head, rows = cute.arch.block_idx()
        lane, warp = thread % WARP, thread // WARP
        group, quad = lane // 4, lane % 4
        release_dependents()
        first = tile * TILE + warp * 16 + group
        base = w + (Int64(head) * self.latent + Int64(first)) * (self.nope * 2) + Int64(quad) * 16
        weights = [
            [load_static(base + (half * 8 * self.nope * 2 + c * 64)) for half in range(2)] for c in range(self.chunks)
        ]
        wait_for_predecessors()
        width, head_width = self.latent + self.shared_key, self.nope + self.shared_key
        source = q + Int64(cutlass.min(rows * 8 + group, m - 1)) * Int64(stride) * 2 + Int64(head) * (head_width * 2)
        inputs = [load(source + Int64(quad) * 16 + c * 64) for c in range(self.chunks)]
        acc = [Float32(0.0) for _ in range(4)]
        for c in cutlass.range_constexpr(self.chunks):
            upper, lower = weights[c]
            for half in cutlass.range_constexpr(2):
                i = 2 * half
                acc = mma_bf16([upper[i], lower[i], upper[i + 1], lower[i + 1]], inputs[c][i : i + 2], acc)
        for i in cutlass.range_constexpr(4):
            row = rows * 8 + quad * 2 + i % 2
            if row < m:
                place = (Int64(row) * Int64(heads) + Int64(head)) * width + Int64(first + 8 * (i // 2))
                if cutlass.const_expr(self.out == "bf16"):
                    store_bf16(query + place * 2, acc[i])
                else:  # by way of bfloat16, as the reference rounds
                    store_e4m3(query + place, low_bf16(pack_bf16(acc[i], acc[i])))
        # The first block of a head copies the shared part, 16 bytes a thread: 8 threads a row.
        row, part = rows * 8 + thread // (self.shared_key // 8), thread % (self.shared_key // 8)
        if tile == 0 and thread < self.shared_key and row < m:
            at = q + Int64(row) * Int64(stride) * 2 + (Int64(head) * head_width + self.nope) * 2 + Int64(part) * 16
            place = (Int64(row) * Int64(heads) + Int64(head)) * width + self.latent + Int64(part) * 8
            words = load(at)
            if cutlass.const_expr(self.out == "bf16"):
                store(query + place * 2, words)
            else:
                values = [f(word) for word in words for f in (low_bf16, high_bf16)]
                store(query + place, [pack_e4m3(values[:4]), pack_e4m3(values[4:])])
