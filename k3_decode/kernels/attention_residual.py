# mypy: allow-untyped-decorators
"""Attention residual: add the last output to the running sum, mix all sources, and normalise for the next stage.

Equals `k3_decode.reference.attention_residual.mix` followed by `rms_norm`, with the running sum rounded to bfloat16
before it becomes a source, as the reference rounds it; the mixture itself stays in float32.

A token belongs to a cluster of blocks that divide its columns, 8 columns a thread, all sources in registers. The
finished blocks are settled long before the sum is: their part of the mixture, unnormalised, is made before the
dependency wait, from two scalars a source (``sum v * gamma * query`` and ``sum v^2``) that the cluster adds up. After
the wait comes the sum, with one more exchange of four scalars, among them its product with the part that is there: the
square of the mixture follows from them.
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
from k3_decode.kernels.parts.exchange import cluster_sums, mailbox_words, open_mailboxes
from k3_decode.kernels.parts.memory import load, load_static, store
from k3_decode.kernels.parts.sync import WARP, release_dependents, wait_for_predecessors

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
        warps: Warps of a block.
    """

    hidden: int
    blocks: int
    update: Literal["add", "restart", "keep"]
    eps: float = 1e-5
    warps: int = 4

    @property
    def name(self) -> str:
        """Symbol of this form."""
        return f"attention_residual_{self.hidden}_blocks{self.blocks}_{self.update}_warps{self.warps}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Tensors of a call."""
        return (
            Argument("blocks", "bf16", ("s", "m", self.hidden), settled=True),
            Argument("running", "bf16", ("m", self.hidden)),
            Argument("delta", "bf16", ("m", self.hidden)),
            Argument("query", "f32", (self.hidden,), static=True),
            Argument("weight", "f32", (self.hidden,), static=True),
            Argument("summed", "bf16", ("m", self.hidden)),
            Argument("normed", "bf16", ("m", self.hidden)),
        )

    @property
    def contract(self) -> Contract:
        """Both weights and the finished blocks are read before the wait."""
        return Contract(before_wait={"query": 2 if self.blocks else 0, "weight": 2, "blocks": self.blocks})

    @property
    def cluster(self) -> int:
        """Blocks of a token."""
        return math.ceil(self.hidden / (COLUMNS * self.threads))

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.warps * WARP

    @cute.jit
    def __call__(
        self, blocks: Tensor, running: Tensor, delta: Tensor, query: Tensor, weight: Tensor, summed: Tensor,
        normed: Tensor, stream: Stream,
    ) -> None:  # fmt: skip
        """Launch.

        Args:
            blocks: ``[S, M, H]`` finished blocks; the first `blocks` of them are sources, and settled.
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
            grid=[self.cluster, rows, 1], block=[self.threads, 1, 1], cluster=[self.cluster, 1, 1], stream=stream,
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
        early, late = 2 * self.blocks, 4 if self.blocks else 1
        scratch_words = -(-(early + late) * self.warps // 4) * 4
        shared = cutlass.utils.SmemAllocator().allocate_array(
            Uint32, scratch_words + sum(mailbox_words(count, self.cluster) for count in (early, late)),
            byte_alignment=16,
        ).toint()  # fmt: skip
        late_box = shared + scratch_words * 4
        early_box = late_box + mailbox_words(late, self.cluster) * 4
        release_dependents()

        # Threads beyond the last column read the last ones again and add nothing.
        own = part * self.threads + thread
        live = own < self.hidden // COLUMNS
        column = cutlass.min(own, Int32(self.hidden // COLUMNS - 1)) * COLUMNS
        share = Float32(1.0) if live else Float32(0.0)
        queries = self.weights(query, column) if self.blocks else [Float32(0.0)] * COLUMNS
        scales = self.weights(weight, column)
        at = (Int64(row) * self.hidden + Int64(column)) * 2
        stride = Int64(rows) * (self.hidden * 2)
        sources = [widened(load(blocks + at + stride * i)) for i in range(self.blocks)]
        boxes = [(late_box, late), (early_box, early)] if self.blocks else [(late_box, late)]
        open_mailboxes(boxes, thread, self.cluster)
        # What is mixed so far, and its largest score and sum of powers.
        mixed, largest, total = [Float32(0.0) for _ in range(COLUMNS)], Float32(0.0), Float32(0.0)
        if cutlass.const_expr(self.blocks > 0):
            scalars = [x * share for v in sources for x in (dot(v, queries), dot(v, v))]
            sums = cluster_sums(scalars, shared, early_box, thread, self.warps, self.cluster)
            scores = [self.score(sums[2 * i], sums[2 * i + 1]) for i in range(self.blocks)]
            largest = scores[0]
            for score in scores[1:]:
                largest = maximum(largest, score)
            for v, score in zip(sources, scores, strict=True):
                power = exp(score - largest)
                total = total + power
                mixed = [mixed[j] + power * v[j] for j in range(COLUMNS)]
        wait_for_predecessors()

        words = self.sum(running + at, delta + at)
        if cutlass.const_expr(self.update != "keep"):  # noqa: SIM102 - decided when compiled, the inner test later
            if live:
                store(summed + at, words)
        v = widened(words)
        scalars = [dot(v, v), dot(v, queries), dot(v, mixed), dot(mixed, mixed)][:late]
        scratch = shared + early * self.warps * 4
        sums = cluster_sums([x * share for x in scalars], scratch, late_box, thread, self.warps, self.cluster)
        square = sums[0]
        if cutlass.const_expr(self.blocks > 0):
            score = self.score(sums[1], sums[0])
            top = maximum(largest, score)
            old, new = exp(largest - top), exp(score - top)
            inverse = reciprocal(total * old + new)
            old, new = old * inverse, new * inverse
            v = [mixed[j] * old + v[j] * new for j in range(COLUMNS)]
            square = old * old * sums[3] + old * new * sums[2] * 2.0 + new * new * sums[0]
        inverse = rsqrt(square * (1.0 / self.hidden) + self.eps)
        out = [v[j] * inverse * scales[j] for j in range(COLUMNS)]
        if live:
            store(normed + at, [pack_bf16(out[2 * i], out[2 * i + 1]) for i in range(COLUMNS // 2)])

    def score(self, product: Value, square: Value) -> Value:
        """Give a source's score from its product with the query and its square."""
        return product * rsqrt(square * (1.0 / self.hidden) + self.eps)

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


def widened(words: list[Value]) -> list[Value]:
    """Widen words of two bfloat16 each."""
    return [f(word) for word in words for f in (low_bf16, high_bf16)]


def dot(a: list[Value], b: list[Value]) -> Value:
    """Multiply element by element and add."""
    total = Float32(0.0)
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
