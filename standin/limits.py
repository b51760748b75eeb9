"""The limit of calls: every answer of the API says what is left of it. Nothing is refused; faults do that."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from standin.faults import API_ROOTS
from standin.forge import Forge

CALLS_PER_HOUR = 5000


def core_limit(forge: Forge) -> dict[str, int]:
    """Return limit, used, remaining and reset, counted since the start."""
    return {
        "limit": CALLS_PER_HOUR,
        "used": forge.calls,
        "remaining": max(CALLS_PER_HOUR - forge.calls, 0),
        "reset": int(forge.store.now().timestamp()) + 3600,
    }


class LimitHeaders:
    """Adds ``X-RateLimit-...`` to the answers of API calls.

    Args:
        app: The application behind it.
        forge: Counts the calls.
    """

    def __init__(self, app: ASGIApp, forge: Forge) -> None:
        self._app = app
        self._forge = forge

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def complete(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in core_limit(self._forge).items():
                    headers[f"X-RateLimit-{name.title()}"] = str(value)
            await send(message)

        ours = scope["type"] == "http" and scope["path"].split("/")[1] in API_ROOTS
        await self._app(scope, receive, complete if ours else send)
