# mypy: allow-untyped-decorators
"""Rows of a paged cache on their way to shared memory."""

from dataclasses import dataclass

from k3_decode.kernels.parts.dsl import Int32, Int64, Tensor, cute, cutlass
from k3_decode.kernels.parts.memory import copy_to_shared, load


@dataclass(frozen=True)
class PagedRows:
    """Copies rounds of a request's rows, each row by a few neighbouring threads.

    Attributes:
        row_bytes: Bytes of a row, a multiple of 16 times `copiers`.
        pitch: Bytes between rows in shared memory.
        round: Rows of a round.
        threads: Threads of a block.
        copiers: Threads that copy a row together, 16 bytes each at a time.
    """

    row_bytes: int
    pitch: int
    round: int
    threads: int
    copiers: int

    @property
    def passes(self) -> int:
        """Rows of a round that a thread copies a part of."""
        return self.round * self.copiers // self.threads

    @cute.jit
    def find(self, blocks: Tensor, table: Int64, thread: Int32, first: Int32, stop: Int32, page: Int32) -> None:
        """Look up the blocks of this thread's rows of a round; those from ``stop`` on have the last one's.

        Args:
            blocks: Int32, `passes` of them; used by the next `copy` only, so that nobody waits for them here.
            table: Address of the request's blocks.
            thread: Of the block.
            first: First row of the round.
            stop: Rows of the request, at least 1.
            page: Rows of a block of the cache.
        """
        for i in cutlass.range_constexpr(self.passes):
            row = cutlass.min(first + thread // self.copiers + i * (self.round // self.passes), stop - 1)
            blocks[i] = Int32(load(table + Int64(row // page) * 4, words=1)[0])

    @cute.jit
    def copy(
        self, target: Int32, blocks: Tensor, cache: Int64, page: Int32, thread: Int32, first: Int32, begin: Int32,
        end: Int32, stop: Int32,
    ) -> None:  # fmt: skip
        """Start copying the rows of a round from ``begin`` to ``end``, zeros from ``stop`` on.

        Args:
            target: Shared address of the round.
            blocks: What `find` found.
            cache: Address of the cache.
            page: Rows of a block of the cache.
            thread: Of the block.
            first: First row of the round.
            begin: First row to copy.
            end: Row after the last to copy.
            stop: Rows of the request.
        """
        own, at = thread // self.copiers, thread % self.copiers * 16
        for i in cutlass.range_constexpr(self.passes):
            here = own + i * (self.round // self.passes)
            row = first + here
            if row >= begin and row < end:
                live = Int32(16) if row < stop else Int32(0)
                place = Int64(blocks[i]) * Int64(page) + Int64(cutlass.min(row, stop - 1) % page)
                source = cache + place * self.row_bytes + Int64(at)
                for j in cutlass.range_constexpr(self.row_bytes // (self.copiers * 16)):
                    step = j * self.copiers * 16
                    copy_to_shared(target + here * self.pitch + at + step, source + step, live)
