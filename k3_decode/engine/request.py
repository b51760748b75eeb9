"""One request to the engine: what was asked, how far it is, and what comes back."""

from dataclasses import dataclass, field
from enum import StrEnum

from k3_decode.engine.output_text import OutputText


class RequestError(ValueError):
    """A request the engine does not take.

    Args:
        code: Stable name of the reason.
        detail: The reason for people.
        param: The offending parameter, if one is to blame.
        status: HTTP status that fits.
    """

    def __init__(self, code: str, detail: str, *, param: str | None = None, status: int = 400) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.param = param
        self.status = status


class FinishReason(StrEnum):
    """Why a request ended."""

    STOP = "stop"
    LENGTH = "length"
    ABORT = "abort"
    ERROR = "error"


@dataclass(frozen=True, kw_only=True)
class SamplingParams:
    """How tokens are chosen and when they end.

    Attributes:
        max_tokens: Tokens to generate at most; 0 only reads the prompt.
        seed: Seeds the draws; equal seeds give equal tokens, whatever else runs in the batch.
        temperature: 0 takes the likeliest token, the lowest id on a tie.
        top_p: Draws only from the likeliest tokens that together reach this probability.
        top_k: Draws only from this many likeliest tokens; 0 for all.
        min_tokens: End-of-text is not chosen before this many tokens.
        ignore_eos: Whether to go on after end-of-text.
        stop: Stop strings; the text ends before the first that appears.
        logprobs: Alternatives to report with each generated token; None reports no logprob.
        prompt_logprobs: The same for each token of the prompt.
    """

    max_tokens: int
    seed: int
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_tokens: int = 0
    ignore_eos: bool = False
    stop: tuple[str, ...] = ()
    logprobs: int | None = None
    prompt_logprobs: int | None = None


@dataclass(frozen=True)
class TokenLogprob:
    """Natural-log probability of one token, before temperature and cut-offs, beside the likeliest alternatives.

    Attributes:
        token: The token.
        logprob: Its log probability.
        top: ``(token, logprob)`` of the likeliest tokens, best first.
    """

    token: int
    logprob: float
    top: tuple[tuple[int, float], ...]


@dataclass(frozen=True, kw_only=True)
class Output:
    """What one step added to one request.

    Attributes:
        request_id: The request.
        tokens: New tokens, one or none.
        text: New text; whole characters, nothing that a stop string may still take back.
        logprobs: One entry for each new token, if asked for.
        prompt_logprobs: Sent once, with the first output of a request that asked; None for the first prompt token.
        finish: Set on the last output.
        stopped_by: The stop string that ended the text.
        error: Detail of `FinishReason.ERROR`.
    """

    request_id: str
    tokens: tuple[int, ...] = ()
    text: str = ""
    logprobs: tuple[TokenLogprob, ...] = ()
    prompt_logprobs: tuple[TokenLogprob | None, ...] | None = None
    finish: FinishReason | None = None
    stopped_by: str | None = None
    error: str | None = None


@dataclass(eq=False)
class Request:
    """A request and its progress. Changed by the scheduler and the engine only.

    Attributes:
        id: Unique name.
        prompt: Prompt tokens, at least one.
        params: How to answer.
        text: The answer as text.
        tokens: Prompt and generated tokens.
        computed: Leading tokens whose cache rows and state exist.
        blocks: Cache blocks held, in order of position.
        slot: KDA state slot held; None while waiting.
        prompt_logprobs: Collected so far, for positions 1, 2, … of the prompt.
    """

    id: str
    prompt: tuple[int, ...]
    params: SamplingParams
    text: OutputText
    tokens: list[int] = field(init=False)
    computed: int = 0
    blocks: list[int] = field(default_factory=list)
    slot: int | None = None
    prompt_logprobs: list[TokenLogprob] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tokens = list(self.prompt)

    @property
    def generated(self) -> int:
        """Tokens generated so far."""
        return len(self.tokens) - len(self.prompt)

    @property
    def pending(self) -> int:
        """Tokens known but not yet computed; 1 while decoding."""
        return len(self.tokens) - self.computed

    @property
    def decoding(self) -> bool:
        """Whether the only pending token is one that was generated."""
        return self.pending == 1 and self.generated > 0
