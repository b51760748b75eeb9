"""The upload protocol over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from worker.bundle import Bundle

if TYPE_CHECKING:
    from tests.conftest import Service


def test_a_new_manifest_is_answered_with_its_missing_parts(
    service: Service, make_bundle: Callable[..., Bundle]
) -> None:
    bundle = make_bundle()
    answer = service.post(bundle)
    assert answer.status_code == 201
    receipt = answer.json()
    assert receipt["bundle_id"] == bundle.id
    assert receipt["upload_state"] == "open"
    assert receipt["validation_state"] == "pending"
    (blob,) = receipt["missing"]
    entry = bundle.manifest.files[0]
    assert (blob["sha256"], blob["size_bytes"]) == (entry.sha256, entry.size_bytes)
    parts = blob["upload"]["parts"]
    assert [part["number"] for part in parts] == list(range(1, len(parts) + 1))
    assert len(parts) > 2
    assert sum(part["size_bytes"] for part in parts) == entry.size_bytes
    assert not any(part["received"] for part in parts)


def test_posting_again_resumes(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    bundle = make_bundle()
    first = service.post(bundle).json()["missing"][0]["upload"]["parts"][1]
    with bundle.blobs.open(bundle.manifest.files[0].sha256) as stream:
        data = stream.read()
    piece = data[first["offset"] : first["offset"] + first["size_bytes"]]
    assert service.put(first["url"], piece).status_code == 200
    again = service.post(bundle)
    assert again.status_code == 200
    received = [part["received"] for part in again.json()["missing"][0]["upload"]["parts"]]
    assert received[1]
    assert received.count(True) == 1


def test_parts_may_come_in_any_order_and_twice(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    bundle = make_bundle()
    missing = service.post(bundle).json()["missing"]
    backwards = [{**blob, "upload": {"parts": list(reversed(blob["upload"]["parts"]))}} for blob in missing]
    service.put_missing(bundle, backwards)
    service.put_missing(bundle, missing)
    assert service.submit(bundle).status_code == 202
    digest = bundle.manifest.files[0].sha256
    with service.services.store.open(digest) as stored, bundle.blobs.open(digest) as sent:
        assert stored.read() == sent.read()


def test_submitting_with_parts_missing_names_them(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    bundle = make_bundle()
    service.post(bundle)
    answer = service.submit(bundle)
    assert answer.status_code == 409
    problem = answer.json()
    assert problem["code"] == "bundle_incomplete"
    assert [blob["sha256"] for blob in problem["missing"]] == [bundle.manifest.files[0].sha256]


def test_submitting_twice_validates_once(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    bundle = make_bundle()
    first = service.upload(bundle)
    assert service.submit(bundle).json() == first
    service.work()
    assert [row["action"] for row in service.rows("audit") if row["action"].startswith("bundle.")] == [
        "bundle.opened",
        "bundle.submitted",
        "bundle.running",
        f"bundle.{first['validation_state']}",
    ]


def test_a_shared_blob_is_uploaded_once(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    service.upload(make_bundle())
    other = make_bundle(base_sha="c" * 40)
    assert service.post(other).json()["missing"] == []
    assert service.submit(other).status_code == 202


def test_an_empty_blob_has_one_empty_part(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    bundle = make_bundle(rows=0)
    missing = service.post(bundle).json()["missing"]
    assert [part["size_bytes"] for part in missing[0]["upload"]["parts"]] == [0]
    service.put_missing(bundle, missing)
    assert service.submit(bundle).status_code == 202


def test_a_bundle_that_lies_about_a_blobs_size_harms_only_itself(
    service: Service, make_bundle: Callable[..., Bundle]
) -> None:
    honest = make_bundle()
    lying_text = honest.manifest_bytes.decode().replace(
        f'"size_bytes":{honest.manifest.files[0].size_bytes}', '"size_bytes":5'
    )
    posted = service.client.post("/api/v1/bundles", json={"manifest": lying_text})
    assert posted.status_code == 201
    (part,) = posted.json()["missing"][0]["upload"]["parts"]
    assert service.put(part["url"], b"12345").status_code == 200
    lying_id = posted.json()["bundle_id"]
    refused = service.client.post(f"/api/v1/bundles/{lying_id}/submit")
    assert (refused.status_code, refused.json()["code"]) == (409, "blob_corrupt")
    assert service.upload(honest)["upload_state"] == "complete"


def test_parallel_posts_and_submits_make_one_bundle(
    make_service: Callable[..., Service], make_bundle: Callable[..., Bundle], database_url: str
) -> None:
    service = make_service(part_size_bytes=1024, database_url=database_url)
    bundle = make_bundle()
    with ThreadPoolExecutor(8) as pool:
        posted = list(pool.map(lambda _: service.post(bundle), range(8)))
        assert sorted(answer.status_code for answer in posted) == [200] * 7 + [201]
        list(pool.map(lambda _: service.put_missing(bundle, posted[0].json()["missing"]), range(4)))
        submitted = list(pool.map(lambda _: service.submit(bundle), range(8)))
    assert {answer.status_code for answer in submitted} == {202}
    assert len(service.rows("bundle")) == 1
    assert [row["action"] for row in service.rows("audit")] == ["bundle.opened", "bundle.submitted"]
    assert [(row["kind"], row["wanted"]) for row in service.rows("task")] == [("validate", 1)]
    assert not list((service.services.settings.data_dir / "parts").iterdir())
    assert not list((service.services.settings.data_dir / "scratch").iterdir())
