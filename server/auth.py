"""Who sends a request: a credential in, a principal out. Reading needs none."""

import hmac
from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from server.addresses import address_of
from server.errors import AppError
from server.principals import SCOPES, UPLOADS, Principal, Scope
from server.services import InService, Services

__all__ = ["Admin", "InPrincipal", "Principal", "principal_of", "require"]

_BEARER = HTTPBearer(
    auto_error=False,
    scheme_name="bearer",
    description="An API token, a pull request's key, a GitHub Actions identity, or the operator's token.",
)
_CHALLENGE = {"WWW-Authenticate": "Bearer"}
_OPERATOR = Principal(kind="operator", owner="operator", scopes=frozenset(SCOPES))


def principal_of(
    request: Request,
    services: InService,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)],
) -> Principal:
    """Find out who sends a request; nobody in particular without a credential.

    Raises:
        AppError: ``unauthorized``: there is a credential, and it is not good.
    """
    if credentials is None:
        return _anonymous(request, services)
    if _is_operator(services, credentials.credentials):
        return _OPERATOR
    raise AppError("unauthorized", "The credential is unknown, expired or revoked.", headers=_CHALLENGE)


InPrincipal = Annotated[Principal, Depends(principal_of)]


def require(scope: Scope) -> Callable[[Principal], Principal]:
    """Make a dependency that lets only those pass whose credential allows something.

    Args:
        scope: What has to be allowed.

    Returns:
        A dependency that answers with the principal, or raises ``unauthorized`` or ``scope_missing``.
    """

    def check(principal: InPrincipal) -> Principal:
        principal.require(scope)
        return principal

    return check


def require_admin(
    request: Request,
    services: InService,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)],
) -> Principal:
    """Let only the operator and administrators pass.

    Raises:
        AppError: ``admin_disabled``, ``unauthorized``, ``scope_missing``.
    """
    if services.settings.admin_token is None:
        raise AppError("admin_disabled", "Set BYOGPU_ADMIN_TOKEN to open this route.")
    principal = principal_of(request, services, credentials)
    principal.require("admin")
    return principal


Admin = Depends(require_admin)


def _anonymous(request: Request, services: Services) -> Principal:
    scopes: frozenset[Scope] = UPLOADS if services.settings.anonymous_uploads_allowed else frozenset()
    return Principal(kind="anonymous", owner=f"address:{address_of(request, services.settings)}", scopes=scopes)


def _is_operator(services: Services, given: str) -> bool:
    expected = services.settings.admin_token
    return expected is not None and hmac.compare_digest(given.encode(), expected.get_secret_value().encode())
