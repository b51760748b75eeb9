"""One key, one effect, the same answer again."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from worker.bundle.signature import generate_key

if TYPE_CHECKING:
    from tests.conftest import Service


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def service(request: pytest.FixtureRequest, make_service: Callable[..., Service]) -> Service:
    """On each kind of database."""
    url = "" if request.param == "sqlite" else request.getfixturevalue("new_postgres")()
    return make_service(database_url=url)


@pytest.fixture
def body(tmp_path: Path) -> dict[str, Any]:
    return {"public_key": generate_key(tmp_path / "node.pem").public_key, "owner": "octocat"}


def post(service: Service, body: object, key: str, **headers: str) -> Any:
    sent = {**service.admin, "Idempotency-Key": key, **headers}
    return service.client.post("/api/v1/nodes", json=body, headers=sent)


def test_the_same_request_is_answered_as_before_and_done_once(service: Service, body: dict[str, Any]) -> None:
    first, second = post(service, body, "k"), post(service, body, "k")
    assert (first.status_code, second.status_code) == (201, 201)  # without the key the second is 200
    assert first.content == second.content
    assert "idempotency-replayed" not in first.headers
    assert second.headers["idempotency-replayed"] == "true"
    assert [row["action"] for row in service.rows("audit")] == ["node.registered"]
    assert post(service, body, "other").status_code == 200


def test_a_key_belongs_to_one_request(service: Service, body: dict[str, Any]) -> None:
    post(service, body, "k")
    answer = post(service, {**body, "owner": "mallory"}, "k")
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    elsewhere = service.client.post("/api/v1/bundles", json=body, headers={**service.admin, "Idempotency-Key": "k"})
    assert elsewhere.json()["code"] == "idempotency_key_reused"


def test_a_refusal_is_not_kept(service: Service, body: dict[str, Any]) -> None:
    assert post(service, {**body, "public_key": "0" * 63}, "k").json()["code"] == "body_invalid"
    assert service.rows("kept_answer") == []
    assert post(service, body, "k").status_code == 201


def test_owners_do_not_share_keys(service: Service, body: dict[str, Any]) -> None:
    post(service, body, "k")
    answer = service.client.post("/api/v1/nodes", json=body, headers={"Idempotency-Key": "k"})
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")


def test_an_answer_is_kept_for_a_day(service: Service, body: dict[str, Any]) -> None:
    post(service, body, "k")
    service.clock.advance(24 * 3600)
    assert post(service, {**body, "owner": "mallory"}, "k").json()["code"] == "node_conflict"


def test_a_request_that_is_being_answered_waits(service: Service, body: dict[str, Any]) -> None:
    from server.models import KeptAnswer

    assert post(service, body, "k").status_code == 201
    with service.services.database.write() as session:
        (kept,) = session.query(KeptAnswer).all()
        kept.status, kept.body = None, None
    answer = post(service, body, "k")
    assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_in_progress")
    assert answer.headers["retry-after"] == "1"


def test_of_requests_that_come_at_once_one_is_done(service: Service, body: dict[str, Any]) -> None:
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: post(service, body, "k"), range(4)))
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert [row["action"] for row in service.rows("audit") if row["action"] != "refused"] == ["node.registered"]


@pytest.mark.parametrize("key", ["", "k" * 129])
def test_a_key_has_a_form(service: Service, body: dict[str, Any], key: str) -> None:
    assert post(service, body, key).json()["code"] == "header_invalid"


def test_the_body_is_limited_before_it_is_kept(service: Service) -> None:
    answer = post(service, {"public_key": "0" * 10_000}, "k")
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
    assert service.rows("kept_answer") == []


def test_who_asks_too_often_leaves_nothing_behind_and_is_counted_once(
    make_service: Callable[..., Service], body: dict[str, Any]
) -> None:
    service = make_service(writes_per_minute=2)
    assert post(service, body, "a").status_code == 201
    assert post(service, body, "b").headers["ratelimit"].startswith('"write";r=0;')
    answer = post(service, body, "c")
    assert (answer.status_code, answer.json()["code"]) == (429, "rate_limited")
    assert len(service.rows("kept_answer")) == 2
