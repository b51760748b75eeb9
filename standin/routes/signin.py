"""GitHub's sign-in: the page that asks, the address that redeems codes, and the device flow."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from pydantic import BaseModel

from standin import pages
from standin.errors import not_found
from standin.routes.context import ForgeDep
from standin.signin import DEVICE_LIFETIME, Authorization, OAuthError
from standin.store import ensure_user
from standin.wire.people import Json

router = APIRouter()


class DeviceDecision(BaseModel):
    """What a person answers on the device page."""

    user_code: str
    login: str
    granted: bool = True


@router.get("/login/oauth/authorize")
def authorize(
    request: Request,
    forge: ForgeDep,
    client_id: Annotated[str, Query()],
    redirect_uri: Annotated[str, Query()],
    state: Annotated[str, Query()],
    code_challenge: Annotated[str | None, Query()] = None,
    as_login: Annotated[str | None, Query()] = None,
    denied: Annotated[bool, Query()] = False,
) -> Response:
    """Ask who signs in; with ``as_login`` or ``denied``, which the page's links have, go back to the App."""
    if denied:
        return _back(redirect_uri, {"error": "access_denied", "state": state})
    if as_login is None:
        with forge.store.reading() as everything:
            people = sorted(login for login, user in everything.users.items() if user.type == "User")
        return HTMLResponse(pages.sign_in_page(people, query=request.url.query), headers=pages.HEADERS)
    asked = Authorization(client_id, redirect_uri, code_challenge)
    with forge.store.changing() as everything:
        ensure_user(everything, as_login)
    try:
        code = forge.sign_ins.authorize(asked, as_login)
    except OAuthError as error:
        return JSONResponse({"error": error.code}, status_code=400)
    return _back(redirect_uri, {"code": code, "state": state})


@router.post("/login/oauth/access_token")
async def redeem(request: Request, forge: ForgeDep) -> Json:
    """Give out a token for a code, of a browser or of a device."""
    given = dict(parse_qsl((await request.body()).decode()))
    client_id = given.get("client_id", "")
    try:
        if "device_code" in given:
            login = forge.sign_ins.poll_device(given["device_code"], client_id=client_id)
        else:
            login = forge.sign_ins.redeem(
                given.get("code", ""),
                client_id=client_id,
                client_secret=given.get("client_secret", ""),
                redirect_uri=given.get("redirect_uri", ""),
                verifier=given.get("code_verifier", ""),
            )
    except OAuthError as error:
        interval = {} if error.interval_s is None else {"interval": error.interval_s}
        return {"error": error.code, "error_description": error.code.replace("_", " "), **interval}
    return {"access_token": forge.credentials.issue_user(login), "token_type": "bearer", "scope": ""}


@router.post("/login/device/code")
async def begin_device(request: Request, forge: ForgeDep) -> Json:
    """Begin the device flow."""
    given = dict(parse_qsl((await request.body()).decode()))
    try:
        device_code, user_code = forge.sign_ins.begin_device(given.get("client_id", ""))
    except OAuthError as error:
        return {"error": error.code}
    return {
        "device_code": device_code,
        "user_code": user_code,
        "verification_uri": f"{forge.settings.web_url}/login/device",
        "expires_in": int(DEVICE_LIFETIME.total_seconds()),
        "interval": forge.settings.device_interval_s,
    }


@router.post("/_standin/device", status_code=204)
def decide(wanted: DeviceDecision, forge: ForgeDep) -> None:
    """Type a device's code in, and agree or not."""
    with forge.store.changing() as everything:
        ensure_user(everything, wanted.login)
    if not forge.sign_ins.decide(wanted.user_code, login=wanted.login, granted=wanted.granted):
        raise not_found()


def _back(redirect_uri: str, query: dict[str, str]) -> RedirectResponse:
    return RedirectResponse(f"{redirect_uri}?{urlencode(query)}", status_code=302)
