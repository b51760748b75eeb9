"""Load on an OpenAI-compatible server: streamed completions, timed token by token on the client's own clock.

The clock is this process's and is read when bytes arrive, so the server has no say in any time.
"""

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import httpx
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worker.bundle.canonical import describe
from worker.bundle.record import Count
from worker.deadline import Deadline
from worker.errors import TimeLimitError

MAX_STREAM_BYTES = 16_000_000
"""Most that one request may answer."""
MAX_EVENT_BYTES = 1_000_000
_SILENCE_S = 3600.0
"""The deadline is what ends a request; this only bounds a plan without one worth the name."""


@dataclass(frozen=True)
class Planned:
    """A request to be sent.

    Attributes:
        prompt: Sent as text.
        output_tokens: Tokens asked for; the end-of-text token is ignored, so they are all produced.
    """

    prompt: str
    output_tokens: int


@dataclass
class Exchange:
    """One request as it went. Times are seconds since the zero given to `drive`.

    Attributes:
        planned: What was asked.
        index: Its place in the plan.
        start_s: When it was sent.
        end_s: When the answer, or the failure, was complete.
        token_times_s: Arrival of each chunk with a choice in it.
        text: The answer.
        finish_reason: As the server said.
        input_tokens: As the server counted.
        output_tokens: As the server counted; None: it did not say.
        error: What went wrong; None: nothing.
    """

    planned: Planned
    index: int
    start_s: float
    end_s: float = 0.0
    token_times_s: list[float] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    finish_reason: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    error: str | None = None


class _Part(BaseModel):
    """What is needed of a part of an event; servers say more."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, strict=True)


class _Choice(_Part):
    text: str
    finish_reason: Annotated[str, Field(max_length=200)] | None = None


class _Usage(_Part):
    prompt_tokens: Count
    completion_tokens: Count


class _Event(_Part):
    choices: tuple[_Choice, ...] = ()
    usage: _Usage | None = None
    error: Any = None


class _BadStreamError(Exception):
    """The server's stream is not what it should be."""


async def drive(
    url: str,
    planned: Sequence[Planned],
    *,
    model: str,
    concurrency: int,
    began_s: float,
    deadline: Deadline,
    done: Callable[[Exchange], None],
) -> None:
    """Send requests, always ``concurrency`` of them at once until too few are left.

    Args:
        url: Address of the server.
        planned: What to send, in this order.
        model: Name the server knows its model by.
        concurrency: Requests in flight.
        began_s: Zero of all times, on `time.monotonic`.
        deadline: When to give up.
        done: Told about each request, also about one that failed or was cut off.

    Raises:
        TimeLimitError: The deadline passed; every request that had been sent has been reported.
    """
    queue = iter(enumerate(planned))
    limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
    try:
        async with (
            asyncio.timeout(deadline.remaining_s()),
            httpx.AsyncClient(base_url=url, trust_env=False, timeout=_SILENCE_S, limits=limits) as client,
            asyncio.TaskGroup() as group,
        ):
            for _ in range(concurrency):
                group.create_task(_send_all(client, queue, model=model, began_s=began_s, done=done))
    except TimeoutError as error:
        raise TimeLimitError(deadline.limit_s) from error


async def _send_all(
    client: httpx.AsyncClient,
    queue: Iterator[tuple[int, Planned]],
    *,
    model: str,
    began_s: float,
    done: Callable[[Exchange], None],
) -> None:
    for index, planned in queue:
        exchange = Exchange(planned, index, start_s=time.monotonic() - began_s)
        try:
            await _send(client, exchange, model=model, began_s=began_s)
        except asyncio.CancelledError:
            exchange.error = "cut off at the time limit"
            raise
        except httpx.HTTPError as error:
            exchange.error = f"{type(error).__name__}: {error}"
        except _BadStreamError as error:
            exchange.error = str(error)
        finally:
            exchange.end_s = time.monotonic() - began_s
            done(exchange)


async def _send(client: httpx.AsyncClient, exchange: Exchange, *, model: str, began_s: float) -> None:
    body = {
        "model": model,
        "prompt": exchange.planned.prompt,
        "max_tokens": exchange.planned.output_tokens,
        "temperature": 0,
        "ignore_eos": True,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    request = client.build_request("POST", "/v1/completions", json=body)
    exchange.start_s = time.monotonic() - began_s
    response = await client.send(request, stream=True)
    try:
        if response.status_code != 200:
            raise _BadStreamError(f"status {response.status_code}")
        await _read(response, exchange, began_s=began_s)
    finally:
        await response.aclose()


async def _read(response: httpx.Response, exchange: Exchange, *, began_s: float) -> None:
    buffer, total = b"", 0
    async for piece in response.aiter_bytes():
        now_s = time.monotonic() - began_s
        total += len(piece)
        if total > MAX_STREAM_BYTES:
            raise _BadStreamError(f"answered more than {MAX_STREAM_BYTES} bytes")
        *lines, buffer = (buffer + piece).split(b"\n")
        if len(buffer) > MAX_EVENT_BYTES:
            raise _BadStreamError(f"an event of more than {MAX_EVENT_BYTES} bytes")
        for line in lines:
            if line.startswith(b"data:"):
                data = line.removeprefix(b"data:").strip()
                if data == b"[DONE]":
                    return
                _take(exchange, data, now_s)
    raise _BadStreamError("the stream ended before it said that it was done")


def _take(exchange: Exchange, data: bytes, now_s: float) -> None:
    """Add one event of the stream."""
    try:
        event = _Event.model_validate_json(data)
    except ValidationError as error:
        raise _BadStreamError(f"malformed event: {describe(error)}") from error
    if event.error is not None:
        raise _BadStreamError(f"the server says: {json.dumps(event.error)}")
    for choice in event.choices:
        exchange.token_times_s.append(now_s)
        exchange.text.append(choice.text)
        exchange.finish_reason = choice.finish_reason or exchange.finish_reason
    if event.usage is not None:
        exchange.input_tokens = event.usage.prompt_tokens
        exchange.output_tokens = event.usage.completion_tokens
