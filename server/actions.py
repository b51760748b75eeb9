"""Identities that GitHub Actions gives to a workflow: a signed token, checked against one issuer's keys.

The issuer stands in the settings. Where its keys are follows from it; nothing in a token is ever fetched.
"""

import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import httpx
import jwt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from server.errors import AppError
from server.principals import Confines, Principal

_KEYS = "/.well-known/jwks"
_MAX_KEYS_BYTES = 200_000
_MAX_TOKEN_CHARACTERS = 8_000
_KEEP = timedelta(hours=1)
_ASK_AGAIN = timedelta(minutes=1)
_LEEWAY = timedelta(seconds=60)
_TIMEOUT_S = 10.0
_END = 2**37
"""Seconds: later than that is no date."""
# Times and names are judged below, by our clock and against our settings.
_SIGNATURE_ONLY: jwt.types.Options = {
    "verify_aud": False, "verify_exp": False, "verify_iat": False, "verify_iss": False, "verify_nbf": False,
    "verify_sub": False,
}  # fmt: skip


class _Claims(BaseModel):
    """What is needed of a token; all of it has to be there."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    iss: str
    aud: str
    iat: int = Field(ge=0, lt=_END)
    exp: int = Field(ge=0, lt=_END)
    nbf: int = Field(default=0, ge=0, lt=_END)
    repository_id: str = Field(pattern=r"^[1-9][0-9]{0,17}$")
    sha: str = Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")
    ref: str = Field(min_length=1, max_length=1000)
    workflow: str = Field(max_length=1000)


class ActionsIssuer:
    """Checks tokens of one issuer. May be used from several threads.

    Args:
        issuer: Its address, which its tokens name.
        audience: Whom a token has to be meant for: this service.
        clock: Now.
    """

    def __init__(self, issuer: str, *, audience: str, clock: Callable[[], datetime]) -> None:
        self._issuer = issuer
        self._audience = audience
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._read_at: datetime | None = None

    def principal(self, token: str) -> Principal:
        """Whom a token speaks for: uploads about the repository that its workflow runs in, and nothing else.

        Raises:
            AppError: ``unauthorized``: the token is not good here; ``identity_unavailable``: the issuer's keys cannot
                be read.
        """
        claims = self._verified(token)
        now = self._clock()
        if (claims.iss, claims.aud) != (self._issuer, self._audience):
            raise _refused("it is of another issuer, or for another audience")
        if now >= datetime.fromtimestamp(claims.exp, now.tzinfo) + _LEEWAY:
            raise _refused("it expired")
        if now + _LEEWAY < datetime.fromtimestamp(max(claims.iat, claims.nbf), now.tzinfo):
            raise _refused("it is not valid yet")
        return Principal(
            kind="actions",
            owner=f"repository:{claims.repository_id}",
            scopes=frozenset({"bundles:write", "challenges:write"}),
            confines=Confines(int(claims.repository_id), _pull_of(claims.ref)),
        )

    def _verified(self, token: str) -> _Claims:
        try:
            if len(token) > _MAX_TOKEN_CHARACTERS:
                raise _refused("it is too long")
            key = self._key(str(jwt.get_unverified_header(token).get("kid", "")))
            return _Claims.model_validate(jwt.decode(token, key, algorithms=["RS256"], options=_SIGNATURE_ONLY))
        except (jwt.InvalidTokenError, ValidationError, ValueError, OverflowError) as error:
            raise _refused("it is malformed, or its signature is wrong") from error

    def _key(self, kid: str) -> jwt.PyJWK:
        """The issuer's key of that name. A name that is not known makes us look again, at most once a minute."""
        with self._lock:
            now = self._clock()
            age = None if self._read_at is None else now - self._read_at
            if age is None or age >= _KEEP or (kid not in self._keys and age >= _ASK_AGAIN):
                self._keys, self._read_at = self._read(), now
            found = self._keys.get(kid)
        if found is None:
            raise _refused("its key is not the issuer's")
        return found

    def _read(self) -> Mapping[str, jwt.PyJWK]:
        try:
            with (
                httpx.Client(timeout=_TIMEOUT_S, follow_redirects=False) as client,
                client.stream("GET", self._issuer + _KEYS) as answer,
            ):
                answer.raise_for_status()
                body = bytearray()
                for chunk in answer.iter_bytes():
                    body += chunk
                    if len(body) > _MAX_KEYS_BYTES:
                        raise ValueError("too many keys")
            return _parse(bytes(body))
        except (httpx.HTTPError, ValueError, jwt.PyJWTError) as error:
            raise AppError(
                "identity_unavailable", "The issuer's keys cannot be read now.", headers={"Retry-After": "30"}
            ) from error


class _KeySet(BaseModel):
    keys: tuple[dict[str, Any], ...] = Field(max_length=100)


def _parse(body: bytes) -> Mapping[str, jwt.PyJWK]:
    listed = _KeySet.model_validate_json(body).keys
    usable = [one for one in listed if one.get("kty") == "RSA" and one.get("use", "sig") == "sig"]
    return {str(one["kid"]): jwt.PyJWK.from_dict({**one, "alg": "RS256"}) for one in usable if "kid" in one}


def _pull_of(ref: str) -> int | None:
    """The pull request that a ref such as ``refs/pull/7/merge`` belongs to."""
    parts = ref.split("/")
    if len(parts) == 4 and parts[:2] == ["refs", "pull"] and parts[2].isascii() and parts[2].isdigit():
        return int(parts[2][:15])
    return None


def _refused(reason: str) -> AppError:
    return AppError("unauthorized", f"The identity is not taken: {reason}.", headers={"WWW-Authenticate": "Bearer"})
