"""Signing in and out, and asking who one is."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import RedirectResponse

from server import audit, csrf
from server.accounts import examples, service, signin
from server.accounts.routes import unkept
from server.accounts.schemas import AccountRef, DevicePost, DeviceProgress, DeviceReceipt, SessionPage
from server.auth import InPrincipal, Principal, require
from server.bodies import answer, described, json_body
from server.credentials import csrf_token
from server.errors import AppError, document
from server.principals import SCOPES
from server.services import InService, Services

router = APIRouter(prefix="/api/v1", tags=["sign-in"], dependencies=[Depends(unkept)])

_AWAY = "byogpu_sign_in"
_BODY = ("unsupported_media_type", "body_too_large", "json_invalid", "body_invalid")
_GONE = "Where to go from here"


@router.get("/session", summary="Ask who one is", responses={**document(), 200: answer(examples.SESSION)})
def get_session(request: Request, services: InService, by: InPrincipal) -> SessionPage:
    """Say whom a credential speaks for and what it allows; and without one, where to sign in."""
    account = None
    if by.account_id is not None and by.login is not None and by.role is not None:
        account = AccountRef(id=by.account_id, login=by.login, role=by.role)
    cookie = request.cookies.get(csrf.cookie_name(services.settings))
    from_browser = "account" in by.scopes and cookie is not None
    return SessionPage(
        kind=by.kind,
        account=account,
        scopes=tuple(scope for scope in SCOPES if scope in by.scopes),
        csrf_token=csrf_token(cookie) if from_browser and cookie else None,
        sign_in="/api/v1/sign-in" if services.settings.sign_in_configured else None,
    )


@router.delete(
    "/session", status_code=204, summary="Sign out", responses={**document(), 204: {"description": "Signed out"}}
)
def delete_session(
    request: Request, services: InService, by: Annotated[Principal, Depends(require("account"))]
) -> Response:
    """End the browser's session, here and in the database."""
    service.close_session(services, request.cookies.get(csrf.cookie_name(services.settings), ""), by)
    response = Response(status_code=204, headers={"Cache-Control": "no-store"})
    csrf.set_cookie(response, services.settings, "", max_age_s=0)
    return response


@router.get(
    "/sign-in",
    status_code=303,
    response_class=RedirectResponse,
    summary="Sign in with GitHub",
    responses={**document("parameter_invalid", "sign_in_disabled"), 303: {"description": "GitHub's page"}},
)
def sign_in(
    services: InService,
    return_to: Annotated[str, Query(max_length=500, description="Page to come back to: a path here.")] = signin.HOME,
) -> Response:
    """Send a browser to GitHub, which asks its user; see `/sign-in/callback` for its return."""
    address, browser = signin.leave(services, return_to)
    response = _redirect(address)
    response.set_cookie(
        _AWAY,
        browser,
        max_age=int(signin.AWAY.total_seconds()),
        path="/api/v1/sign-in",
        secure=csrf.is_secure(services.settings),
        httponly=True,
        samesite="lax",
    )
    return response


@router.get(
    "/sign-in/callback",
    status_code=303,
    response_class=RedirectResponse,
    summary="Come back from GitHub",
    responses={**document("parameter_invalid"), 303: {"description": _GONE}},
)
def come_back(
    request: Request,
    services: InService,
    state: Annotated[str, Query(max_length=200, description="As GitHub was given it.")] = "",
    code: Annotated[str, Query(max_length=200, description="GitHub's; absent: the user said no.")] = "",
) -> Response:
    """Sign the browser in and lead on. What went wrong stands in the address that follows, as `problem`."""
    try:
        if not code:
            raise AppError("sign_in_denied", "GitHub sent no code.")
        cookie, page = signin.come_back(services, code=code, state=state, browser=request.cookies.get(_AWAY, ""))
    except AppError as error:
        _record(services, error)
        return _redirect(f"{signin.HOME}?{urlencode({'problem': error.code})}")
    response = _redirect(page)
    csrf.set_cookie(response, services.settings, cookie, max_age_s=services.settings.session_ttl_s)
    response.delete_cookie(_AWAY, path="/api/v1/sign-in")
    return response


@router.post(
    "/sign-in/device",
    status_code=201,
    summary="Sign in on a device",
    responses={**document("sign_in_disabled", "github_failed"), 201: answer(examples.DEVICE)},
)
def post_device(services: InService) -> DeviceReceipt:
    """Begin a sign-in for a machine without a browser: its user types a code in somewhere else."""
    return signin.begin_device(services)


@router.post(
    "/sign-in/device/token",
    summary="Ask whether a device is signed in",
    responses={
        **document(*_BODY, "sign_in_disabled", "sign_in_denied", "sign_in_expired", "github_failed"),
        200: answer(examples.PROGRESS),
    },
    openapi_extra=described(DevicePost, example=examples.DEVICE_POST),
)
def post_device_token(
    services: InService, posted: Annotated[DevicePost, Depends(json_body(DevicePost, limit=1024))]
) -> DeviceProgress:
    """Ask again every `interval_s` seconds. Once the user has agreed the answer holds a token, told once."""
    return signin.poll_device(services, posted)


def _redirect(address: str) -> Response:
    return RedirectResponse(address, status_code=303, headers={"Cache-Control": "no-store"})


def _record(services: Services, error: AppError) -> None:
    with services.database.write() as session:
        detail = f"{error.code}: {error.detail}"
        audit.record(session, at=services.clock(), actor="github", action="refused", target="sign-in", detail=detail)
