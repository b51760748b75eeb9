"""Signing in with the stand-in: authorization codes with PKCE, and the device flow. All in memory."""

from __future__ import annotations

import hmac
import secrets
import threading
from base64 import urlsafe_b64encode
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal

from standin.settings import OAuthApp, StandinSettings

CODE_LIFETIME = timedelta(minutes=10)
DEVICE_LIFETIME = timedelta(minutes=15)

Decision = Literal["waiting", "granted", "denied"]


@dataclass(frozen=True)
class Authorization:
    """What a browser was sent to ask for.

    Attributes:
        client_id: Which App.
        redirect_uri: Where the browser goes back to.
        challenge: PKCE, S256; None: not used.
    """

    client_id: str
    redirect_uri: str
    challenge: str | None


@dataclass(frozen=True)
class _Code:
    asked: Authorization
    login: str
    expires_at: datetime


@dataclass(frozen=True)
class _Device:
    client_id: str
    user_code: str
    expires_at: datetime
    interval_s: int
    polled_at: datetime | None = None
    decision: Decision = "waiting"
    login: str = ""


class OAuthError(Exception):
    """A refusal in OAuth's form, which GitHub answers with status 200.

    Attributes:
        code: Its ``error``.
        interval_s: For ``slow_down``: the new interval.
    """

    def __init__(self, code: str, *, interval_s: int | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.interval_s = interval_s


class SignIns:
    """Codes that were given out and not redeemed yet."""

    def __init__(self, settings: StandinSettings) -> None:
        self._settings = settings
        self._codes: dict[str, _Code] = {}
        self._devices: dict[str, _Device] = {}
        self._lock = threading.Lock()

    def app(self, client_id: str) -> OAuthApp:
        """Return the App with this client id.

        Raises:
            OAuthError: There is none.
        """
        app = self._settings.oauth
        if app is None or app.client_id != client_id:
            raise OAuthError("incorrect_client_credentials")
        return app

    def authorize(self, asked: Authorization, login: str) -> str:
        """Return the code for somebody who agreed.

        Raises:
            OAuthError: The App is unknown, or goes back to another address than it registered.
        """
        if not asked.redirect_uri.startswith(self.app(asked.client_id).callback_url):
            raise OAuthError("redirect_uri_mismatch")
        code = secrets.token_hex(10)
        with self._lock:
            self._codes[code] = _Code(asked, login, self._settings.clock() + CODE_LIFETIME)
        return code

    def redeem(self, code: str, *, client_id: str, client_secret: str, redirect_uri: str, verifier: str) -> str:
        """Return the login that a code was given for. A code is good once.

        Raises:
            OAuthError: See GitHub's list of them.
        """
        app = self.app(client_id)
        if not hmac.compare_digest(app.client_secret.encode(), client_secret.encode()):
            raise OAuthError("incorrect_client_credentials")
        with self._lock:
            found = self._codes.pop(code, None)
        if found is None or found.expires_at <= self._settings.clock():
            raise OAuthError("bad_verification_code")
        if found.asked.redirect_uri != redirect_uri:
            raise OAuthError("redirect_uri_mismatch")
        if found.asked.challenge is not None and found.asked.challenge != _challenge(verifier):
            raise OAuthError("bad_verification_code")
        return found.login

    def begin_device(self, client_id: str) -> tuple[str, str]:
        """Return a device code and the code that its user types.

        Raises:
            OAuthError: The App is unknown.
        """
        self.app(client_id)
        letters = "BCDFGHJKLMNPQRSTVWXZ"
        typed = "".join(secrets.choice(letters) for _ in range(8))
        user_code, device_code = f"{typed[:4]}-{typed[4:]}", secrets.token_hex(20)
        expires_at = self._settings.clock() + DEVICE_LIFETIME
        with self._lock:
            self._devices[device_code] = _Device(client_id, user_code, expires_at, self._settings.device_interval_s)
        return device_code, user_code

    def decide(self, user_code: str, *, login: str, granted: bool) -> bool:
        """Do what a person does on the device page; returns whether the code is known."""
        with self._lock:
            for device_code, device in self._devices.items():
                if device.user_code == user_code:
                    decision: Decision = "granted" if granted else "denied"
                    self._devices[device_code] = replace(device, decision=decision, login=login)
                    return True
        return False

    def poll_device(self, device_code: str, *, client_id: str) -> str:
        """Return the login that a device was given to.

        Raises:
            OAuthError: Not yet, too often, denied, expired, or unknown.
        """
        now = self._settings.clock()
        with self._lock:
            found = self._devices.get(device_code)
            if found is None or found.client_id != client_id:
                raise OAuthError("incorrect_device_code")
            if found.expires_at <= now:
                raise OAuthError("expired_token")
            if found.polled_at is not None and now < found.polled_at + timedelta(seconds=found.interval_s):
                self._devices[device_code] = slower = replace(found, interval_s=found.interval_s + 5, polled_at=now)
                raise OAuthError("slow_down", interval_s=slower.interval_s)
            if found.decision == "waiting":
                self._devices[device_code] = replace(found, polled_at=now)
                raise OAuthError("authorization_pending")
            del self._devices[device_code]
        if found.decision == "denied":
            raise OAuthError("access_denied")
        return found.login


def _challenge(verifier: str) -> str:
    return urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("=")
