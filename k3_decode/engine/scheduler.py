"""Decides which tokens of which requests the next step computes: first come, first served.

Every running request that decodes gets its one token first; what is left of the step's token budget reads prompts,
in chunks, in order of arrival. A request is admitted when a state slot is free, and blocks for all its known tokens
beside one for each running request; it then grows block by block. When none is left, the request admitted last gives
up its blocks and slot and waits at the head of the queue to be computed again, so the oldest always proceeds and
every request ends.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from k3_decode.engine.pools import Pool, blocks_for
from k3_decode.engine.request import Request


@dataclass(frozen=True)
class Chunk:
    """The share of one request in a step: its tokens ``start`` to ``start + count``."""

    request: Request
    start: int
    count: int
    decoding: bool

    @property
    def completes(self) -> bool:
        """Whether the chunk reaches the last known token, so that the next one can be chosen."""
        return self.start + self.count == len(self.request.tokens)


class Scheduler:
    """Holds the queue, the running requests, and what they occupy.

    Args:
        blocks: Blocks of the MLA cache.
        slots: KDA state slots; bounds the running requests.
        block_size: Tokens in a block.
        max_step_tokens: Token budget of a step; at least the number of slots.
    """

    def __init__(self, *, blocks: Pool, slots: Pool, block_size: int, max_step_tokens: int) -> None:
        self.blocks = blocks
        self.slots = slots
        self.preemptions = 0
        self._block_size = block_size
        self._max_step_tokens = max_step_tokens
        self._waiting: deque[Request] = deque()
        self._running: list[Request] = []

    @property
    def waiting(self) -> int:
        """Requests in the queue."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """Requests that hold a slot."""
        return len(self._running)

    def requests(self) -> Iterator[Request]:
        """Yield every request, running ones first."""
        yield from self._running
        yield from self._waiting

    def add(self, request: Request) -> None:
        """Append a request to the queue."""
        self._waiting.append(request)

    def remove(self, request: Request) -> None:
        """Drop a request that ended and free what it holds."""
        if request.slot is None:
            self._waiting.remove(request)
        else:
            self._running.remove(request)
            self._release(request)

    def schedule(self) -> list[Chunk]:
        """Choose the next step's chunks and reserve the blocks they need; empty when nothing waits or runs."""
        chunks = self._decode_chunks()
        budget = self._max_step_tokens - len(chunks)
        for request in self._running:
            if not request.decoding and budget > 0:
                chunks.append(_chunk(request, budget))
                budget -= chunks[-1].count
        while budget > 0 and self._waiting and self._admit(self._waiting[0]):
            chunks.append(_chunk(self._waiting.popleft(), budget))
            budget -= chunks[-1].count
        return chunks

    def _decode_chunks(self) -> list[Chunk]:
        chunks: dict[str, Chunk] = {}
        for request in list(self._running):
            while request.slot is not None and request.decoding and not self._grow(request):
                victim = self._running[-1]
                chunks.pop(victim.id, None)
                self._preempt(victim)
            if request.slot is not None and request.decoding:
                chunks[request.id] = _chunk(request, 1)
        return list(chunks.values())

    def _admit(self, request: Request) -> bool:
        needed = blocks_for(len(request.tokens), block_size=self._block_size)
        if not self.slots.free or needed + len(self._running) > self.blocks.free:
            return False
        request.blocks = self.blocks.take(needed)
        [request.slot] = self.slots.take(1)
        self._running.append(request)
        return True

    def _grow(self, request: Request) -> bool:
        missing = blocks_for(len(request.tokens), block_size=self._block_size) - len(request.blocks)
        if missing > self.blocks.free:
            return False
        request.blocks += self.blocks.take(missing)
        return True

    def _preempt(self, request: Request) -> None:
        self._running.remove(request)
        self._release(request)
        request.computed = 0
        self._waiting.appendleft(request)
        self.preemptions += 1

    def _release(self, request: Request) -> None:
        assert request.slot is not None
        self.blocks.give_back(request.blocks)
        self.slots.give_back([request.slot])
        request.blocks, request.slot = [], None


def _chunk(request: Request, budget: int) -> Chunk:
    return Chunk(request, start=request.computed, count=min(request.pending, budget), decoding=request.decoding)
