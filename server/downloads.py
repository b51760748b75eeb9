"""Raw files to the reader's disk: never rendered, never sniffed, cached for ever where the address is a digest."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from fastapi import Response
from fastapi.responses import StreamingResponse

_CHUNK_BYTES = 1 << 20
_MEDIA_TYPE = "application/octet-stream"

OCTETS: dict[str, Any] = {_MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}
"""OpenAPI content of such an answer."""


def attachment(content: bytes | BinaryIO, *, name: str, tag: str | None) -> Response:
    """Answer with a file to save.

    Args:
        content: The bytes, or a stream that is closed at the end.
        name: File name, made by us: letters, digits, dots.
        tag: Digest of the content when the address names it; None: the answer is not cached.
    """
    headers = {"Content-Disposition": f'attachment; filename="{name}"', **(etag(tag) if tag else {})}
    if isinstance(content, bytes):
        return Response(content, media_type=_MEDIA_TYPE, headers=headers)
    return StreamingResponse(_chunks(content), media_type=_MEDIA_TYPE, headers=headers)


def etag(tag: str) -> dict[str, str]:
    """Headers of an answer that can never change."""
    return {"ETag": f'"{tag}"', "Cache-Control": "public, max-age=31536000, immutable"}


def is_current(tag: str, if_none_match: str | None) -> bool:
    """Whether the client says that it holds this already.

    Source:
        RFC 9110, section 13.1.2.
    """
    if if_none_match is None:
        return False
    listed = {entry.strip().removeprefix("W/") for entry in if_none_match.split(",")}
    return "*" in listed or f'"{tag}"' in listed


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    with stream:
        while chunk := stream.read(_CHUNK_BYTES):
            yield chunk
