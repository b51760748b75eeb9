"""From a challenge to a bundle that is trusted for following it, with the worker's own client, over HTTP."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from server.settings import Settings
from worker.bundle import Bundle
from worker.bundle.schema import Challenge, Subject
from worker.bundle.signature import NodeKey, sign
from worker.service import Service
from worker.settings import Settings as WorkerSettings
from worker.suites import load
from worker.suites.plan import plan_run
from worker.suites.prompts import prompt, prompt_digest
from worker.upload import Receipt, upload, wait

if TYPE_CHECKING:
    from tests.flow.conftest import Site

PULL = "/api/v1/pulls/octo/kernels/1"
SMOKE = load("smoke")


def follow(specimen: Any, challenge: Challenge, subject: Subject, node: NodeKey) -> Any:
    """The specimen as a run of a challenge would have made it: its subject, its node, its prompts."""
    made = copy.deepcopy(specimen)
    made.manifest["subject"] = subject.model_dump(mode="json")
    made.manifest["challenge"] = challenge.model_dump(mode="json")
    made.manifest["producer"]["node_key_id"] = node.key_id
    made.arm("candidate")["code"]["commit_sha"] = subject.head_sha
    made.arm("baseline")["code"]["commit_sha"] = subject.base_sha
    seeds = {
        (cell.cell, block.block.index): cell.seeds
        for planned in plan_run(SMOKE, challenge.nonce).evals
        for block in planned.blocks
        for cell in block.cells
    }
    for row in made.of("requests", "serving"):
        seed = seeds[row["cell"], row["block"]][row["index"]]
        row["prompt_sha256"] = prompt_digest(prompt(seed, characters=row["input_tokens"]))
    return made


def hand_in(service: Service, specimen: Any, folder: Path, node: NodeKey) -> tuple[Bundle, Receipt]:
    bundle: Bundle = specimen.write(folder)
    bundle = replace(bundle, envelope=sign(bundle.manifest_bytes, node))
    upload(bundle, service)
    return bundle, wait(bundle, service, limit_s=60)


def rules_of(api: httpx.Client, bundle: Bundle) -> set[str]:
    page = api.get(f"/api/v1/bundles/{bundle.id}").json()
    return {finding["rule_id"] for finding in page["assessment"]["findings"]}


def test_from_a_challenge_to_trust(
    site: Site, api: httpx.Client, specimen: Any, node: NodeKey, flow: Any, tmp_path: Path
) -> None:
    with flow.serving(Settings(**site.settings)), Service(WorkerSettings(), url=site.url) as service:
        api.post(f"{PULL}/sync", headers=flow.admin).raise_for_status()
        registered = {"public_key": node.public_key, "owner": "kim"}
        api.post("/api/v1/nodes", json=registered, headers=flow.admin).raise_for_status()

        # 1. Two runs begin. One of them is given up.
        subject = service.subject("octo/kernels", 1, suite=SMOKE.reference)
        given_up = service.challenge(subject, suite=SMOKE, key=node)
        service.give_up(given_up)
        challenge = service.challenge(subject, suite=SMOKE, key=node)

        # 2. The other follows its challenge and is trusted further than a signature alone.
        made = follow(specimen, challenge, subject, node)
        bundle, receipt = hand_in(service, made, tmp_path / "first", node)
        assert (receipt.validation_state, receipt.trust_level) == ("valid", 2)
        page = flow.eventually(
            lambda: api.get(PULL).json(),
            lambda page: [one["outcome"] for one in page["verdicts"]] == ["supported"],
        )
        assert page["verdicts"][0]["trust_level"] == 2
        assert [(one["id"], one["fate"], one["bundle_id"]) for one in page["challenges"]] == [
            (challenge.id, "used", bundle.id),
            (given_up.id, "abandoned", None),
        ]

        # 3. A luckier run for the same challenge counts for nothing.
        made.rows[("steps", "decode-step")][0]["latency_us"] *= 0.999
        second, receipt = hand_in(service, made, tmp_path / "second", node)
        assert (receipt.validation_state, receipt.trust_level) == ("invalid", 0)
        assert "C-005" in rules_of(api, second)

        # 4. Nor does one that chose its prompts, whatever challenge it names.
        chosen = follow(specimen, service.challenge(subject, suite=SMOKE, key=node), subject, node)
        for row, other in zip(chosen.of("requests", "serving"), made.of("requests", "serving"), strict=True):
            row["prompt_sha256"] = other["prompt_sha256"]
        third, receipt = hand_in(service, chosen, tmp_path / "third", node)
        assert (receipt.validation_state, receipt.trust_level) == ("invalid", 0)
        assert "C-011" in rules_of(api, third)
