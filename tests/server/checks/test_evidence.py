"""What counts for a pull request as its head moves on, how far it is trusted, and what its repository asks of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from worker.bundle import Bundle
from worker.bundle.signature import NodeKey

if TYPE_CHECKING:
    from tests.conftest import Service
    from tests.server.checks.conftest import Desk

OLD, HEAD = "a" * 40, "b" * 40
CLAIMS = '```byogpu-claims\n- id: speed\n  metric: step_latency_us\n  relation: ">= 1.5x baseline"\n```'


def standings(desk: Desk) -> list[str]:
    """Oldest first."""
    return [item["lifetime"]["standing"] for item in reversed(desk.page()["evidence"])]


def only_serving(specimen: Any) -> None:
    """What remains of a run whose other evals did not come to an end."""
    specimen.eval("decode-step").update(outcome={"outcome": "skipped", "reason": "no time"}, cells=[], blocks=[])
    for key in [key for key in specimen.rows if key[1] == "decode-step"]:
        del specimen.rows[key]


def test_a_new_commit_makes_evidence_stale_and_plans_its_repetition(
    service: Service, desk: Desk, measure: Callable[..., Bundle]
) -> None:
    desk.push(OLD)
    bundle = measure()
    service.upload(bundle)
    assert standings(desk) == ["current"]
    assert desk.page()["verdicts"][0]["outcome"] == "supported"
    assert desk.page()["rerun"]["runs"] == []
    desk.push(HEAD)
    assert standings(desk) == ["stale"]
    shown = desk.page()
    assert shown["verdicts"][0]["outcome"] == "no_evidence"
    (run,) = shown["rerun"]["runs"]
    assert (run["suite"], run["hardware"], run["evals"]) == ("smoke", "NVIDIA H200", ["decode-step"])
    assert run["gpu_minutes"] is not None
    desk.push(OLD)
    assert standings(desk) == ["current"], "the head came back"


def test_a_bundle_that_comes_before_its_commit_is_heard_of_counts_once_it_is(
    service: Service, desk: Desk, measure: Callable[..., Bundle]
) -> None:
    desk.push(OLD)
    service.upload(measure(head=HEAD))
    assert standings(desk) == ["stale"]
    desk.push(HEAD)
    assert standings(desk) == ["current"]
    assert desk.page()["verdicts"][0]["outcome"] == "supported"


def test_cells_with_the_same_kernels_carry_over_and_say_so(
    service: Service, desk: Desk, measure: Callable[..., Bundle]
) -> None:
    desk.push(OLD)
    service.upload(measure())
    desk.push(HEAD)
    proof = measure(head=HEAD, change=only_serving)
    service.upload(proof)
    assert standings(desk) == ["inherited", "current"]
    shown = desk.page()
    verdict = shown["verdicts"][0]
    assert (verdict["outcome"], verdict["inherited_from"]) == ("supported", OLD)
    old = shown["evidence"][1]
    assert (old["stale"], old["lifetime"]["by"]) == (False, proof.id)
    assert {one["eval_id"] for one in old["lifetime"]["inherited"]} == {"decode-step"}
    assert shown["rerun"]["runs"] == []
    (check,) = [row for row in service.rows("post") if row["state"] == "pending"][-1:]
    assert "inherited" in check["payload"]


def test_other_kernels_carry_nothing_over(service: Service, desk: Desk, measure: Callable[..., Bundle]) -> None:
    def recompiled(specimen: Any) -> None:
        specimen.ledger("candidate", "decode-step")["kernel_digests"] = ["f" * 64]
        only_serving(specimen)

    desk.push(OLD)
    service.upload(measure())
    desk.push(HEAD)
    service.upload(measure(head=HEAD, change=recompiled))
    assert standings(desk) == ["stale", "current"]
    assert desk.page()["verdicts"][0]["outcome"] == "no_evidence"


def test_the_same_node_supersedes_and_an_invalidated_successor_does_not(
    service: Service, desk: Desk, measure: Callable[..., Bundle]
) -> None:
    desk.push(OLD)
    first, second = measure(), measure()
    service.upload(first)
    service.upload(second)
    assert standings(desk) == ["superseded", "current"]
    assert desk.page()["verdicts"][0]["bundle_ids"] == [second.id]
    url = f"/api/v1/bundles/{second.id}/invalidate"
    service.client.post(url, json={"reason": "the machine was shared"}, headers=service.admin)
    service.work()
    assert standings(desk) == ["current", "invalidated"]
    assert desk.page()["verdicts"][0]["bundle_ids"] == [first.id]


def test_a_node_of_the_project_gives_level_four_as_long_as_it_is_one(
    service: Service, desk: Desk, measure: Callable[..., Bundle], node: NodeKey
) -> None:
    desk.push(OLD)
    bundle = measure()
    service.upload(bundle)
    url = f"/api/v1/bundles/{bundle.id}"
    assert service.client.get(url).json()["bundle"]["trust"]["level"] == 1
    desk.register(node, project=True)
    shown = service.client.get(url).json()
    assert (shown["bundle"]["trust"]["level"], shown["assessment"]["trust"]["level"]) == (4, 1)
    assert shown["placement"]["quorum"] == 1
    assert desk.page()["verdicts"][0]["trust_level"] == 4
    desk.register(node)
    assert service.client.get(url).json()["bundle"]["trust"]["level"] == 1
    changes = [row["detail"] for row in service.rows("audit") if row["action"] == "bundle.trust_changed"]
    assert [detail.split(":")[0] for detail in changes] == ["1 to 4", "4 to 1"]


# ------------------------------------------------------------------ merge policies
def test_a_policy_decides_whether_a_supported_claim_is_enough(
    service: Service, desk: Desk, measure: Callable[..., Bundle], node: NodeKey
) -> None:
    url = "/api/v1/repositories/octo/kernels/policy"
    policy = {
        "version": 1,
        "needs": [{"kind": "speed", "trust": 4, "evidence_from": "others", "inherited": True}],
        "holes": 0,
    }
    assert service.client.put(url, json=policy, headers=service.admin).json()["code"] == "repository_not_found"
    desk.push(OLD)
    service.upload(measure())
    open_policy = {"version": 1, "needs": [], "holes": None, "audits": None}
    assert desk.page()["policy"] == service.client.get(url).json() == open_policy
    assert desk.page()["check"]["conclusion"] == "success"
    assert service.client.put(url, json=policy, headers=service.admin).json() == {**policy, "audits": None}
    service.work()
    shown = desk.page()
    assert (shown["policy"], shown["check"]["conclusion"]) == ({**policy, "audits": None}, "action_required")
    assert [one["claim_id"] for one in shown["shortfalls"]] == ["speed"]
    desk.register(node, project=True)
    assert (desk.page()["shortfalls"], desk.page()["check"]["conclusion"]) == ([], "success")
    assert [row["action"] for row in service.rows("audit")].count("policy.set") == 1


def test_holes_of_the_declared_scope_are_shown_and_count_for_the_policy(
    service: Service, desk: Desk, measure: Callable[..., Bundle]
) -> None:
    scope = "\n- scope: {batch: [1, 4, 64], context: 64, features: [byogpu_copy, structured-output]}\n```"
    desk.push(OLD, body=CLAIMS.removesuffix("\n```") + scope)
    assert len(desk.page()["scope"]["holes"]) == 3 * 3 + 2, "nothing is shown before the first bundle"
    service.upload(measure())
    shown = desk.page()
    assert [cell["batch"] for cell in shown["scope"]["cells"]] == [1, 4, 64]
    assert [cell["holes"] for cell in shown["scope"]["cells"]] == [
        ["correctness"], [], ["performance", "correctness", "path"],
    ]  # fmt: skip
    assert [one["evidence"]["state"] for one in shown["scope"]["features"]] == ["shown", "missing"]
    assert shown["check"]["conclusion"] == "success"
    policy = {"version": 1, "needs": [], "holes": 0}
    service.client.put("/api/v1/repositories/octo/kernels/policy", json=policy, headers=service.admin)
    service.work()
    shown = desk.page()
    assert shown["check"]["conclusion"] == "action_required"
    assert shown["shortfalls"][0]["sentence"].startswith("The declared scope has 5 holes, 0 are allowed: batch 1,")
    post = [row for row in service.rows("post") if row["state"] != "superseded"][-1]
    assert "Of the declared scope 1 of 3 cells are whole, 1 of 2 features are shown; 5 holes." in post["payload"]
    assert "### The declared scope" in post["payload"]
    desk.push(HEAD, body=CLAIMS)
    assert desk.page()["scope"] is None, "the new text declares none"


def test_a_bundle_that_is_drawn_has_to_be_reproduced(
    service: Service, desk: Desk, measure: Callable[..., Bundle], node: NodeKey
) -> None:
    desk.push(OLD)
    service.upload(measure())
    (drawn,) = service.rows("assessment")
    assert 0 <= drawn["lot"] < 1
    url = "/api/v1/repositories/octo/kernels/policy"
    for share, conclusion in ((0.0, "success"), (1.0, "action_required")):
        policy = {"version": 1, "needs": [], "holes": None, "audits": {"share": share, "from_factor": None}}
        service.client.put(url, json=policy, headers=service.admin)
        service.work()
        assert desk.page()["check"]["conclusion"] == conclusion
    assert "drawn for an audit" in desk.page()["shortfalls"][0]["sentence"]
    service.client.post("/api/v1/revalidations", headers=service.admin)
    service.work()
    assert service.rows("assessment")[0]["lot"] == drawn["lot"], "judging again does not draw again"
    desk.register(node, project=True)
    assert desk.page()["shortfalls"] == []


def test_setting_a_policy_is_the_operators_and_strict(service: Service, desk: Desk) -> None:
    desk.push(OLD)
    url = "/api/v1/repositories/octo/kernels/policy"
    need = {"kind": "speed", "trust": 1, "evidence_from": "anyone", "inherited": True}
    good = {"version": 1, "needs": [need], "holes": None}
    assert service.client.put(url, json=good).json()["code"] == "unauthorized"
    for bad, code in (
        ({**good, "version": 2}, "body_invalid"),
        ({**good, "needs": [{**need, "trust": 5}]}, "body_invalid"),
        ({**good, "needs": [need, need]}, "policy_repeated"),
    ):
        assert service.client.put(url, json=bad, headers=service.admin).json()["code"] == code
    assert service.rows("policy") == []
