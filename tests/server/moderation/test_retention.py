"""The retention policy drops contents, and keeps digests and verdicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from server.checks import pulls
from server.moderation.retention import retire
from worker.bundle import Bundle

if TYPE_CHECKING:
    from tests.conftest import Service

DAY_S = 24 * 3600
SECRET_LOG = b"token=" + b"ghp_" + b"a" * 36


@pytest.fixture
def keeping(make_service: Callable[..., Service], database_url: str) -> Callable[..., Service]:
    """Start a service with a policy, once on each database."""
    return lambda **policy: make_service(database_url=database_url, **policy)


def see_pull(service: Service, state: str) -> None:
    seen: dict[str, Any] = {
        "repository_id": 1001, "repository": "octo/kernels", "number": 1, "title": "Faster", "body": "",
        "state": state, "head_sha": "a" * 40, "base_sha": "b" * 40,
    }  # fmt: skip
    with service.services.database.write() as session:
        pulls.store(session, service.services, pulls.Seen(**seen), actor="admin")
    service.work()


def kept(service: Service, bundle: Bundle) -> bool:
    retire(service.services, "all")
    service.work()
    return service.client.get(f"/api/v1/bundles/{bundle.id}/manifest").status_code != 410


def test_contents_go_and_a_tombstone_stays(keeping: Callable[..., Service], make_bundle: Callable[..., Bundle]) -> None:
    service, bundle = keeping(retention_days=30), make_bundle()
    state = service.upload(bundle)["validation_state"]
    service.clock.advance(30 * DAY_S - 60)
    assert kept(service, bundle)
    service.clock.advance(61)
    assert not kept(service, bundle)

    answer = service.client.get(f"/api/v1/bundles/{bundle.id}/manifest")
    assert (answer.status_code, answer.json()["code"]) == (410, "bundle_retired")
    page = service.client.get(f"/api/v1/bundles/{bundle.id}").json()
    assert page["tombstone"]["blobs"] == [entry.sha256 for entry in bundle.manifest.files]
    assert page["tombstone"]["validation_state"] == state
    assert [ruling["kind"] for ruling in page["bundle"]["rulings"]] == ["retired"]
    assert list(service.services.store.visible()) == []
    again = service.post(bundle)
    assert (again.status_code, again.json()["code"]) == (410, "bundle_retired")
    actions = [row["action"] for row in service.rows("audit") if row["target"] == bundle.id]
    assert actions.count("bundle.retired") == 1


def test_evidence_of_an_open_pull_request_stays(
    keeping: Callable[..., Service], make_bundle: Callable[..., Bundle]
) -> None:
    service, bundle = keeping(retention_days=30), make_bundle()
    see_pull(service, "open")
    service.upload(bundle)
    service.clock.advance(400 * DAY_S)
    assert kept(service, bundle)
    see_pull(service, "closed")
    assert not kept(service, bundle)


def test_what_was_refused_may_go_earlier(keeping: Callable[..., Service], make_bundle: Callable[..., Bundle]) -> None:
    service = keeping(retention_refused_days=7)
    see_pull(service, "open")
    secret = make_bundle(log=SECRET_LOG)
    assert service.upload(secret)["validation_state"] == "quarantined"
    service.clock.advance(7 * DAY_S - 60)
    assert kept(service, secret)
    service.clock.advance(61)
    assert not kept(service, secret)


def test_without_a_policy_everything_stays(
    make_service: Callable[..., Service], make_bundle: Callable[..., Bundle]
) -> None:
    service, bundle = make_service(), make_bundle()
    service.upload(bundle)
    service.clock.advance(10_000 * DAY_S)
    assert kept(service, bundle)


def test_a_retired_bundle_may_still_be_read_about_but_not_decided_on(
    keeping: Callable[..., Service], make_bundle: Callable[..., Bundle]
) -> None:
    service, bundle = keeping(retention_days=1), make_bundle()
    service.upload(bundle)
    service.clock.advance(2 * DAY_S)
    assert not kept(service, bundle)
    answer = service.client.post(
        f"/api/v1/bundles/{bundle.id}/retract", json={"reason": "a test"}, headers=service.admin
    )
    assert (answer.status_code, answer.json()["code"]) == (410, "bundle_retired")
