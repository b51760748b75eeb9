"""Suites: versioned lists of evals, fixed before a run, named by digest.

The YAML files beside this module are data; their digest is that of the parsed content, so comments may
change and nothing else. Worker and server carry the same files, so each knows every published suite.
"""

from functools import cache
from importlib import resources
from typing import Annotated, Literal

import yaml
from pydantic import Field

from worker.bundle import canonical, digest
from worker.bundle.record import Amount, Identifier, Label, Positive, Record
from worker.bundle.schema import ArmName, SuiteRef


class SampleFloor(Record):
    """Fewest samples for each percentile; below it the percentile is not stated."""

    p50: Positive
    p90: Positive
    p99: Positive


class KernelNumerics(Record):
    """Each operator against its float64 reference, over shapes and input distributions."""

    kind: Literal["kernel_numerics"]
    id: Identifier
    time_limit_s: Amount


class DecodeStep(Record):
    """Latency of single decode steps, arms interleaved in blocks."""

    kind: Literal["decode_step"]
    id: Identifier
    time_limit_s: Amount
    batches: tuple[Positive, ...]
    context_tokens: tuple[Positive, ...]
    steps_per_block: Positive
    warmup_steps: Positive
    block_order: tuple[ArmName, ...]
    rounds: Positive
    """How often ``block_order`` is repeated; one more baseline block follows, the drift sentinel."""
    kernel_times: bool = False
    """Whether each arm's last block times the kernels of its steps too."""


class HiddenSlice(Record):
    """Prompts with answers that the service may know, hidden among the timed requests of a run.

    The nonce decides which of the pool ride in which block, so that nobody knows before a run what will be scored.
    """

    pool: Positive
    """Prompts to choose from, the same for every run of every suite."""
    per_block: Positive
    """Of each block's requests, in every cell."""


class Serving(Record):
    """Load on the OpenAI-compatible server, per-request token times."""

    kind: Literal["serving"]
    id: Identifier
    time_limit_s: Amount
    concurrency: tuple[Positive, ...]
    requests_per_block: Positive
    input_tokens: Positive
    output_tokens: Positive
    block_order: tuple[ArmName, ...]
    rounds: Positive
    hidden_slice: HiddenSlice | None = None


class Streams(Record):
    """Continuations with log-probabilities that each arm gives besides its answers."""

    prompts: Positive
    input_tokens: Positive
    output_tokens: Positive
    """Of each greedy continuation."""
    draws: Positive
    """Sampled continuations of each prompt, one token long, at temperature 1."""
    top: Annotated[int, Field(ge=2, le=20)]
    """Likeliest tokens reported at each position."""


class Accuracy(Record):
    """lm-eval tasks on local data, both arms, every document kept."""

    kind: Literal["accuracy"]
    id: Identifier
    time_limit_s: Amount
    tasks: tuple[Label, ...]
    concurrency: Positive
    minimum_documents: Positive
    streams: Streams | None = None


EvalPlan = Annotated[KernelNumerics | DecodeStep | Serving | Accuracy, Field(discriminator="kind")]


class Suite(Record):
    """A suite: what is run, how much of it, and how little is too little."""

    id: Identifier
    version: Positive
    title: Label
    subject_config: Identifier
    """Model configuration the bundled engine is started with."""
    sample_floor: SampleFloor
    evals: tuple[EvalPlan, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of the suite's canonical JSON."""
        return digest(canonical(self))

    @property
    def reference(self) -> SuiteRef:
        """How a bundle names this suite."""
        return SuiteRef(id=self.id, version=self.version, digest=self.digest)


class UnknownSuiteError(LookupError):
    """No published suite has this name or digest."""


@cache
def published() -> tuple[Suite, ...]:
    """Every suite shipped with this version, sorted by id and version."""
    found = [
        Suite.model_validate_json(canonical(yaml.safe_load(entry.read_text(encoding="utf-8"))))
        for entry in resources.files("worker.suites").iterdir()
        if entry.name.endswith(".yaml")
    ]
    return tuple(sorted(found, key=lambda suite: (suite.id, suite.version)))


def load(suite_id: str) -> Suite:
    """The newest published suite of that name.

    Raises:
        UnknownSuiteError: There is none; the message lists those there are.
    """
    matching = [suite for suite in published() if suite.id == suite_id]
    if not matching:
        raise UnknownSuiteError(f"no suite {suite_id!r}; there are: {', '.join(sorted({s.id for s in published()}))}")
    return matching[-1]


def by_digest(suite_digest: str) -> Suite:
    """The published suite with that digest.

    Raises:
        UnknownSuiteError: There is none.
    """
    for suite in published():
        if suite.digest == suite_digest:
            return suite
    raise UnknownSuiteError(f"no published suite has digest {suite_digest}")
