"""Who may do what: nodes work for their owners, and GitHub is asked who may approve when somebody does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from server.credentials import OF_ACCOUNT, mint
from server.models import Account, ApiToken, Node

HEAD, OTHER = "a" * 40, "c" * 40


@dataclass
class GitHub:
    """Says what somebody may do; the answer can change at any time."""

    permissions: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def permission(self, repository: str, login: str) -> str:
        self.asked.append((repository, login))
        return self.permissions.get(login, "none")


@pytest.fixture
def github() -> GitHub:
    return GitHub({"writer": "write", "triager": "triage"})


@pytest.fixture
def town(yard: Any, make_service: Callable[..., Any], github: GitHub) -> Any:
    """The same yard, with GitHub."""
    service = make_service(github=github, job_images=yard.services.settings.job_images)
    moved = replace(yard, service=service, nodes={})
    moved.rows.know_pull()
    return moved


def sign_in(yard: Any, login: str, *scopes: str, role: Any = "maintainer", node: str | None = None) -> dict[str, str]:
    """A token of an account, as a header."""
    now, number, minted = yard.services.clock(), sum(login.encode()), mint(OF_ACCOUNT)
    with yard.services.database.write() as session:
        if session.get(Account, number) is None:
            session.add(Account(id=number, login=login, role=role, created_at=now, seen_at=now))
            session.flush()
        session.add(
            ApiToken(
                id=minted.id, secret_hash=minted.secret_hash, account_id=number, name="t", scopes=" ".join(scopes),
                node_key_id=node, created_at=now, expires_at=now + timedelta(days=1),
            )
        )  # fmt: skip
    return {"Authorization": f"Bearer {minted.text}"}


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_who_may_write_to_the_repository_approves_by_ordering(town: Any, github: GitHub) -> None:
    answer = town.try_order(headers=sign_in(town, "writer", "jobs:request")).json()
    assert (answer["state"], answer["approved_by"], answer["requested_by"]) == ("queued", "writer", "writer")
    assert github.asked == [("octo/kernels", "writer")]


def test_others_wait_for_approval_of_exactly_the_commit_they_named(town: Any, github: GitHub) -> None:
    triager, writer = sign_in(town, "triager", "jobs:request"), sign_in(town, "writer", "jobs:request")
    job = town.try_order(headers=triager).json()
    assert (job["state"], job["approved_by"]) == ("unapproved", None)
    assert job["reason"] == f"An authorised user of the repository has to approve commit {HEAD[:12]}."
    assert town.claim()["job"] is None, "nothing that nobody approved is given out"

    path = f"/{job['id']}/approve"
    assert refused(town.post(path, {"head_sha": HEAD}, triager)) == (403, "permission_missing")
    assert refused(town.post(path, {"head_sha": OTHER}, writer)) == (409, "job_head_moved")
    github.permissions["writer"] = "read"  # taken away a moment ago
    assert refused(town.post(path, {"head_sha": HEAD}, writer)) == (403, "permission_missing")
    github.permissions["writer"] = "write"
    assert town.post(path, {"head_sha": HEAD}, writer).json()["approved_by"] == "writer"
    assert town.post(path, {"head_sha": HEAD}, writer).status_code == 200, "the same message again is no error"
    assert town.leased()["job_id"] == job["id"]


def test_a_push_between_order_and_approval_is_not_approved(town: Any) -> None:
    job = town.try_order(headers=sign_in(town, "triager", "jobs:request")).json()
    town.rows.know_pull(1, head_sha=OTHER)
    writer = sign_in(town, "writer", "jobs:request")
    assert refused(town.post(f"/{job['id']}/approve", {"head_sha": HEAD}, writer)) == (409, "job_head_moved")
    assert refused(town.post(f"/{job['id']}/approve", {"head_sha": OTHER}, writer)) == (409, "job_head_moved")
    town.sweep()
    assert refused(town.post(f"/{job['id']}/approve", {"head_sha": HEAD}, writer)) == (409, "job_head_moved")
    assert town.job(job["id"])["job"]["state"] == "stale"


def test_an_order_that_somebody_else_approves_by_ordering_it_is_the_same(town: Any) -> None:
    job = town.try_order(headers=sign_in(town, "triager", "jobs:request")).json()
    again = town.try_order(headers=sign_in(town, "writer", "jobs:request")).json()
    assert (again["id"], again["state"], again["approved_by"]) == (job["id"], "queued", "writer")


def test_cancelling_is_for_who_ordered_and_who_may_approve(town: Any) -> None:
    triager = sign_in(town, "triager", "jobs:request")
    job = town.try_order(headers=triager).json()
    stranger = sign_in(town, "stranger", "jobs:request")
    assert refused(town.post(f"/{job['id']}/cancel", headers=stranger)) == (403, "permission_missing")
    assert town.post(f"/{job['id']}/cancel", headers=triager).json()["state"] == "cancelled"
    assert refused(town.post(f"/{job['id']}/approve", {"head_sha": HEAD}, sign_in(town, "writer", "jobs:request"))) == (
        409,
        "job_not_waiting",
    )


def test_orders_need_the_scope(town: Any) -> None:
    assert refused(town.try_order(headers=sign_in(town, "writer", "jobs:work"))) == (403, "scope_missing")


def test_without_github_maintainers_of_the_service_decide(yard: Any) -> None:
    assert yard.try_order(headers=sign_in(yard, "maintainer", "jobs:request")).json()["state"] == "queued"


def test_a_node_works_for_its_owner_only(town: Any, make_offer: Any) -> None:
    town.order()
    node, other = town.node("n1"), town.node("n2")
    ann, bob = sign_in(town, "ann", "jobs:work"), sign_in(town, "bob", "jobs:work")
    bound = sign_in(town, "ann", "jobs:work", node=node)
    with town.services.database.write() as session:
        for key_id in (node, other):
            session.get_one(Node, key_id).account_id = sum(b"ann")

    def claim(headers: dict[str, str], key_id: str) -> Any:
        body = {"node_key_id": key_id, "offer": make_offer().model_dump(mode="json"), "sent_at": "2026-01-01T00:00:00Z"}
        return town.post("/claim", body, headers)

    assert refused(claim(bob, node)) == (403, "node_not_yours")
    assert refused(claim(bound, other)) == (403, "node_not_yours"), "a token for one node speaks for no other"
    assert refused(claim(sign_in(town, "ann", "jobs:request"), node)) == (403, "scope_missing")
    assert claim(bound, node).json()["job"] is not None
    with town.services.database.write() as session:
        session.get_one(Node, node).revoked_at = town.services.clock()
    assert refused(claim(ann, node)) == (404, "node_not_found"), "a revoked node works no more"
