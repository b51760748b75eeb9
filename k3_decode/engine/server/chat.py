"""``POST /v1/chat/completions``."""

from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from k3_decode.engine.chat import render_chat
from k3_decode.engine.engine_thread import RequestGroup
from k3_decode.engine.request import Output, RequestError, TokenLogprob
from k3_decode.engine.server.answers import (
    ChatChoice,
    ChatChunk,
    ChatChunkChoice,
    ChatCompletion,
    ChatDelta,
    ChatLogprobs,
    ChatMessageAnswer,
    Usage,
    chat_scores,
)
from k3_decode.engine.server.schemas import ChatBody, StreamOptions
from k3_decode.engine.server.service import Call, EventStream, Service, until_disconnect

router = APIRouter()


@router.post("/v1/chat/completions", response_model=ChatCompletion)
async def create_chat_completion(body: ChatBody, request: Request) -> Response:
    """Answer a conversation, as one answer or as a stream."""
    service: Service = request.app.state.service
    service.check_model(body.model)
    body.check_fixed()
    prompt = render_chat([message.message() for message in body.messages], service.tokenizer)
    room = service.thread.engine.config.max_model_len - len(prompt)
    asked = body.max_completion_tokens if body.max_tokens is None else body.max_tokens
    params = body.sampling(max_tokens=max(room, 1) if asked is None else asked, logprobs=_top(body))
    group = service.thread.open([prompt], params)
    answer = _Answer(body, service, prompt)
    if body.stream:
        options = body.stream_options or StreamOptions()
        return EventStream(answer.stream(group, options), group)
    try:
        whole = await until_disconnect(request, answer.whole(group))
    finally:
        group.close()
    return JSONResponse(whole.model_dump(mode="json", exclude_unset=True))


def _top(body: ChatBody) -> int | None:
    if body.logprobs:
        return body.top_logprobs or 0
    if body.top_logprobs is not None:
        raise RequestError("invalid_value", "top_logprobs needs logprobs to be true", param="top_logprobs")
    return None


class _Answer:
    """Turns the outputs of one call into chat completion objects."""

    def __init__(self, body: ChatBody, service: Service, prompt: list[int]) -> None:
        self._body = body
        self._service = service
        self._prompt = prompt
        self._call = Call.new("chatcmpl")

    async def whole(self, group: RequestGroup) -> ChatCompletion:
        """Wait for everything."""
        tokens: list[int] = []
        text: list[str] = []
        scores: list[TokenLogprob] = []
        last = Output(request_id="")
        async for _, output in group.outputs():
            tokens += output.tokens
            text.append(output.text)
            scores += output.logprobs
            last = output
        choice = ChatChoice(
            index=0,
            message=ChatMessageAnswer(role="assistant", content="".join(text)),
            logprobs=self._logprobs(scores),
            finish_reason=last.finish,
            stop_reason=last.stopped_by,
        )
        answer = ChatCompletion(
            id=self._call.id,
            object="chat.completion",
            created=self._call.created,
            model=self._service.model_name,
            choices=[choice],
            usage=Usage.of(len(self._prompt), len(tokens)),
        )
        if self._body.return_token_ids:
            answer.choices[0].token_ids, answer.prompt_token_ids = tokens, self._prompt
        return answer

    async def stream(self, group: RequestGroup, options: StreamOptions) -> AsyncIterator[ChatChunk]:
        """Yield the role, then one chunk an output, also when its text is still held back."""
        generated = 0
        opening = self._chunk([self._piece(ChatDelta(role="assistant", content=""))])
        if self._body.return_token_ids:
            opening.prompt_token_ids = self._prompt
        yield opening
        async for _, output in group.outputs():
            generated += len(output.tokens)
            choice = self._piece(ChatDelta(content=output.text), output)
            if self._body.return_token_ids:
                choice.token_ids = list(output.tokens)
            chunk = self._chunk([choice])
            if options.continuous_usage_stats:
                chunk.usage = Usage.of(len(self._prompt), generated)
            yield chunk
        if options.include_usage:
            closing = self._chunk([])
            closing.usage = Usage.of(len(self._prompt), generated)
            yield closing

    def _chunk(self, choices: list[ChatChunkChoice]) -> ChatChunk:
        return ChatChunk(
            id=self._call.id,
            object="chat.completion.chunk",
            created=self._call.created,
            model=self._service.model_name,
            choices=choices,
        )

    def _piece(self, delta: ChatDelta, output: Output | None = None) -> ChatChunkChoice:
        return ChatChunkChoice(
            index=0,
            delta=delta,
            logprobs=self._logprobs(output.logprobs) if output is not None else None,
            finish_reason=output.finish if output is not None else None,
            stop_reason=output.stopped_by if output is not None else None,
        )

    def _logprobs(self, scores: tuple[TokenLogprob, ...] | list[TokenLogprob]) -> ChatLogprobs | None:
        return chat_scores(scores, self._service.tokenizer) if self._body.logprobs else None
