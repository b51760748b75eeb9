"""Signing in with GitHub in a browser, and what a session is good for."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

if TYPE_CHECKING:
    from tests.conftest import Service


def query_of(address: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query, keep_blank_values=True).items()}


def test_who_signs_in_has_an_account_and_leaves_no_secret_in_the_database(accounts: Any) -> None:
    browser = accounts.browser("octocat")
    page = browser.ask("GET", "/api/v1/session").json()
    assert (page["kind"], page["account"]["login"], page["account"]["role"]) == ("account", "octocat", "contributor")
    assert page["scopes"] == ["bundles:write", "challenges:write", "jobs:work", "nodes:write"]
    (cookie,) = browser.cookies.values()
    (row,) = accounts.service.rows("web_session")
    assert row["id"] == sha256(cookie.encode()).hexdigest()
    assert cookie not in str(accounts.service.traces())
    assert browser.csrf not in str(accounts.service.traces())
    assert accounts.service.rows("sign_in") == []
    assert [action for _, action in accounts.audit()] == ["session.opened"]


def test_github_is_asked_for_nothing_but_the_name(accounts: Any) -> None:
    asked = query_of(accounts.browser().leave())
    assert asked["scope"] == ""
    assert asked["redirect_uri"] == "http://testserver/api/v1/sign-in/callback"
    assert asked["code_challenge_method"] == "S256"
    (row,) = accounts.service.rows("sign_in")
    digest = urlsafe_b64encode(sha256(row["verifier"].encode()).digest()).decode().rstrip("=")
    assert asked["code_challenge"] == digest
    assert asked["state"] not in str(row)


def test_the_cookie_is_kept_from_scripts_and_other_sites(accounts: Any) -> None:
    browser = accounts.browser()
    answer = browser.ask("GET", browser.agree(browser.leave(), "octocat"))
    (cookie,) = [one for one in answer.headers.get_list("set-cookie") if one.startswith("byogpu_session=")]
    attributes = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "samesite=lax", "path=/"} <= attributes
    assert "secure" not in attributes  # the public address is http
    assert answer.headers["cache-control"] == "no-store"


def test_over_https_the_cookie_is_bound_to_the_host(make_service: Callable[..., Service]) -> None:
    from server import csrf

    settings = make_service(public_url="https://byogpu.example").services.settings
    from fastapi import Response

    response = Response()
    csrf.set_cookie(response, settings, "value", max_age_s=60)
    cookie = response.headers["set-cookie"]
    assert cookie.startswith("__Host-byogpu_session=value;")
    assert "Secure" in cookie
    assert "Domain" not in cookie


def test_a_state_is_good_once_for_the_browser_that_left_and_for_a_while(accounts: Any) -> None:
    browser = accounts.browser()
    back = browser.agree(browser.leave(), "octocat")
    stranger = accounts.browser()
    assert problem(stranger.ask("GET", back)) == "sign_in_state_invalid"  # and it is spent
    assert problem(browser.ask("GET", back)) == "sign_in_state_invalid"
    late = browser.agree(browser.leave(), "octocat")
    accounts.service.clock.advance(601)
    assert problem(browser.ask("GET", late)) == "sign_in_state_invalid"
    again = browser.agree(browser.leave(), "octocat")
    assert browser.ask("GET", again).headers["location"] == "/account"
    assert problem(browser.ask("GET", again)) == "sign_in_state_invalid"
    assert len(accounts.service.rows("web_session")) == 1


def test_a_code_of_somebody_elses_sign_in_is_not_taken(accounts: Any) -> None:
    mallory, victim = accounts.browser(), accounts.browser()
    code = query_of(mallory.agree(mallory.leave(), "mallory"))["code"]
    state = query_of(victim.leave())["state"]
    answer = victim.ask("GET", "/api/v1/sign-in/callback", params={"code": code, "state": state})
    assert problem(answer) == "sign_in_denied"  # PKCE: the verifier is another one
    assert accounts.service.rows("web_session") == []


def test_who_says_no_at_github_is_not_signed_in(accounts: Any) -> None:
    browser = accounts.browser()
    back = accounts.github.get(browser.leave() + "&denied=1").headers["location"]
    assert problem(browser.ask("GET", back.removeprefix("http://testserver"))) == "sign_in_denied"


@pytest.mark.parametrize(
    ("asked", "followed"),
    [
        ("/pulls/octo/kernels/1?tab=2", "/pulls/octo/kernels/1?tab=2"),
        ("https://evil.example/", "/account"),
        ("//evil.example/", "/account"),
        ("/\\evil.example", "/account"),
        ("javascript:alert(1)", "/account"),
        ("/\r\nSet-Cookie: a=b", "/account"),
    ],
)
def test_a_sign_in_leads_to_a_page_of_ours_and_nowhere_else(accounts: Any, asked: str, followed: str) -> None:
    assert accounts.browser().sign_in("octocat", return_to=asked).headers["location"] == followed


def test_a_session_ends_when_idle_and_after_its_time(accounts: Any) -> None:
    idle = accounts.browser("octocat")
    accounts.service.clock.advance(24 * 3600 + 1)
    assert idle.ask("GET", "/api/v1/session").json()["kind"] == "anonymous"
    refused = idle.ask("POST", "/api/v1/tokens", json={})
    assert (refused.status_code, refused.json()["code"]) == (401, "unauthorized")
    busy = accounts.browser("octocat")
    for _ in range(14 * 2):
        assert busy.ask("GET", "/api/v1/session").json()["kind"] == "account"
        accounts.service.clock.advance(12 * 3600)
    assert busy.ask("GET", "/api/v1/session").json()["kind"] == "anonymous"


def test_signing_out_ends_the_session_for_whoever_has_the_cookie(accounts: Any) -> None:
    browser = accounts.browser("octocat")
    copied = dict(browser.cookies)
    assert browser.ask("DELETE", "/api/v1/session").status_code == 204
    assert browser.cookies == {}
    browser.cookies = copied
    assert browser.ask("GET", "/api/v1/session").json()["kind"] == "anonymous"
    assert accounts.audit()[-1][1] == "session.closed"


def test_a_login_that_changed_is_the_same_account(accounts: Any) -> None:
    browser = accounts.browser("octocat")
    before = browser.ask("GET", "/api/v1/session").json()["account"]
    with accounts.hub.forge.store.changing() as state:
        state.users["octodog"] = state.users.pop("octocat").model_copy(update={"login": "octodog"})
    after = accounts.browser("octodog").ask("GET", "/api/v1/session").json()["account"]
    assert (after["id"], after["login"]) == (before["id"], "octodog")
    assert "account.renamed" in [action for _, action in accounts.audit()]


def test_without_an_app_nobody_signs_in(service: Service) -> None:
    answer = service.client.get("/api/v1/sign-in", follow_redirects=False)
    assert (answer.status_code, answer.json()["code"]) == (403, "sign_in_disabled")
    assert service.client.get("/api/v1/session").json()["sign_in"] is None


def test_what_is_over_is_swept_away(accounts: Any) -> None:
    from server.runner import sweep

    accounts.browser("octocat")
    accounts.browser().leave()
    accounts.service.clock.advance(15 * 24 * 3600)
    sweep(accounts.service.services)
    accounts.service.work()
    assert accounts.service.rows("web_session") == accounts.service.rows("sign_in") == []


def problem(answer: Any) -> str:
    assert answer.status_code == 303
    return query_of(answer.headers["location"])["problem"]
