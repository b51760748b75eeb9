"""What every route needs: the engine's thread, the served model's name, and how an answer is sent."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from fastapi import Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from starlette.types import Receive, Scope, Send

from k3_decode.engine.engine_thread import EngineThread, RequestGroup
from k3_decode.engine.request import RequestError
from k3_decode.engine.server.errors import error_body
from k3_decode.engine.tokenizer import ByteTokenizer, TokenizerError

_T = TypeVar("_T")


class ClientGoneError(RequestError):
    """The client closed the connection before its answer was ready; nobody reads the error."""

    def __init__(self) -> None:
        super().__init__("client_gone", "the client closed the connection", status=499)


class EventStream(StreamingResponse):
    """A stream of server-sent events that ends its requests however it ends itself: done, failed or cut off."""

    def __init__(self, chunks: AsyncIterator[BaseModel], group: RequestGroup) -> None:
        super().__init__(server_sent_events(chunks), media_type="text/event-stream")
        self._group = group

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._group.close()


@dataclass(frozen=True)
class Service:
    """The running engine as the routes see it.

    Attributes:
        thread: The engine.
        model_name: The name clients ask for.
        started: Start time, Unix seconds; display only.
    """

    thread: EngineThread
    model_name: str
    started: int

    @property
    def tokenizer(self) -> ByteTokenizer:
        """The engine's tokenizer."""
        return self.thread.engine.tokenizer

    def check_model(self, name: str | None) -> None:
        """Refuse a model that is not served; no name means the one that is.

        Raises:
            RequestError: ``model_not_found``.
        """
        if name is not None and name != self.model_name:
            detail = f"{name!r} is not served; this server has {self.model_name!r}"
            raise RequestError("model_not_found", detail, param="model", status=404)

    def encode(self, text: str) -> list[int]:
        """Turn a prompt into ids.

        Raises:
            RequestError: ``invalid_value``: the text is not valid Unicode.
        """
        try:
            return self.tokenizer.encode(text)
        except TokenizerError as error:
            raise RequestError("invalid_value", str(error), param="prompt") from error


@dataclass(frozen=True)
class Call:
    """Identity of one answer, the same in all its chunks."""

    id: str
    created: int

    @classmethod
    def new(cls, prefix: str) -> "Call":
        """Name a new answer."""
        return cls(id=f"{prefix}-{uuid.uuid4().hex}", created=int(time.time()))


async def until_disconnect(request: Request, work: Coroutine[Any, Any, _T]) -> _T:
    """Await work, but cancel it as soon as the client closes the connection.

    Raises:
        ClientGoneError: The client is gone.
    """
    task = asyncio.create_task(work)
    watcher = asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait({task, watcher}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGoneError
        return task.result()
    finally:
        for each in (task, watcher):
            each.cancel()
        await asyncio.gather(task, watcher, return_exceptions=True)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def server_sent_events(chunks: AsyncIterator[BaseModel]) -> AsyncIterator[bytes]:
    """Write chunks as server-sent events, then ``[DONE]``; an error becomes the last event instead."""
    try:
        async for chunk in chunks:
            yield b"data: " + chunk.model_dump_json(exclude_unset=True).encode() + b"\n\n"
    except RequestError as error:
        yield b"data: " + ErrorEvent.model_validate(error_body(error)).model_dump_json().encode() + b"\n\n"
        return
    yield b"data: [DONE]\n\n"


class ErrorEvent(BaseModel):
    """An error inside a stream, whose status line is long gone."""

    error: dict[str, str | None]
