"""Conditional reads: a JSON answer carries a tag of its bytes, and who holds them already is told so and no more."""

from hashlib import sha256

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.downloads import is_current

_TAGGED = "application/json"
_DROPPED = ("content-length", "content-type")


class ConditionalReads:
    """ASGI middleware: tags whole JSON answers to ``GET`` that have no tag and may be kept, and answers 304.

    The tag is weak: it is about what the answer says, not about how it was encoded on the way. An answer that says
    ``no-store`` is left as it is.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer back."""
        if scope["type"] != "http" or scope["method"] != "GET" or not scope["path"].startswith("/api/"):
            await self._app(scope, receive, send)
            return
        held = Headers(scope=scope).get("if-none-match")
        start: Message | None = None

        async def answer(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_tagged(message):
                start = message
                return
            if start is not None and message["type"] == "http.response.body":
                first, start = start, None
                if not message.get("more_body", False):
                    message = _tag(first, message, held)
                await send(first)
            await send(message)

        await self._app(scope, receive, answer)


def _is_tagged(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    kept = "no-store" not in headers.get("cache-control", "")
    return start["status"] == 200 and kept and "etag" not in headers and headers.get("content-type") == _TAGGED


def _tag(start: Message, body: Message, held: str | None) -> Message:
    """Complete the headers of an answer, and take its body away from who holds it; returns the body to send."""
    headers = MutableHeaders(scope=start)
    tag = sha256(body["body"]).hexdigest()[:32]
    headers["ETag"] = f'W/"{tag}"'
    headers["Cache-Control"] = "private, no-cache"
    if not is_current(tag, held):
        return body
    start["status"] = 304
    for name in _DROPPED:
        del headers[name]
    return {"type": "http.response.body", "body": b""}
