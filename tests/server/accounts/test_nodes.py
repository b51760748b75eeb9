"""Nodes that belong to an account."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from worker.bundle.registration import prove
from worker.bundle.signature import NodeKey, generate_key, sign


@pytest.fixture
def key(tmp_path: Path) -> NodeKey:
    return generate_key(tmp_path / "node.pem")


def number(browser: Any) -> int:
    found: int = browser.ask("GET", "/api/v1/session").json()["account"]["id"]
    return found


def register(browser: Any, key: NodeKey, proof: bytes, **more: Any) -> Any:
    body = {"public_key": key.public_key, "proof": proof.decode(), **more}
    return browser.ask("POST", "/api/v1/nodes", json=body)


def test_who_holds_a_key_registers_it_for_themselves(accounts: Any, key: NodeKey) -> None:
    browser = accounts.browser("octocat")
    proof = prove(key, account_id=number(browser))
    assert register(browser, key, proof).json()["owner"] == "octocat"
    assert register(browser, key, proof).status_code == 200
    (node,) = browser.ask("GET", "/api/v1/account/nodes").json()["items"]
    assert (node["key_id"], node["owner"], node["project"]) == (key.key_id, "octocat", False)
    assert accounts.audit()[-1] == (f"account:{number(browser)} octocat", "node.registered")


def test_a_proof_is_about_one_account_and_one_key(accounts: Any, key: NodeKey, tmp_path: Path) -> None:
    browser, mallory = accounts.browser("octocat"), accounts.browser("mallory")
    mine, other = number(browser), generate_key(tmp_path / "other.pem")
    for proof in (
        prove(key, account_id=mine),  # replayed by somebody else
        prove(other, account_id=number(mallory)),  # of a key that they do hold
        sign(b"{}", key),  # signed for something else
        b"{}",
    ):
        answer = register(mallory, key, proof)
        assert (answer.status_code, answer.json()["code"]) == (422, "proof_invalid")
    missing = mallory.ask("POST", "/api/v1/nodes", json={"public_key": key.public_key})
    assert missing.json()["code"] == "proof_invalid"
    assert accounts.service.rows("node") == []


def test_a_node_has_one_account(accounts: Any, key: NodeKey) -> None:
    browser, other = accounts.browser("octocat"), accounts.browser("hubot")
    register(browser, key, prove(key, account_id=number(browser)))
    assert register(other, key, prove(key, account_id=number(other))).json()["code"] == "node_conflict"
    assert other.ask("POST", f"/api/v1/nodes/{key.key_id}/revoke").json()["code"] == "node_not_found"
    assert browser.ask("POST", f"/api/v1/nodes/{key.key_id}/revoke").json()["revoked_at"] is not None


def test_naming_an_owner_or_the_project_is_for_operators(accounts: Any, key: NodeKey) -> None:
    browser = accounts.browser("octocat")
    proof = prove(key, account_id=number(browser))
    assert register(browser, key, proof, owner="somebody").json()["code"] == "scope_missing"
    assert register(browser, key, proof, project=True).json()["code"] == "scope_missing"


def test_nodes_follow_the_login(accounts: Any, key: NodeKey) -> None:
    browser = accounts.browser("octocat")
    register(browser, key, prove(key, account_id=number(browser)))
    with accounts.hub.forge.store.changing() as state:
        state.users["octodog"] = state.users.pop("octocat").model_copy(update={"login": "octodog"})
    accounts.browser("octodog")
    assert [row["owner"] for row in accounts.service.rows("node")] == ["octodog"]
