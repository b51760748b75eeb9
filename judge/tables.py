"""Raw rows as columns: what `judge.evidence.collect` turns a bundle's blobs into.

Rows that come by the hundred thousand are numpy arrays, one table for each cell and arm; the few others stay records.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from worker.bundle.record import Identifier
from worker.bundle.schema import ArmName

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
CellArm = tuple[Identifier, ArmName]
"""Names one side of one cell."""


@dataclass(frozen=True, eq=False)
class StepTable:
    """Decode steps of one cell and arm, in file order. All arrays are ``[n]``.

    Attributes:
        block: Block index.
        step: Step number within its block.
        latency_us: Latency, microseconds.
        start_ns: Monotonic start, nanoseconds.
    """

    block: Integers
    step: Integers
    latency_us: Floats
    start_ns: Integers


@dataclass(frozen=True, eq=False)
class RequestTable:
    """Requests of one cell and arm, in file order. All arrays are ``[n]`` unless said otherwise.

    Attributes:
        block: Block index.
        index: Request number.
        input_tokens: Prompt tokens; NaN: unknown.
        requested_output_tokens: Tokens asked for; NaN: unknown.
        output_tokens: Tokens produced.
        start_s: Monotonic start, seconds since the eval began; NaN: unknown.
        end_s: Monotonic end; NaN: unknown.
        token_times_s: Arrival times of all requests one after the other, ``[sum of counts]``.
        token_offsets: Request ``i`` owns ``token_times_s[token_offsets[i]:token_offsets[i + 1]]``, ``[n + 1]``.
        failed: Whether the request ended in an error.
        prompt: Prompt digests; "unknown" where unknown.
        output: Output digests; "unknown" where unknown.
        finish_reason: As the server said; "unknown" where unknown.
    """

    block: Integers
    index: Integers
    input_tokens: Floats
    requested_output_tokens: Floats
    output_tokens: Integers
    start_s: Floats
    end_s: Floats
    token_times_s: Floats
    token_offsets: Integers
    failed: Flags
    prompt: tuple[str, ...]
    output: tuple[str, ...]
    finish_reason: tuple[str, ...]

    @property
    def chunks(self) -> Integers:
        """Arrival times of each request, counted, ``[n]``."""
        return np.diff(self.token_offsets)


@dataclass(frozen=True, eq=False)
class TelemetryTable:
    """NVML samples of one eval, in file order. All arrays are ``[n]``.

    Attributes:
        time_s: Monotonic time, seconds.
        gpu_index: Which GPU.
        sm_clock_mhz: NaN: unknown.
        throttle: Reasons of each sample, sorted; None: unknown.
    """

    time_s: Floats
    gpu_index: Integers
    sm_clock_mhz: Floats
    throttle: tuple[tuple[str, ...] | None, ...]


@dataclass(frozen=True, eq=False)
class Stream:
    """One continuation of one prompt. Tokens are numbers that mean the same throughout one bundle.

    Attributes:
        prompt: Digest of the prompt.
        mode: How tokens were chosen.
        draw: Which continuation of the prompt in this mode.
        tokens: What was taken at each position.
        logprobs: Log-probability of it and of the likeliest others at each position.
    """

    prompt: str
    mode: Literal["greedy", "sampled"]
    draw: int
    tokens: tuple[int, ...]
    logprobs: tuple[Mapping[int, float], ...]


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Documents of one lm-eval task, filter and metric in one arm.

    Attributes:
        doc_id: As lm-eval numbered them, ``[n]``.
        doc_hash: Digest of each document as lm-eval wrote it.
        prompt_hash: Digest of each prompt.
        score: The metric of each document, ``[n]``; NaN where the row holds no number.
        output_sha256: Digest of each raw response.
        truncated: Whether each response was cut at its token limit; empty where the row does not tell.
    """

    doc_id: Integers
    doc_hash: tuple[str, ...]
    prompt_hash: tuple[str, ...]
    score: Floats
    output_sha256: tuple[str, ...]
