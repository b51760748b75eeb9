# mypy: allow-untyped-decorators
"""Expansion of latents to values and the output gate of gated MLA.

Equals `expand_value` of `k3_decode.reference.mla` and the sigmoid gate of `mla_layer`.
"""

from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import mma_bf16, sigmoid
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Stream, Tensor, Uint32, cute, cutlass
from k3_decode.kernels.parts.memory import (
    load,
    load_bf16,
    load_shared_f32,
    load_static,
    store_bf16,
    store_shared_f32,
)
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors

WARPS = 4
THREADS = WARPS * WARP
TILE = 16
"""Values of a block."""
ROWS = 8
"""Rows of a block."""
LATENT = 512


@dataclass(frozen=True)
class MlaValue:
    """Expand latents to values, and gate: ``out = W_UV l * sigmoid(gate)``.

    A block serves 16 values of a head and 8 rows; its warps divide the latent.

    Attributes:
        latent: Width of the latent, a multiple of 128.
        value: Width of a value head, a multiple of 16.
    """

    latent: int
    value: int

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"mla_value_{self.latent}_{self.value}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("w", "bf16", ("h", self.value, self.latent), static=True, stream=True),
            Argument("latents", "bf16", ("m", "h", self.latent)),
            Argument("gate", "bf16", ("m", "a"), strided=True, aligned=False),
            Argument("context_lens", "i32", ("m",), aligned=False),
            Argument("out", "bf16", ("m", "a")),
        )

    @property
    def contract(self) -> Contract:
        """All weights of a block are read before the wait."""
        return Contract(before_wait={"w": 2 * self.chunks}, products=2 * self.chunks)

    @property
    def chunks(self) -> int:
        """Chunks of 32 columns of a warp."""
        return self.latent // (32 * WARPS)

    @cute.jit
    def __call__(
        self, w: Tensor, latents: Tensor, gate: Tensor, context_lens: Tensor, out: Tensor, stream: Stream
    ) -> None:
        """Launch.

        Args:
            w: ``[heads, value, latent]`` bfloat16.
            latents: ``[M, heads, latent]`` bfloat16.
            gate: ``[M, heads * value]`` bfloat16, rows may be strided.
            context_lens: ``[M]`` int32; negative marks padding.
            out: ``[M, heads * value]`` bfloat16; zeros for padding, whatever its gate.
            stream: Where to run.
        """
        rows = cute.size(out, mode=[0])
        self.body(
            w.iterator.toint(), latents.iterator.toint(), gate.iterator.toint(), context_lens.iterator.toint(),
            out.iterator.toint(), Int32(cute.size(w, mode=[0])), Int32(rows), Int32(gate.stride[0]),
        ).launch(
            grid=[self.value // TILE, cute.size(w, mode=[0]), cute.ceil_div(rows, ROWS)], block=[THREADS, 1, 1],
            stream=stream, use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def body(
        self, w: Int64, latents: Int64, gate: Int64, context_lens: Int64, out: Int64, heads: Int32, m: Int32,
        stride: Int32,
    ) -> None:  # fmt: skip
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        tile, head, rows = cute.arch.block_idx()
        lane, warp = thread % WARP, thread // WARP
        group, quad = lane // 4, lane % 4
        sums = cutlass.utils.SmemAllocator().allocate_array(Uint32, WARPS * TILE * ROWS, byte_alignment=16).toint()
        release_dependents()
        share = warp * (self.chunks * 64) + quad * 16
        base = w + ((Int64(head) * self.value + Int64(tile * TILE + group)) * (self.latent * 2) + Int64(share))
        weights = [
            [load_static(base + (half * 8 * self.latent * 2 + c * 64)) for half in range(2)] for c in range(self.chunks)
        ]
        wait_for_predecessors()
        row = cutlass.min(rows * ROWS + group, m - 1)
        source = latents + ((Int64(row) * Int64(heads) + Int64(head)) * (self.latent * 2) + Int64(share))
        inputs = [load(source + c * 64) for c in range(self.chunks)]
        own, at = rows * ROWS + thread // TILE, head * self.value + tile * TILE + thread % TILE
        kept = cutlass.min(own, m - 1)
        opened = sigmoid(load_bf16(gate + (Int64(kept) * Int64(stride) + Int64(at)) * 2))
        context = Int32(load(context_lens + Int64(kept) * 4, words=1)[0])
        acc = [Float32(0.0) for _ in range(4)]
        for c in cutlass.range_constexpr(self.chunks):
            upper, lower = weights[c]
            for half in cutlass.range_constexpr(2):
                i = 2 * half
                acc = mma_bf16([upper[i], lower[i], upper[i + 1], lower[i + 1]], inputs[c][i : i + 2], acc)
        for i in cutlass.range_constexpr(4):
            place = warp * (TILE * ROWS) + (quad * 2 + i % 2) * TILE + group + 8 * (i // 2)
            store_shared_f32(sums + place * 4, acc[i])
        barrier()  # the sums of all warps are there
        total = load_shared_f32(sums + thread * 4)
        for other in cutlass.range_constexpr(1, WARPS):
            total = total + load_shared_f32(sums + (other * TILE * ROWS + thread) * 4)
        gated = total * opened if context >= 0 else Float32(0.0)
        if own < m:
            store_bf16(out + (Int64(own) * Int64(heads * self.value) + Int64(at)) * 2, gated)
