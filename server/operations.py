"""What every operation of the API has in common, added to its description.

That is: who may call it, what it may be refused for whoever calls it, conditional reads, repeated requests, and which
operation follows on which.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi.dependencies.models import Dependant
from pydantic import BaseModel

from server import csrf, idempotency
from server.auth import BEARER, SESSION, WEBHOOKS, Require
from server.bodies import JsonBody
from server.errors import document
from server.links import LINKS
from server.principals import UPLOADS

Operation = dict[str, Any]

_LIMITED = {
    "RateLimit-Policy": {"schema": {"type": "string"}, "example": '"read";q=1800;w=60'},
    "RateLimit": {"schema": {"type": "string"}, "example": '"read";r=1799;t=42'},
}
_CREDENTIALS: list[dict[str, list[str]]] = [{BEARER.scheme_name: []}, {SESSION.scheme_name: []}]
_IF_NONE_MATCH = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "Answer 304 if this is still the ETag.",
}
_IDEMPOTENCY_KEY = {
    "name": idempotency.HEADER,
    "in": "header",
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": idempotency.MAX_CHARACTERS},
    "description": "A word of your own for this request: sent again with it, it is answered as before and done once.",
    "example": "6f9d2c1e-9c0b-4a53-8f1f-0c5e2f7f7a10",
}
_UNTAGGED = {"accounts", "sign-in"}
"""What is about credentials is never kept, so it has no tag."""
_CSRF = {
    "name": csrf.HEADER,
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "With a session's cookie: the word that `GET /api/v1/session` tells.",
}


@dataclass(frozen=True)
class Described:
    """A route, as far as its description goes.

    Attributes:
        name: Also the operation's id.
        method: The one it answers to.
        path: With the parameters in braces.
        tags: What it belongs to.
        calls: What it depends on.
        takes_key: Whether it takes an ``Idempotency-Key``.
    """

    name: str
    method: str
    path: str
    tags: tuple[str, ...]
    calls: tuple[object, ...]
    takes_key: bool

    @classmethod
    def of(cls, context: Any) -> "Described":
        """Read what FastAPI knows of a route that was included."""
        (method,) = context.methods
        return cls(
            name=context.name,
            method=method,
            path=context.path_format,
            tags=tuple(context.tags),
            calls=tuple(one.call for one in _all(context.dependant)),
            takes_key=isinstance(context.original_route, idempotency.IdempotentRoute)
            and context.original_route.takes_key,
        )


def bodies(routes: list[Described]) -> Iterator[type[BaseModel]]:
    """The records that the bodies of requests are."""
    for route in routes:
        for call in route.calls:
            if isinstance(call, JsonBody):
                yield call.record


def complete(route: Described, operation: Operation) -> None:
    """Add to an operation what it has in common with the others."""
    responses, unsafe = operation["responses"], route.method != "GET"
    parameters = operation.setdefault("parameters", [])
    if route.path.startswith("/api/") and not route.path.endswith(WEBHOOKS):
        _guard(route, operation, unsafe=unsafe)
    if route.takes_key:
        parameters.append(_IDEMPOTENCY_KEY)
        _add(responses, "header_invalid", "idempotency_key_reused", "idempotency_in_progress")
    if not unsafe and _is_tagged(route, responses):
        if all(one["name"].lower() != "if-none-match" for one in parameters):
            parameters.append(_IF_NONE_MATCH)
        responses["200"].setdefault("headers", {})["ETag"] = {"schema": {"type": "string"}, "example": 'W/"0f3a9c"'}
        responses["304"] = {"description": "Not modified"}
    if not parameters:
        del operation["parameters"]
    operation["responses"] = dict(sorted(responses.items()))


def link(operations: Mapping[str, Operation]) -> None:
    """Say which operation follows on which.

    Args:
        operations: By name.
    """
    for (name, status), links in LINKS.items():
        shown = operations[name]["responses"][status].setdefault("links", {})
        for one in links:
            assert one.target in operations, one.target
            shown[one.target] = one.described()


def _guard(route: Described, operation: Operation, *, unsafe: bool) -> None:
    """Say who may call, and what anybody may be refused for."""
    responses = operation["responses"]
    scopes = [call.scope for call in route.calls if isinstance(call, Require)]
    _add(responses, "unauthorized", "rate_limited", "identity_unavailable")
    if unsafe:
        _add(responses, "csrf_refused")
        operation["parameters"].append(_CSRF)
    if scopes:
        _add(responses, "scope_missing")
    if any(scope not in UPLOADS for scope in scopes):
        _add(responses, "admin_disabled")
        operation["security"] = _CREDENTIALS
    else:
        operation["security"] = [{}, *_CREDENTIALS]
    for response in responses.values():
        response.setdefault("headers", {}).update(_LIMITED)


def _add(responses: dict[str, Any], *codes: str) -> None:
    for number, made in document(*codes).items():
        status = str(number)
        known = responses.setdefault(status, {**made, "content": {}})
        for media_type, content in made["content"].items():
            merged = known["content"].setdefault(media_type, {"schema": content["schema"], "examples": {}})
            merged.setdefault("examples", {}).update(content["examples"])


def _is_tagged(route: Described, responses: Mapping[str, Any]) -> bool:
    return (
        route.path.startswith("/api/")
        and "application/json" in responses.get("200", {}).get("content", {})
        and not _UNTAGGED & set(route.tags)
    )


def _all(dependant: Dependant) -> Iterator[Dependant]:
    for one in dependant.dependencies:
        yield one
        yield from _all(one)
