"""What clients get: OpenAI's answer objects, and how they are made from the engine's outputs."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel

from k3_decode.engine.request import TokenLogprob
from k3_decode.engine.tokenizer import ByteTokenizer, IncrementalDecoder


class Usage(BaseModel):
    """Token counts of one call, over all its prompts."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int

    @classmethod
    def of(cls, prompt: int, completion: int) -> "Usage":
        """Add up the total."""
        return cls(prompt_tokens=prompt, completion_tokens=completion, total_tokens=prompt + completion)


class CompletionLogprobs(BaseModel):
    """Logprobs of a completion, one entry a token in every list. The first token of an echoed prompt has none."""

    tokens: list[str]
    token_logprobs: list[float | None]
    top_logprobs: list[dict[str, float] | None]
    text_offset: list[int]


class CompletionChoice(BaseModel):
    """One prompt's answer, or a piece of it."""

    index: int
    text: str
    logprobs: CompletionLogprobs | None
    finish_reason: str | None
    stop_reason: str | None
    token_ids: list[int] | None = None
    prompt_token_ids: list[int] | None = None


class Completion(BaseModel):
    """Answer of ``/v1/completions``, whole or one chunk of a stream."""

    id: str
    object: Literal["text_completion"] = "text_completion"
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: Usage | None = None


class ChatLogprob(BaseModel):
    """One token with its logprob."""

    token: str
    logprob: float
    bytes: list[int]


class ChatTokenLogprob(ChatLogprob):
    """One generated token with the likeliest alternatives."""

    top_logprobs: list[ChatLogprob]


class ChatLogprobs(BaseModel):
    """Logprobs of a chat answer."""

    content: list[ChatTokenLogprob]


class ChatMessageAnswer(BaseModel):
    """The whole reply."""

    role: Literal["assistant"] = "assistant"
    content: str


class ChatDelta(BaseModel):
    """A piece of the reply."""

    role: Literal["assistant"] | None = None
    content: str | None = None


class ChatChoice(BaseModel):
    """The reply of a chat completion."""

    index: int = 0
    message: ChatMessageAnswer
    logprobs: ChatLogprobs | None
    finish_reason: str | None
    stop_reason: str | None
    token_ids: list[int] | None = None


class ChatChunkChoice(BaseModel):
    """A piece of the reply of a chat completion."""

    index: int = 0
    delta: ChatDelta
    logprobs: ChatLogprobs | None
    finish_reason: str | None
    stop_reason: str | None
    token_ids: list[int] | None = None


class ChatCompletion(BaseModel):
    """Whole answer of ``/v1/chat/completions``."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[ChatChoice]
    usage: Usage
    prompt_token_ids: list[int] | None = None


class ChatChunk(BaseModel):
    """One chunk of a streamed chat completion."""

    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: list[ChatChunkChoice]
    usage: Usage | None = None
    prompt_token_ids: list[int] | None = None


class CompletionScores:
    """Builds `CompletionLogprobs` piece by piece; offsets go on from piece to piece."""

    def __init__(self, tokenizer: ByteTokenizer) -> None:
        self._tokenizer = tokenizer
        self._decoder = IncrementalDecoder(tokenizer)
        self._offset = 0

    def piece(self, tokens: Sequence[int], scores: Sequence[TokenLogprob | None]) -> CompletionLogprobs:
        """Format the next tokens, each with its score."""
        name = self._tokenizer.printable
        offsets = []
        for token in tokens:
            offsets.append(self._offset)
            self._offset += len(self._decoder.push(token))
        return CompletionLogprobs(
            tokens=[name(token) for token in tokens],
            token_logprobs=[score and score.logprob for score in scores],
            top_logprobs=[
                score and {name(token): logprob for token, logprob in ((score.token, score.logprob), *score.top)}
                for score in scores
            ],
            text_offset=offsets,
        )


def chat_scores(scores: Sequence[TokenLogprob], tokenizer: ByteTokenizer) -> ChatLogprobs:
    """Format the scores of generated tokens."""

    def entry(token: int, logprob: float) -> ChatLogprob:
        return ChatLogprob(token=tokenizer.printable(token), logprob=logprob, bytes=list(tokenizer.token_bytes(token)))

    return ChatLogprobs(
        content=[
            ChatTokenLogprob(
                **dict(entry(score.token, score.logprob)), top_logprobs=[entry(*each) for each in score.top]
            )
            for score in scores
        ]
    )
