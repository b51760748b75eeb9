"""What an engine is doing and has done, as numbers to read from outside its thread."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from k3_decode.engine.request import FinishReason
from k3_decode.ledger import Phase, StepShape


@dataclass
class Counters:
    """Totals since the start; they only grow, so that two readings can be subtracted.

    Attributes:
        prompt_tokens: Prompt tokens computed; a preempted request's tokens count again when they are recomputed.
        generation_tokens: Tokens generated.
        finished: Requests ended, by reason.
        step_requests: Steps by phase and by the exact number of requests in them.
    """

    prompt_tokens: int = 0
    generation_tokens: int = 0
    finished: Counter[FinishReason] = field(default_factory=Counter)
    step_requests: Counter[tuple[Phase, int]] = field(default_factory=Counter)

    def count_step(self, shape: StepShape, *, requests: int, prompt_tokens: int) -> None:
        """Count one step that has run."""
        self.step_requests[shape.phase, requests] += 1
        self.prompt_tokens += prompt_tokens


@dataclass(frozen=True, kw_only=True)
class Stats:
    """One consistent reading, taken between two steps.

    Attributes:
        waiting: Requests in the queue.
        running: Requests that hold a slot.
        blocks_used: Cache blocks held.
        blocks_total: Cache blocks there are.
        slots_used: State slots held.
        slots_total: State slots there are.
        preemptions: Times a running request had to give up its blocks.
        prompt_tokens: As in `Counters`, like the rest.
    """

    waiting: int
    running: int
    blocks_used: int
    blocks_total: int
    slots_used: int
    slots_total: int
    prompt_tokens: int
    generation_tokens: int
    preemptions: int
    finished: Mapping[FinishReason, int]
    step_requests: Mapping[tuple[Phase, int], int]
