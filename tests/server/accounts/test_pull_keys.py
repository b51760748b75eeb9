"""Keys of pull requests: good for one commit of one pull request, whatever anything is called (F32)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from worker.bundle import Bundle

HEAD, OTHER_HEAD = "a" * 40, "c" * 40
REPOSITORY, FORK = 1001, 2002


def add_pull(
    accounts: Any, number: int, *, repository: int = REPOSITORY, name: str = "octo/kernels", **more: Any
) -> None:
    from server.models import Pull, Repository

    services = accounts.service.services
    with services.database.write() as session:
        session.merge(Repository(id=repository, name=name, seen_at=services.clock()))
        session.flush()
        values = {
            "title": "Faster", "body": "", "author": "octocat", "state": "open", "merged": False, "draft": False,
            "head_sha": HEAD, "base_sha": "b" * 40, "url": "https://github.example/1", "seen_at": services.clock(),
        }  # fmt: skip
        session.add(Pull(repository_id=repository, number=number, **{**values, **more}))


def issue(browser: Any, number: int = 1, name: str = "octo/kernels") -> Any:
    return browser.ask("POST", f"/api/v1/pulls/{name}/{number}/keys")


def post(accounts: Any, bundle: Bundle, key: str) -> Any:
    body = {"manifest": bundle.manifest_bytes.decode(), "envelope": None}
    return accounts.service.client.post("/api/v1/bundles", json=body, headers={"Authorization": f"Bearer {key}"})


@pytest.mark.parametrize(
    ("subject", "code"),
    [
        ({}, None),
        ({"pull_number": 2}, "credential_confined"),
        ({"head_sha": OTHER_HEAD}, "credential_confined"),
        ({"repository_id": FORK}, "credential_confined"),  # named alike: numbers decide
        ({"repository_id": FORK, "repository": "mallory/kernels"}, "credential_confined"),
        ({"repository": "octo/renamed"}, None),  # renamed or transferred: numbers decide
        ({"repository_id": "unknown"}, "credential_confined"),
        ({"head_sha": "unknown"}, "credential_confined"),
    ],
)
def test_a_key_uploads_what_it_is_for(
    accounts: Any, make_bundle: Callable[..., Bundle], subject: dict[str, Any], code: str | None
) -> None:
    add_pull(accounts, 1)
    add_pull(accounts, 2)
    add_pull(accounts, 1, repository=FORK, name="mallory/kernels")
    key = issue(accounts.browser("octocat")).json()["key"]
    answer = post(accounts, make_bundle(**subject), key)
    assert (answer.json().get("code"), answer.status_code) == (code, 201 if code is None else 403)
    assert len(accounts.service.rows("bundle")) == (code is None)


def test_a_key_submits_no_bundle_of_another_pull_request(accounts: Any, make_bundle: Callable[..., Bundle]) -> None:
    add_pull(accounts, 1)
    add_pull(accounts, 2)
    browser = accounts.browser("octocat")
    mine, other = issue(browser, 1).json()["key"], issue(browser, 2).json()["key"]
    bundle = make_bundle()
    receipt = post(accounts, bundle, mine).json()
    accounts.service.put_missing(bundle, receipt["missing"])
    submit = f"/api/v1/bundles/{bundle.id}/submit"
    answer = accounts.service.client.post(submit, headers={"Authorization": f"Bearer {other}"})
    assert (answer.status_code, answer.json()["code"]) == (403, "credential_confined")
    assert accounts.service.client.post(submit, headers={"Authorization": f"Bearer {mine}"}).status_code == 202


def test_a_key_does_nothing_else(accounts: Any) -> None:
    add_pull(accounts, 1)
    headers = {"Authorization": f"Bearer {issue(accounts.browser('octocat')).json()['key']}"}
    client = accounts.service.client
    for path in ("/api/v1/challenges", "/api/v1/nodes", "/api/v1/tokens", "/api/v1/pulls/octo/kernels/1/keys"):
        assert client.post(path, json={}, headers=headers).json()["code"] == "scope_missing", path
    page = client.get("/api/v1/session", headers=headers).json()
    assert (page["kind"], page["scopes"], page["account"]) == ("pull_key", ["bundles:write"], None)


def test_a_key_ends_by_time_and_by_revocation(accounts: Any, make_bundle: Callable[..., Bundle]) -> None:
    add_pull(accounts, 1)
    browser = accounts.browser("octocat")
    first, second = issue(browser).json(), issue(browser).json()
    ended = browser.ask("POST", f"/api/v1/pull-keys/{first['id']}/revoke").json()
    assert browser.ask("POST", f"/api/v1/pull-keys/{first['id']}/revoke").json() == ended
    assert post(accounts, make_bundle(), first["key"]).json()["code"] == "unauthorized"
    assert post(accounts, make_bundle(), second["key"]).status_code == 201
    accounts.service.clock.advance(7 * 86_400)
    assert post(accounts, make_bundle(), second["key"]).json()["code"] == "unauthorized"
    assert [action for _, action in accounts.audit()].count("pull_key.revoked") == 1


def test_a_key_is_for_the_author_and_for_who_may_write_now(accounts: Any) -> None:
    add_pull(accounts, 1)
    stranger = accounts.browser("mallory")
    assert issue(stranger).json()["code"] == "pull_not_yours"
    accounts.make_admin(stranger)
    assert issue(stranger).status_code == 201
    accounts.make_admin(stranger, "contributor")
    assert issue(stranger).json()["code"] == "pull_not_yours"
    assert issue(accounts.browser("OctoCat")).status_code == 201
    operator = accounts.service.client.post("/api/v1/pulls/octo/kernels/1/keys", headers=accounts.service.admin)
    assert (operator.status_code, operator.json()["issued_by"]) == (201, None)
    assert issue(accounts.browser()).json()["code"] == "unauthorized"


def test_permission_is_asked_for_when_it_is_used(accounts: Any, people: Any) -> None:
    add_pull(accounts, 1)
    browser = accounts.browser("hubot")
    for permission, allowed in (("read", False), ("triage", False), ("write", True), ("none", False), ("admin", True)):
        people.permissions["hubot"] = permission
        assert (issue(browser).status_code == 201) == allowed, permission


def test_a_closed_pull_request_gets_none(accounts: Any) -> None:
    add_pull(accounts, 3, state="closed")
    browser = accounts.browser("octocat")
    assert issue(browser, 3).json()["code"] == "pull_closed"
    assert issue(browser, 4).json()["code"] == "pull_not_found"


def test_keys_are_listed_without_their_secret_for_who_issued_them(accounts: Any) -> None:
    add_pull(accounts, 1)
    browser, other = accounts.browser("octocat"), accounts.browser("hubot")
    made = [issue(browser).json() for _ in range(3)]
    path = "/api/v1/pulls/octo/kernels/1/keys"
    page = browser.ask("GET", path, params={"limit": 2}).json()
    rest = browser.ask("GET", path, params={"cursor": page["next_cursor"]}).json()
    assert [one["id"] for one in page["items"] + rest["items"]] == [one["id"] for one in made[::-1]]
    assert made[0]["key"].split("_", 3)[3] not in str(page) + str(rest) + str(accounts.service.traces())
    assert browser.ask("GET", "/api/v1/pull-keys").json()["items"][0]["id"] == made[-1]["id"]
    assert other.ask("GET", path).json()["items"] == other.ask("GET", "/api/v1/pull-keys").json()["items"] == []
    assert other.ask("POST", f"/api/v1/pull-keys/{made[0]['id']}/revoke").json()["code"] == "pull_key_not_found"
    everybodys = accounts.service.client.get(path, headers=accounts.service.admin).json()
    assert len(everybodys["items"]) == 3
