"""A batch read once: checked, and turned into the index tensors every layer shares."""

import dataclasses
from typing import Literal

import torch
from torch import Tensor

from k3_decode.errors import ArgumentError
from k3_decode.reference.batch import StepBatch
from k3_decode.reference.cache import K3Cache

SHORT = 8
"""Longest run of tokens of one request that is served by the decode forms: one token and seven drafts."""

Form = Literal["auto", "decode", "prefill"]
"""Which mathematically equal form serves a request: by length, always the decode form, or always the prefill form."""


@dataclasses.dataclass(frozen=True, eq=False)
class Group:
    """Live requests with equally many tokens this step, served together."""

    tokens: Tensor
    """``[B, Q]`` int64, indices into the batch's tokens."""
    slots: Tensor
    """``[B]`` int64."""
    context: Tensor
    """``[B]`` int64, tokens already cached."""
    fresh: Tensor | None
    """``[B]`` bool, requests without context; None when there are none."""
    blocks: Tensor
    """``[B, M]`` int64, blocks that hold the requests' rows; 0 beyond a request's last block."""
    longest: int
    """Tokens of the longest request once this step is cached."""

    @property
    def size(self) -> int:
        """Requests in the group."""
        return self.tokens.shape[0]

    @property
    def length(self) -> int:
        """Tokens of each request."""
        return self.tokens.shape[1]


@dataclasses.dataclass(frozen=True)
class _Segment:
    request: int
    start: int
    length: int
    slot: int
    context: int
    total: int


class StepPlan:
    """What a batch asks of every layer.

    Args:
        batch: The batch.
        cache: A cache it will run on (for its sizes; every rank's is alike).
        vocab_size: Ids allowed in the batch.

    Attributes:
        segments: The live requests.
        padding: ``[T]`` bool, true for tokens of padding requests; None when there are none.
        live: ``[T_live]`` int64, tokens of live requests.
        rows: ``[T_live]`` int64, where their MLA rows go, as block * block_size + offset.

    Raises:
        ArgumentError: The fields contradict one another or do not fit the cache.
    """

    def __init__(self, batch: StepBatch, cache: K3Cache, *, vocab_size: int) -> None:
        self._batch = batch
        self._block_size = cache.block_size
        self._tables = batch.block_tables.tolist()
        self.segments = _segments(batch)
        self._check(cache, vocab_size)
        device = batch.tokens.device
        tokens = [t for s in self.segments for t in range(s.start, s.start + s.length)]
        rows = [self._row(s, position) for s in self.segments for position in range(s.context, s.total)]
        self.live = torch.tensor(tokens, dtype=torch.int64, device=device)
        self.rows = torch.tensor(rows, dtype=torch.int64, device=device)
        self.padding: Tensor | None = None
        if len(self.segments) < batch.num_requests:
            self.padding = torch.ones(batch.num_tokens, dtype=torch.bool, device=device)
            self.padding[self.live] = False

    def groups(self, form: Form) -> tuple[list[Group], list[Group]]:
        """Split the live requests between the decode and the prefill form.

        Args:
            form: ``auto`` gives requests of up to eight tokens to the decode form.

        Returns:
            Groups for the decode form, requests of equal length together; groups of one request for the prefill form.
        """
        limit = {"auto": SHORT, "decode": self._batch.num_tokens, "prefill": 0}[form]
        by_length: dict[int, list[_Segment]] = {}
        for segment in self.segments:
            if segment.length <= limit:
                by_length.setdefault(segment.length, []).append(segment)
        long = [self._group([segment]) for segment in self.segments if segment.length > limit]
        return [self._group(members) for members in by_length.values()], long

    def _group(self, members: list[_Segment]) -> Group:
        device = self._batch.tokens.device
        longest = max(s.total for s in members)
        width = -(-longest // self._block_size)
        tables = [self._tables[s.request] for s in members]
        used = [-(-s.total // self._block_size) for s in members]
        blocks = [table[:count] + [0] * (width - count) for table, count in zip(tables, used, strict=True)]
        fresh = [s.context == 0 for s in members]
        return Group(
            tokens=torch.tensor([list(range(s.start, s.start + s.length)) for s in members], device=device),
            slots=torch.tensor([s.slot for s in members], device=device),
            context=torch.tensor([s.context for s in members], device=device),
            fresh=torch.tensor(fresh, device=device) if any(fresh) else None,
            blocks=torch.tensor(blocks, device=device),
            longest=longest,
        )

    def _row(self, segment: _Segment, position: int) -> int:
        block, offset = divmod(position, self._block_size)
        return int(self._tables[segment.request][block]) * self._block_size + offset

    def _check(self, cache: K3Cache, vocab_size: int) -> None:
        batch = self._batch
        tokens = batch.tokens
        if tokens.numel():
            low, high = int(tokens.min()), int(tokens.max())
            _require(low >= 0 and high < vocab_size, "tokens", f"ids 0..{vocab_size - 1}", f"{low}..{high}")
        for row in batch.logit_rows.tolist():
            _require(0 <= row < batch.num_tokens, "logit_rows", f"0..{batch.num_tokens - 1}", row)
        slots = [s.slot for s in self.segments]
        _require(len(set(slots)) == len(slots), "slots", "a slot of its own for every live request", slots)
        written: set[int] = set()
        for s in self.segments:
            _require(s.slot < cache.num_slots, "slots", f"less than {cache.num_slots}", s.slot)
            table, needed = self._tables[s.request], -(-s.total // self._block_size)
            _require(needed <= len(table), "block_tables", f"{needed} blocks for request {s.request}", len(table))
            used = table[:needed]
            fits = all(0 < block < cache.num_blocks for block in used)
            _require(fits, "block_tables", f"blocks 1..{cache.num_blocks - 1} for request {s.request}", used)
            own = used[s.context // self._block_size :]
            _require(written.isdisjoint(own), "block_tables", "no block written by two requests", own)
            written.update(own)


def _segments(batch: StepBatch) -> list[_Segment]:
    starts, contexts, slots = batch.query_starts.tolist(), batch.context_lens.tolist(), batch.slots.tolist()
    requests, tables = len(slots), batch.block_tables
    _require(len(starts) == requests + 1, "query_starts", f"{requests + 1} entries", len(starts))
    _require(starts[0] == 0, "query_starts", "a first entry of 0", starts[0])
    _require(starts[-1] == batch.num_tokens, "query_starts", f"a last entry of {batch.num_tokens}", starts[-1])
    _require(len(contexts) == requests, "context_lens", f"{requests} entries", len(contexts))
    fits = tables.dim() == 2 and tables.shape[0] == requests
    _require(fits, "block_tables", f"shape [{requests}, max_blocks]", tuple(tables.shape))
    segments = []
    for request, slot in enumerate(slots):
        start, stop, context = starts[request], starts[request + 1], contexts[request]
        _require(stop > start, "query_starts", f"a token or more for request {request}", f"{start}..{stop}")
        _require(context >= 0, "context_lens", "0 or more", context)
        if slot > 0:
            segments.append(_Segment(request, start, stop - start, slot, context, context + stop - start))
    return segments


def _require(condition: bool, field: str, expected: object, got: object) -> None:
    if not condition:
        raise ArgumentError("StepBatch", field, expected=expected, got=got)
