"""Claims that are stated through the API are judged like those of the description, and only where it has none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from server.credentials import OF_ACCOUNT, mint
from server.models import Account, ApiToken

if TYPE_CHECKING:
    from tests.server.checks.conftest import Desk
    from worker.bundle import Bundle

HEAD = "b" * 40
URL = "/api/v1/pulls/octo/kernels/1/claims"
BLOCK = '- {id: stated, metric: step_latency_us, cells: {batch: 1}, relation: ">= 1.5x baseline"}'
DESCRIBED = f"```byogpu-claims\n{BLOCK.replace('stated', 'described')}\n```"


class GitHub:
    """Lets `writer` write."""

    def permission(self, repository: str, login: str) -> str:
        return "write" if login == "writer" else "read"


@pytest.fixture
def quiet(make_service: Callable[..., Any], desk: Desk) -> Desk:
    """A pull request by kim that says nothing."""
    where = replace(desk, service=make_service(github=GitHub()))
    where.push(HEAD, body="It is faster.")
    return where


def token(desk: Desk, login: str, *scopes: str) -> dict[str, str]:
    services, minted, number = desk.service.services, mint(OF_ACCOUNT), sum(login.encode())
    now = services.clock()
    with services.database.write() as session:
        if session.get(Account, number) is None:
            session.add(Account(id=number, login=login, role="contributor", created_at=now, seen_at=now))
            session.flush()
        session.add(
            ApiToken(
                id=minted.id, secret_hash=minted.secret_hash, account_id=number, name="t", scopes=" ".join(scopes),
                node_key_id=None, created_at=now, expires_at=now + timedelta(days=1),
            )
        )  # fmt: skip
    return {"Authorization": f"Bearer {minted.text}"}


def put(desk: Desk, by: dict[str, str], block: str = BLOCK) -> Any:
    answer = desk.service.client.put(URL, json={"block": block}, headers=by)
    desk.service.work()
    return answer


@pytest.mark.parametrize("login", ["kim", "KIM", "writer"])
def test_the_author_and_who_may_write_state_claims_that_are_judged(
    quiet: Desk, measure: Callable[..., Bundle], login: str
) -> None:
    answer = put(quiet, token(quiet, login, "challenges:write"))
    assert answer.is_success, answer.text
    assert [one["id"] for one in answer.json()["claims"]] == ["stated"]
    page = quiet.page()
    assert (page["claims_from"], [one["claim_id"] for one in page["verdicts"]]) == ("api", ["stated"])
    quiet.service.upload(measure(head=HEAD))
    quiet.service.work()
    assert [one["outcome"] for one in quiet.page()["verdicts"]] == ["supported"]
    [noted] = [row for row in quiet.service.rows("audit") if row["action"] == "claims.stated"]
    assert noted["detail"] == login


@pytest.mark.parametrize(
    ("login", "scopes", "code"),
    [
        ("reader", ["challenges:write"], "permission_missing"),
        ("writer", ["bundles:write"], "scope_missing"),
        (None, [], "permission_missing"),
    ],
)
def test_nobody_else_does(quiet: Desk, login: str | None, scopes: list[str], code: str) -> None:
    by = {} if login is None else token(quiet, login, *scopes)
    assert put(quiet, by).json()["code"] == code
    assert quiet.service.client.delete(URL, headers=by).json()["code"] == code
    assert quiet.page()["claims_from"] is None


def test_a_block_that_cannot_be_read_changes_nothing_and_says_every_mistake(quiet: Desk) -> None:
    by = token(quiet, "kim", "challenges:write")
    put(quiet, by)
    answer = put(quiet, by, "- {id: A}\n- {id: b, metric: speed, relation: faster}")
    assert (answer.status_code, answer.json()["code"]) == (422, "claims_invalid")
    assert [(one["code"], one["line"]) for one in answer.json()["errors"]] == [
        ("field_missing", 1),
        ("metric_unknown", 2),
    ]
    assert [one["claim_id"] for one in quiet.page()["verdicts"]] == ["stated"]


def test_the_description_decides_where_it_says_anything(quiet: Desk) -> None:
    by = token(quiet, "kim", "challenges:write")
    put(quiet, by)
    for body, source, claimed in (
        (DESCRIBED, "description", ["described"]),
        ("```byogpu-claims\n- {id: a}\n```", "description", []),
        ("It is faster.", "api", ["stated"]),
    ):
        quiet.push(HEAD, body=body)
        page = quiet.page()
        assert (page["claims_from"], [one["claim_id"] for one in page["verdicts"]]) == (source, claimed)
    quiet.push(HEAD, body=DESCRIBED)
    assert put(quiet, by).json()["code"] == "claims_in_description"


def test_what_was_stated_is_taken_back(quiet: Desk) -> None:
    by = token(quiet, "kim", "challenges:write")
    put(quiet, by)
    for _ in range(2):
        assert quiet.service.client.delete(URL, headers=by).status_code == 204
        quiet.service.work()
        assert (quiet.page()["claims_from"], quiet.page()["verdicts"]) == (None, [])
    assert [row["action"] for row in quiet.service.rows("audit")].count("claims.withdrawn") == 1
