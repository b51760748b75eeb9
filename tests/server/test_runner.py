"""Running tasks: tried again, given up with a reason, never lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from server import queue
from server.runner import HANDLERS, run_next, sweep
from worker.bundle import Bundle

if TYPE_CHECKING:
    from tests.conftest import Service


def lose_blobs(service: Service) -> None:
    """What a broken disk does."""
    for path in (service.services.settings.data_dir / "blobs").rglob("*"):
        if path.is_file():
            path.unlink()


@pytest.fixture
def submitted(service: Service, make_bundle: Callable[..., Bundle]) -> Bundle:
    bundle = make_bundle()
    service.put_missing(bundle, service.post(bundle).json()["missing"])
    assert service.submit(bundle).status_code == 202
    return bundle


def bundle_state(service: Service) -> tuple[str, str]:
    (row,) = service.rows("bundle")
    return row["validation_state"], row["validation_detail"]


def test_nothing_to_do(service: Service) -> None:
    assert not run_next(service.services)


def test_a_failure_of_ours_is_retried_and_is_never_the_bundles_fault(service: Service, submitted: Bundle) -> None:
    lose_blobs(service)
    for attempt in range(1, HANDLERS["validate"].attempts):
        service.work()
        (task,) = service.rows("task")
        assert (task["state"], task["attempts"]) == ("queued", attempt)
        assert "the store has lost blob" in task["detail"]
        assert bundle_state(service)[0] == "running"
        service.clock.advance(400)
    service.work()
    state, detail = bundle_state(service)
    assert state == "error"
    assert "our side" in detail
    assert service.rows("task")[0]["state"] == "dead"
    assert [row["action"] for row in service.rows("audit")][-2:] == ["bundle.error", "task.dead"]


def test_a_task_whose_runners_die_is_given_up(service: Service, submitted: Bundle) -> None:
    for _ in range(HANDLERS["validate"].attempts):
        with service.services.database.write() as session:
            (task_id,) = queue.due(session, now=service.clock(), limit=10)
            assert queue.take(session, task_id, now=service.clock(), lease_s=60) is not None
        service.clock.advance(61)
    service.work()
    assert bundle_state(service)[0] == "error"
    assert "died" in service.rows("task")[0]["detail"]


def test_an_upload_that_stands_still_expires_and_leaves_no_files(
    service: Service, make_bundle: Callable[..., Bundle]
) -> None:
    bundle = make_bundle()
    missing = service.post(bundle).json()["missing"]
    part = missing[0]["upload"]["parts"][0]
    with bundle.blobs.open(missing[0]["sha256"]) as stream:
        assert service.put(part["url"], stream.read(part["size_bytes"])).status_code == 200
    service.clock.advance(service.services.settings.upload_ttl_s - 10)
    sweep(service.services)
    service.work()
    assert service.rows("bundle")[0]["upload_state"] == "open"
    service.clock.advance(20)
    sweep(service.services)
    service.work()
    assert service.rows("bundle")[0]["upload_state"] == "expired"
    assert service.rows("blob") == service.rows("bundle_blob") == []
    assert service.traces()["files"] == {}
    refused = service.submit(bundle)
    assert (refused.status_code, refused.json()["code"]) == (409, "upload_expired")


def test_an_expired_upload_begins_anew(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    bundle = make_bundle()
    service.post(bundle)
    service.clock.advance(service.services.settings.upload_ttl_s + 10)
    sweep(service.services)
    service.work()
    again = service.post(bundle)
    assert (again.status_code, again.json()["upload_state"]) == (200, "open")
    service.put_missing(bundle, again.json()["missing"])
    assert service.submit(bundle).status_code == 202


def test_blobs_of_complete_bundles_stay(
    service: Service, submitted: Bundle, make_bundle: Callable[..., Bundle]
) -> None:
    other = make_bundle(base_sha="c" * 40, log=b"another blob")
    service.post(other)
    service.clock.advance(service.services.settings.upload_ttl_s + 10)
    sweep(service.services)
    service.work()
    with service.services.store.open(submitted.manifest.files[0].sha256) as stream:
        assert stream.read()
    assert [row["sha256"] for row in service.rows("blob")] == [submitted.manifest.files[0].sha256]


def test_parts_that_a_crash_left_are_swept_up(service: Service, submitted: Bundle) -> None:
    digest = submitted.manifest.files[0].sha256
    for stray in (digest, "0" * 64):
        with service.services.store.part(stray, 1) as sink:
            sink.write(b"x")
            sink.keep()
    sweep(service.services)
    service.work()
    assert list(service.services.store.with_parts()) == []
