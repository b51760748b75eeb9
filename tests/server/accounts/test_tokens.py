"""Tokens of an account: what they are good for, for how long, and what is kept of them."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def session(accounts: Any, token: str) -> Any:
    return accounts.service.client.get("/api/v1/session", headers=bearer(token))


def test_a_token_is_told_once_and_kept_as_a_digest(accounts: Any) -> None:
    browser = accounts.browser("octocat")
    token = accounts.token(browser, "bundles:write")
    (row,) = accounts.service.rows("api_token")
    secret = token.removeprefix(f"byo_t_{row['id']}_")
    assert row["secret_hash"] == sha256(secret.encode()).hexdigest()
    assert secret not in str(accounts.service.traces())
    listed = browser.ask("GET", "/api/v1/tokens").json()["items"]
    assert [one["prefix"] for one in listed] == [f"byo_t_{row['id']}"]
    assert secret not in str(listed)
    assert browser.ask("GET", "/api/v1/tokens").headers["cache-control"] == "no-store"


def test_a_token_does_what_it_was_made_for_and_no_more(accounts: Any) -> None:
    token = accounts.token(accounts.browser("octocat"), "challenges:write")
    client = accounts.service.client
    page = session(accounts, token).json()
    assert (page["kind"], page["scopes"], page["csrf_token"]) == ("account", ["challenges:write"], None)
    assert client.post("/api/v1/challenges", json={}, headers=bearer(token)).json()["code"] == "body_invalid"
    refused = {
        "/api/v1/bundles": {},
        "/api/v1/nodes": {},
        "/api/v1/tokens": {"name": "b", "scopes": ["challenges:write"], "expires_in_days": 30},
        "/api/v1/revalidations": {},
    }
    for path, body in refused.items():
        answer = client.post(path, json=body, headers=bearer(token))
        assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing"), path
    assert client.get("/api/v1/tokens", headers=bearer(token)).json()["code"] == "scope_missing"


def test_nobody_gives_what_they_do_not_have(accounts: Any) -> None:
    browser = accounts.browser("octocat")
    body = {"name": "a", "scopes": ["admin"], "expires_in_days": 1}
    assert browser.ask("POST", "/api/v1/tokens", json=body).json()["code"] == "scope_missing"
    body |= {"scopes": ["bundles:write"], "expires_in_days": 91}
    assert browser.ask("POST", "/api/v1/tokens", json=body).json()["code"] == "token_too_long_lived"
    assert accounts.service.rows("api_token") == []


def test_a_role_counts_when_a_token_is_used_not_when_it_was_made(accounts: Any) -> None:
    browser = accounts.browser("octocat")
    accounts.make_admin(browser)
    token = accounts.token(browser, "admin", "bundles:write")
    assert accounts.service.client.get("/api/v1/accounts", headers=bearer(token)).status_code == 200
    accounts.make_admin(browser, "contributor")
    assert session(accounts, token).json()["scopes"] == ["bundles:write"]
    answer = accounts.service.client.get("/api/v1/accounts", headers=bearer(token))
    assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")


def test_a_token_ends_by_time_and_by_revocation(accounts: Any) -> None:
    browser = accounts.browser("octocat")
    token, other = accounts.token(browser, "bundles:write"), accounts.token(browser, "bundles:write")
    number = token.split("_")[2]
    first = browser.ask("POST", f"/api/v1/tokens/{number}/revoke").json()
    assert browser.ask("POST", f"/api/v1/tokens/{number}/revoke").json() == first
    assert session(accounts, token).json()["code"] == "unauthorized"
    assert session(accounts, other).status_code == 200
    accounts.service.clock.advance(30 * 86_400)
    assert session(accounts, other).json()["code"] == "unauthorized"
    assert [action for _, action in accounts.audit()].count("token.revoked") == 1


@pytest.mark.parametrize(
    "broken", ["byo_t_", "byo_t_0123456789ab_x", "byo_k_0123456789ab_x", "byo_t_{id}_", "byo_t_{id}_no", "x.y.z"]
)
def test_what_is_no_token_is_refused(accounts: Any, broken: str) -> None:
    token = accounts.token(accounts.browser("octocat"), "bundles:write")
    answer = session(accounts, broken.format(id=token.split("_")[2]))
    assert answer.json()["code"] in ("unauthorized", "identity_unavailable")
    assert answer.status_code in (401, 503)


def test_a_token_can_end_itself_and_no_other(accounts: Any) -> None:
    browser = accounts.browser("octocat")
    token, other = accounts.token(browser, "bundles:write"), accounts.token(browser, "bundles:write")
    client = accounts.service.client
    answer = client.post(f"/api/v1/tokens/{other.split('_')[2]}/revoke", headers=bearer(token))
    assert answer.json()["code"] == "token_not_found"
    assert client.post(f"/api/v1/tokens/{token.split('_')[2]}/revoke", headers=bearer(token)).status_code == 200
    assert session(accounts, token).status_code == 401
    anonymous = client.post(f"/api/v1/tokens/{other.split('_')[2]}/revoke")
    assert (anonymous.status_code, anonymous.json()["code"]) == (401, "unauthorized")


def test_only_its_account_sees_and_ends_a_token(accounts: Any) -> None:
    token = accounts.token(accounts.browser("octocat"), "bundles:write")
    other = accounts.browser("hubot")
    assert other.ask("GET", "/api/v1/tokens").json()["items"] == []
    path = f"/api/v1/tokens/{token.split('_')[2]}/revoke"
    assert other.ask("POST", path).json()["code"] == "token_not_found"
    accounts.make_admin(other)
    assert other.ask("POST", path).json()["revoked_at"] is not None


def test_the_last_use_is_noted_to_the_minute(accounts: Any) -> None:
    browser = accounts.browser("octocat")
    token = accounts.token(browser, "bundles:write")

    def used() -> str | None:
        found: str | None = browser.ask("GET", "/api/v1/tokens").json()["items"][0]["used_at"]
        return found

    assert used() is None
    session(accounts, token)
    first = used()
    session(accounts, token)
    assert used() == first is not None
    accounts.service.clock.advance(61)
    session(accounts, token)
    assert used() != first


def test_tokens_are_paged(accounts: Any) -> None:
    browser = accounts.browser("octocat")
    made = [accounts.token(browser, "bundles:write").split("_")[2] for _ in range(5)]
    seen, cursor = [], ""
    while cursor is not None:
        page = browser.ask(
            "GET", "/api/v1/tokens", params={"limit": 2, **({"cursor": cursor} if cursor else {})}
        ).json()
        seen += [one["id"] for one in page["items"]]
        cursor = page["next_cursor"]
    assert seen == made[::-1]


def test_a_token_for_a_node_ends_with_its_key(accounts: Any, tmp_path: Path) -> None:
    from worker.bundle.registration import prove
    from worker.bundle.signature import generate_key

    browser, key = accounts.browser("octocat"), generate_key(tmp_path / "node.pem")
    account = browser.ask("GET", "/api/v1/session").json()["account"]["id"]
    body = {"public_key": key.public_key, "proof": prove(key, account_id=account).decode()}
    assert browser.ask("POST", "/api/v1/nodes", json=body).status_code == 201
    token = accounts.token(browser, "jobs:work", node_key_id=key.key_id)
    assert session(accounts, token).json()["kind"] == "node"
    stranger = {"name": "b", "scopes": ["jobs:work"], "expires_in_days": 1, "node_key_id": key.key_id}
    assert accounts.browser("hubot").ask("POST", "/api/v1/tokens", json=stranger).json()["code"] == "node_not_found"
    assert browser.ask("POST", f"/api/v1/nodes/{key.key_id}/revoke").json()["revoked_at"] is not None
    assert session(accounts, token).status_code == 401


def test_accounts_are_paged_and_roles_are_for_administrators(accounts: Any) -> None:
    for login in ("a-1", "a-2", "a-3"):
        accounts.browser(login)
    client, admin = accounts.service.client, accounts.service.admin
    first = client.get("/api/v1/accounts", params={"limit": 2}, headers=admin).json()
    second = client.get("/api/v1/accounts", params={"limit": 2, "cursor": first["next_cursor"]}, headers=admin).json()
    assert [one["login"] for one in first["items"] + second["items"]] == ["a-3", "a-2", "a-1"]
    assert second["next_cursor"] is None
    path = f"/api/v1/accounts/{first['items'][0]['id']}/role"
    assert client.put(path, json={"role": "admin"}).json()["code"] == "unauthorized"
    assert client.put(path, json={"role": "king"}, headers=admin).json()["code"] == "body_invalid"
    assert (
        client.put("/api/v1/accounts/7/role", json={"role": "admin"}, headers=admin).json()["code"]
        == "account_not_found"
    )
    assert (
        client.get("/api/v1/accounts", params={"cursor": "WzEsImEiXQ"}, headers=admin).json()["code"]
        == "cursor_invalid"
    )
    browser = accounts.browser("a-2")
    accounts.make_admin(browser, "maintainer")
    assert "jobs:request" in browser.ask("GET", "/api/v1/session").json()["scopes"]
    assert ("admin", "account.role") in accounts.audit()


def test_the_audit_log_names_the_account(accounts: Any) -> None:
    browser = accounts.browser("octocat")
    number = browser.ask("GET", "/api/v1/session").json()["account"]["id"]
    accounts.token(browser, "bundles:write")
    browser.ask("POST", "/api/v1/tokens", json={})
    assert accounts.audit()[-2:] == [
        (f"account:{number} octocat", "token.made"),
        (f"account:{number} octocat", "refused"),
    ]
