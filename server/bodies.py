"""Bodies: of requests, limits first, then strict JSON, then the record; of both, how OpenAPI shows them.

Nothing is parsed before its size is known to be allowed, whether the length is declared or the body comes in chunks.
"""

import re
from collections.abc import AsyncIterator
from typing import Any, Generic, TypeVar

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel

from server.errors import AppError
from worker.bundle import BundleError, parse_record
from worker.bundle.record import Record

_MAX_STRUCTURE_BYTES = 16_000
"""Brackets, numbers and commas cost many times their size once parsed; strings do not."""
_AT_ONCE_BYTES = 4096
"""A body of at most that size is parsed at once; no thread is asked for it."""
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
Body = TypeVar("Body", bound=Record)


async def chunks(request: Request, *, limit: int) -> AsyncIterator[bytes]:
    """Yield a body as it arrives, never more than ``limit`` bytes.

    Raises:
        AppError: ``body_too_large``, before anything is read if the length is declared; ``unsupported_media_type``
            for a compressed body.
    """
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise AppError("unsupported_media_type", "Send the body as it is, without a Content-Encoding.")
    declared = request.headers.get("content-length", "0")
    if not (declared.isascii() and declared.isdigit()):
        raise AppError("header_invalid", "Content-Length is not a number.")
    if int(declared[:20]) > limit:
        raise _too_large(limit)
    received = 0
    async for chunk in request.stream():
        received += len(chunk)
        if received > limit:
            raise _too_large(limit)
        yield chunk


async def raw(request: Request, *, limit: int) -> bytes:
    """Read a whole body of at most ``limit`` bytes; see `chunks`."""
    return b"".join([chunk async for chunk in chunks(request, limit=limit)])


class JsonBody(Generic[Body]):
    """A dependency that reads a JSON body into a record; `json_body` makes it.

    Attributes:
        record: What the body must be.
        limit: Most bytes taken.
    """

    def __init__(self, record: type[Body], *, limit: int) -> None:
        self.record = record
        self.limit = limit

    async def __call__(self, request: Request) -> Body:
        """Read the body of a request.

        Raises:
            AppError: ``unsupported_media_type``, ``body_too_large``, ``json_invalid`` or ``body_invalid``.
        """
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            raise AppError("unsupported_media_type", "Send application/json.")
        data = await raw(request, limit=self.limit)
        if len(data) <= _AT_ONCE_BYTES:
            return parse(data, self.record)
        return await run_in_threadpool(parse, data, self.record)


def json_body(record: type[Body], *, limit: int) -> JsonBody[Body]:
    """Make a dependency that reads a JSON body into a record.

    Args:
        record: What the body must be.
        limit: Most bytes taken.
    """
    return JsonBody(record, limit=limit)


def parse(data: bytes, record: type[Body]) -> Body:
    """Parse strict JSON into a record.

    Raises:
        AppError: ``json_invalid`` or ``body_invalid``.
    """
    if len(_STRING.sub(b"", data)) > _MAX_STRUCTURE_BYTES:
        raise AppError("json_invalid", f"Outside its strings the body has more than {_MAX_STRUCTURE_BYTES} bytes.")
    try:
        return parse_record(data, record, code="body_invalid")
    except BundleError as error:
        raise AppError(error.code, error.detail) from error


def described(record: type[Record], *, example: Any) -> dict[str, Any]:
    """Describe a body read by `json_body` for OpenAPI; goes into a route's ``openapi_extra``."""
    schema = {"$ref": f"#/components/schemas/{record.__name__}"}
    content = {"application/json": {"schema": schema, "examples": {"example": {"value": example}}}}
    return {"requestBody": {"required": True, "content": content}}


def answer(value: BaseModel, *, description: str = "What was asked for") -> dict[str, Any]:
    """Describe a successful answer for OpenAPI by an example; goes into a route's ``responses``."""
    example = {"summary": description, "value": value.model_dump(mode="json")}
    return {"description": description, "content": {"application/json": {"examples": {"example": example}}}}


def _too_large(limit: int) -> AppError:
    """Refuse, and hang up: what is still to come is not worth reading."""
    return AppError("body_too_large", f"At most {limit} bytes are taken here.", headers={"Connection": "close"})
