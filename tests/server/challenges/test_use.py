"""One challenge, one bundle: the first that is submitted in time and bound as it should be."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from worker.bundle import Bundle
from worker.bundle.signature import NodeKey, generate_key, sign

if TYPE_CHECKING:
    from tests.conftest import Service
    from tests.server.challenges.conftest import Desk

OTHER = "9" * 64
DAY_S = 24 * 3600


@pytest.fixture
def key(tmp_path: Path) -> NodeKey:
    return generate_key(tmp_path / "node.pem")


def register(service: Service, key: NodeKey) -> None:
    body = {"public_key": key.public_key, "owner": "kim"}
    assert service.client.post("/api/v1/nodes", json=body, headers=service.admin).is_success


def signed(bundle: Bundle, key: NodeKey) -> Bundle:
    return replace(bundle, envelope=sign(bundle.manifest_bytes, key))


def fate(desk: Desk, issued: dict[str, Any]) -> tuple[str, str | None]:
    shown = desk.read(issued)
    return shown["fate"], shown["bundle_id"]


def test_a_bundle_uses_its_challenge_and_reaches_trust_two(desk: Desk, key: NodeKey) -> None:
    register(desk.service, key)
    issued = desk.issue(node_key_id=key.key_id)
    bundle = signed(desk.bundle(issued, node=key.key_id), key)
    rules, trust = desk.judged(bundle)
    assert (rules, trust["level"]) == (set(), 2)
    assert fate(desk, issued) == ("used", bundle.id)
    [used] = [row for row in desk.service.rows("audit") if row["action"] == "challenge.used"]
    assert (used["target"], used["detail"]) == (issued["id"], f"by {bundle.id}")


def test_submitting_again_changes_nothing(desk: Desk) -> None:
    issued = desk.issue()
    bundle = desk.bundle(issued)
    desk.service.upload(bundle)
    before = desk.service.rows("challenge")
    assert desk.service.submit(bundle).status_code == 202
    desk.service.work()
    assert desk.service.rows("challenge") == before


def test_a_manifest_alone_uses_nothing(desk: Desk) -> None:
    issued = desk.issue()
    desk.service.post(desk.bundle(issued))
    assert fate(desk, issued) == ("open", None)


def test_a_second_bundle_for_the_same_challenge_is_found_out(desk: Desk) -> None:
    issued = desk.issue()
    first = desk.bundle(issued)
    assert "C-005" not in desk.judged(first)[0]
    rules, trust = desk.judged(desk.bundle(issued, rows=41))
    assert "C-005" in rules
    assert trust["level"] == 0
    assert fate(desk, issued) == ("used", first.id)


@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        ({"pull_number": 2}, {"C-003"}),
        ({"repository_id": 77}, {"C-003"}),
        ({"head_sha": "c" * 40}, {"C-003"}),
        ({"nonce": "m" * 43}, {"C-003", "C-010"}),
        ({"plan_digest": OTHER}, {"C-003", "C-010"}),
        ({"suite": None}, {"C-003"}),
        ({"id": "c-0123456789abcdef"}, {"C-002"}),
    ],
    ids=lambda value: min(value),
)
def test_a_bundle_that_is_bound_otherwise_uses_nothing(desk: Desk, changes: dict[str, Any], rules: set[str]) -> None:
    desk.know_pull(2)
    issued = desk.issue()
    found, trust = desk.judged(desk.bundle(issued, **changes))
    assert found == {*rules, "C-008"}, "and it is not signed"
    assert trust["level"] == 0
    assert fate(desk, issued) == ("open", None), "whoever asked for it can still use it"


def test_another_suite_uses_nothing(desk: Desk) -> None:
    issued = desk.issue()
    found, _ = desk.judged(desk.bundle(issued, suite={"id": "smoke", "version": 1, "digest": OTHER}))
    assert "C-003" in found
    assert fate(desk, issued) == ("open", None)


def test_a_challenge_for_a_node_is_used_by_its_signature_alone(desk: Desk, key: NodeKey, tmp_path: Path) -> None:
    stranger = generate_key(tmp_path / "stranger.pem")
    for one in (key, stranger):
        register(desk.service, one)
    issued = desk.issue(node_key_id=key.key_id)
    theirs = signed(desk.bundle(issued, node=stranger.key_id), stranger)
    assert desk.judged(theirs)[0] == {"C-003"}
    pretended = signed(desk.bundle(issued, node=key.key_id, rows=41), stranger)
    assert desk.judged(pretended)[0] == {"C-009"}
    unsigned = desk.bundle(issued, node=key.key_id, rows=42)
    assert desk.judged(unsigned)[0] == {"C-008"}
    assert fate(desk, issued) == ("open", None)
    own = signed(desk.bundle(issued, node=key.key_id, rows=43), key)
    assert desk.judged(own)[0] == set()
    assert fate(desk, issued) == ("used", own.id)


def test_a_bundle_that_comes_too_late_counts_as_signed(desk: Desk, key: NodeKey) -> None:
    register(desk.service, key)
    issued = desk.issue(node_key_id=key.key_id)
    desk.service.clock.advance(DAY_S)
    rules, trust = desk.judged(signed(desk.bundle(issued, node=key.key_id), key))
    assert (rules, trust["level"]) == ({"C-012"}, 1)
    assert "expired" in trust["reason"]
    assert fate(desk, issued) == ("expired", None)


def test_so_does_one_whose_challenge_was_given_up(desk: Desk, key: NodeKey) -> None:
    register(desk.service, key)
    issued = desk.issue(node_key_id=key.key_id)
    desk.give_up(issued)
    rules, trust = desk.judged(signed(desk.bundle(issued, node=key.key_id), key))
    assert (rules, trust["level"]) == ({"C-012"}, 1)
    assert fate(desk, issued) == ("abandoned", None)


def test_judgement_may_come_after_the_time_is_over(desk: Desk, key: NodeKey) -> None:
    register(desk.service, key)
    issued = desk.issue(node_key_id=key.key_id)
    bundle = signed(desk.bundle(issued, node=key.key_id), key)
    desk.service.put_missing(bundle, desk.service.post(bundle).json()["missing"])
    assert desk.service.submit(bundle).status_code == 202
    desk.service.clock.advance(2 * DAY_S)
    desk.service.work()
    assert desk.service.client.get(f"/api/v1/bundles/{bundle.id}/status").json()["trust_level"] == 2


def test_of_bundles_that_come_at_once_one_is_first(
    make_service: Callable[..., Service], make_desk: Callable[[Service], Desk], database_url: str
) -> None:
    desk = make_desk(make_service(part_size_bytes=1024, database_url=database_url))
    issued = desk.issue()
    bundles = [desk.bundle(issued, rows=rows) for rows in range(40, 44)]
    for bundle in bundles:
        desk.service.put_missing(bundle, desk.service.post(bundle).json()["missing"])
    with ThreadPoolExecutor(4) as pool:
        submitted = list(pool.map(desk.service.submit, bundles))
    assert {answer.status_code for answer in submitted} == {202}
    desk.service.work()
    became, first = fate(desk, issued)
    assert became == "used"
    replayed = {
        bundle.id: any(one["rule_id"] == "C-005" for one in page["assessment"]["findings"])
        for bundle in bundles
        for page in [desk.service.client.get(f"/api/v1/bundles/{bundle.id}").json()]
    }
    assert replayed == {bundle.id: bundle.id != first for bundle in bundles}
    actions = [row["action"] for row in desk.service.rows("audit")]
    assert actions.count("challenge.used") == 1
