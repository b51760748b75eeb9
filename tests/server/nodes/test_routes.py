"""Registering nodes, and what their signatures are worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from worker.bundle import Bundle
from worker.bundle.signature import NodeKey, generate_key, sign

if TYPE_CHECKING:
    from tests.conftest import Service


@pytest.fixture
def key(tmp_path: Path) -> NodeKey:
    return generate_key(tmp_path / "node.pem")


def register(service: Service, key: NodeKey, owner: str = "octocat", *, project: bool = False) -> int:
    body = {"public_key": key.public_key, "owner": owner, "project": project}
    answer = service.client.post("/api/v1/nodes", json=body, headers=service.admin)
    if answer.is_success:
        assert answer.json() == {"key_id": key.key_id, **body}
    return answer.status_code


def signed(bundle: Bundle, key: NodeKey) -> Bundle:
    return replace(bundle, envelope=sign(bundle.manifest_bytes, key))


def signature(service: Service, bundle: Bundle) -> tuple[str, str | None]:
    (row,) = [row for row in service.rows("bundle") if row["id"] == bundle.id]
    return row["signature"], row["node_key_id"]


def test_registering_is_repeatable_and_belongs_to_one_owner(service: Service, key: NodeKey) -> None:
    assert register(service, key) == 201
    assert register(service, key) == 200
    assert register(service, key, owner="mallory") == 409
    assert [row["action"] for row in service.rows("audit")] == ["node.registered", "refused"]


def test_a_node_becomes_the_projects_and_ceases_to_be(service: Service, key: NodeKey) -> None:
    body = {"public_key": key.public_key, "owner": "octocat"}
    answer = service.client.post("/api/v1/nodes", json=body, headers=service.admin)
    assert answer.json()["project"] is False
    assert register(service, key, project=True) == 200
    assert register(service, key, owner="mallory", project=False) == 409
    assert [row["project"] for row in service.rows("node")] == [1]
    assert register(service, key) == 200
    actions = ["node.registered", "node.made_project", "refused", "node.no_longer_project"]
    assert [row["action"] for row in service.rows("audit")] == actions


def test_a_registered_nodes_signature_is_valid(
    service: Service, key: NodeKey, make_bundle: Callable[..., Bundle]
) -> None:
    register(service, key)
    bundle = signed(make_bundle(), key)
    assert service.post(bundle).status_code == 201
    assert signature(service, bundle) == ("valid", key.key_id)


def test_an_unregistered_nodes_signature_is_unknown(
    service: Service, key: NodeKey, make_bundle: Callable[..., Bundle]
) -> None:
    bundle = signed(make_bundle(), key)
    assert service.post(bundle).status_code == 201
    assert signature(service, bundle) == ("unknown_key", None)


def test_a_signature_over_another_manifest_is_invalid(
    service: Service, key: NodeKey, make_bundle: Callable[..., Bundle]
) -> None:
    register(service, key)
    other = signed(make_bundle(rows=3), key)
    bundle = replace(make_bundle(), envelope=other.envelope)
    assert service.post(bundle).status_code == 201
    assert signature(service, bundle) == ("invalid", None)


def test_a_signature_can_be_added_until_the_upload_is_complete(
    service: Service, key: NodeKey, make_bundle: Callable[..., Bundle]
) -> None:
    register(service, key)
    bundle = make_bundle()
    service.post(bundle)
    assert service.post(signed(bundle, key)).status_code == 200
    assert signature(service, bundle) == ("valid", key.key_id)
    assert service.post(bundle).status_code == 200
    assert signature(service, bundle) == ("valid", key.key_id)


def test_a_valid_signature_is_never_replaced(
    service: Service, key: NodeKey, make_bundle: Callable[..., Bundle], tmp_path: Path
) -> None:
    register(service, key)
    bundle = make_bundle()
    service.post(signed(bundle, key))
    other = generate_key(tmp_path / "other.pem")
    answer = service.post(signed(bundle, other))
    assert (answer.status_code, answer.json()["code"]) == (409, "envelope_conflict")
    assert signature(service, bundle) == ("valid", key.key_id)


def test_without_an_admin_token_the_route_is_closed(make_service: Callable[..., Service], key: NodeKey) -> None:
    service = make_service(admin_token=None)
    answer = service.client.post("/api/v1/nodes", json={"public_key": key.public_key, "owner": "o"})
    assert (answer.status_code, answer.json()["code"]) == (403, "admin_disabled")


@pytest.mark.parametrize("authorization", [None, "Bearer wrong", "Basic YTpi", "Bearer", "Bearer \xe9"])
def test_only_the_admin_token_opens_it(service: Service, key: NodeKey, authorization: str | None) -> None:
    headers = {} if authorization is None else {"Authorization": authorization.encode("latin-1")}
    answer = service.client.post("/api/v1/nodes", json={"public_key": key.public_key, "owner": "o"}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert service.rows("node") == []


def test_what_comes_after_a_key_was_revoked_is_not_signed_and_what_came_before_is(
    service: Service, key: NodeKey, make_bundle: Callable[..., Bundle]
) -> None:
    def submit(bundle: Bundle) -> None:
        service.put_missing(bundle, service.post(bundle).json()["missing"])
        assert service.client.post(f"/api/v1/bundles/{bundle.id}/submit").status_code == 202
        service.work()

    register(service, key)
    before, between, after = (signed(make_bundle(rows=n), key) for n in (40, 41, 42))
    submit(before)
    receipt = service.post(between).json()
    revoked = service.client.post(f"/api/v1/nodes/{key.key_id}/revoke", headers=service.admin)
    assert revoked.json()["revoked_at"] is not None
    assert service.client.post(f"/api/v1/nodes/{key.key_id}/revoke", headers=service.admin).json() == revoked.json()
    service.put_missing(between, receipt["missing"])
    service.client.post(f"/api/v1/bundles/{between.id}/submit")
    service.work()
    submit(after)
    service.client.post("/api/v1/revalidations", headers=service.admin)
    service.work()
    assert signature(service, before) == ("valid", key.key_id)
    assert signature(service, between) == signature(service, after) == ("unknown_key", None)
    assert [row["action"] for row in service.rows("audit")].count("node.revoked") == 1
    again = service.client.post(
        "/api/v1/nodes", json={"public_key": key.public_key, "owner": "octocat"}, headers=service.admin
    )
    assert (again.status_code, again.json()["code"]) == (409, "node_revoked")
    unknown = service.client.post(f"/api/v1/nodes/{'0' * 64}/revoke", headers=service.admin)
    assert unknown.json()["code"] == "node_not_found"


def test_an_operator_says_whose_node_it_is(service: Service, key: NodeKey) -> None:
    answer = service.client.post("/api/v1/nodes", json={"public_key": key.public_key}, headers=service.admin)
    assert (answer.status_code, answer.json()["code"]) == (422, "node_owner_invalid")
