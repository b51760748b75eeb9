"""Who sends a request: a credential in, a principal out. Reading needs none.

A program sends ``Authorization: Bearer``; a browser that is signed in sends its session's cookie, and for everything
that changes something also the proof that a page of ours sends it (`server.csrf`).
"""

import hmac
from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from server import credentials, csrf
from server.addresses import address_of
from server.errors import AppError
from server.headers import OF_REQUEST
from server.principals import SCOPES, UPLOADS, Power, Principal
from server.services import InService, Services
from server.settings import Kind

__all__ = ["WEBHOOKS", "Admin", "InPrincipal", "Principal", "Require", "identify", "limited", "require"]

BEARER = HTTPBearer(
    auto_error=False,
    scheme_name="bearer",
    description="A token of an account, a pull request's key, an identity of GitHub Actions, or the operator's token.",
)
SESSION = APIKeyCookie(
    auto_error=False,
    scheme_name="session",
    name=f"__Host-{csrf.COOKIE}",
    description=f"Of a browser that is signed in; where the service is reached over http its name is `{csrf.COOKIE}`. "
    f"What changes something also needs `{csrf.HEADER}`.",
)
WEBHOOKS = "/github/webhooks"
"""End of the address where GitHub's deliveries arrive."""
_SAFE = ("GET", "HEAD", "OPTIONS")
_OPERATOR = Principal(kind="operator", owner="operator", scopes=frozenset(SCOPES))


def identify(request: Request, services: Services) -> Principal:
    """Find out who sends a request; nobody in particular without a credential. Reads the database.

    Raises:
        AppError: ``unauthorized``: there is a credential, and it is not good; ``csrf_refused``;
            ``identity_unavailable``; ``rate_limited`` for an address that keeps sending what is not good.
    """
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    cookie = request.cookies.get(csrf.cookie_name(services.settings))
    try:
        if scheme:
            return _of_bearer(services, scheme, given.strip())
        found = _of_session(services, cookie) if cookie else None
        if found is not None:
            if request.method not in _SAFE:
                csrf.require(request, services.settings, cookie or "")
            return found
        if cookie and request.method not in _SAFE:
            raise _refused("The session ended; sign in again.")
    except AppError as error:
        if error.code == "unauthorized":
            _count(request, services, "refused", f"address:{address_of(request, services.settings)}")
        raise
    return _anonymous(request, services)


def principal_of(
    request: Request,
    services: InService,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)],  # noqa: ARG001  for OpenAPI
    session: Annotated[str | None, Depends(SESSION)],  # noqa: ARG001
) -> Principal:
    """Find out who sends a request and count it, in one visit to a thread; see `identify` and `limited`."""
    principal = identify(request, services)
    request.state.principal = principal
    limited(request, services, principal)
    return principal


InPrincipal = Annotated[Principal, Depends(principal_of)]


class Require:
    """A dependency that lets only those pass whose credential allows something; `require` makes it.

    Attributes:
        scope: What has to be allowed.
    """

    def __init__(self, scope: Power) -> None:
        self.scope = scope

    async def __call__(self, services: InService, principal: InPrincipal) -> Principal:
        """Answer with the principal; a coroutine, so that no thread is asked for it.

        Raises:
            AppError: ``unauthorized``, ``scope_missing``; ``admin_disabled`` where nobody could have it.
        """
        settings = services.settings
        closed = settings.admin_token is None and not settings.sign_in_configured
        if closed and self.scope not in UPLOADS:
            raise AppError("admin_disabled", "Set BYOGPU_ADMIN_TOKEN to open this route.")
        principal.require(self.scope)
        return principal


def require(scope: Power) -> Require:
    """Make a dependency that lets only those pass whose credential allows something.

    Args:
        scope: What has to be allowed.
    """
    return Require(scope)


Admin = Depends(require("admin"))


def limited(request: Request, services: Services, principal: Principal) -> None:
    """Count a request once for who sends it, and say in its answer where they stand.

    Webhooks are signed and not counted.

    Raises:
        AppError: ``rate_limited``.
    """
    if request.url.path.endswith(WEBHOOKS) or getattr(request.state, "counted", False):
        return
    request.state.counted = True
    kind: Kind = "read" if request.method in _SAFE else "write"
    if request.method == "PUT" and "/parts/" in request.url.path:
        kind = "part"
    _count(request, services, kind, principal.owner)


def _count(request: Request, services: Services, kind: Kind, owner: str) -> None:
    quota = services.settings.quota_per_minute(kind)
    standing = services.limiter.count(kind, owner, quota=quota, now=services.clock()) if quota else None
    if standing is None:
        return
    setattr(request.state, OF_REQUEST, standing.headers)
    if standing.exceeded:
        headers = {"Retry-After": str(standing.reset_s)}
        raise AppError("rate_limited", f"At most {quota} requests a minute of this kind.", headers=headers)


def _of_bearer(services: Services, scheme: str, given: str) -> Principal:
    if scheme.lower() != "bearer" or not given:
        raise _refused("Send Authorization: Bearer and a credential.")
    if _is_operator(services, given):
        return _OPERATOR
    if given.count(".") == 2:
        return services.actions.principal(given)
    now = services.clock()
    with services.database.read() as session:
        found = credentials.find(session, given, now=now)
    if found is None:
        raise _refused("The credential is unknown, expired or revoked.")
    return _used(services, found, given)


def _of_session(services: Services, cookie: str) -> Principal | None:
    idle = timedelta(seconds=services.settings.session_idle_s)
    with services.database.read() as session:
        found = credentials.find_session(session, cookie, now=services.clock(), idle=idle)
    return None if found is None else _used(services, found, cookie)


def _used(services: Services, found: credentials.Found, given: str) -> Principal:
    if found.stale:
        with services.database.write() as session:
            credentials.note_use(session, given, now=services.clock())
    return found.principal


def _anonymous(request: Request, services: Services) -> Principal:
    scopes: frozenset[Power] = UPLOADS if services.settings.anonymous_uploads_allowed else frozenset()
    return Principal(kind="anonymous", owner=f"address:{address_of(request, services.settings)}", scopes=scopes)


def _is_operator(services: Services, given: str) -> bool:
    expected = services.settings.admin_token
    return expected is not None and hmac.compare_digest(given.encode(), expected.get_secret_value().encode())


def _refused(detail: str) -> AppError:
    return AppError("unauthorized", detail, headers={"WWW-Authenticate": "Bearer"})
