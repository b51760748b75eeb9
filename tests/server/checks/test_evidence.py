"""What counts for a pull request as its head moves on, how far it is trusted, and what its repository asks of it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from server.checks import pulls
from worker.bundle import Bundle
from worker.bundle.signature import NodeKey, generate_key, sign

if TYPE_CHECKING:
    from tests.conftest import Service

ROOT = Path(__file__).parents[3]
OLD, HEAD = "a" * 40, "b" * 40
CLAIMS = '```byogpu-claims\n- id: speed\n  metric: step_latency_us\n  relation: ">= 1.5x baseline"\n```'


@pytest.fixture
def node(service: Service, tmp_path: Path) -> NodeKey:
    key = generate_key(tmp_path / "node.pem")
    register(service, key)
    return key


@pytest.fixture
def measure(node: NodeKey, tmp_path: Path) -> Callable[..., Bundle]:
    """A signed bundle of the smoke suite; what is given is changed in the specimen before it is written."""
    path = ROOT / "tests" / "judge" / "specimen.py"
    spec = importlib.util.spec_from_file_location("tests_judge_specimen", path)
    assert spec
    assert spec.loader
    module = sys.modules.get(spec.name) or importlib.util.module_from_spec(spec)
    if spec.name not in sys.modules:
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    made: list[Bundle] = []

    def make(*, head: str = OLD, change: Callable[[Any], object] | None = None, key: NodeKey = node) -> Bundle:
        specimen = module.build()
        specimen.manifest["challenge"] = None
        specimen.manifest["producer"]["node_key_id"] = key.key_id
        specimen.manifest["subject"]["head_sha"] = head
        specimen.manifest["producer"]["worker_version"] = f"0.1.{len(made)}"
        if change is not None:
            change(specimen)
        written = specimen.write(tmp_path / f"measured-{len(made)}")
        made.append(replace(written, envelope=sign(written.manifest_bytes, key)))
        return made[-1]

    return make


def register(service: Service, key: NodeKey, *, project: bool = False) -> None:
    body = {"public_key": key.public_key, "owner": "ann", "project": project}
    assert service.client.post("/api/v1/nodes", json=body, headers=service.admin).is_success
    service.work()


def push(service: Service, head: str, *, body: str = CLAIMS) -> None:
    seen = pulls.Seen(
        repository_id=1001, repository="octo/kernels", number=1, title="Faster", body=body, state="open",
        head_sha=head, base_sha="c" * 40, author="kim",
    )  # fmt: skip
    with service.services.database.write() as session:
        pulls.store(session, service.services, seen, actor="github")
    service.work()


def page(service: Service) -> dict[str, Any]:
    found: dict[str, Any] = service.client.get("/api/v1/pulls/octo/kernels/1").json()
    return found


def standings(service: Service) -> list[str]:
    """Oldest first."""
    return [item["lifetime"]["standing"] for item in reversed(page(service)["evidence"])]


def only_serving(specimen: Any) -> None:
    """What remains of a run whose other evals did not come to an end."""
    specimen.eval("decode-step").update(outcome={"outcome": "skipped", "reason": "no time"}, cells=[], blocks=[])
    for key in [key for key in specimen.rows if key[1] == "decode-step"]:
        del specimen.rows[key]


def test_a_new_commit_makes_evidence_stale_and_plans_its_repetition(
    service: Service, measure: Callable[..., Bundle]
) -> None:
    push(service, OLD)
    bundle = measure()
    service.upload(bundle)
    assert standings(service) == ["current"]
    assert page(service)["verdicts"][0]["outcome"] == "supported"
    assert page(service)["rerun"]["runs"] == []
    push(service, HEAD)
    assert standings(service) == ["stale"]
    shown = page(service)
    assert shown["verdicts"][0]["outcome"] == "no_evidence"
    (run,) = shown["rerun"]["runs"]
    assert (run["suite"], run["hardware"], run["evals"]) == ("smoke", "NVIDIA H200", ["decode-step"])
    assert run["gpu_minutes"] is not None
    push(service, OLD)
    assert standings(service) == ["current"], "the head came back"


def test_a_bundle_that_comes_before_its_commit_is_heard_of_counts_once_it_is(
    service: Service, measure: Callable[..., Bundle]
) -> None:
    push(service, OLD)
    service.upload(measure(head=HEAD))
    assert standings(service) == ["stale"]
    push(service, HEAD)
    assert standings(service) == ["current"]
    assert page(service)["verdicts"][0]["outcome"] == "supported"


def test_cells_with_the_same_kernels_carry_over_and_say_so(service: Service, measure: Callable[..., Bundle]) -> None:
    push(service, OLD)
    service.upload(measure())
    push(service, HEAD)
    proof = measure(head=HEAD, change=only_serving)
    service.upload(proof)
    assert standings(service) == ["inherited", "current"]
    shown = page(service)
    verdict = shown["verdicts"][0]
    assert (verdict["outcome"], verdict["inherited_from"]) == ("supported", OLD)
    old = shown["evidence"][1]
    assert (old["stale"], old["lifetime"]["by"]) == (False, proof.id)
    assert {one["eval_id"] for one in old["lifetime"]["inherited"]} == {"decode-step"}
    assert shown["rerun"]["runs"] == []
    (check,) = [row for row in service.rows("post") if row["state"] == "pending"][-1:]
    assert "inherited" in check["payload"]


def test_other_kernels_carry_nothing_over(service: Service, measure: Callable[..., Bundle]) -> None:
    def recompiled(specimen: Any) -> None:
        specimen.ledger("candidate", "decode-step")["kernel_digests"] = ["f" * 64]
        only_serving(specimen)

    push(service, OLD)
    service.upload(measure())
    push(service, HEAD)
    service.upload(measure(head=HEAD, change=recompiled))
    assert standings(service) == ["stale", "current"]
    assert page(service)["verdicts"][0]["outcome"] == "no_evidence"


def test_the_same_node_supersedes_and_an_invalidated_successor_does_not(
    service: Service, measure: Callable[..., Bundle]
) -> None:
    push(service, OLD)
    first, second = measure(), measure()
    service.upload(first)
    service.upload(second)
    assert standings(service) == ["superseded", "current"]
    assert page(service)["verdicts"][0]["bundle_ids"] == [second.id]
    url = f"/api/v1/bundles/{second.id}/invalidate"
    service.client.post(url, json={"reason": "the machine was shared"}, headers=service.admin)
    service.work()
    assert standings(service) == ["current", "invalidated"]
    assert page(service)["verdicts"][0]["bundle_ids"] == [first.id]


def test_a_node_of_the_project_gives_level_four_as_long_as_it_is_one(
    service: Service, measure: Callable[..., Bundle], node: NodeKey
) -> None:
    push(service, OLD)
    bundle = measure()
    service.upload(bundle)
    url = f"/api/v1/bundles/{bundle.id}"
    assert service.client.get(url).json()["bundle"]["trust"]["level"] == 1
    register(service, node, project=True)
    shown = service.client.get(url).json()
    assert (shown["bundle"]["trust"]["level"], shown["assessment"]["trust"]["level"]) == (4, 1)
    assert shown["placement"]["quorum"] == 1
    assert page(service)["verdicts"][0]["trust_level"] == 4
    register(service, node)
    assert service.client.get(url).json()["bundle"]["trust"]["level"] == 1
    changes = [row["detail"] for row in service.rows("audit") if row["action"] == "bundle.trust_changed"]
    assert [detail.split(":")[0] for detail in changes] == ["1 to 4", "4 to 1"]


# ------------------------------------------------------------------ merge policies
def test_a_policy_decides_whether_a_supported_claim_is_enough(
    service: Service, measure: Callable[..., Bundle], node: NodeKey
) -> None:
    url = "/api/v1/repositories/octo/kernels/policy"
    policy = {
        "version": 1,
        "needs": [{"kind": "speed", "trust": 4, "evidence_from": "others", "inherited": True}],
        "holes": 0,
    }
    assert service.client.put(url, json=policy, headers=service.admin).json()["code"] == "repository_not_found"
    push(service, OLD)
    service.upload(measure())
    open_policy = {"version": 1, "needs": [], "holes": None, "audits": None}
    assert page(service)["policy"] == service.client.get(url).json() == open_policy
    assert page(service)["check"]["conclusion"] == "success"
    assert service.client.put(url, json=policy, headers=service.admin).json() == {**policy, "audits": None}
    service.work()
    shown = page(service)
    assert (shown["policy"], shown["check"]["conclusion"]) == ({**policy, "audits": None}, "action_required")
    assert [one["claim_id"] for one in shown["shortfalls"]] == ["speed"]
    register(service, node, project=True)
    assert (page(service)["shortfalls"], page(service)["check"]["conclusion"]) == ([], "success")
    assert [row["action"] for row in service.rows("audit")].count("policy.set") == 1


def test_holes_of_the_declared_scope_are_shown_and_count_for_the_policy(
    service: Service, measure: Callable[..., Bundle]
) -> None:
    scope = "\n- scope: {batch: [1, 4, 64], context: 64, features: [byogpu_copy, structured-output]}\n```"
    push(service, OLD, body=CLAIMS.removesuffix("\n```") + scope)
    assert len(page(service)["scope"]["holes"]) == 3 * 3 + 2, "nothing is shown before the first bundle"
    service.upload(measure())
    shown = page(service)
    assert [cell["batch"] for cell in shown["scope"]["cells"]] == [1, 4, 64]
    assert [cell["holes"] for cell in shown["scope"]["cells"]] == [
        ["correctness"], [], ["performance", "correctness", "path"],
    ]  # fmt: skip
    assert [one["evidence"]["state"] for one in shown["scope"]["features"]] == ["shown", "missing"]
    assert shown["check"]["conclusion"] == "success"
    policy = {"version": 1, "needs": [], "holes": 0}
    service.client.put("/api/v1/repositories/octo/kernels/policy", json=policy, headers=service.admin)
    service.work()
    shown = page(service)
    assert shown["check"]["conclusion"] == "action_required"
    assert shown["shortfalls"][0]["sentence"].startswith("The declared scope has 5 holes, 0 are allowed: batch 1,")
    post = [row for row in service.rows("post") if row["state"] != "superseded"][-1]
    assert "Of the declared scope 1 of 3 cells are whole, 1 of 2 features are shown; 5 holes." in post["payload"]
    assert "### The declared scope" in post["payload"]
    push(service, HEAD, body=CLAIMS)
    assert page(service)["scope"] is None, "the new text declares none"


def test_a_bundle_that_is_drawn_has_to_be_reproduced(
    service: Service, measure: Callable[..., Bundle], node: NodeKey
) -> None:
    push(service, OLD)
    service.upload(measure())
    (drawn,) = service.rows("assessment")
    assert 0 <= drawn["lot"] < 1
    url = "/api/v1/repositories/octo/kernels/policy"
    for share, conclusion in ((0.0, "success"), (1.0, "action_required")):
        policy = {"version": 1, "needs": [], "holes": None, "audits": {"share": share, "from_factor": None}}
        service.client.put(url, json=policy, headers=service.admin)
        service.work()
        assert page(service)["check"]["conclusion"] == conclusion
    assert "drawn for an audit" in page(service)["shortfalls"][0]["sentence"]
    service.client.post("/api/v1/revalidations", headers=service.admin)
    service.work()
    assert service.rows("assessment")[0]["lot"] == drawn["lot"], "judging again does not draw again"
    register(service, node, project=True)
    assert page(service)["shortfalls"] == []


def test_setting_a_policy_is_the_operators_and_strict(service: Service) -> None:
    push(service, OLD)
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
