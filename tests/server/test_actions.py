"""Identities of GitHub Actions: one issuer, one audience, one repository."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

if TYPE_CHECKING:
    from tests.conftest import Service
    from worker.bundle import Bundle

AUDIENCE = "https://byogpu.example"


@dataclass
class Issuer:
    """An issuer on this machine.

    Attributes:
        url: Its address.
        keys: By name; what it publishes.
        asked: Paths that were read.
        status: What it answers with.
    """

    url: str
    keys: dict[str, rsa.RSAPrivateKey]
    asked: list[str] = field(default_factory=list)
    status: int = 200

    def token(
        self, service: Service, *, kid: str = "one", key: Any = None, algorithm: str = "RS256", **more: Any
    ) -> str:
        now = int(service.clock.now.timestamp())
        claims = {
            "iss": self.url, "aud": AUDIENCE, "iat": now, "nbf": now, "exp": now + 300, "repository_id": "1001",
            "sha": "a" * 40, "ref": "refs/pull/1/merge", "workflow": "evaluate", "repository": "octo/kernels",
        }  # fmt: skip
        kept = {name: value for name, value in {**claims, **more}.items() if value is not None}
        return jwt.encode(kept, key or self.keys["one"], algorithm=algorithm, headers={"kid": kid})


@pytest.fixture(scope="module")
def keys() -> dict[str, rsa.RSAPrivateKey]:
    return {name: rsa.generate_private_key(public_exponent=65537, key_size=2048) for name in ("one", "two")}


@pytest.fixture
def issuer(keys: dict[str, rsa.RSAPrivateKey]) -> Iterator[Issuer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            issuer.asked.append(self.path)
            listed = [
                {**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key())), "kid": kid, "use": "sig"}
                for kid, key in issuer.keys.items()
            ]
            body = json.dumps({"keys": listed}).encode()
            self.send_response(issuer.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer = Issuer(f"http://127.0.0.1:{server.server_port}", {"one": keys["one"]})
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield issuer
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def service(make_service: Callable[..., Service], issuer: Issuer) -> Service:
    return make_service(actions_issuer=issuer.url, anonymous_uploads=False)


def ask(service: Service, token: str) -> Any:
    return service.client.get("/api/v1/session", headers={"Authorization": f"Bearer {token}"})


def test_a_workflow_uploads_for_its_repository_and_pull_request(
    service: Service, issuer: Issuer, make_bundle: Callable[..., Bundle]
) -> None:
    headers = {"Authorization": f"Bearer {issuer.token(service)}"}
    assert service.client.get("/api/v1/session", headers=headers).json() == {
        "kind": "actions", "account": None, "scopes": ["bundles:write", "challenges:write"], "csrf_token": None,
        "sign_in": None,
    }  # fmt: skip

    def post(**subject: Any) -> Any:
        body = {"manifest": make_bundle(**subject).manifest_bytes.decode(), "envelope": None}
        return service.client.post("/api/v1/bundles", json=body, headers=headers)

    assert post().status_code == 201
    assert post(repository_id=2002).json()["code"] == "credential_confined"
    assert post(pull_number=2).json()["code"] == "credential_confined"
    assert service.rows("audit")[0]["actor"] == "repository:1001"
    assert issuer.asked == ["/.well-known/jwks"]


def test_a_branch_is_no_pull_request_but_the_repository_binds(service: Service, issuer: Issuer) -> None:
    principal = service.services.actions.principal(issuer.token(service, ref="refs/heads/main"))
    assert principal.confines is not None
    assert (principal.confines.repository_id, principal.confines.pull_number) == (1001, None)
    assert principal.owner == "repository:1001"


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "https://evil.example"},
        {"aud": "https://other.example"},
        {"aud": [AUDIENCE, "https://other.example"]},
        {"exp": 1},
        {"exp": None},
        {"nbf": 32503680000},
        {"iat": 32503680000},
        {"repository_id": None},
        {"repository_id": "0"},
        {"repository_id": "1001 "},
        {"sha": "main"},
        {"ref": None},
        {"workflow": None},
        {"exp": 10**30},
    ],
)
def test_what_is_not_for_us_is_refused(service: Service, issuer: Issuer, changed: dict[str, Any]) -> None:
    answer = ask(service, issuer.token(service, **changed))
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")


def test_only_the_issuers_own_keys_count(service: Service, issuer: Issuer, keys: dict[str, rsa.RSAPrivateKey]) -> None:
    assert ask(service, issuer.token(service, key=keys["two"])).json()["code"] == "unauthorized"
    public = json.dumps({"kid": "one"})
    assert ask(service, issuer.token(service, key="x" * 32, algorithm="HS256")).json()["code"] == "unauthorized"
    unsigned = jwt.encode({"iss": issuer.url, "aud": AUDIENCE}, None, algorithm="none", headers={"kid": "one"})
    assert ask(service, unsigned).json()["code"] == "unauthorized"
    pointing = jwt.encode(
        {"iss": issuer.url},
        keys["two"],
        algorithm="RS256",
        headers={"kid": "one", "jku": f"{issuer.url}/evil", "jwk": public},
    )
    assert ask(service, pointing).json()["code"] == "unauthorized"
    assert set(issuer.asked) == {"/.well-known/jwks"}


def test_a_new_key_is_found_and_an_unknown_one_asks_once_a_minute(
    service: Service, issuer: Issuer, keys: dict[str, rsa.RSAPrivateKey]
) -> None:
    assert ask(service, issuer.token(service)).status_code == 200
    issuer.keys = {"two": keys["two"]}
    token = issuer.token(service, kid="two", key=keys["two"])
    for _ in range(3):
        assert ask(service, token).status_code == 401
    assert len(issuer.asked) == 1
    service.clock.advance(61)
    assert ask(service, token).status_code == 200
    assert len(issuer.asked) == 2


def test_an_issuer_that_is_away_is_not_the_callers_fault(service: Service, issuer: Issuer) -> None:
    issuer.status = 500
    answer = ask(service, issuer.token(service))
    assert (answer.status_code, answer.json()["code"]) == (503, "identity_unavailable")
    assert answer.headers["retry-after"] == "30"


def test_a_redirect_of_the_issuer_is_not_followed(service: Service, issuer: Issuer) -> None:
    issuer.status = 302
    assert ask(service, issuer.token(service)).json()["code"] == "identity_unavailable"
