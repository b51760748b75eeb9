"""``POST /v1/completions``."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from k3_decode.engine.engine_thread import RequestGroup
from k3_decode.engine.request import Output, TokenLogprob
from k3_decode.engine.server.answers import Completion, CompletionChoice, CompletionScores, Usage
from k3_decode.engine.server.schemas import CompletionBody, StreamOptions
from k3_decode.engine.server.service import Call, EventStream, Service, until_disconnect

DEFAULT_MAX_TOKENS = 16

router = APIRouter()


@router.post("/v1/completions", response_model=Completion)
async def create_completion(body: CompletionBody, request: Request) -> Response:
    """Continue each prompt, as one answer or as a stream."""
    service: Service = request.app.state.service
    service.check_model(body.model)
    body.check_fixed()
    prompts = _prompts(body, service)
    params = body.sampling(
        max_tokens=DEFAULT_MAX_TOKENS if body.max_tokens is None else body.max_tokens,
        logprobs=body.logprobs,
        prompt_logprobs=body.logprobs if body.echo else None,
    )
    group = service.thread.open(prompts, params)
    answer = _Answer(body, service, prompts)
    if body.stream:
        options = body.stream_options or StreamOptions()
        return EventStream(answer.stream(group, options), group)
    try:
        whole = await until_disconnect(request, answer.whole(group))
    finally:
        group.close()
    return JSONResponse(whole.model_dump(mode="json", exclude_unset=True))


def _prompts(body: CompletionBody, service: Service) -> list[list[int]]:
    prompt = body.prompt
    if isinstance(prompt, str):
        return [service.encode(prompt)]
    if prompt and isinstance(prompt[0], int):
        return [[token for token in prompt if isinstance(token, int)]]
    several = [service.encode(each) if isinstance(each, str) else each for each in prompt if not isinstance(each, int)]
    return several or [[]]


@dataclass
class _Gathered:
    """What one prompt's outputs add up to."""

    tokens: list[int] = field(default_factory=list)
    text: str = ""
    scores: list[TokenLogprob] = field(default_factory=list)
    prompt_scores: tuple[TokenLogprob | None, ...] | None = None

    def add(self, output: Output) -> None:
        self.tokens += output.tokens
        self.text += output.text
        self.scores += output.logprobs
        if output.prompt_logprobs is not None:
            self.prompt_scores = output.prompt_logprobs


class _Answer:
    """Turns the outputs of one call into completion objects."""

    def __init__(self, body: CompletionBody, service: Service, prompts: Sequence[list[int]]) -> None:
        self._body = body
        self._service = service
        self._prompts = prompts
        self._call = Call.new("cmpl")
        self._scores = [CompletionScores(service.tokenizer) for _ in prompts]
        self._begun: set[int] = set()

    async def whole(self, group: RequestGroup) -> Completion:
        """Wait for everything."""
        gathered = [_Gathered() for _ in self._prompts]
        last: dict[int, Output] = {}
        async for index, output in group.outputs():
            gathered[index].add(output)
            last[index] = output
        choices = [self._choice(index, each, last[index]) for index, each in enumerate(gathered)]
        return self._completion(choices, self._usage(sum(len(each.tokens) for each in gathered)))

    async def stream(self, group: RequestGroup, options: StreamOptions) -> AsyncIterator[Completion]:
        """Yield one chunk an output, also when its text is still held back: a chunk marks a token."""
        generated = 0
        async for index, output in group.outputs():
            generated += len(output.tokens)
            piece = _Gathered()
            piece.add(output)
            usage = self._usage(generated) if options.continuous_usage_stats else None
            yield self._completion([self._choice(index, piece, output)], usage)
        if options.include_usage:
            yield self._completion([], self._usage(generated))

    def _completion(self, choices: list[CompletionChoice], usage: Usage | None) -> Completion:
        completion = Completion(
            id=self._call.id,
            object="text_completion",
            created=self._call.created,
            model=self._service.model_name,
            choices=choices,
        )
        return completion if usage is None else completion.model_copy(update={"usage": usage})

    def _choice(self, index: int, piece: _Gathered, last: Output) -> CompletionChoice:
        """Make a choice; the first of each prompt carries the echo."""
        first = index not in self._begun
        self._begun.add(index)
        prompt = self._prompts[index]
        echo = prompt if first and self._body.echo else []
        scores: list[TokenLogprob | None] = [*(piece.prompt_scores or ()), *piece.scores]
        logprobs = None if self._body.logprobs is None else self._scores[index].piece([*echo, *piece.tokens], scores)
        choice = CompletionChoice(
            index=index,
            text=self._service.tokenizer.decode(echo) + piece.text,
            logprobs=logprobs,
            finish_reason=last.finish,
            stop_reason=last.stopped_by,
        )
        if not self._body.return_token_ids:
            return choice
        ids = {"token_ids": piece.tokens} | ({"prompt_token_ids": prompt} if first else {})
        return choice.model_copy(update=ids)

    def _usage(self, generated: int) -> Usage:
        return Usage.of(sum(len(prompt) for prompt in self._prompts), generated)
