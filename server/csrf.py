"""A cookie comes along with whatever makes a browser send a request. This tells our own pages from all others.

Three things have to hold, each enough against an ordinary attack by itself: the browser says that the request comes
from our origin (``Sec-Fetch-Site``), its ``Origin`` is ours, and it carries a word that only a page of ours can read.
"""

import hmac

from fastapi import Request, Response

from server.credentials import csrf_token
from server.errors import AppError
from server.settings import Settings

COOKIE = "byogpu_session"
HEADER = "X-CSRF-Token"


def is_secure(settings: Settings) -> bool:
    """Whether people reach the service over https."""
    return settings.public_url.startswith("https://")


def cookie_name(settings: Settings) -> str:
    """Name of the session's cookie; over https one that no subdomain and no plain connection can set."""
    return f"__Host-{COOKIE}" if is_secure(settings) else COOKIE


def set_cookie(response: Response, settings: Settings, value: str, *, max_age_s: int) -> None:
    """Give the browser its session; an empty one takes it away."""
    response.set_cookie(
        cookie_name(settings),
        value,
        max_age=max_age_s,
        path="/",
        secure=is_secure(settings),
        httponly=True,
        samesite="lax",
    )


def require(request: Request, settings: Settings, cookie: str) -> None:
    """Let pass what a page of ours sends.

    Raises:
        AppError: ``csrf_refused``.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None and site != "same-origin":
        raise AppError("csrf_refused", "The request comes from another site.")
    if origin is not None and origin != _origin(settings):
        raise AppError("csrf_refused", "The request comes from another origin than the service's public address.")
    if site is None and origin is None:
        raise AppError("csrf_refused", "The browser does not say where the request comes from; use a token.")
    if not hmac.compare_digest(request.headers.get(HEADER, "").encode(), csrf_token(cookie).encode()):
        raise AppError("csrf_refused", f"{HEADER} is missing or wrong; GET /api/v1/session tells it.")


def _origin(settings: Settings) -> str:
    scheme, _, rest = settings.public_url.partition("://")
    return f"{scheme}://{rest.split('/', 1)[0]}"
