"""A cookie alone changes nothing: it takes a page of ours."""

from __future__ import annotations

from typing import Any

import pytest

GOOD = {"Origin": "http://testserver", "Sec-Fetch-Site": "same-origin"}
BODY = {"name": "a", "scopes": ["bundles:write"], "expires_in_days": 1}


@pytest.mark.parametrize(
    "changed",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://testserver.evil.example"},
        {"Origin": "http://testserver:8000"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": None, "Sec-Fetch-Site": None},
        {"X-CSRF-Token": None},
        {"X-CSRF-Token": "0" * 64},
    ],
)
def test_what_another_site_sends_is_refused(accounts: Any, changed: dict[str, str | None]) -> None:
    browser = accounts.browser("octocat")
    headers = {**GOOD, "X-CSRF-Token": browser.csrf, **changed}
    sent = {name: value for name, value in headers.items() if value is not None}
    answer = browser.ask("POST", "/api/v1/tokens", trusted=False, headers=sent, json=BODY)
    assert (answer.status_code, answer.json()["code"]) == (403, "csrf_refused")
    assert accounts.service.rows("api_token") == []


@pytest.mark.parametrize("left_out", ["Origin", "Sec-Fetch-Site"])
def test_one_of_the_two_headers_is_enough_with_the_token(accounts: Any, left_out: str) -> None:
    browser = accounts.browser("octocat")
    sent = {**GOOD, "X-CSRF-Token": browser.csrf}
    del sent[left_out]
    assert browser.ask("POST", "/api/v1/tokens", trusted=False, headers=sent, json=BODY).status_code == 201


def test_the_word_of_one_session_is_not_that_of_another(accounts: Any) -> None:
    browser, other = accounts.browser("octocat"), accounts.browser("hubot")
    headers = {**GOOD, "X-CSRF-Token": other.csrf}
    answer = browser.ask("POST", "/api/v1/tokens", trusted=False, headers=headers, json=BODY)
    assert answer.json()["code"] == "csrf_refused"


def test_the_refusal_is_for_every_change_and_for_no_read(accounts: Any) -> None:
    browser = accounts.browser("octocat")
    for path in ("/api/v1/bundles", "/api/v1/challenges", "/api/v1/nodes"):
        assert browser.ask("POST", path, trusted=False, json={}).json()["code"] == "csrf_refused"
    assert browser.ask("DELETE", "/api/v1/session", trusted=False).json()["code"] == "csrf_refused"
    assert browser.ask("GET", "/api/v1/tokens", trusted=False).status_code == 200


def test_a_token_beside_the_cookie_decides(accounts: Any) -> None:
    browser = accounts.browser("octocat")
    headers = {"Authorization": f"Bearer {accounts.token(browser, 'bundles:write')}"}
    answer = browser.ask("POST", "/api/v1/bundles", trusted=False, headers=headers, json={})
    assert answer.json()["code"] == "body_invalid"
