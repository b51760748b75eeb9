# mypy: allow-untyped-decorators
"""Attention residual: add the last output to the running sum, mix all sources, and normalise for the next stage.

Equals `k3_decode.reference.attention_residual.mix` followed by `rms_norm`, with the running sum rounded to bfloat16
before it becomes a source, as the reference rounds it; the mixture itself stays in float32.

A token belongs to a cluster of blocks that divide its columns, 8 columns a thread, all sources in registers. Each
block adds up two scalars a source (``sum v * gamma * query`` and ``sum v^2``) and hands them to every peer; after one
cluster barrier all blocks compute the same softmax, mix their columns, and exchange the square of the mixture the same
way. Sums are taken in rank order, so every block gets the same bits.
"""

import math
from dataclasses import dataclass
from typing import Literal

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import (
    exp,
    from_bits,
    high_bf16,
    low_bf16,
    maximum,
    pack_bf16,
    reciprocal,
    rsqrt,
)
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Stream, Tensor, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import load, load_shared_f32, load_static, store
from k3_decode.kernels.parts.sync import (
    WARP,
    block_sums,
    cluster_barrier,
    cluster_rank,
    peer_address,
    release_dependents,
    store_peer_f32,
    wait_for_predecessors,
)

WARPS = 4
THREADS = WARPS * WARP
COLUMNS = 8
"""Columns of a thread, one 16-byte load of a source."""


@dataclass(frozen=True)
class AttentionResidual:
    """One compiled form of the kernel.

    Attributes:
        hidden: Columns, a multiple of 8.
        blocks: Finished blocks among the sources, 0 to 8.
        update: ``add`` makes the sum ``bf16(sum + delta)``, ``restart`` makes it ``delta``, ``keep`` takes it as it is.
        eps: Added to both mean squares.
    """

    hidden: int
    blocks: int
    update: Literal["add", "restart", "keep"]
    eps: float = 1e-5

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"attention_residual_{self.hidden}_blocks{self.blocks}_{self.update}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("blocks", "bf16", ("s", "m", self.hidden)),
            Argument("running", "bf16", ("m", self.hidden)),
            Argument("delta", "bf16", ("m", self.hidden)),
            Argument("query", "f32", (self.hidden,), static=True),
            Argument("weight", "f32", (self.hidden,), static=True),
            Argument("summed", "bf16", ("m", self.hidden)),
            Argument("normed", "bf16", ("m", self.hidden)),
        )

    @property
    def contract(self) -> Contract:
        """Both weights are read before the wait."""
        return Contract(before_wait={"query": 2 if self.blocks else 0, "weight": 2})

    @property
    def cluster(self) -> int:
        """Blocks of a token."""
        return math.ceil(self.hidden / (COLUMNS * THREADS))

    @property
    def sources(self) -> int:
        """Sources of the mix: the blocks, and the running sum."""
        return self.blocks + 1

    @cute.jit
    def __call__(
        self, blocks: Tensor, running: Tensor, delta: Tensor, query: Tensor, weight: Tensor, summed: Tensor,
        normed: Tensor, stream: Stream,
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            blocks: ``[S, M, H]`` finished blocks; the first `blocks` of them are sources.
            running: ``[M, H]`` the running sum; not read by ``restart``.
            delta: ``[M, H]`` what is added; not read by ``keep``.
            query: ``[H]`` the pseudo-query times the norm weight of the mix.
            weight: ``[H]`` weight of the norm after the mix.
            summed: ``[M, H]`` gets the new sum, unless ``keep``; may be ``running``, or a block not yet a source.
            normed: ``[M, H]`` gets the normalised mixture.
            stream: Where to run.
        """
        rows = cute.size(running, mode=[0])
        self.body(
            blocks.iterator.toint(), running.iterator.toint(), delta.iterator.toint(), query.iterator.toint(),
            weight.iterator.toint(), summed.iterator.toint(), normed.iterator.toint(), Int32(rows),
        ).launch(
            grid=[self.cluster, rows, 1], block=[THREADS, 1, 1], cluster=[self.cluster, 1, 1], stream=stream,
            use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def body(
        self, blocks: Int64, running: Int64, delta: Int64, query: Int64, weight: Int64, summed: Int64, normed: Int64,
        rows: Int32,
    ) -> None:  # fmt: skip
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        part, row, _ = cute.arch.block_idx()
        shared = cutlass.utils.SmemAllocator().allocate_array(
            Uint32, (2 * self.sources + 1) * (WARPS + self.cluster), byte_alignment=16
        ).toint()  # fmt: skip
        half = 2 * self.sources * (WARPS + self.cluster) * 4
        release_dependents()

        # Threads beyond the last column read the last ones again and add nothing.
        own = part * THREADS + thread
        live = own < self.hidden // COLUMNS
        column = cutlass.min(own, Int32(self.hidden // COLUMNS - 1)) * COLUMNS
        share = Float32(1.0) if live else Float32(0.0)
        queries = self.weights(query, column) if self.blocks else [Float32(0.0)] * COLUMNS
        scales = self.weights(weight, column)
        cluster_barrier()  # every peer has started, so that its shared memory may be written
        wait_for_predecessors()

        at = (Int64(row) * self.hidden + Int64(column)) * 2
        stride = Int64(rows) * (self.hidden * 2)
        words = [load(blocks + at + stride * i) for i in range(self.blocks)]
        words.append(self.sum(running + at, delta + at))
        if cutlass.const_expr(self.update != "keep"):  # noqa: SIM102 - decided when compiled, the inner test later
            if live:
                store(summed + at, words[-1])
        values = [[f(word) for word in source for f in (low_bf16, high_bf16)] for source in words]
        mixed = values[0]
        if cutlass.const_expr(self.blocks > 0):
            scalars = []
            for s in cutlass.range_constexpr(self.sources):
                product, square = Float32(0.0), Float32(0.0)
                for j in cutlass.range_constexpr(COLUMNS):
                    product = product + values[s][j] * queries[j]
                    square = square + values[s][j] * values[s][j]
                scalars += [product * share, square * share]
            totals = self.cluster_sums(scalars, shared, thread)
            shares = self.softmax(totals)
            mixed = [Float32(0.0) for _ in range(COLUMNS)]
            for s in cutlass.range_constexpr(self.sources):
                for j in cutlass.range_constexpr(COLUMNS):
                    mixed[j] = mixed[j] + shares[s] * values[s][j]
        square = Float32(0.0)
        for j in cutlass.range_constexpr(COLUMNS):
            square = square + mixed[j] * mixed[j]
        total = self.cluster_sums([square * share], shared + half, thread)[0]
        inverse = rsqrt(total * (1.0 / self.hidden) + self.eps)
        out = [mixed[j] * inverse * scales[j] for j in range(COLUMNS)]
        if live:
            store(normed + at, [pack_bf16(out[2 * i], out[2 * i + 1]) for i in range(COLUMNS // 2)])

    def weights(self, address: Value, column: Value) -> list[Value]:
        """Load this thread's columns of a float32 vector."""
        at = address + Int64(column) * 4
        return [from_bits(word) for half in range(2) for word in load_static(at + half * 16)]

    def sum(self, running: Value, delta: Value) -> list[Value]:
        """Load the running sum as the update asks, in words of two bfloat16."""
        if self.update == "keep":
            return load(running)
        added = load(delta)
        if self.update == "restart":
            return added
        return [
            pack_bf16(low_bf16(a) + low_bf16(b), high_bf16(a) + high_bf16(b))
            for a, b in zip(load(running), added, strict=True)
        ]

    def softmax(self, totals: list[Value]) -> list[Value]:
        """Turn the sums of all sources into their shares of the mixture."""
        scores = [
            totals[2 * s] * rsqrt(totals[2 * s + 1] * (1.0 / self.hidden) + self.eps) for s in range(self.sources)
        ]
        largest = scores[0]
        for score in scores[1:]:
            largest = maximum(largest, score)
        powers = [exp(score - largest) for score in scores]
        total = powers[0]
        for power in powers[1:]:
            total = total + power
        inverse = reciprocal(total)
        return [power * inverse for power in powers]

    @cute.jit
    def cluster_sums(self, values: list[Value], shared: Int32, thread: Int32) -> list[Value]:
        """Add values over the block, then over the cluster in rank order; every thread gets all sums.

        The barrier in it comes after the last write to a peer's shared memory, so a block may leave after it.
        """
        count = len(values)
        exchange = shared + WARPS * count * 4
        totals = block_sums(values, shared, thread, warps=WARPS)
        rank = Int32(cluster_rank())
        if thread < self.cluster:
            target = peer_address(exchange, thread)
            for i in cutlass.range_constexpr(count):
                store_peer_f32(target + (rank * count + i) * 4, totals[i])
        cluster_barrier()  # the sums of all blocks have arrived here
        sums = []
        for i in cutlass.range_constexpr(count):
            total = load_shared_f32(exchange + i * 4)
            for peer in cutlass.range_constexpr(1, self.cluster):
                total = total + load_shared_f32(exchange + (peer * count + i) * 4)
            sums.append(total)
        return sums
