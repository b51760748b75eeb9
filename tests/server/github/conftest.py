"""Our client against a stand-in in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from server.github import AppCredentials, CheckPayload, GitHubClient, GitHubSettings, TokenCredentials
from standin import AppIdentity, RunningStandin, StandinSettings, free_port, running
from standin.acts import NewPull, NewRepository
from standin.records import Pull

APP_ID = 77


@pytest.fixture(scope="session")
def private_key() -> rsa.RSAPrivateKey:
    """The App's key."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture
def standin(private_key: rsa.RSAPrivateKey) -> Iterator[RunningStandin]:
    """A stand-in of this test alone."""
    public = private_key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    app = AppIdentity(app_id=APP_ID, public_key_pem=public.decode())
    with running(StandinSettings(api_url=url, web_url=url, app=app, tokens={"personal": "marta"}), port=port) as one:
        yield one


@pytest.fixture
def connect(standin: RunningStandin) -> Iterator[Callable[[AppCredentials | TokenCredentials], GitHubClient]]:
    """Make a client with these credentials; all are closed at the end."""
    clients: list[GitHubClient] = []

    def make(credentials: AppCredentials | TokenCredentials) -> GitHubClient:
        clients.append(GitHubClient(GitHubSettings(credentials=credentials, base_url=standin.url, timeout_s=10)))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def client(
    connect: Callable[[AppCredentials | TokenCredentials], GitHubClient], private_key: rsa.RSAPrivateKey
) -> GitHubClient:
    """Our client as the App."""
    pem = private_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return connect(AppCredentials(app_id=APP_ID, private_key_pem=pem.decode()))


@pytest.fixture
def token_client(connect: Callable[[AppCredentials | TokenCredentials], GitHubClient]) -> GitHubClient:
    """Our client as a person who may write."""
    return connect(TokenCredentials(token="personal"))


@pytest.fixture
def pull(standin: RunningStandin) -> Pull:
    """An open pull request in ``octo/hello``."""
    standin.forge.create_repository(NewRepository(repository="octo/hello", collaborators={"marta": "write"}))
    return standin.forge.open_pull(
        NewPull(repository="octo/hello", title="Decode faster", author="kim", files={"a.py": "one\n"})
    )


@pytest.fixture
def payload(pull: Pull) -> CheckPayload:
    """A finished check on the pull request's head."""
    return CheckPayload(
        repository="octo/hello",
        repository_id=pull.repository_id,
        pull_number=pull.number,
        head_sha=pull.head_sha,
        external_id="check-1",
        name="byogpu",
        status="completed",
        conclusion="failure",
        title="1 claim contradicted",
        summary="One claim.",
        details_url="http://127.0.0.1:1/pulls/1",
    )
