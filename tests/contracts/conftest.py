"""Prism, between the client and the stand-in, checks every request and answer against GitHub's OpenAPI description."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from server.github import AppCredentials, CheckPayload, GitHubClient, GitHubSettings, TokenCredentials
from standin import AppIdentity, Forge, StandinSettings, free_port, running
from standin.acts import NewPull, NewRepository
from standin.records import Pull

HERE = Path(__file__).parent
DESCRIPTION = HERE / "github.openapi.json"
PRISM = HERE / "node_modules" / "@stoplight" / "prism-cli" / "dist" / "index.js"
START_LIMIT_S = 60.0
APP_ID = 77


@dataclass(frozen=True)
class Contract:
    """A stand-in behind Prism.

    Attributes:
        url: Prism; what a client talks to.
        direct_url: The stand-in itself.
        forge: What people do there.
        private_key_pem: Key of the stand-in's App.
    """

    url: str
    direct_url: str
    forge: Forge
    private_key_pem: str


@pytest.fixture(scope="session")
def start_prism(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[int, str], str]]:
    """Start Prism on a port in front of an address; return Prism's address."""
    node = shutil.which("node")
    if node is None or not PRISM.exists():
        pytest.fail(
            "The contract tests need Node 20 or newer and Prism: run `npm ci --prefix tests/contracts`.",
            pytrace=False,
        )
    started: list[subprocess.Popen[bytes]] = []
    logs = tmp_path_factory.mktemp("prism")

    def start(port: int, upstream: str) -> str:
        log = logs / f"{port}.log"
        command = [node, str(PRISM), "proxy", "--errors", "-p", str(port), str(DESCRIPTION), upstream]
        with log.open("wb") as sink:
            process = subprocess.Popen(command, stdout=sink, stderr=subprocess.STDOUT, cwd=HERE)
        started.append(process)
        limit = time.monotonic() + START_LIMIT_S
        while b"Prism is listening" not in log.read_bytes():
            if process.poll() is not None or time.monotonic() > limit:
                pytest.fail(f"Prism did not start:\n{log.read_text()}", pytrace=False)
            time.sleep(0.05)
        return f"http://127.0.0.1:{port}"

    yield start
    for process in started:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="session")
def contract(start_prism: Callable[[int, str], str]) -> Iterator[Contract]:
    """One stand-in behind one Prism for all tests here; each test makes a repository of its own."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    port, proxy_port = free_port(), free_port()
    settings = StandinSettings(
        api_url=f"http://127.0.0.1:{proxy_port}",
        web_url=f"http://127.0.0.1:{port}",
        app=AppIdentity(app_id=APP_ID, public_key_pem=public.decode()),
        tokens={"personal": "mallory", "maintainer": "marta"},
    )
    with running(settings, port=port) as standin:
        yield Contract(start_prism(proxy_port, standin.url), standin.url, standin.forge, private)


@pytest.fixture
def pull(contract: Contract, request: pytest.FixtureRequest) -> Pull:
    """An open pull request in a repository that only this test uses."""
    name = f"octo/{hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:12]}"
    contract.forge.create_repository(NewRepository(repository=name, collaborators={"marta": "write"}))
    return contract.forge.open_pull(
        NewPull(
            repository=name,
            title="Decode faster",
            body="A claim",
            author="kim",
            base_files={"a.py": "one\n", "b.py": "b\n"},
            files={"a.py": "one\ntwo\n", "b.py": None, "c.py": "c\n"},
        )
    )


@pytest.fixture
def repository(contract: Contract, pull: Pull) -> str:
    """``owner/name`` of the pull request's repository."""
    with contract.forge.store.reading() as state:
        return state.repositories[pull.repository_id].full_name


@pytest.fixture
def app_client(contract: Contract) -> Iterator[GitHubClient]:
    """Our client as the App, through Prism."""
    credentials = AppCredentials(app_id=APP_ID, private_key_pem=contract.private_key_pem)
    with GitHubClient(GitHubSettings(credentials=credentials, base_url=contract.url)) as client:
        yield client


@pytest.fixture
def token_client(contract: Contract) -> Iterator[GitHubClient]:
    """Our client as a person who may write, through Prism."""
    with GitHubClient(
        GitHubSettings(credentials=TokenCredentials(token="maintainer"), base_url=contract.url)
    ) as client:
        yield client


@pytest.fixture
def payload(pull: Pull, repository: str) -> CheckPayload:
    """A finished check on the pull request's head."""
    return CheckPayload(
        repository=repository,
        repository_id=pull.repository_id,
        pull_number=pull.number,
        head_sha=pull.head_sha,
        external_id="check-1",
        name="byogpu",
        status="completed",
        conclusion="neutral",
        title="No evidence yet",
        summary="| claim | verdict |\n| --- | --- |\n| c1 | no evidence |",
        text="More.",
        details_url="http://127.0.0.1:1/pulls/1",
    )


@pytest.fixture
def raw(contract: Contract) -> Iterator[httpx.Client]:
    """A bare HTTP client that talks to Prism as the person ``marta``."""
    with httpx.Client(
        base_url=contract.url, headers={"Authorization": "Bearer maintainer"}, trust_env=False, timeout=30
    ) as client:
        yield client
