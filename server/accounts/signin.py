"""Signing in: a browser that goes to GitHub and comes back, and a device that waits for one."""

import secrets
from datetime import timedelta
from hmac import compare_digest

from sqlalchemy import delete

from server.accounts import service
from server.accounts.github import SignInGitHub, Waiting, new_verifier
from server.accounts.schemas import DevicePost, DeviceProgress, DeviceReceipt, TokenPost
from server.credentials import hashed
from server.errors import AppError
from server.models import KeptAnswer, SignIn, WebSession
from server.services import Services

AWAY = timedelta(minutes=10)
"""How long a browser may be at GitHub."""
HOME = "/account"


def leave(services: Services, return_to: str) -> tuple[str, str]:
    """Send a browser to GitHub; returns the address there, and a cookie that only this browser brings back.

    Raises:
        AppError: ``sign_in_disabled``.
    """
    state, browser, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(32), new_verifier()
    address = SignInGitHub(services).address(state=state, verifier=verifier)
    row = SignIn(
        id=hashed(state),
        browser=hashed(browser),
        verifier=verifier,
        return_to=local(return_to),
        expires_at=services.clock() + AWAY,
    )
    with services.database.write() as session:
        session.add(row)
    return address, browser


def come_back(services: Services, *, code: str, state: str, browser: str) -> tuple[str, str]:
    """Sign in who comes back from GitHub; returns the session's cookie, and where to go.

    Raises:
        AppError: ``sign_in_state_invalid``: this browser did not leave for it, or too long ago, or was back already;
            ``sign_in_denied``, ``github_failed``.
    """
    left = _take(services, state, browser)
    person = SignInGitHub(services).redeem(code, verifier=left.verifier)
    with services.database.write() as session:
        account = service.welcome(session, person, now=services.clock())
        return service.open_session(session, account, services), left.return_to


def begin_device(services: Services) -> DeviceReceipt:
    """Begin a sign-in on a device without a browser.

    Raises:
        AppError: ``sign_in_disabled``, ``github_failed``.
    """
    begun = SignInGitHub(services).begin_device()
    return DeviceReceipt(
        device_code=begun.device_code,
        user_code=begun.user_code,
        verification_uri=begun.verification_uri,
        expires_in_s=begun.expires_in,
        interval_s=begun.interval,
    )


def poll_device(services: Services, posted: DevicePost) -> DeviceProgress:
    """Give a device its token once somebody has agreed.

    Raises:
        AppError: ``sign_in_disabled``, ``sign_in_denied``, ``sign_in_expired``, ``github_failed``.
    """
    person = SignInGitHub(services).poll_device(posted.device_code)
    if isinstance(person, Waiting):
        return DeviceProgress(state="waiting", interval_s=person.slow_down_s, account=None, token=None)
    wanted = TokenPost(name=posted.name, scopes=service.DEVICE_SCOPES, expires_in_days=services.settings.token_ttl_days)
    with services.database.write() as session:
        account = service.welcome(session, person, now=services.clock())
        token = service.make_token(session, services, service.principal_of(account), wanted)
    return DeviceProgress(state="granted", interval_s=None, account=service.account_ref(account), token=token)


def sweep(services: Services, key: str) -> None:  # noqa: ARG001  a task's signature
    """Forget browsers that never came back, sessions and kept answers whose time is over."""
    now = services.clock()
    idle = now - timedelta(seconds=services.settings.session_idle_s)
    with services.database.write() as session:
        session.execute(delete(SignIn).where(SignIn.expires_at <= now))
        session.execute(delete(KeptAnswer).where(KeptAnswer.expires_at <= now))
        session.execute(delete(WebSession).where((WebSession.expires_at <= now) | (WebSession.used_at <= idle)))


def local(address: str) -> str:
    """An address of our own pages, or the account page: never one of another host."""
    plain = address.isascii() and address.isprintable() and "\\" not in address
    return address if plain and address.startswith("/") and not address.startswith("//") else HOME


def _take(services: Services, state: str, browser: str) -> SignIn:
    """Take away what was kept when the browser left: a state is good once, whatever follows."""
    with services.database.write() as session:
        left = session.get(SignIn, hashed(state), with_for_update=True)
        if left is not None:
            session.delete(left)
    if left is None or not compare_digest(left.browser, hashed(browser)) or left.expires_at <= services.clock():
        raise AppError("sign_in_state_invalid", "Begin again: this browser did not ask, or asked too long ago.")
    return left
