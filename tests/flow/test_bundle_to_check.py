"""From a bundle in a folder to a check on GitHub, over HTTP, in one process. Start reading here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest

from server.settings import Settings
from standin.acts import Edit, Push
from worker.bundle import Bundle
from worker.bundle.signature import NodeKey
from worker.service import Service
from worker.settings import Settings as WorkerSettings
from worker.upload import upload, wait

if TYPE_CHECKING:
    from tests.flow.conftest import Site

PULL = "/api/v1/pulls/octo/kernels/1"


def test_from_a_bundle_to_a_check(site: Site, api: httpx.Client, evidence: Bundle, node: NodeKey, flow: Any) -> None:
    with flow.serving(Settings(**site.settings)):
        # 1. The pull request becomes known: claims, no evidence, and a check that says so.
        api.post(f"{PULL}/sync", headers=flow.admin).raise_for_status()
        (check,) = flow.eventually(site.checks, bool)
        assert (check.status, check.conclusion) == ("completed", "action_required")
        assert check.details_url == f"{site.url}/pulls/octo/kernels/1"
        page = api.get(PULL).json()
        assert [claim["id"] for claim in page["claims"]] == ["decode-speed"]
        assert [verdict["outcome"] for verdict in page["verdicts"]] == ["no_evidence"]
        assert page["evidence"] == []

        # 2. A registered node's bundle arrives.
        registered = {"public_key": node.public_key, "owner": "kim"}
        api.post("/api/v1/nodes", json=registered, headers=flow.admin).raise_for_status()
        with Service(WorkerSettings(), url=site.url) as there:
            upload(evidence, there)
            receipt = wait(evidence, there, limit_s=60)
        assert (receipt.validation_state, receipt.trust_level) == ("valid", 1)

        # 3. The verdict and the same check change.
        (check,) = flow.eventually(site.checks, lambda checks: checks[0].conclusion == "success")
        page = flow.eventually(lambda: api.get(PULL).json(), lambda page: page["check"]["state"] == "sent")
        (verdict,) = page["verdicts"]
        assert verdict["outcome"] == "supported"
        assert verdict["ratio"] == pytest.approx(1.6, rel=0.05)
        assert verdict["bundle_ids"] == [evidence.id]
        (item,) = page["evidence"]
        assert (item["bundle"]["bundle_id"], item["stale"], item["claim_ids"]) == (evidence.id, False, ["decode-speed"])
        assert item["bundle"]["node_owner"] == "kim"
        assert page["check"]["conclusion"] == "success"
        listed = api.get("/api/v1/pulls").json()["items"]
        assert listed[0]["outcomes"] == [{"outcome": "supported", "count": 1}]

        # 4. Everything behind it can be looked at and downloaded, byte for byte.
        page = api.get(f"/api/v1/bundles/{evidence.id}").json()
        assert page["bundle"]["signature"] == "valid"
        assert page["assessment"]["validity"] == "valid"
        assert page["manifest"]["subject"]["pull_number"] == 1
        assert not page["stale"]
        assert api.get(f"/api/v1/bundles/{evidence.id}/manifest").content == evidence.manifest_bytes
        assert api.get(f"/api/v1/bundles/{evidence.id}/envelope").content == evidence.envelope
        for file in page["files"]:
            answer = api.get(file["url"])
            assert answer.headers["content-disposition"].startswith("attachment")
            with evidence.blobs.open(file["sha256"]) as stream:
                assert answer.content == stream.read()
        compared = api.get("/api/v1/compare", params={"a": evidence.id, "b": evidence.id}).json()
        assert compared["comparison"]["cells"]

        # 5. A new commit makes the evidence stale, and gets a check of its own.
        site.standin.forge.push(Push(repository="octo/kernels", number=1, files={"a.py": "2\n"}))
        checks = flow.eventually(site.checks, lambda checks: len(checks) == 2)
        assert [one.conclusion for one in checks] == ["success", "action_required"]
        page = api.get(PULL).json()
        assert [verdict["outcome"] for verdict in page["verdicts"]] == ["no_evidence"]
        assert [item["stale"] for item in page["evidence"]] == [True]
        assert api.get(f"/api/v1/bundles/{evidence.id}").json()["stale"]

        # 6. A claims block that cannot be read is said so, with its line.
        site.standin.forge.edit(Edit(repository="octo/kernels", number=1, body="```byogpu-claims\n- id: [\n```"))
        flow.eventually(site.checks, lambda checks: "claims block" in (checks[-1].title or ""))
        page = api.get(PULL).json()
        assert page["claims"] == page["verdicts"] == []
        assert page["claim_errors"][0]["line"] >= 1
        assert len(site.checks()) == 2


def test_nothing_is_said_twice(site: Site, api: httpx.Client, evidence: Bundle, flow: Any) -> None:
    with flow.serving(Settings(**site.settings)):
        api.post(f"{PULL}/sync", headers=flow.admin).raise_for_status()
        flow.eventually(site.checks, bool)
        flow.Uploader(api, evidence).upload()
        flow.eventually(site.checks, lambda checks: checks[0].conclusion == "success")
        flow.eventually(lambda: api.get(PULL).json(), lambda page: page["check"]["state"] == "sent")
        before, calls = site.checks(), site.standin.forge.calls
        for _ in range(3):
            api.post(f"{PULL}/sync", headers=flow.admin).raise_for_status()
        assert flow.Uploader(api, evidence).upload()["validation_state"] == "valid"
        flow.eventually(lambda: api.get("/ready").json(), lambda ready: ready["tasks_waiting"] == 0)
        assert site.checks() == before
        assert site.standin.forge.calls == calls + 3, "the three syncs read the pull request, and that is all"


def test_a_pull_request_that_claims_nothing_gets_no_check(site: Site, api: httpx.Client, flow: Any) -> None:
    with flow.serving(Settings(**site.settings)):
        site.standin.forge.edit(Edit(repository="octo/kernels", number=1, body="Nothing to claim."))
        api.post(f"{PULL}/sync", headers=flow.admin).raise_for_status()
        flow.eventually(lambda: api.get(PULL).json(), lambda page: page["judged_at"] is not None)
        flow.eventually(lambda: api.get("/ready").json(), lambda ready: ready["tasks_waiting"] == 0)
        assert site.checks() == []
        assert api.get(PULL).json()["check"] is None
