# mypy: allow-untyped-decorators
"""Merge of the splits, expansion to values, and the output gate of gated MLA.

Equals the merge of `k3_decode.kernels.mla_core`'s partial results by their sums, `expand_value` of
`k3_decode.reference.mla`, and the sigmoid gate of `mla_layer`.
"""

import math
from dataclasses import dataclass

from k3_decode.kernels.operator import Argument, Contract
from k3_decode.kernels.parts.arithmetic import bits, exp2, from_bits, high_bf16, low_bf16, maximum, reciprocal, sigmoid
from k3_decode.kernels.parts.dsl import Float32, Int32, Int64, Stream, Tensor, Uint32, cute, cutlass
from k3_decode.kernels.parts.memory import (
    load,
    load_bf16,
    load_f32,
    load_shared,
    load_shared_f32,
    load_static,
    store_bf16,
    store_shared,
    store_shared_f32,
)
from k3_decode.kernels.parts.splits import NOTHING
from k3_decode.kernels.parts.sync import WARP, barrier, release_dependents, wait_for_predecessors, warp_max, warp_sum

LATENT = 512
GROUP = LATENT // 4
"""Threads that hold one latent, four values each."""
MOST_GROUPS = 4
MERGED = 16
"""Splits whose outputs a thread has in flight."""


@dataclass(frozen=True)
class MlaValue:
    """Merge the splits, expand to values, and gate: ``out = W_UV l * sigmoid(gate)``.

    A block serves a row, a head and 32 of its values.

    Attributes:
        heads: Heads of this rank.
        latent: Width of the latent, 512.
        value: Width of a value head, a multiple of 32.
        splits: Splits of the core, a multiple of 4.
    """

    heads: int
    latent: int
    value: int
    splits: int

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"mla_value_heads{self.heads}_{self.latent}_{self.value}_splits{self.splits}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("w", "bf16", (self.heads, self.value, self.latent), static=True, stream=True),
            Argument("partial", "f32", ("m", self.heads, self.splits, self.latent)),
            Argument("sums", "f32", ("m", self.heads, self.splits), aligned=False),
            Argument("gate", "bf16", ("m", self.heads * self.value), strided=True, aligned=False),
            Argument("out", "bf16", ("m", self.heads * self.value)),
        )

    @property
    def contract(self) -> Contract:
        """All weights of a block are read before the wait."""
        return Contract(before_wait={"w": self.rows * self.loads})

    @property
    def groups(self) -> int:
        """Groups of threads that divide the splits, each with at least four."""
        return min(MOST_GROUPS, self.splits // 4)

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.groups * GROUP

    @property
    def rows(self) -> int:
        """Values of a warp."""
        return 32 // (self.threads // WARP)

    @property
    def loads(self) -> int:
        """16-byte loads a lane makes of one weight row."""
        return self.latent // (8 * WARP)

    @cute.jit
    def __call__(self, w: Tensor, partial: Tensor, sums: Tensor, gate: Tensor, out: Tensor, stream: Stream) -> None:
        """Launch.

        Args:
            w: ``[heads, value, latent]`` bfloat16.
            partial: ``[M, heads, splits, latent]`` what `MlaCore` wrote.
            sums: ``[M, heads, splits]``.
            gate: ``[M, heads * value]`` bfloat16, rows may be strided.
            out: ``[M, heads * value]`` bfloat16; zeros for rows that attended to nothing.
            stream: Where to run.
        """
        self.body(
            w.iterator.toint(), partial.iterator.toint(), sums.iterator.toint(), gate.iterator.toint(),
            out.iterator.toint(), Int32(gate.stride[0]),
        ).launch(
            grid=[self.value // 32, self.heads, cute.size(out, mode=[0])], block=[self.threads, 1, 1], stream=stream,
            use_pdl=True,
        )  # fmt: skip

    @cute.kernel
    def body(self, w: Int64, partial: Int64, sums: Int64, gate: Int64, out: Int64, stride: Int32) -> None:
        """Device code."""
        thread, _, _ = cute.arch.thread_idx()
        tile, head, row = cute.arch.block_idx()
        lane, warp = thread % WARP, thread // WARP
        words = (1 + self.groups) * self.latent + -(-self.splits // 4) * 4
        merged = cutlass.utils.SmemAllocator().allocate_array(Uint32, words, byte_alignment=128).toint()
        logarithms = merged + self.latent * 4
        release_dependents()
        first = tile * 32 + warp * self.rows
        base = w + (Int64(head) * self.value + Int64(first)) * (self.latent * 2) + Int64(lane) * 16
        weights = [
            [load_static(base + (r * self.latent * 2 + u * WARP * 16)) for u in range(self.loads)]
            for r in range(self.rows)
        ]
        wait_for_predecessors()
        place = (Int64(row) * self.heads + Int64(head)) * self.splits
        self.merge(merged, logarithms, partial + place * (self.latent * 4), sums + place * 4, thread)
        barrier()  # the merged latent is complete
        values = [
            [from_bits(x) for half in range(2) for x in load_shared(merged + lane * 32 + u * WARP * 32 + half * 16)]
            for u in range(self.loads)
        ]
        for r in cutlass.range_constexpr(self.rows):
            acc = Float32(0.0)
            for u in cutlass.range_constexpr(self.loads):
                row_values = [f(word) for word in weights[r][u] for f in (low_bf16, high_bf16)]
                for j in cutlass.range_constexpr(8):
                    acc = acc + row_values[j] * values[u][j]
            result = warp_sum(acc)
            if lane == r:
                column = Int64(head * self.value + first + r)
                opened = sigmoid(load_bf16(gate + (Int64(row) * Int64(stride) + column) * 2))
                store_bf16(out + (Int64(row) * (self.heads * self.value) + column) * 2, result * opened)

    @cute.jit
    def merge(self, merged: Int32, weights: Int32, partial: Int64, sums: Int64, thread: Int32) -> None:
        """Weigh the splits' outputs by their sums; what a split without keys left is read, and not used.

        Every warp finds the weights of all splits. Groups of 128 threads then add a share of the splits each, four
        latent values a thread, and the first group adds the groups' sums in order.
        """
        lane, group, place = thread % WARP, thread // GROUP, thread % GROUP
        held = math.ceil(self.splits / WARP)
        at = [cutlass.min(lane + i * WARP, Int32(self.splits - 1)) for i in range(held)]
        logarithms = [load_f32(sums + Int64(each) * 4) for each in at]
        share = self.splits // self.groups
        source = partial + (Int64(group * share) * self.latent + Int64(place * 4)) * 4
        words = [load(source + s * self.latent * 4) for s in range(min(MERGED, share))]
        largest = Float32(NOTHING)
        for i in cutlass.range_constexpr(held):
            largest = maximum(largest, logarithms[i])
        largest = warp_max(largest)
        whole = Float32(0.0)
        for i in cutlass.range_constexpr(held):
            there = logarithms[i] > NOTHING and lane + i * WARP < self.splits
            weight = exp2(logarithms[i] - largest) if there else Float32(0.0)
            whole = whole + weight
            if thread < WARP and lane + i * WARP < self.splits:
                store_shared_f32(weights + (lane + i * WARP) * 4, weight)
        whole = warp_sum(whole)
        barrier()  # the weights of all splits are there
        acc = [Float32(0.0) for _ in range(4)]
        for s in cutlass.range_constexpr(share):
            if cutlass.const_expr(s + MERGED < share):
                words.append(load(source + (s + MERGED) * self.latent * 4))
            weight = load_shared_f32(weights + (group * share + s) * 4)
            for i in cutlass.range_constexpr(4):
                value = from_bits(words[s][i]) if weight > 0.0 else Float32(0.0)
                acc[i] = acc[i] + weight * value
        sums_at = weights + self.splits * 4
        store_shared(sums_at + (group * self.latent + place * 4) * 4, [bits(value) for value in acc])
        barrier()  # the sums of all groups are there
        if group == 0:
            inverse = reciprocal(whole) if whole > 0.0 else Float32(0.0)
            for other in cutlass.range_constexpr(1, self.groups):
                more = load_shared(sums_at + (other * self.latent + place * 4) * 4)
                for i in cutlass.range_constexpr(4):
                    acc[i] = acc[i] + from_bits(more[i])
            store_shared(merged + place * 16, [bits(acc[i] * inverse) for i in range(4)])
