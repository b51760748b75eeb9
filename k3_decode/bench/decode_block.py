"""Times decode steps of one shape: a block of consecutive steps over a warm cache.

One timed step is everything between two tokens: laying out the batch, the model's forward, choosing the tokens,
and waiting until they are on the host.
"""

import gc
import hashlib
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TypedDict

import torch

from k3_decode.bench.kernel_times import LEAD_IN_STEPS, TRACED_STEPS, KernelTimes, add_up, trace
from k3_decode.decoder import NOT_BUILT, DecodeMode, Decoder, Specialization
from k3_decode.engine.pools import blocks_for
from k3_decode.engine.request import SamplingParams
from k3_decode.engine.sampler import Draw, sample
from k3_decode.ledger import LedgerSnapshot, StepShape
from k3_decode.reference.batch import StepBatch
from k3_decode.reference.model import K3Model
from k3_decode.spans import Span, recorded

BLOCK_SIZE = 16
"""Tokens in a cache block."""

PREFILL_TOKENS = 512
"""Prompt tokens read in one step while the context is built."""


@dataclass(frozen=True, kw_only=True)
class BlockPlan:
    """What to time.

    Attributes:
        batch: Requests, each giving one row to every step.
        context: Tokens in the cache of each request before the first step.
        steps: Steps timed.
        warmup: Steps run before them, not timed.
        seed: Seeds the context tokens.
        kernels: Whether to time the kernels of a step too: on a CPU, operators of the timed steps; on a GPU, kernels of
            `TRACED_STEPS` further steps, for tracing delays launches.
    """

    batch: int
    context: int
    steps: int
    warmup: int
    seed: int
    kernels: bool = False

    @property
    def positions(self) -> int:
        """Tokens that each request may come to hold, traced steps included."""
        return self.context + self.warmup + self.steps + (LEAD_IN_STEPS + TRACED_STEPS if self.kernels else 0)


class TimedStep(TypedDict):
    """One step. ``monotonic_ns`` is when it began, on this process's monotonic clock."""

    step: int
    latency_us: float
    monotonic_ns: int


class BlockResult(TypedDict):
    """A timed block.

    ``ledger`` counts the timed steps and no others; ``setup_ledger`` those that built the context and warmed up.
    ``tokens_sha256`` is over the tokens of the timed steps, step by step, as decimal numbers with commas. ``kernels``
    is empty unless they were asked for.
    """

    rows: list[TimedStep]
    ledger: LedgerSnapshot
    setup_ledger: LedgerSnapshot
    tokens_sha256: str
    kernels: list[KernelTimes]


def time_block(
    model: K3Model, plan: BlockPlan, *, mode: DecodeMode, specialization: Specialization = NOT_BUILT
) -> BlockResult:
    """Build the context, warm up, and time the steps.

    Args:
        model: The model.
        plan: What to time.
        mode: Decode path asked for.
        specialization: What there is of the specialized path.

    Note:
        Allocates a cache of its own. Garbage collection is off while steps are timed.
    """
    run = _Run(model, plan, mode=mode, specialization=specialization)
    run.read_context()
    for _ in range(plan.warmup):
        run.step()
    setup = run.decoder.ledger.reset()
    rows: list[TimedStep] = []
    generated: list[int] = []
    on_host = plan.kernels and model.device.type == "cpu"
    spans: list[Span] = []
    ends: list[int] = []
    gc.collect()
    with ExitStack() as stack:
        gc.disable()
        stack.callback(gc.enable)
        if on_host:
            spans = stack.enter_context(recorded())
        for step in range(plan.steps):
            start_ns = time.monotonic_ns()
            generated += run.step()
            latency_ns = time.monotonic_ns() - start_ns
            rows.append({"step": step, "latency_us": latency_ns / 1000, "monotonic_ns": start_ns})
            ends.append(len(spans))
    ledger = run.decoder.ledger.snapshot()
    steps = [spans[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    if plan.kernels and not on_host:
        steps = trace(run.step)
    return {
        "rows": rows,
        "ledger": ledger,
        "setup_ledger": setup,
        "tokens_sha256": hashlib.sha256(",".join(map(str, generated)).encode()).hexdigest(),
        "kernels": add_up(steps),
    }


class _Run:
    """The moving parts of a block: cache, where each request stands, and its last token."""

    def __init__(self, model: K3Model, plan: BlockPlan, *, mode: DecodeMode, specialization: Specialization) -> None:
        per_request = blocks_for(plan.positions, block_size=BLOCK_SIZE)
        cache = model.new_cache(
            num_slots=plan.batch + 1, num_blocks=plan.batch * per_request + 1, block_size=BLOCK_SIZE
        )
        self.decoder = Decoder(model, cache, mode=mode, specialization=specialization)
        self._plan = plan
        self._tables = [list(range(1 + row * per_request, 1 + (row + 1) * per_request)) for row in range(plan.batch)]
        self._length = plan.context
        self._last: list[int] = []
        self._draws = [Draw(SamplingParams(max_tokens=1, seed=0, temperature=0.0), position=0)] * plan.batch

    def read_context(self) -> None:
        """Fill the cache with random context tokens and choose each request's first token."""
        generator = torch.Generator().manual_seed(self._plan.seed)
        size = (self._plan.batch, self._plan.context)
        context = torch.randint(self.decoder.model.config.vocab_size, size, generator=generator).tolist()
        for row, tokens in enumerate(context):
            logits = torch.empty(0)
            for start in range(0, len(tokens), PREFILL_TOKENS):
                piece = tokens[start : start + PREFILL_TOKENS]
                logits = self.decoder.forward(*self._batch([piece], rows=[row], start=start, reading_prompt=True))
            self._last += sample(logits, self._draws[:1])

    def step(self) -> Sequence[int]:
        """Decode one token of every request."""
        tokens = [[token] for token in self._last]
        batch, shape = self._batch(tokens, rows=range(self._plan.batch), start=self._length, reading_prompt=False)
        self._length += 1
        ranked = self.decoder.ranked(batch, shape)
        if ranked is None:
            self._last = sample(self.decoder.forward(batch, shape), self._draws)
        else:
            self._last = [ids[0] for ids in ranked.ids]
        return self._last

    def _batch(
        self, tokens: Sequence[Sequence[int]], *, rows: Sequence[int], start: int, reading_prompt: bool
    ) -> tuple[StepBatch, StepShape]:
        """Lay out one step of equally long pieces, of which the logits after each piece are wanted."""
        count, width = len(tokens), len(tokens[0])
        batch = StepBatch(
            tokens=self._tensor([token for piece in tokens for token in piece]),
            query_starts=self._tensor(range(0, count * width + 1, width)),
            context_lens=self._tensor([start] * count),
            slots=self._tensor([row + 1 for row in rows]),
            block_tables=self._tensor([self._tables[row] for row in rows]),
            logit_rows=self._tensor(range(width - 1, count * width, width)),
        )
        shape = StepShape.of(tokens=[width] * count, reading_prompt=[reading_prompt] * count)
        return batch, shape

    def _tensor(self, values: Sequence[int] | Sequence[Sequence[int]]) -> torch.Tensor:
        return torch.tensor(values, dtype=torch.int64, device=self.decoder.device)
