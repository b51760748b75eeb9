"""A stand-in without a network, with a clock that the test turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from fastapi.testclient import TestClient

from standin import AppIdentity, Forge, StandinSettings, create_app
from standin.acts import NewPull, NewRepository
from standin.records import Pull

APP_ID = 77


@dataclass
class Clock:
    """Stands still until it is moved."""

    now: datetime = field(default_factory=lambda: datetime(2030, 1, 1, tzinfo=UTC))

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **parts: float) -> None:
        """Move on, by keyword as for ``timedelta``."""
        self.now += timedelta(**parts)


@pytest.fixture(scope="session")
def private_key() -> rsa.RSAPrivateKey:
    """The App's key."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(scope="session")
def other_key() -> rsa.RSAPrivateKey:
    """A key of somebody else."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def clock() -> Clock:
    """The stand-in's clock."""
    return Clock()


@pytest.fixture
def settings(private_key: rsa.RSAPrivateKey, clock: Clock) -> StandinSettings:
    """Settings with an App and two people's tokens."""
    public = private_key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return StandinSettings(
        api_url="http://testserver",
        web_url="http://testserver",
        app=AppIdentity(app_id=APP_ID, public_key_pem=public.decode()),
        tokens={"writes": "marta", "reads": "rita"},
        clock=clock,
    )


@pytest.fixture
def http(settings: StandinSettings) -> Iterator[TestClient]:
    """The stand-in's HTTP side."""
    with TestClient(create_app(settings)) as client:
        yield client


@pytest.fixture
def forge(http: TestClient) -> Forge:
    """The people's side of the same stand-in."""
    return http.app.state.forge


@pytest.fixture
def pull(forge: Forge) -> Pull:
    """An open pull request in ``octo/hello``."""
    forge.create_repository(NewRepository(repository="octo/hello", collaborators={"marta": "write", "rita": "read"}))
    return forge.open_pull(NewPull(repository="octo/hello", title="t", author="kim", files={"a.py": "one\n"}))


@pytest.fixture
def sign(private_key: rsa.RSAPrivateKey, clock: Clock) -> Callable[..., dict[str, str]]:
    """Return headers with an App JWT; keywords replace claims, and None removes one."""

    def make(key: rsa.RSAPrivateKey | str = private_key, algorithm: str = "RS256", **claims: object) -> dict[str, str]:
        now = int(clock.now.timestamp())
        wanted = {"iat": now - 60, "exp": now + 300, "iss": str(APP_ID)} | claims
        token = jwt.encode({name: v for name, v in wanted.items() if v is not None}, key, algorithm=algorithm)
        return {"Authorization": f"Bearer {token}"}

    return make


@pytest.fixture
def install_headers(http: TestClient, pull: Pull, sign: Callable[..., dict[str, str]]) -> dict[str, str]:
    """Headers with an installation token for ``octo/hello``."""
    found = http.get("/repos/octo/hello/installation", headers=sign()).json()
    issued = http.post(f"/app/installations/{found['id']}/access_tokens", headers=sign())
    return {"Authorization": f"token {issued.json()['token']}"}


@pytest.fixture
def reopen(settings: StandinSettings) -> Callable[..., TestClient]:
    """Make another stand-in with changed settings."""
    return lambda **changes: TestClient(create_app(replace(settings, **changes)))
