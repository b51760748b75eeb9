"""What is asked of GitHub when somebody signs in. The token it gives is used once, to ask who they are, and dropped."""

import base64
import hashlib
import secrets
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode

import httpx
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from server.errors import AppError
from server.services import Services
from server.settings import Settings

_MAX_ANSWER_BYTES = 100_000
_DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Token(_Answer):
    access_token: str | None = Field(default=None, max_length=500)
    error: str | None = Field(default=None, max_length=100)
    interval: int | None = Field(default=None, ge=1, le=600)


class _User(_Answer):
    id: int = Field(ge=1, lt=2**53)
    login: str = Field(pattern=r"^[A-Za-z0-9-]{1,39}(\[bot\])?$|^[A-Za-z0-9_-]{1,100}$")


class Device(_Answer):
    """A device sign-in that GitHub has begun."""

    device_code: str = Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")
    user_code: str = Field(pattern=r"^[A-Za-z0-9-]{1,20}$")
    verification_uri: str = Field(max_length=500)
    expires_in: int = Field(ge=1, le=86_400)
    interval: int = Field(ge=1, le=600)


AnyAnswer = TypeVar("AnyAnswer", bound=_Answer)


@dataclass(frozen=True)
class Person:
    """Somebody, as GitHub knows them."""

    id: int
    login: str


@dataclass(frozen=True)
class Waiting:
    """Nobody has agreed yet.

    Attributes:
        slow_down_s: The interval from now on, if we asked too often.
    """

    slow_down_s: int | None


class SignInGitHub:
    """GitHub's side of signing in.

    Args:
        services: The service; its settings name the App.
    """

    def __init__(self, services: Services) -> None:
        self._settings = services.settings

    def address(self, *, state: str, verifier: str) -> str:
        """Where to send a browser."""
        digest = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        query = {
            "client_id": self._client_id,
            "redirect_uri": callback(self._settings),
            "state": state,
            "code_challenge": digest,
            "code_challenge_method": "S256",
            "scope": "",  # who they are is public; nothing else is asked for
        }
        return f"{self._settings.github_web_url}/login/oauth/authorize?{urlencode(query)}"

    def redeem(self, code: str, *, verifier: str) -> Person:
        """Who came back with a code.

        Raises:
            AppError: ``sign_in_denied``: GitHub does not take the code; ``github_failed``.
        """
        answer = self._post("/login/oauth/access_token", _Token, self._redemption(code, verifier))
        if answer.access_token is None:
            raise AppError("sign_in_denied", f"GitHub says {answer.error or 'nothing'}.")
        return self._who(answer.access_token)

    def begin_device(self) -> Device:
        """Begin a sign-in on a device without a browser.

        Raises:
            AppError: ``github_failed``.
        """
        return self._post("/login/device/code", Device, {"client_id": self._client_id, "scope": ""})

    def poll_device(self, device_code: str) -> Person | Waiting:
        """Who agreed to a device's sign-in, if somebody did.

        Raises:
            AppError: ``sign_in_denied``, ``sign_in_expired``, ``github_failed``.
        """
        fields = {"client_id": self._client_id, "device_code": device_code, "grant_type": _DEVICE_GRANT}
        answer = self._post("/login/oauth/access_token", _Token, fields)
        if answer.access_token is not None:
            return self._who(answer.access_token)
        match answer.error:
            case "authorization_pending":
                return Waiting(None)
            case "slow_down":
                return Waiting(answer.interval or 10)
            case "expired_token" | "incorrect_device_code":
                raise AppError("sign_in_expired", "The code expired, or was used; begin again.")
            case _:
                raise AppError("sign_in_denied", f"GitHub says {answer.error or 'nothing'}.")

    @property
    def _client_id(self) -> str:
        if self._settings.github_oauth_client_id is None:
            raise AppError("sign_in_disabled", "Set BYOGPU_GITHUB_OAUTH_CLIENT_ID to let people sign in.")
        return self._settings.github_oauth_client_id

    def _redemption(self, code: str, verifier: str) -> dict[str, str]:
        secret = self._settings.github_oauth_client_secret
        return {
            "client_id": self._client_id,
            "client_secret": "" if secret is None else secret.get_secret_value(),
            "code": code,
            "redirect_uri": callback(self._settings),
            "code_verifier": verifier,
        }

    def _who(self, token: str) -> Person:
        headers = {"Authorization": f"Bearer {token}", "X-GitHub-Api-Version": "2022-11-28"}
        user = self._ask("GET", f"{self._settings.github_url}/user", _User, headers=headers)
        return Person(user.id, user.login)

    def _post(self, path: str, answer: type[AnyAnswer], fields: dict[str, str]) -> AnyAnswer:
        return self._ask("POST", f"{self._settings.github_web_url}{path}", answer, fields=fields)

    def _ask(
        self,
        method: str,
        url: str,
        answer: type[AnyAnswer],
        *,
        fields: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
    ) -> AnyAnswer:
        sent = {"Accept": "application/json", "User-Agent": "byogpu", **(headers or {})}
        try:
            with (
                httpx.Client(timeout=self._settings.github_timeout_s, follow_redirects=False) as client,
                client.stream(method, url, data=fields, headers=sent) as response,
            ):
                body = bytearray()
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > _MAX_ANSWER_BYTES:
                        raise ValueError("the answer is too long")
                response.raise_for_status()
            return answer.model_validate_json(bytes(body))
        except (httpx.HTTPError, ValidationError, ValueError) as error:
            raise AppError("github_failed", f"Signing in: {type(error).__name__}.") from error


def callback(settings: Settings) -> str:
    """Where GitHub sends browsers back to; the App has to be registered with it."""
    return f"{settings.public_url}/api/v1/sign-in/callback"


def new_verifier() -> str:
    """A PKCE verifier."""
    return secrets.token_urlsafe(48)
