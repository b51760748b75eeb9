"""Signing in on a machine without a browser."""

from __future__ import annotations

from typing import Any

import pytest

NAME = "login from a machine"


def begin(accounts: Any) -> dict[str, Any]:
    answer = accounts.service.client.post("/api/v1/sign-in/device")
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def poll(accounts: Any, device: dict[str, Any]) -> Any:
    body = {"device_code": device["device_code"], "name": NAME}
    return accounts.service.client.post("/api/v1/sign-in/device/token", json=body)


def decide(accounts: Any, device: dict[str, Any], *, granted: bool = True) -> None:
    body = {"user_code": device["user_code"], "login": "octocat", "granted": granted}
    assert accounts.github.post(f"{accounts.hub.url}/_standin/device", json=body).status_code == 204


def test_a_device_gets_a_token_once_its_user_has_agreed(accounts: Any) -> None:
    device = begin(accounts)
    assert device["verification_uri"] == f"{accounts.hub.url}/login/device"
    assert poll(accounts, device).json() == {"state": "waiting", "interval_s": None, "account": None, "token": None}
    accounts.service.clock.advance(6)
    decide(accounts, device)
    granted = poll(accounts, device).json()
    assert (granted["state"], granted["account"]["login"]) == ("granted", "octocat")
    assert granted["token"]["scopes"] == ["bundles:write", "challenges:write", "jobs:work", "nodes:write"]
    headers = {"Authorization": f"Bearer {granted['token']['token']}"}
    assert accounts.service.client.get("/api/v1/session", headers=headers).json()["account"]["login"] == "octocat"
    assert accounts.service.client.get("/api/v1/tokens", headers=headers).json()["code"] == "scope_missing"
    accounts.service.clock.advance(6)
    assert poll(accounts, device).json()["code"] == "sign_in_expired"
    assert len(accounts.service.rows("api_token")) == 1


def test_who_asks_too_often_is_told_to_wait_longer(accounts: Any) -> None:
    device = begin(accounts)
    poll(accounts, device)
    assert poll(accounts, device).json()["interval_s"] == 10


def test_a_device_that_is_denied_gets_nothing(accounts: Any) -> None:
    device = begin(accounts)
    decide(accounts, device, granted=False)
    answer = poll(accounts, device)
    assert (answer.status_code, answer.json()["code"]) == (403, "sign_in_denied")


def test_a_device_that_waits_too_long_gets_nothing(accounts: Any) -> None:
    device = begin(accounts)
    accounts.service.clock.advance(901)
    answer = poll(accounts, device)
    assert (answer.status_code, answer.json()["code"]) == (410, "sign_in_expired")


@pytest.mark.parametrize("kind", ["server_error", "garbage", "lost_answer"])
def test_a_github_that_is_away_is_said_to_be(accounts: Any, kind: str) -> None:
    from standin.faults import Fault

    device = begin(accounts)
    decide(accounts, device)
    accounts.hub.forge.faults.plan(Fault.model_validate({"kind": kind, "path_contains": "/user"}))
    answer = poll(accounts, device)
    assert (answer.status_code, answer.json()["code"]) == (502, "github_failed")
    assert accounts.service.rows("account") == []
