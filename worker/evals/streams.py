"""Continuations with log-probabilities from an arm's server: greedy ones, and single tokens drawn at temperature 1."""

import json
from collections.abc import Iterator
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worker.bundle.canonical import describe
from worker.bundle.samples import RankedToken, StreamRow, StreamToken
from worker.bundle.schema import ArmName
from worker.deadline import Deadline
from worker.engine import EngineServer
from worker.errors import EvalError
from worker.suites import Streams
from worker.suites.plan import Seed
from worker.suites.prompts import prompt, prompt_digest

_Logprob = Annotated[float, Field(le=1e-6, allow_inf_nan=False)]
"""Rounding may leave a certain token a little above 0."""


class _Logprobs(BaseModel):
    """OpenAI's log-probabilities of one completion."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    tokens: Annotated[tuple[str, ...], Field(min_length=1, max_length=4096)]
    token_logprobs: tuple[_Logprob, ...]
    top_logprobs: tuple[dict[str, _Logprob], ...]


class _Choice(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    logprobs: _Logprobs


class _Answer(BaseModel):
    """A completion that was asked for with log-probabilities."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    choices: Annotated[tuple[_Choice, ...], Field(min_length=1)]


def collect(plan: Streams, seeds: tuple[Seed, ...], server: EngineServer, deadline: Deadline) -> Iterator[StreamRow]:
    """Ask for every planned continuation of every prompt, one after the other.

    Raises:
        EvalError: ``answer_invalid``, and what `worker.engine` raises.
        TimeLimitError: The deadline passed.
    """
    for seed in seeds:
        sent = prompt(seed, characters=plan.input_tokens)
        body: dict[str, object] = {"prompt": sent, "logprobs": plan.top, "ignore_eos": True}
        greedy = {**body, "max_tokens": plan.output_tokens, "temperature": 0}
        yield _row(server.complete(greedy, deadline), server.arm.name, sent, draw=None)
        for draw in range(plan.draws):
            sampled = {**body, "max_tokens": 1, "temperature": 1.0, "seed": int(seed, 16) + draw & 0x7FFFFFFF}
            yield _row(server.complete(sampled, deadline), server.arm.name, sent, draw=draw)


def _row(answer: bytes, arm: ArmName, sent: str, *, draw: int | None) -> StreamRow:
    try:
        found = _Answer.model_validate_json(answer).choices[0].logprobs
    except ValidationError as error:
        raise EvalError("answer_invalid", f"log-probabilities: {describe(error)}") from error
    if not len(found.tokens) == len(found.token_logprobs) == len(found.top_logprobs):
        raise EvalError("answer_invalid", "log-probabilities: as many as there are tokens were expected")
    tokens = tuple(
        StreamToken(token=_name(token), logprob=min(logprob, 0.0), top=_ranked(top))
        for token, logprob, top in zip(found.tokens, found.token_logprobs, found.top_logprobs, strict=True)
    )
    mode, number = ("greedy", 0) if draw is None else ("sampled", draw)
    return StreamRow.model_validate(
        {"arm": arm, "prompt_sha256": prompt_digest(sent), "mode": mode, "draw": number, "tokens": tokens}
    )


def _ranked(top: dict[str, float]) -> tuple[RankedToken, ...]:
    """The likeliest first; servers add the token that was taken, wherever it stands."""
    ordered = sorted(top.items(), key=lambda item: (-item[1], item[0]))
    return tuple(RankedToken(token=_name(name), logprob=min(value, 0.0)) for name, value in ordered[:64])


def _name(token: str) -> str:
    """A printable name of a token that no other token has; quotes make one of the empty string and of a blank."""
    return json.dumps(token)[:200]
