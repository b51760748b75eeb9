"""What an operator decides about bundles, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from server.checks import pulls
from worker.bundle import Bundle

if TYPE_CHECKING:
    import httpx2

    from tests.conftest import Service

SECRET_LOG = b"token=" + b"ghp_" + b"a" * 36
CLAIMS = '```byogpu-claims\n- id: speed\n  metric: step_latency_us\n  relation: ">= 1.2x baseline"\n```'


def decide(service: Service, bundle: Bundle, what: str, reason: str = "the owner asked for it") -> httpx2.Response:
    url = f"/api/v1/bundles/{bundle.id}/{what}"
    answer = service.client.post(url, json={"reason": reason}, headers=service.admin)
    service.work()
    return answer


def add_pull(service: Service, **changes: Any) -> None:
    seen = {
        "repository_id": 1001, "repository": "octo/kernels", "number": 1, "title": "Faster", "body": CLAIMS,
        "state": "open", "head_sha": "a" * 40, "base_sha": "b" * 40, **changes,
    }  # fmt: skip
    with service.services.database.write() as session:
        pulls.store(session, service.services, pulls.Seen(**seen), actor="admin")
    service.work()


def page(service: Service, bundle: Bundle) -> dict[str, Any]:
    found: dict[str, Any] = service.client.get(f"/api/v1/bundles/{bundle.id}").json()
    return found


def pull_page(service: Service) -> dict[str, Any]:
    found: dict[str, Any] = service.client.get("/api/v1/pulls/octo/kernels/1").json()
    return found


def actions(service: Service, bundle: Bundle) -> list[str]:
    return [row["action"] for row in service.rows("audit") if row["target"] == bundle.id]


@pytest.fixture
def service(make_service: Callable[..., Service], database_url: str) -> Service:
    """A service, once on each database."""
    return make_service(database_url=database_url)


@pytest.fixture
def bundle(service: Service, make_bundle: Callable[..., Bundle]) -> Bundle:
    """A valid bundle of a pull request that claims something."""
    add_pull(service)
    made = make_bundle(log=b"a log of its own")
    assert service.upload(made)["validation_state"] == "valid"
    return made


# ------------------------------------------------------------------ retract
def test_a_retracted_bundle_leaves_a_tombstone_and_nothing_else(service: Service, bundle: Bundle) -> None:
    before = page(service, bundle)
    answer = decide(service, bundle, "retract")
    assert answer.status_code == 200, answer.text
    assert answer.json()["kind"] == "retracted"
    after = page(service, bundle)
    assert (after["manifest"], after["assessment"], after["files"]) == (None, None, [])
    stone = after["tombstone"]
    assert stone["bundle_id"] == bundle.id
    assert stone["blobs"] == sorted(entry.sha256 for entry in bundle.manifest.files)
    assert stone["validation_state"] == after["bundle"]["validation_state"] == "valid"
    assert stone["trust_level"] == before["bundle"]["trust"]["level"]
    assert sum(one["count"] for one in stone["findings"]) == len(before["assessment"]["findings"])
    assert stone["verdicts"] == [{"claim_id": "speed", "outcome": "no_evidence"}]
    (ruling,) = after["bundle"]["rulings"]
    assert (ruling["kind"], ruling["reason"]) == ("retracted", "the owner asked for it")
    assert after["lifetime"]["standing"] == after["bundle"]["standing"] == "retracted"
    assert actions(service, bundle)[-1] == "bundle.retracted"


def test_its_addresses_answer_with_the_tombstone_and_its_files_are_gone(service: Service, bundle: Bundle) -> None:
    decide(service, bundle, "retract")
    for path in ("manifest", "envelope"):
        answer = service.client.get(f"/api/v1/bundles/{bundle.id}/{path}")
        assert (answer.status_code, answer.json()["code"]) == (410, "bundle_retracted")
        assert answer.json()["tombstone"]["bundle_id"] == bundle.id
    compared = service.client.get("/api/v1/compare", params={"a": bundle.id, "b": bundle.id})
    assert compared.status_code == 410
    for entry in bundle.manifest.files:
        assert service.client.get(f"/api/v1/blobs/{entry.sha256}").status_code == 404
    traces = service.traces()
    assert traces["blob"] == []
    assert [name for name in traces["files"] if any(entry.sha256 in name for entry in bundle.manifest.files)] == []
    assert [row["manifest"] for row in traces["bundle"]] == [b""]
    assert traces["assessment"] == []


def test_a_file_that_another_bundle_lists_stays(
    service: Service, bundle: Bundle, make_bundle: Callable[..., Bundle]
) -> None:
    other = make_bundle(log=b"a log of its own", base_sha="c" * 40)
    service.upload(other)
    decide(service, bundle, "retract")
    shared = {entry.sha256 for entry in bundle.manifest.files} & {entry.sha256 for entry in other.manifest.files}
    assert shared
    for sha256 in shared:
        assert service.client.get(f"/api/v1/blobs/{sha256}").status_code == 200
    assert page(service, other)["assessment"] is not None


def test_what_was_retracted_is_not_taken_in_again(service: Service, bundle: Bundle) -> None:
    decide(service, bundle, "retract")
    answer = service.post(bundle)
    assert (answer.status_code, answer.json()["code"]) == (410, "bundle_retracted")
    assert service.submit(bundle).status_code == 202
    service.work()
    assert page(service, bundle)["manifest"] is None


def test_retracting_again_changes_nothing(service: Service, bundle: Bundle) -> None:
    first = decide(service, bundle, "retract", "the first reason")
    again = decide(service, bundle, "retract", "another reason")
    assert first.json() == again.json()
    assert actions(service, bundle).count("bundle.retracted") == 1
    assert decide(service, bundle, "invalidate").json()["code"] == "bundle_retracted"
    assert decide(service, bundle, "quarantine-release").json()["code"] == "bundle_retracted"


# ------------------------------------------------------------------ invalidate
def test_an_invalidated_bundle_is_shown_and_counts_for_nothing(service: Service, bundle: Bundle) -> None:
    assert [one["bundle_ids"] for one in pull_page(service)["verdicts"]] == [[bundle.id]]
    assert decide(service, bundle, "invalidate", "the machine was shared").status_code == 200
    shown = page(service, bundle)
    assert shown["manifest"] is not None
    assert (shown["lifetime"]["standing"], shown["lifetime"]["reason"]) == ("invalidated", "the machine was shared")
    assert [one["bundle_ids"] for one in pull_page(service)["verdicts"]] == [[]]
    (evidence,) = pull_page(service)["evidence"]
    assert evidence["lifetime"]["standing"] == "invalidated"
    assert decide(service, bundle, "retract").status_code == 200
    assert page(service, bundle)["lifetime"]["standing"] == "retracted"


# ------------------------------------------------------------------ release
def test_a_release_lifts_what_was_known_and_shows_the_contents(
    service: Service, make_bundle: Callable[..., Bundle]
) -> None:
    leaking = make_bundle(log=SECRET_LOG)
    assert service.upload(leaking)["validation_state"] == "quarantined"
    answer = decide(service, leaking, "quarantine-release", "a made-up token of the documentation")
    assert answer.json()["validation_state"] == "pending"
    shown = page(service, leaking)
    assert shown["bundle"]["validation_state"] == "valid"
    assert shown["manifest"] is not None
    assert shown["assessment"]["validity"] == "valid"
    assert [one["effect"] for one in shown["assessment"]["findings"] if one["effect"] == "quarantines"], "still found"
    assert [one["kind"] for one in shown["bundle"]["rulings"]] == ["released"]
    assert actions(service, leaking)[-3:] == ["bundle.released", "bundle.running", "bundle.valid"]


def test_a_suspicion_that_was_not_lifted_quarantines_again(
    service: Service, make_bundle: Callable[..., Bundle]
) -> None:
    from server.models import Ruling
    from server.rulings import Release

    leaking = make_bundle(log=SECRET_LOG)
    service.upload(leaking)
    with service.services.database.write() as session:  # as a release of an earlier rule would have left it
        kept = Release(rules=("E-999",)).model_dump_json()
        session.add(Ruling(bundle_id=leaking.id, kind="released", reason="r", record=kept, at=service.services.clock()))
    decide(service, leaking, "quarantine-release")
    assert page(service, leaking)["bundle"]["validation_state"] == "valid"
    assert len(page(service, leaking)["bundle"]["rulings"]) == 1


def test_only_what_is_quarantined_is_released(service: Service, bundle: Bundle) -> None:
    answer = decide(service, bundle, "quarantine-release")
    assert (answer.status_code, answer.json()["code"]) == (409, "bundle_not_quarantined")
    assert service.rows("ruling") == []


# ------------------------------------------------------------------ all of them
@pytest.mark.parametrize("what", ["retract", "invalidate", "quarantine-release"])
def test_decisions_need_the_token_a_reason_and_a_judged_bundle(
    what: str, service: Service, make_bundle: Callable[..., Bundle]
) -> None:
    bundle = make_bundle()
    assert decide(service, bundle, what).json()["code"] == "bundle_not_found"
    service.put_missing(bundle, service.post(bundle).json()["missing"])
    assert decide(service, bundle, what).json()["code"] == "bundle_not_validated"
    service.submit(bundle)
    url = f"/api/v1/bundles/{bundle.id}/{what}"
    early = service.client.post(url, json={"reason": "too early"}, headers=service.admin)
    assert early.json()["code"] == "bundle_not_validated"
    service.work()
    assert service.client.post(url, json={"reason": "no token"}).json()["code"] == "unauthorized"
    assert decide(service, bundle, what, "").json()["code"] == "body_invalid"
    assert decide(service, bundle, what, "x" * 501).json()["code"] == "body_invalid"
    assert service.rows("ruling") == []
    assert page(service, bundle)["manifest"] is not None
