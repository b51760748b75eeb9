"""What the service knows beyond a bundle: unanswered challenges, hidden answers, what operators took back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from server.runner import sweep
from worker.bundle import Bundle
from worker.bundle.signature import NodeKey, generate_key
from worker.suites import load

if TYPE_CHECKING:
    from tests.conftest import Service
    from tests.server.checks.conftest import Desk

OLD = "a" * 40
OTHER = "9" * 64


def ask(service: Service, **changes: Any) -> dict[str, Any]:
    body = {"repository": "octo/kernels", "pull_number": 1, "suite_digest": load("smoke").digest, **changes}
    answer = service.client.post("/api/v1/challenges", json=body)
    assert answer.status_code == 201, answer.text
    issued: dict[str, Any] = answer.json()
    return issued


def give_up(service: Service, issued: dict[str, Any]) -> None:
    url = f"/api/v1/challenges/{issued['id']}/abandon"
    assert service.client.post(url, json={"nonce": issued["nonce"]}).is_success
    service.work()


def tries(desk: Desk) -> int:
    found: int = desk.page()["verdicts"][0]["tries"]
    return found


# ------------------------------------------------------------------ challenges
def test_challenges_of_the_owner_that_were_not_answered_count_as_tries(
    service: Service, desk: Desk, node: NodeKey, measure: Callable[..., Bundle], tmp_path: Path
) -> None:
    other, stranger = generate_key(tmp_path / "other.pem"), generate_key(tmp_path / "stranger.pem")
    desk.register(other, owner="ann")
    desk.register(stranger, owner="eve")
    desk.push(OLD)
    mine, hers, eves, nobodys = (
        ask(service, node_key_id=key) for key in (node.key_id, other.key_id, stranger.key_id, None)
    )
    service.upload(measure())
    assert tries(desk) == 1, "they are open still"
    for issued, counted in ((mine, 2), (hers, 3), (eves, 3), (nobodys, 4)):
        give_up(service, issued)
        assert tries(desk) == counted
    assert desk.page()["challenge_tally"] == {"issued": 4, "open": 0, "used": 0, "abandoned": 4, "expired": 0}
    assert "over 4 tries" in service.rows("post")[-1]["payload"]


def test_a_challenge_that_expires_is_charged_for_without_anybody_asking(
    service: Service, desk: Desk, node: NodeKey, measure: Callable[..., Bundle]
) -> None:
    desk.push(OLD)
    ask(service, node_key_id=node.key_id)
    service.upload(measure())
    assert tries(desk) == 1
    service.clock.advance(service.services.settings.challenge_ttl_s + 1)
    sweep(service.services)
    service.work()
    assert tries(desk) == 2
    judged_at = desk.page()["judged_at"]
    service.clock.advance(60)
    sweep(service.services)
    service.work()
    assert desk.page()["judged_at"] == judged_at, "once is enough"


def test_whoever_names_the_node_cannot_be_burdened_by_others(
    service: Service, desk: Desk, node: NodeKey, measure: Callable[..., Bundle]
) -> None:
    desk.push(OLD)
    named, free = ask(service, node_key_id=node.key_id), ask(service)

    def bound(specimen: Any) -> None:
        specimen.manifest["challenge"] = {name: named[name] for name in ("id", "nonce", "plan_digest")}

    service.upload(measure(change=bound))
    assert [one["fate"] for one in desk.page()["challenges"]] == ["open", "used"]
    give_up(service, free)
    (item,) = desk.page()["evidence"]
    assert desk.page()["verdicts"][0]["tries"] == 1
    assert item["bundle"]["validation_state"] in ("valid", "invalid")


# ------------------------------------------------------------------ hidden slice
def wrong(specimen: Any) -> None:
    """The same weights by name, other answers."""
    for row in specimen.of("requests", "serving"):
        row["output_sha256"] = OTHER


def scores(service: Service, bundle: Bundle) -> tuple[list[tuple[str, int, int]], set[str]]:
    found = service.client.get(f"/api/v1/bundles/{bundle.id}").json()["assessment"]
    rules = {one["rule_id"] for one in found["findings"]}
    return [(one["arm"], one["known"], one["right"]) for one in found["slice_scores"]], rules


def test_the_project_teaches_answers_and_every_later_run_is_scored_on_them(
    service: Service, desk: Desk, node: NodeKey, measure: Callable[..., Bundle]
) -> None:
    desk.push(OLD)
    first = measure()
    service.upload(first)
    assert scores(service, first)[0] == []
    assert service.rows("answer") == [], "not a node of the project"
    desk.register(node, project=True)
    teacher = measure()
    service.upload(teacher)
    known = len(service.rows("answer"))
    assert known == 8, "one prompt of the pool rode in each of the baseline's blocks"
    honest, forged = measure(), measure(change=wrong)
    service.upload(honest)
    assert scores(service, honest) == ([("baseline", 8, 8), ("candidate", 8, 8)], {"C-001"})
    service.upload(forged)
    found, rules = scores(service, forged)
    assert found == [("baseline", 8, 0), ("candidate", 8, 0)]
    assert "C-013" in rules
    assert len(service.rows("answer")) == known, "what contradicts the known answers teaches nothing"
    forgery = next(one for one in desk.page()["evidence"] if one["bundle"]["bundle_id"] == forged.id)
    assert forgery["bundle"]["findings"]["error"] >= 1
    url = f"/api/v1/bundles/{teacher.id}/invalidate"
    service.client.post(url, json={"reason": "the machine was shared"}, headers=service.admin)
    service.work()
    assert service.rows("answer") == [], "what it taught is forgotten with it"


# ------------------------------------------------------------------ taken back
def test_an_invalidation_can_be_taken_back_and_both_reasons_stay(
    service: Service, desk: Desk, measure: Callable[..., Bundle]
) -> None:
    desk.push(OLD)
    bundle = measure()
    service.upload(bundle)
    url = f"/api/v1/bundles/{bundle.id}"

    def say(what: str, reason: str) -> Any:
        answer = service.client.post(f"{url}/{what}", json={"reason": reason}, headers=service.admin)
        service.work()
        return answer

    assert say("reinstate", "nothing to take back").json()["code"] == "bundle_not_invalidated"
    say("invalidate", "the machine was shared")
    assert desk.page()["verdicts"][0]["outcome"] == "no_evidence"
    assert say("reinstate", "it was another machine").is_success
    assert say("reinstate", "said again").is_success
    assert desk.page()["verdicts"][0]["outcome"] == "supported"
    (ruling,) = service.client.get(url).json()["bundle"]["rulings"]
    assert (ruling["kind"], ruling["reason"]) == ("invalidated", "the machine was shared")
    assert ruling["undone"]["reason"] == "it was another machine"
    say("invalidate", "it was that machine after all")
    (ruling,) = service.client.get(url).json()["bundle"]["rulings"]
    assert (ruling["reason"], ruling["undone"]) == ("it was that machine after all", None)
    actions = [row["action"] for row in service.rows("audit") if row["target"] == bundle.id]
    assert [one for one in actions if "instat" in one or "invalid" in one] == [
        "bundle.invalidated", "bundle.reinstated", "bundle.invalidated",
    ]  # fmt: skip
    say("retract", "the owner asked for it")
    assert say("reinstate", "too late").json()["code"] == "bundle_retracted"


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}])
def test_taking_back_is_the_operators(service: Service, headers: dict[str, str]) -> None:
    answer = service.client.post(f"/api/v1/bundles/{OTHER}/reinstate", json={"reason": "please"}, headers=headers)
    assert answer.status_code == 401
