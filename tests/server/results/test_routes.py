"""What the dashboard reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from judge.metrics import METRICS
from judge.rules import RULES
from server import models
from server.checks import pulls
from worker import suites
from worker.bundle import Bundle

if TYPE_CHECKING:
    from tests.conftest import Service

REPOSITORY_ID = 1001
SECRET_LOG = b"token=" + b"ghp_" + b"a" * 36


def add_pull(service: Service, number: int = 1, **changes: object) -> None:
    seen = pulls.Seen(
        repository_id=REPOSITORY_ID, repository="octo/kernels", number=number, title=f"Pull {number}", body="",
        state="open", head_sha="a" * 40, base_sha="b" * 40,
    )  # fmt: skip
    with service.services.database.write() as session:
        pulls.store(session, service.services, pulls.Seen(**{**vars(seen), **changes}), actor="admin")
    service.work()


def pages(service: Service, path: str, limit: int) -> list[list[dict[str, object]]]:
    found, cursor = [], None
    while True:
        query = f"?limit={limit}" + (f"&cursor={cursor}" if cursor else "")
        page = service.client.get(path + query).json()
        found.append(page["items"])
        cursor = page["next_cursor"]
        if cursor is None:
            return found


def test_pull_requests_are_paged_the_last_touched_first(
    make_service: Callable[..., Service], database_url: str
) -> None:
    service = make_service(database_url=database_url)
    for number in (1, 2, 3, 4, 5):
        add_pull(service, number)
    add_pull(service, 2)
    found = pages(service, "/api/v1/pulls", 2)
    assert [[item["pull"]["number"] for item in page] for page in found] == [[2, 5], [4, 3], [1]]


def test_bundles_are_paged_and_open_uploads_are_not_listed(
    make_service: Callable[..., Service], make_bundle: Callable[..., Bundle], database_url: str
) -> None:
    service = make_service(database_url=database_url)
    bundles = [make_bundle(rows=rows) for rows in (1, 2, 3)]
    for bundle in bundles:
        service.upload(bundle)
    service.post(make_bundle(rows=4))
    found = pages(service, "/api/v1/bundles", 2)
    assert [[item["bundle_id"] for item in page] for page in found] == [
        [bundles[2].id, bundles[1].id],
        [bundles[0].id],
    ]


def test_a_full_last_page_is_the_last(service: Service) -> None:
    add_pull(service, 1)
    add_pull(service, 2)
    assert len(pages(service, "/api/v1/pulls", 2)) == 1


def test_a_pull_request_is_found_whatever_the_case_of_its_name(service: Service) -> None:
    add_pull(service)
    page = service.client.get("/api/v1/pulls/Octo/KERNELS/1").json()
    assert page["pull"]["repository"] == "octo/kernels"
    assert page["pull"]["url"] == "https://byogpu.example/pulls/octo/kernels/1"


def test_a_name_leads_to_the_repository_that_has_it_now(service: Service) -> None:
    add_pull(service, title="old")
    add_pull(service, repository_id=2002, title="new")
    assert service.client.get("/api/v1/pulls/octo/kernels/1").json()["pull"]["title"] == "new"


def test_evidence_belongs_to_ids_and_not_to_names(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    add_pull(service)
    service.upload(make_bundle(repository_id=2002))
    mine = make_bundle(repository="octo/renamed")
    service.upload(mine)
    page = service.client.get("/api/v1/pulls/octo/kernels/1").json()
    assert [item["bundle"]["bundle_id"] for item in page["evidence"]] == [mine.id]


def test_evidence_for_another_commit_is_stale(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    add_pull(service)
    bundle = make_bundle()
    service.upload(bundle)
    assert not service.client.get(f"/api/v1/bundles/{bundle.id}").json()["stale"]
    add_pull(service, head_sha="c" * 40)
    assert service.client.get(f"/api/v1/bundles/{bundle.id}").json()["stale"]
    page = service.client.get("/api/v1/pulls/octo/kernels/1").json()
    assert [item["stale"] for item in page["evidence"]] == [True]


def test_a_bundle_page_says_everything_once_validated(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    bundle = make_bundle()
    service.put_missing(bundle, service.post(bundle).json()["missing"])
    page = service.client.get(f"/api/v1/bundles/{bundle.id}").json()
    assert (page["manifest"], page["assessment"], page["files"]) == (None, None, [])
    assert page["bundle"]["trust"] is None
    service.submit(bundle)
    service.work()
    page = service.client.get(f"/api/v1/bundles/{bundle.id}").json()
    assert page["manifest"] == json.loads(bundle.manifest_bytes)
    assert page["assessment"]["bundle_id"] == bundle.id
    assert page["bundle"]["trust"]["level"] == page["assessment"]["trust"]["level"] == 0
    counts = page["bundle"]["findings"]
    assert sum(counts.values()) == len(page["assessment"]["findings"])
    assert page["pull"] is None


def test_raw_files_are_downloads_and_never_pages(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    bundle = make_bundle(log=b"<script>alert(1)</script>")
    service.upload(bundle)
    urls = [file["url"] for file in service.client.get(f"/api/v1/bundles/{bundle.id}").json()["files"]]
    assert len(urls) == 2
    for url in (*urls, f"/api/v1/bundles/{bundle.id}/manifest"):
        answer = service.client.get(url)
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["content-disposition"].startswith('attachment; filename="')
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"].endswith("sandbox")
        assert "immutable" in answer.headers["cache-control"]
        again = service.client.get(url, headers={"If-None-Match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        for other in ('"x"', 'W/"x", "y"', "junk"):
            assert service.client.get(url, headers={"If-None-Match": other}).status_code == 200
    assert service.client.get(f"/api/v1/bundles/{bundle.id}/envelope").json()["code"] == "envelope_not_found"


def test_contents_are_not_shown_before_validation(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    bundle = make_bundle()
    service.put_missing(bundle, service.post(bundle).json()["missing"])
    service.submit(bundle)
    for path in ("manifest", "envelope"):
        assert service.client.get(f"/api/v1/bundles/{bundle.id}/{path}").json()["code"] == "bundle_not_validated"
    for entry in bundle.manifest.files:
        assert service.client.get(f"/api/v1/blobs/{entry.sha256}").json()["code"] == "blob_not_found"
    compared = service.client.get("/api/v1/compare", params={"a": bundle.id, "b": bundle.id})
    assert compared.json()["code"] == "bundle_not_validated"


def test_a_secret_puts_a_bundle_in_quarantine_and_out_of_sight(
    service: Service, make_bundle: Callable[..., Bundle]
) -> None:
    leaking = make_bundle(log=SECRET_LOG)
    status = service.upload(leaking)
    assert status["validation_state"] == "quarantined"
    page = service.client.get(f"/api/v1/bundles/{leaking.id}")
    assert page.json()["manifest"] is None
    assert page.json()["bundle"]["validation_detail"]
    assert "ghp_aaa" not in page.text
    for path in ("manifest", "envelope"):
        assert service.client.get(f"/api/v1/bundles/{leaking.id}/{path}").json()["code"] == "bundle_quarantined"
    for entry in leaking.manifest.files:
        assert service.client.get(f"/api/v1/blobs/{entry.sha256}").json()["code"] == "blob_not_found"


def test_a_blob_in_quarantine_stays_hidden_whoever_else_lists_it(
    service: Service, make_bundle: Callable[..., Bundle]
) -> None:
    bundle = make_bundle(log=b"harmless")
    service.upload(bundle)
    url = f"/api/v1/blobs/{bundle.manifest.files[1].sha256}"
    assert service.client.get(url).status_code == 200
    other = make_bundle(log=b"harmless", base_sha="c" * 40)
    service.upload(other)
    with service.services.database.write() as session:
        session.execute(
            update(models.Bundle).where(models.Bundle.id == other.id).values(validation_state="quarantined")
        )
    assert service.client.get(url).json()["code"] == "blob_not_found"


def test_two_bundles_are_compared(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    first, second = make_bundle(rows=40), make_bundle(rows=41)
    service.upload(first)
    service.upload(second)
    answer = service.client.get("/api/v1/compare", params={"a": first.id, "b": second.id})
    assert answer.status_code == 200, answer.text
    page = answer.json()
    assert (page["a"]["bundle_id"], page["b"]["bundle_id"]) == (first.id, second.id)
    assert page["comparison"]["cells"][0]["metric"] == "step_latency_us"
    assert page["comparison"]["cells"][0]["unverified"], "the machines are unknown"


@pytest.mark.parametrize(
    ("path", "count"), [("rules", len(RULES)), ("suites", len(suites.published())), ("metrics", len(METRICS))]
)
def test_catalogues(service: Service, path: str, count: int) -> None:
    items = service.client.get(f"/api/v1/{path}").json()["items"]
    assert len(items) == count > 0


def test_every_rule_explains_itself(service: Service) -> None:
    for rule in service.client.get("/api/v1/rules").json()["items"]:
        assert rule["title"]
        assert rule["why"]
        assert rule["hint"]
        assert rule["family_title"]


def test_health_and_readiness(service: Service) -> None:
    assert service.client.get("/health").json()["status"] == "ok"
    down = service.client.get("/ready")
    assert down.status_code == 503
    assert down.json() == {
        "ready": False, "draining": False, "database": "ok", "storage": "ok", "queue": "down",
        "tasks_waiting": 0, "tasks_dead": 0,
    }  # fmt: skip
    with service.client:
        up = service.client.get("/ready")
        assert (up.status_code, up.json()["ready"]) == (200, True)


def test_what_is_down_is_named(service: Service) -> None:
    (service.services.settings.data_dir / "scratch").rmdir()
    with service.services.database.write() as session:
        from sqlalchemy import text

        session.execute(text("DROP TABLE task"))
    assert service.client.get("/ready").json()["storage"] == "down"
    assert service.client.get("/ready").json()["database"] == "down"
    assert service.client.get("/health").status_code == 200


def test_times_are_utc(service: Service) -> None:
    add_pull(service)
    seen_at = service.client.get("/api/v1/pulls").json()["items"][0]["pull"]["seen_at"]
    assert seen_at.endswith("Z")
    assert service.clock.now - service.clock().fromisoformat(seen_at) < timedelta(minutes=1)
