"""What the store holds and nobody knows goes; what somebody lists stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import delete, select

from server.models import Blob, BundleBlob, Task
from server.runner import sweep
from server.settings import MIB
from server.storage import plan
from worker.bundle import Bundle

if TYPE_CHECKING:
    from tests.conftest import Service

STRAY = b"nobody lists this"


@pytest.fixture(params=["local", pytest.param("s3", marks=pytest.mark.s3)])
def service(request: pytest.FixtureRequest, make_service: Callable[..., Service]) -> Service:
    """A service, once on each store."""
    place: Mapping[str, Any] = {} if request.param == "local" else request.getfixturevalue("new_bucket")()
    return make_service(orphan_interval_s=600, **place)


def bring(service: Service, data: bytes, *, whole: bool) -> str:
    """Put something into the store behind the service's back."""
    digest, store = sha256(data).hexdigest(), service.services.store
    with store.part(digest, 1) as sink:
        sink.write(data)
        sink.keep()
    if whole:
        store.assemble(digest, plan(len(data), 8 * MIB), {1: digest})
        store.discard_parts(digest)
    return digest


def held(service: Service) -> set[str]:
    return {*service.services.store.visible(), *service.services.store.with_parts()}


def collect(service: Service) -> None:
    service.clock.advance(601)
    sweep(service.services)
    service.work()


def test_orphans_go_and_what_is_listed_stays(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    stored, begun = make_bundle(), make_bundle(rows=9)
    service.upload(stored)
    missing = service.post(begun).json()["missing"]
    service.put_missing(begun, missing)
    listed = {entry.sha256 for one in (stored, begun) for entry in one.manifest.files}
    strays = {bring(service, STRAY, whole=True), bring(service, STRAY * 2, whole=False)}
    assert held(service) == listed | strays
    collect(service)
    assert held(service) == listed
    assert service.submit(begun).status_code == 202
    assert {row["sha256"] for row in service.rows("blob")} == listed


def test_a_second_upload_of_a_stored_blob_is_litter(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    bundle = make_bundle()
    service.upload(bundle)
    digest = bundle.manifest.files[0].sha256
    with bundle.blobs.open(digest) as stream:
        bring(service, stream.read(), whole=False)
    assert list(service.services.store.with_parts()) == [digest]
    collect(service)
    assert list(service.services.store.with_parts()) == []
    assert list(service.services.store.visible()) == [digest]


def test_rows_that_a_restored_database_lacks_leave_no_blobs(
    service: Service, make_bundle: Callable[..., Bundle]
) -> None:
    bundle = make_bundle()
    service.upload(bundle)
    with service.services.database.write() as session:  # as after restoring a backup from before the upload
        session.execute(delete(BundleBlob))
        session.execute(delete(Blob))
    collect(service)
    assert held(service) == set()


def test_a_loose_blob_that_another_bundle_lists_stays(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    first, second = make_bundle(), make_bundle(base_sha="c" * 40)
    service.upload(first)
    service.upload(second)
    retract = f"/api/v1/bundles/{first.id}/retract"
    service.client.post(retract, json={"reason": "a test"}, headers=service.admin)
    service.work()
    assert held(service) == {second.manifest.files[0].sha256}
    with service.services.database.read() as session:
        assert session.scalars(select(Blob.loose)).all() == [False]


def test_the_whole_store_is_looked_through_every_so_often(service: Service) -> None:
    def asked() -> int:
        with service.services.database.read() as session:
            return session.scalar(select(Task.wanted).where(Task.kind == "collect_orphans")) or 0

    counts = []
    for seconds in (0, 300, 301, 10):
        service.clock.advance(seconds)
        sweep(service.services)
        service.work()
        counts.append(asked())
    assert counts == [1, 1, 2, 2]
