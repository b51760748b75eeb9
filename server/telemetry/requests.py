"""Every request: named, logged, counted."""

import logging
import re
import secrets
import time

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bind_contextvars, bound_contextvars, clear_contextvars

from server.telemetry.meters import Meters

_log = logging.getLogger("byogpu.request")
HEADER = "X-Request-Id"
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_QUIET = frozenset({"/health", "/ready", "/metrics"})
_BOUND = {"bundle_id": "bundle_id", "job_id": "job_id", "challenge_id": "challenge_id", "sha256": "blob"}
"""Path parameters that lines carry, and the fields they are."""


class Requests:
    """ASGI middleware: gives each request an id, says in one line how it ended, and counts it.

    An id that the client or a proxy sends in ``X-Request-Id`` is kept if it is one; the answer carries it.

    Args:
        app: The application behind it.
        meters: Counts.
    """

    def __init__(self, app: ASGIApp, meters: Meters) -> None:
        self._app = app
        self._meters = meters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(HEADER, "")
        request_id = given if _ID.fullmatch(given) else secrets.token_hex(8)
        status, received, sent = 500, 0, 0

        async def hear() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            return message

        async def say(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = request_id
            sent += len(message.get("body", b""))
            await send(message)

        began = time.perf_counter()
        clear_contextvars()  # on a connection that is kept alive, a request begins in the context of the one before
        with bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, hear, say)
            finally:
                seconds = time.perf_counter() - began
                route = getattr(scope.get("route"), "path", "none")
                self._meters.count(
                    method=scope["method"], route=route, status=status, seconds=seconds, received=received, sent=sent
                )
                level = logging.DEBUG if route in _QUIET and status < 400 else logging.INFO
                ids = {
                    field: scope["path_params"][name]
                    for name, field in _BOUND.items()
                    if name in scope.get("path_params", {})
                }
                fields = {"method": scope["method"], "route": route, "status": status, "ms": round(seconds * 1000, 1)}
                _log.log(level, "%s %s", scope["method"], scope["path"], extra={**fields, **ids})


async def bind_ids(request: Request) -> None:
    """Give every line that is logged while a request is served the ids that its path names. A dependency."""
    found = {field: request.path_params[name] for name, field in _BOUND.items() if name in request.path_params}
    bind_contextvars(**found)
