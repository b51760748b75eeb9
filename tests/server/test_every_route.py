"""What is promised of the API as a whole holds for each of its routes, however it is written, whoever adds one."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from judge.policy import OPEN_POLICY
from server.accounts import service as accounts
from server.accounts.github import Person
from server.app import describe_service
from server.checks import pulls
from server.credentials import csrf_token
from server.seen import Seen
from worker.suites import load

if TYPE_CHECKING:
    from tests.conftest import Service
    from worker.bundle import Bundle

Operation = dict[str, Any]
HEAD_SHA = "a" * 40
IMAGE = f"registry.example/eval-smoke@sha256:{'1' * 64}"
WEBHOOK = "receive_webhook"
TOLD_ONCE = {"post_token", "post_pull_key", "post_device"}
"""Routes that tell a secret: an answer that is kept would keep it."""
SAME_BY_ITSELF = {
    "abandon_challenge", "announce_parts", "approve_job", "cancel_job", "claim_job", "delete_claims", "fail_job",
    "finish_job", "put_claims",
    "invalidate_bundle", "order_job", "post_device_token", "post_heartbeat", "post_progress", "post_revalidations",
    "put_part", "put_policy", "put_role", "receive_webhook", "reinstate_bundle", "release_bundle", "repeat_job",
    "retract_bundle", "revoke_node", "revoke_pull_key", "revoke_token", "submit_bundle", "sync_pull", "delete_session",
}  # fmt: skip
"""Routes that create nothing that a second request would create again."""


@dataclass(frozen=True)
class Route:
    """One operation of the description."""

    name: str
    method: str
    path: str
    shown: Operation

    def __str__(self) -> str:
        return self.name

    @property
    def takes_key(self) -> bool:
        return any(one["name"] == "Idempotency-Key" for one in self.shown.get("parameters", ()))

    @property
    def is_about_credentials(self) -> bool:
        return bool({"accounts", "sign-in"} & set(self.shown["tags"]))

    def at(self, values: dict[str, Any]) -> str:
        return re.sub(r"\{(\w+)\}", lambda found: str(values[found[1]]), self.path)


ROUTES = [
    Route(operation["operationId"], method.upper(), path, operation)
    for path, methods in describe_service()["paths"].items()
    for method, operation in methods.items()
    if path.startswith("/api/")
]
NOWHERE = {
    "bundle_id": "0" * 64, "sha256": "0" * 64, "owner": "octo", "name": "kernels", "number": 1, "key_id": "0" * 64,
    "challenge_id": "c-1", "job_id": "j-1", "token_id": "0" * 12, "account_id": 1,
}  # fmt: skip
"""Parameters of the right shape that name nothing."""


NEEDS_QUERY = {"list_challenges": {"pull": "octo/kernels/1"}}
WITH_BODY = [route for route in ROUTES if "requestBody" in route.shown]
MOST_BYTES = {"post_bundle": 9 << 20, "receive_webhook": 2 << 20, "claim_job": 1 << 18}
"""What the largest bodies may have; all others less than 64 KiB."""


@dataclass
class Exchange:
    """One request straight to the application, by a client that never stops sending."""

    app: Any
    read: int = 0
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    def send(self, method: str, path: str, **headers: str) -> None:
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "https",
            "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "client": ("127.0.0.1", 1),
            "server": ("byogpu.example", 443), "state": {},
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()],
        }  # fmt: skip
        asyncio.run(self.app(scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        chunk = b" " * 65536
        self.read += len(chunk)
        assert self.read < 1 << 30, "the application would read for ever"
        return {"type": "http.request", "body": chunk, "more_body": True}

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode().lower(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")


@pytest.fixture
def spent(make_service: Callable[..., Service]) -> Service:
    """A service whose client has used all requests of its minute."""
    service = make_service(reads_per_minute=1, writes_per_minute=1, parts_per_minute=1)
    for method, path in (("GET", "/api/v1/rules"), ("POST", "/api/v1/revalidations"), ("PUT", PART)):
        service.client.request(method, path, headers=service.admin)
    return service


PART = f"/api/v1/blobs/{'0' * 64}/parts/1"


def test_every_route_but_the_webhooks_counts_and_says_when_to_come_back(spent: Service) -> None:
    for route in ROUTES:
        answer = spent.client.request(route.method, route.at(NOWHERE), headers=spent.admin, follow_redirects=False)
        if route.name == WEBHOOK:
            assert "ratelimit" not in answer.headers
            continue
        assert (answer.status_code, answer.json()["code"]) == (429, "rate_limited"), route
        assert 1 <= int(answer.headers["retry-after"]) <= 60, route
        kind = "part" if route.name == "put_part" else "read" if route.method == "GET" else "write"
        assert answer.headers["ratelimit-policy"] == f'"{kind}";q=1;w=60', route
        assert answer.headers["ratelimit"].startswith(f'"{kind}";r=0;t='), route


def test_every_answer_says_where_one_stands(service: Service) -> None:
    for route in ROUTES:
        answer = service.client.request(route.method, route.at(NOWHERE), follow_redirects=False)
        assert ("ratelimit" in answer.headers) == (route.name != WEBHOOK), route


@pytest.fixture
def session(service: Service) -> dict[str, str]:
    """Headers of an administrator's browser: whoever may send everything."""
    with service.services.database.write() as writing:
        account = accounts.welcome(writing, Person(id=7, login="kim"), now=service.clock())
        account.role = "admin"
        cookie = accounts.open_session(writing, account, service.services)
    return {
        "cookie": f"__Host-byogpu_session={cookie}", "x_csrf_token": csrf_token(cookie), "sec_fetch_site": "same-origin"
    }  # fmt: skip


def test_a_declared_length_is_refused_before_anything_is_read(service: Service, session: dict[str, str]) -> None:
    for route in WITH_BODY:
        sent = {**session, **_headers(route), "content_length": str(10**12)}
        for headers in [sent, {**sent, "idempotency_key": "k"}] if route.takes_key else [sent]:
            exchange = Exchange(service.client.app)
            exchange.send(route.method, route.at(NOWHERE), **headers)
            assert exchange.read == 0, route
            # Of a part that nobody has announced the size does not matter.
            assert exchange.status == (404 if route.name == "put_part" else 413), (route, exchange.body)
    assert service.rows("kept_answer") == []


def test_a_body_of_unknown_length_is_read_up_to_its_limit_only(service: Service, session: dict[str, str]) -> None:
    for route in WITH_BODY:
        exchange = Exchange(service.client.app)
        exchange.send(route.method, route.at(NOWHERE), **session, **_headers(route))
        assert exchange.read <= MOST_BYTES.get(route.name, 65536) + 65536, route
        assert exchange.status == (404 if route.name == "put_part" else 413), (route, exchange.body)


def test_a_route_without_a_body_reads_none(service: Service) -> None:
    found = [route for route in ROUTES if route not in WITH_BODY]
    assert len(found) > 30
    for route in found:
        exchange = Exchange(service.client.app)
        exchange.send(route.method, route.at(NOWHERE), authorization=service.admin["Authorization"])
        assert exchange.read == 0, route
        assert exchange.status, route


def _headers(route: Route) -> dict[str, str]:
    (media,) = route.shown["requestBody"]["content"]
    digest = {"content_digest": f"sha-256=:{'A' * 43}=:"} if route.name == "put_part" else {}
    return {"content_type": media, **digest}


@pytest.fixture
def known(
    make_service: Callable[..., Service], make_bundle: Callable[..., Bundle]
) -> tuple[Service, dict[str, Any], dict[str, str]]:
    """A service with one thing of each kind, the parameters that name them, and somebody's session."""
    service = make_service(
        github_oauth_client_id="client", github_oauth_client_secret="secret-of-the-client", job_images={"smoke": IMAGE}
    )
    seen = Seen(
        repository_id=1001, repository="octo/kernels", number=1, title="Faster", body="", author="kim", state="open",
        head_sha=HEAD_SHA, base_sha="b" * 40,
    )  # fmt: skip
    with service.services.database.write() as session:
        pulls.store(session, service.services, seen, actor="admin")
        account = accounts.welcome(session, Person(id=7, login="kim"), now=service.clock())
        account.role = "admin"
        cookie = accounts.open_session(session, account, service.services)
    bundle = make_bundle()
    service.upload(bundle)
    service.client.put(
        "/api/v1/repositories/octo/kernels/policy", json=OPEN_POLICY.model_dump(mode="json"), headers=service.admin
    ).raise_for_status()
    asked = {"repository": "octo/kernels", "pull_number": 1, "suite_digest": load("smoke").digest}
    challenge = service.client.post("/api/v1/challenges", json=asked, headers=service.admin).json()
    order = {"repository": "octo/kernels", "pull_number": 1, "head_sha": HEAD_SHA, "suite": "smoke"}
    job = service.client.post("/api/v1/jobs", json=order, headers=service.admin).json()
    values = {
        **NOWHERE, "bundle_id": bundle.id, "sha256": bundle.manifest.files[0].sha256,
        "challenge_id": challenge["id"], "job_id": job["id"],
    }  # fmt: skip
    return service, values, {"Cookie": f"__Host-byogpu_session={cookie}"}


def test_every_read_can_be_made_conditional_or_is_never_kept(
    known: tuple[Service, dict[str, Any], dict[str, str]],
) -> None:
    service, values, session = known
    query = {**NEEDS_QUERY, "compare_bundles": {"a": values["bundle_id"], "b": values["bundle_id"]}}
    tagged = 0
    for route in ROUTES:
        if route.method != "GET" or route.name in ("sign_in", "come_back", "get_envelope"):
            continue  # two send the browser elsewhere; the bundle has no envelope
        path, asked = route.at(values), query.get(route.name)
        first = service.client.get(path, params=asked, headers=session)
        assert first.status_code == 200, (route, first.text)
        tag = first.headers.get("etag")
        if route.is_about_credentials:
            assert (tag, first.headers["cache-control"]) == (None, "no-store"), route
            assert "304" not in route.shown["responses"], route
            continue
        assert tag, route
        assert {"304", "200"} <= route.shown["responses"].keys(), route
        again = service.client.get(path, params=asked, headers={**session, "If-None-Match": tag})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag), route
        tagged += 1
    assert tagged > 20


def test_every_list_is_paged_by_cursor(known: tuple[Service, dict[str, Any], dict[str, str]]) -> None:
    service, values, session = known
    lists = 0
    for route in ROUTES:
        named = {one["name"] for one in route.shown.get("parameters", ()) if one["in"] == "query"}
        if not {"cursor", "limit"} & named:
            continue
        assert {"cursor", "limit"} <= named, route
        path, needed = route.at(values), NEEDS_QUERY.get(route.name, {})
        page = service.client.get(path, params={**needed, "limit": 1}, headers=session).json()
        assert len(page["items"]) <= 1, route
        assert "next_cursor" in page, route
        for wrong, code in (({"limit": 0}, "parameter_invalid"), ({"limit": 101}, "parameter_invalid"),
                            ({"cursor": "x"}, "cursor_invalid")):  # fmt: skip
            answer = service.client.get(path, params={**needed, **wrong}, headers=session)
            assert (answer.status_code, answer.json()["code"]) == (400, code), route
        lists += 1
    assert lists >= 11
    unpaged = {"list_rules", "list_suites", "list_metrics"}  # of this release, and no longer than it
    answers = [route for route in ROUTES if route.name.startswith("list_") and route.name not in unpaged]
    assert len(answers) == lists


def test_every_route_that_creates_takes_a_key_or_tells_a_secret_once() -> None:
    creating = {route.name for route in ROUTES if "201" in route.shown["responses"]}
    taking = {route.name for route in ROUTES if route.takes_key}
    assert creating - taking == TOLD_ONCE
    unsafe = {route.name for route in ROUTES if route.method != "GET"}
    assert unsafe - creating == SAME_BY_ITSELF, "say of a new route why it may be sent twice"


def test_every_key_makes_one_answer_of_two_requests(
    known: tuple[Service, dict[str, Any], dict[str, str]], make_bundle: Callable[..., Bundle]
) -> None:
    service, _, _ = known
    challenge = {"repository": "octo/kernels", "pull_number": 1, "suite_digest": load("smoke").digest}
    bodies: dict[str, Any] = {
        "post_bundle": {"manifest": make_bundle(rows=3).manifest_bytes.decode(), "envelope": None},
        "post_challenge": challenge,
        "post_node": {"public_key": "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "owner": "o"},
    }
    assert set(bodies) == {route.name for route in ROUTES if route.takes_key}
    for route in ROUTES:
        if not route.takes_key:
            continue
        headers = {**service.admin, "Idempotency-Key": route.name}
        first, second = (service.client.post(route.path, json=bodies[route.name], headers=headers) for _ in range(2))
        assert (first.status_code, second.status_code) == (201, 201), first.text
        assert (second.content, second.headers["idempotency-replayed"]) == (first.content, "true")
        other = service.client.post(route.path, json={"other": 1}, headers=headers)
        assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
