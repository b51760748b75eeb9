"""What clients send: the subset of OpenAI's requests that the engine answers, and vLLM's tokenize pair.

A parameter that is not listed is refused rather than ignored: an evaluation must not believe that it set one.

Source: OpenAI API reference (completions, chat completions); vLLM 0.33.0 for ``top_k``, ``min_tokens``,
``ignore_eos``, ``return_token_ids`` and the tokenize endpoints.
"""

import secrets
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from k3_decode.engine.chat import Message
from k3_decode.engine.request import RequestError, SamplingParams

MAX_LOGPROBS = 20

TokenIds = list[int]
StopString = Annotated[str, Field(min_length=1, max_length=1024)]


class Body(BaseModel):
    """A request body: unknown fields refused, no coercion, finite numbers."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class StreamOptions(Body):
    """What a stream carries beside text."""

    include_usage: bool = False
    """Whether a last chunk holds the token counts."""
    continuous_usage_stats: bool = False
    """Whether every chunk holds them."""


class GenerationBody(Body):
    """What both generation endpoints take."""

    model: str | None = None
    temperature: Annotated[float, Field(ge=0, le=10)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    top_k: Annotated[int, Field(ge=-1)] | None = None
    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)] | None = None
    stop: StopString | Annotated[list[StopString], Field(max_length=64)] | None = None
    ignore_eos: bool = False
    min_tokens: Annotated[int, Field(ge=0)] = 0
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    return_token_ids: bool | None = None
    user: str | None = None
    """Accepted and not used."""

    n: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    repetition_penalty: float | None = None
    min_p: float | None = None
    logit_bias: dict[str, float] | None = None

    def check_fixed(self) -> None:
        """Refuse parameters that clients like to spell out but that have only their default here.

        Raises:
            RequestError: ``unsupported_value``.
        """
        fixed = {
            "n": 1,
            "presence_penalty": 0,
            "frequency_penalty": 0,
            "repetition_penalty": 1,
            "min_p": 0,
            "logit_bias": {},
            "best_of": 1,
            "suffix": "",
        }
        for name, value in fixed.items():
            given = getattr(self, name, None)
            if given is not None and given != value:
                raise RequestError("unsupported_value", f"{name}: only {value!r} is supported", param=name)

    def sampling(self, *, max_tokens: int, logprobs: int | None, prompt_logprobs: int | None = None) -> SamplingParams:
        """Translate to the engine's parameters; a missing seed is drawn."""
        stop = (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ())
        return SamplingParams(
            max_tokens=max_tokens,
            seed=secrets.randbits(64) if self.seed is None else self.seed % 2**64,
            temperature=1.0 if self.temperature is None else self.temperature,
            top_p=1.0 if self.top_p is None else self.top_p,
            top_k=max(self.top_k or 0, 0),
            min_tokens=self.min_tokens,
            ignore_eos=self.ignore_eos,
            stop=stop,
            logprobs=logprobs,
            prompt_logprobs=prompt_logprobs,
        )


class CompletionBody(GenerationBody):
    """Body of ``POST /v1/completions``."""

    prompt: str | list[str] | TokenIds | list[TokenIds]
    max_tokens: Annotated[int, Field(ge=0)] | None = None
    logprobs: Annotated[int, Field(ge=0, le=MAX_LOGPROBS)] | None = None
    echo: bool = False
    best_of: int | None = None
    suffix: str | None = None


class TextPart(Body):
    """One part of a message's content."""

    type: Literal["text"]
    text: str


class ChatMessage(Body):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str | list[TextPart]
    name: str | None = None
    """Accepted and not used."""

    def message(self) -> Message:
        """Return the message with its parts joined."""
        content = self.content if isinstance(self.content, str) else "".join(part.text for part in self.content)
        return Message(self.role, content)


class ChatBody(GenerationBody):
    """Body of ``POST /v1/chat/completions``."""

    messages: Annotated[list[ChatMessage], Field(min_length=1)]
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    logprobs: bool | None = None
    top_logprobs: Annotated[int, Field(ge=0, le=MAX_LOGPROBS)] | None = None


class TokenizeBody(Body):
    """Body of ``POST /tokenize``: a prompt or messages."""

    model: str | None = None
    prompt: str | None = None
    messages: Annotated[list[ChatMessage], Field(min_length=1)] | None = None
    add_generation_prompt: bool = True
    add_special_tokens: bool = True
    """Accepted and without effect: the tokenizer adds none to a plain prompt."""
    return_token_strs: bool | None = None


class DetokenizeBody(Body):
    """Body of ``POST /detokenize``."""

    model: str | None = None
    tokens: TokenIds
