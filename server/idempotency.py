"""Requests that may be sent twice: one ``Idempotency-Key``, one effect, the same answer again."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute
from sqlalchemy import delete, select, update
from starlette.types import Message

from server.auth import identify, limited
from server.bodies import JsonBody, raw
from server.db import inserter
from server.errors import AppError
from server.models import KeptAnswer
from server.services import Services

HEADER = "Idempotency-Key"
MAX_CHARACTERS = 128
_KEPT = timedelta(hours=24)
_ANSWERING = timedelta(minutes=1)
"""After that a request that was never answered may be made again: its process died."""


@dataclass(frozen=True)
class _Mark:
    """Whose request, under which key, and which one."""

    owner: str
    key: str
    request: str


class IdempotentRoute(APIRoute):
    """A route whose creating ``POST`` (one that answers 201) takes an ``Idempotency-Key``.

    The answer is kept for a day, for the owner who asked. A refusal is not: it changed nothing. Routes that tell a
    secret once are not made with this class, for the secret would have to be kept.
    """

    @property
    def takes_key(self) -> bool:
        """Whether the header means something here."""
        return self.methods == {"POST"} and self.status_code == 201

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap the route's own handler."""
        handle = super().get_route_handler()
        if not self.takes_key:
            return handle
        bodies = [one.call for one in self.dependant.dependencies if isinstance(one.call, JsonBody)]
        limit = max((body.limit for body in bodies), default=0)

        async def once(request: Request) -> Response:
            given = request.headers.getlist(HEADER)
            if not given:
                return await handle(request)
            if len(given) > 1 or not 1 <= len(given[0]) <= MAX_CHARACTERS:
                raise AppError("header_invalid", f"Send one {HEADER} of 1 to {MAX_CHARACTERS} characters.")
            services: Services = request.app.state.services
            owner = await run_in_threadpool(_counted, request, services)
            body = await raw(request, limit=limit)
            mark = _Mark(owner, _digest(given[0].encode()), _digest(request.url.path.encode(), body))
            kept = await run_in_threadpool(_begin, services, mark)
            if kept is not None:
                return kept
            try:
                answer = await handle(Request(request.scope, _repeat(body)))
            except Exception:
                await run_in_threadpool(_forget, services, mark)
                raise
            await run_in_threadpool(_keep, services, mark, answer)
            return answer

        return once


def _counted(request: Request, services: Services) -> str:
    """Whose request it is; who asks too often leaves nothing behind."""
    principal = identify(request, services)
    limited(request, services, principal)
    return principal.owner


def _begin(services: Services, mark: _Mark) -> Response | None:
    """Take the key, or answer with what was answered before.

    Raises:
        AppError: ``idempotency_key_reused``, ``idempotency_in_progress``.
    """
    now = services.clock()
    with services.database.write() as session:
        mine = KeptAnswer.owner == mark.owner, KeptAnswer.key == mark.key
        session.execute(delete(KeptAnswer).where(*mine, KeptAnswer.expires_at <= now))
        values = {"owner": mark.owner, "key": mark.key, "request": mark.request, "expires_at": now + _ANSWERING}
        insert = inserter(session)(KeptAnswer).values(values).on_conflict_do_nothing().returning(KeptAnswer.key)
        if session.execute(insert).one_or_none() is not None:
            return None
        known = session.scalars(select(KeptAnswer).where(*mine)).one()
    if known.request != mark.request:
        raise AppError("idempotency_key_reused", "The key belongs to another request; make a new one.")
    if known.status is None:
        raise AppError("idempotency_in_progress", "The same request is being answered.", headers={"Retry-After": "1"})
    headers = {"Idempotency-Replayed": "true"}
    return Response(known.body, status_code=known.status, media_type="application/json", headers=headers)


def _keep(services: Services, mark: _Mark, answer: Response) -> None:
    values = {"status": answer.status_code, "body": bytes(answer.body), "expires_at": services.clock() + _KEPT}
    with services.database.write() as session:
        session.execute(
            update(KeptAnswer)
            .where(KeptAnswer.owner == mark.owner, KeptAnswer.key == mark.key, KeptAnswer.request == mark.request)
            .values(values)
        )


def _forget(services: Services, mark: _Mark) -> None:
    with services.database.write() as session:
        session.execute(
            delete(KeptAnswer).where(
                KeptAnswer.owner == mark.owner, KeptAnswer.key == mark.key, KeptAnswer.status.is_(None)
            )
        )


def _digest(*parts: bytes) -> str:
    digest = sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def _repeat(body: bytes) -> Callable[[], Coroutine[Any, Any, Message]]:
    """A ``receive`` that gives a body that was read already."""
    waiting = [body]

    async def receive() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return {"type": "http.disconnect"}

    return receive
