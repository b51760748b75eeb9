"""Asking for challenges, giving them up, and seeing what became of each."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from server.addresses import counted
from worker.bundle.signature import generate_key
from worker.suites import load
from worker.suites.plan import plan_run

if TYPE_CHECKING:
    from tests.conftest import Service
    from tests.server.challenges.conftest import Desk

OTHER = "9" * 64
DAY_S = 24 * 3600


def register(service: Service, folder: Path) -> str:
    key = generate_key(folder / "node.pem")
    body = {"public_key": key.public_key, "owner": "kim"}
    assert service.client.post("/api/v1/nodes", json=body, headers=service.admin).status_code == 201
    return key.key_id


def fates(desk: Desk) -> list[str]:
    items = desk.service.client.get("/api/v1/challenges", params={"pull": "octo/kernels/1"}).json()["items"]
    return [item["fate"] for item in items]


def test_a_challenge_binds_head_repository_and_suite(desk: Desk) -> None:
    issued = desk.issue()
    assert (issued["repository_id"], issued["pull_number"], issued["head_sha"]) == (1001, 1, "a" * 40)
    assert issued["suite_digest"] == load("smoke").digest
    assert issued["node_key_id"] is None
    assert issued["plan_digest"] == plan_run(load("smoke"), issued["nonce"]).digest
    lifetime = datetime.fromisoformat(issued["expires_at"]) - datetime.fromisoformat(issued["issued_at"])
    assert lifetime == timedelta(days=1)
    assert [row["action"] for row in desk.service.rows("audit")] == ["pull.seen", "challenge.issued"]


def test_no_two_challenges_share_anything(desk: Desk) -> None:
    first, second = desk.issue(), desk.issue()
    assert not {first[name] for name in ("id", "nonce", "plan_digest")} & set(map(str, second.values()))


def test_a_new_commit_gets_a_challenge_of_its_own(desk: Desk) -> None:
    desk.issue()
    desk.know_pull(head_sha="c" * 40)
    assert desk.issue()["head_sha"] == "c" * 40


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"pull_number": 9}, 404, "pull_not_found"),
        ({"repository": "octo/other"}, 404, "pull_not_found"),
        ({"suite_digest": OTHER}, 404, "suite_not_found"),
        ({"node_key_id": OTHER}, 404, "node_not_found"),
        ({"suite_digest": "smoke"}, 422, "body_invalid"),
        ({"repository": "octo"}, 422, "body_invalid"),
        ({"nonce": "n" * 43}, 422, "body_invalid"),
    ],
)
def test_what_cannot_be_bound_is_refused(desk: Desk, changes: dict[str, Any], status: int, code: str) -> None:
    answer = desk.ask(**changes)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert desk.service.rows("challenge") == []


def test_a_closed_pull_request_gets_none(desk: Desk) -> None:
    desk.know_pull(state="closed")
    answer = desk.ask()
    assert (answer.status_code, answer.json()["code"]) == (409, "pull_closed")
    assert desk.service.rows("challenge") == []


def test_a_registered_node_can_be_named(desk: Desk, tmp_path: Path) -> None:
    key_id = register(desk.service, tmp_path)
    issued = desk.issue(node_key_id=key_id)
    assert issued["node_key_id"] == desk.read(issued)["node_key_id"] == key_id


def test_the_nonce_is_told_once_and_shown_when_it_is_worth_nothing(desk: Desk) -> None:
    issued = desk.issue()
    shown = desk.read(issued)
    assert (shown["fate"], shown["nonce"], shown["suite"]) == ("open", None, "smoke/1")
    listed = desk.service.client.get("/api/v1/challenges", params={"pull": "octo/kernels/1"}).text
    page = desk.service.client.get("/api/v1/pulls/octo/kernels/1").text
    assert issued["nonce"] not in listed + page
    desk.service.clock.advance(DAY_S)
    shown = desk.read(issued)
    assert (shown["fate"], shown["nonce"]) == ("expired", issued["nonce"])


# ------------------------------------------------------------------ limits
def test_a_pull_request_has_so_many_unused_ones_and_no_more(
    make_service: Callable[..., Service], make_desk: Callable[[Service], Desk]
) -> None:
    desk = make_desk(make_service(part_size_bytes=1024, challenges_per_pull=2))
    desk.know_pull(2)
    used, _ = desk.issue(), desk.issue()
    refused = desk.ask()
    assert (refused.status_code, refused.json()["code"]) == (409, "challenges_of_pull_exhausted")
    assert desk.ask(2).status_code == 201, "another pull request is not touched"
    desk.service.upload(desk.bundle(used))
    assert desk.ask().status_code == 201, "one that was used is no longer counted"
    assert desk.ask().status_code == 409
    desk.service.clock.advance(DAY_S)
    assert desk.ask().status_code == 201, "nor is one whose time is over"


def test_an_address_has_so_many_over_all_pull_requests(
    make_service: Callable[..., Service], make_desk: Callable[[Service], Desk]
) -> None:
    desk = make_desk(make_service(challenges_per_requester=2))
    desk.know_pull(2)
    desk.issue(1)
    given_up = desk.issue(2)
    assert desk.give_up(given_up).status_code == 200
    refused = desk.ask(1)
    assert (refused.status_code, refused.json()["code"]) == (429, "challenges_exhausted"), "giving up frees nothing"
    assert "This address" in refused.json()["detail"]
    desk.service.clock.advance(DAY_S)
    assert desk.ask(1).status_code == 201


def test_a_node_has_so_many_from_wherever_they_are_asked_for(
    make_service: Callable[..., Service], make_desk: Callable[[Service], Desk], tmp_path: Path
) -> None:
    desk = make_desk(make_service(challenges_per_requester=1))
    key_id = register(desk.service, tmp_path)
    desk.issue(node_key_id=key_id)
    with desk.service.services.database.write() as session:
        session.connection().exec_driver_sql("UPDATE challenge SET requester = '192.0.2.1'")
    refused = desk.ask(node_key_id=key_id)
    assert (refused.status_code, refused.json()["code"]) == (429, "challenges_exhausted")
    assert "The node" in refused.json()["detail"]
    assert desk.ask().status_code == 201


def test_asking_all_at_once_does_not_get_past_the_limit(
    make_service: Callable[..., Service], make_desk: Callable[[Service], Desk], database_url: str
) -> None:
    desk = make_desk(make_service(database_url=database_url, challenges_per_pull=3))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: desk.ask(), range(8)))
    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [409] * 5
    assert len(desk.service.rows("challenge")) == 3


@pytest.mark.parametrize(
    ("host", "counted_as"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("testclient", "testclient"),
        ("x" * 100, "x" * 64),
        (None, "unknown"),
    ],
)
def test_requests_are_counted_for_whoever_owns_the_address(host: str | None, counted_as: str) -> None:
    assert counted(host) == counted_as


@pytest.mark.parametrize(
    ("sent", "counted_as"),
    [
        ({}, "testclient"),
        ({"X-Forwarded-For": "192.0.2.7"}, "192.0.2.7"),
        ({"X-Forwarded-For": "10.0.0.1, 192.0.2.7"}, "192.0.2.7"),
    ],
)
def test_behind_a_proxy_its_word_counts_and_not_the_clients(
    make_service: Callable[..., Service],
    make_desk: Callable[[Service], Desk],
    sent: dict[str, str],
    counted_as: str,
) -> None:
    for header, expected in (("X-Forwarded-For", counted_as), (None, "testclient")):
        desk = make_desk(make_service(client_address_header=header))
        body = {"repository": "octo/kernels", "pull_number": 1, "suite_digest": load("smoke").digest}
        assert desk.service.client.post("/api/v1/challenges", json=body, headers=sent).status_code == 201
        assert [row["requester"] for row in desk.service.rows("challenge")] == [expected]


# ------------------------------------------------------------------ giving up
def test_giving_up_is_seen_and_can_be_repeated(desk: Desk) -> None:
    issued = desk.issue()
    first, again = desk.give_up(issued), desk.give_up(issued)
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json() == desk.read(issued)
    assert desk.read(issued)["fate"] == "abandoned"
    desk.service.clock.advance(DAY_S)
    assert desk.give_up(issued).status_code == 200
    actions = [row["action"] for row in desk.service.rows("audit")]
    assert actions.count("challenge.abandoned") == 1


def test_only_who_knows_the_nonce_gives_up(desk: Desk) -> None:
    issued = desk.issue()
    refused = desk.give_up(issued, nonce="é" * 43)
    assert (refused.status_code, refused.json()["code"]) == (403, "challenge_nonce_wrong")
    assert desk.read(issued)["fate"] == "open"


def test_what_is_used_or_over_cannot_be_given_up(desk: Desk) -> None:
    used, over = desk.issue(), desk.issue()
    desk.service.upload(desk.bundle(used))
    desk.service.clock.advance(DAY_S)
    for issued, fate in ((used, "used"), (over, "expired")):
        refused = desk.give_up(issued)
        assert (refused.status_code, refused.json()["code"]) == (409, "challenge_not_open")
        assert desk.read(issued)["fate"] == fate


# ------------------------------------------------------------------ seeing them
def test_every_challenge_of_a_pull_request_is_listed_with_its_fate(desk: Desk) -> None:
    over = desk.issue()
    desk.service.clock.advance(DAY_S)
    used, given_up = desk.issue(), desk.issue()
    bundle = desk.bundle(used)
    desk.service.upload(bundle)
    desk.give_up(given_up)
    still = desk.issue()
    desk.know_pull(2)
    desk.issue(2)
    page = desk.service.client.get("/api/v1/pulls/octo/kernels/1").json()["challenges"]
    assert [(one["id"], one["fate"], one["bundle_id"]) for one in page] == [
        (still["id"], "open", None),
        (given_up["id"], "abandoned", None),
        (used["id"], "used", bundle.id),
        (over["id"], "expired", None),
    ]
    assert fates(desk) == [one["fate"] for one in page]


def test_the_list_comes_in_pages(desk: Desk) -> None:
    ids = [desk.issue()["id"] for _ in range(5)]
    found: list[str] = []
    parameters: dict[str, Any] = {"pull": "octo/kernels/1", "limit": 2}
    for expected in (2, 2, 1):
        page = desk.service.client.get("/api/v1/challenges", params=parameters).json()
        assert len(page["items"]) == expected
        found += [item["id"] for item in page["items"]]
        parameters["cursor"] = page["next_cursor"]
    assert found == ids[::-1]
    assert parameters["cursor"] is None


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/v1/challenges", 400, "parameter_invalid"),
        ("/api/v1/challenges?pull=octo/kernels", 400, "parameter_invalid"),
        ("/api/v1/challenges?pull=octo/kernels/0", 400, "parameter_invalid"),
        ("/api/v1/challenges?pull=octo/kernels/1&cursor=x", 400, "cursor_invalid"),
        ("/api/v1/challenges?pull=octo/kernels/9", 404, "pull_not_found"),
        ("/api/v1/challenges/c-0123456789abcdef", 404, "challenge_not_found"),
        ("/api/v1/challenges/nothing", 400, "parameter_invalid"),
    ],
)
def test_what_is_not_there_is_said(desk: Desk, path: str, status: int, code: str) -> None:
    answer = desk.service.client.get(path)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
