"""Faults on demand: the next calls fail in the ways GitHub fails."""

from __future__ import annotations

import json
import threading
import time
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from starlette.types import ASGIApp, Message, Receive, Scope, Send

API_ROOTS = ("app", "rate_limit", "repos", "user")


class Fault(BaseModel):
    """One way to fail, for the next matching calls.

    Attributes:
        kind: ``lost_answer`` does the work and then loses the answer; all others do nothing.
        times: How many calls it hits.
        retry_after_s: Value of ``Retry-After``, or none.
        method: Only calls with this method.
        path_contains: Only calls whose path contains this.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal[
        "server_error", "unavailable", "too_many_requests", "secondary_limit", "primary_limit", "lost_answer", "garbage"
    ]
    times: int = Field(default=1, ge=1)
    retry_after_s: int | None = Field(default=None, ge=0)
    method: Literal["GET", "POST", "PATCH"] | None = None
    path_contains: str = ""

    def matches(self, method: str, path: str) -> bool:
        """Whether this call is to fail."""
        return self.method in (None, method) and self.path_contains in path


class Faults:
    """The faults still to happen, in order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[tuple[Fault, int]] = []

    def plan(self, fault: Fault) -> None:
        """Add a fault."""
        with self._lock:
            self._waiting.append((fault, fault.times))

    def clear(self) -> None:
        """Let calls succeed again."""
        with self._lock:
            self._waiting.clear()

    def take(self, method: str, path: str) -> Fault | None:
        """Return the fault for this call, and count it."""
        with self._lock:
            for place, (fault, left) in enumerate(self._waiting):
                if fault.matches(method, path):
                    self._waiting[place : place + 1] = [(fault, left - 1)] if left > 1 else []
                    return fault
        return None


class FaultMiddleware:
    """Answers API calls with the planned faults; pages and the stand-in's own calls never fail.

    Args:
        app: The application behind it.
        faults: The plan.
    """

    def __init__(self, app: ASGIApp, faults: Faults) -> None:
        self._app = app
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        fault = None
        if scope["type"] == "http" and scope["path"].split("/")[1] in API_ROOTS:
            fault = self._faults.take(scope["method"], scope["path"])
        if fault is None:
            await self._app(scope, receive, send)
            return
        if fault.kind == "lost_answer":
            await self._app(scope, receive, _drop)
        status, headers, body = _failure(fault)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


async def _drop(message: Message) -> None:
    """Lose a part of an answer."""


def _failure(fault: Fault) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    """Return status, headers and body of a failed call."""
    headers = {"content-type": "application/json; charset=utf-8"}
    if fault.retry_after_s is not None:
        headers["retry-after"] = str(fault.retry_after_s)
    match fault.kind:
        case "server_error":
            status, message = 500, "Server Error"
        case "unavailable":
            status, message = 503, "Service unavailable"
        case "too_many_requests":
            status, message = 429, "Too many requests"
        case "secondary_limit":
            status, message = 403, "You have exceeded a secondary rate limit. Please wait a few minutes."
        case "primary_limit":
            status, message = 403, "API rate limit exceeded for installation."
            headers |= {
                "x-ratelimit-limit": "5000",
                "x-ratelimit-remaining": "0",
                "x-ratelimit-reset": str(int(time.time()) + 120),
            }
        case "lost_answer" | "garbage":
            status, message = 502, ""
            headers["content-type"] = "text/html"
    body = json.dumps({"message": message}).encode() if message else b"<html><h1>Bad gateway</h1></html>"
    headers["content-length"] = str(len(body))
    return status, [(name.encode(), value.encode()) for name, value in headers.items()], body
