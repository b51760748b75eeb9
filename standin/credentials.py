"""Who is calling: the App itself (JWT), one of its installations (short-lived token), or a person (personal token)."""

from __future__ import annotations

import hmac
import secrets
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta

import jwt

from standin.errors import ApiError, not_found, not_permitted
from standin.records import Access, Installation, Permissions, Repository
from standin.settings import AppIdentity, StandinSettings

MAX_JWT_LIFETIME = timedelta(minutes=10)
NOT_DECODED = "A JSON web token could not be decoded"

# The claims are judged below, by our clock and with GitHub's words.
_SIGNATURE_ONLY: jwt.types.Options = {
    "verify_aud": False,
    "verify_exp": False,
    "verify_iat": False,
    "verify_iss": False,
    "verify_nbf": False,
    "verify_sub": False,
}


@dataclass(frozen=True)
class AppCaller:
    """The App itself. It may manage installations and nothing else."""


@dataclass(frozen=True)
class InstallationCaller:
    """The App, acting in one installation."""

    installation_id: int
    repository_ids: frozenset[int]
    permissions: Permissions


@dataclass(frozen=True)
class UserCaller:
    """A person with a personal token."""

    login: str


Caller = AppCaller | InstallationCaller | UserCaller


@dataclass(frozen=True)
class IssuedToken:
    """An installation token that we gave out."""

    caller: InstallationCaller
    expires_at: datetime


class Credentials:
    """Verifies callers and issues installation tokens. Tokens live in memory: a restart makes clients renew them.

    Attributes:
        issued_count: Installation tokens given out since the start.
    """

    def __init__(self, settings: StandinSettings) -> None:
        self._settings = settings
        self.issued_count = 0
        self._issued: dict[str, IssuedToken] = {}
        self._signed_in: dict[str, str] = {}
        self._lock = threading.Lock()

    def identify(self, authorization: str) -> Caller:
        """Return who sends this ``Authorization`` header.

        Raises:
            ApiError: 401.
        """
        scheme, _, value = authorization.partition(" ")
        value = value.strip()
        if scheme.lower() not in ("bearer", "token") or not value:
            raise ApiError(401, "Requires authentication")
        if value.count(".") == 2:
            _verify_jwt(value, self._settings.app, now=self._settings.clock())
            return AppCaller()
        for token, person in self._settings.tokens.items():
            if hmac.compare_digest(token.encode(), value.encode()):
                return UserCaller(person)
        with self._lock:
            issued, login = self._issued.get(value), self._signed_in.get(value)
        if login is not None:
            return UserCaller(login)
        if issued is None or issued.expires_at <= self._settings.clock():
            raise ApiError(401, "Bad credentials")
        return issued.caller

    def issue(
        self, installation: Installation, *, repository_ids: frozenset[int], permissions: Permissions
    ) -> tuple[str, datetime]:
        """Give out a token for part of an installation; return it and its end."""
        token = f"ghs_{secrets.token_urlsafe(27)}"
        expires_at = self._settings.clock().replace(microsecond=0) + self._settings.token_lifetime
        caller = InstallationCaller(installation.id, repository_ids, permissions)
        with self._lock:
            self._issued[token] = IssuedToken(caller, expires_at)
            self.issued_count += 1
        return token, expires_at

    def issue_user(self, login: str) -> str:
        """Give out a token for somebody who signed in."""
        token = f"gho_{secrets.token_urlsafe(27)}"
        with self._lock:
            self._signed_in[token] = login
        return token

    def revoke(self, installation_id: int | None = None) -> None:
        """End the tokens of one installation, or of all."""
        with self._lock:
            self._issued = {
                token: issued
                for token, issued in self._issued.items()
                if installation_id is not None and issued.caller.installation_id != installation_id
            }


def require_app(caller: Caller) -> None:
    """Let only the App itself pass.

    Raises:
        ApiError: 401.
    """
    if not isinstance(caller, AppCaller):
        raise ApiError(401, NOT_DECODED)


def require_access(caller: Caller, repository: Repository, *, permission: str, access: Access) -> None:
    """Let pass who may do this in this repository.

    Args:
        caller: Who asks.
        repository: Where.
        permission: Name of the App permission, such as ``checks``.
        access: What is wanted.

    Raises:
        ApiError: 404 where the caller may not even see the repository, 403 where it may but not do this.
    """
    match caller:
        case AppCaller():
            raise ApiError(401, "Bad credentials")
        case InstallationCaller():
            if repository.id not in caller.repository_ids:
                raise not_found()
            granted = caller.permissions.get(permission)
            if granted is None or (access == "write" and granted != "write"):
                raise not_permitted()
        case UserCaller():
            role = repository.collaborators.get(caller.login)
            if role is None:
                raise not_found()
            if permission == "checks" and access == "write":
                raise ApiError(403, "You must authenticate via a GitHub App.")
            comments = permission in ("issues", "pull_requests")
            if access == "write" and role in ("read", "triage") and not comments:
                raise ApiError(403, "Resource not accessible by personal access token")


def _verify_jwt(token: str, app: AppIdentity | None, *, now: datetime) -> None:
    """Check an App's JWT as GitHub does: RS256, our key, issuer, issued in the past, at most ten minutes to live."""
    if app is None:
        raise ApiError(401, NOT_DECODED)
    try:
        claims = jwt.decode(token, app.public_key_pem, algorithms=["RS256"], options=_SIGNATURE_ONLY)
    except jwt.InvalidTokenError as error:
        raise ApiError(401, NOT_DECODED) from error
    issued, expires = claims.get("iat"), claims.get("exp")
    if not isinstance(expires, int) or expires <= now.timestamp():
        raise ApiError(
            401,
            "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the "
            "assertion expires",
        )
    if expires - now.timestamp() > MAX_JWT_LIFETIME.total_seconds():
        raise ApiError(401, "'Expiration time' claim ('exp') is too far in the future")
    if not isinstance(issued, int) or issued > now.timestamp():
        raise ApiError(
            401,
            "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
        )
    if str(claims.get("iss")) != str(app.app_id):
        raise ApiError(401, "'Issuer' claim ('iss') must be an Integer")
