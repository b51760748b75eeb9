"""How much one owner, and one address, may bring."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from worker.bundle import Bundle

if TYPE_CHECKING:
    import httpx2

    from tests.conftest import Service

DAY_S = 24 * 3600


@pytest.fixture
def limited(make_service: Callable[..., Service], database_url: str) -> Callable[..., Service]:
    """Start a service with a limit, once on each database."""
    return lambda **limits: make_service(database_url=database_url, **limits)


def size_of(bundle: Bundle) -> int:
    return sum(entry.size_bytes for entry in bundle.manifest.files)


def refused(answer: httpx2.Response, code: str) -> bool:
    return (answer.status_code, answer.json()["code"]) == (403, code)


@pytest.mark.parametrize("whose", ["owner", "address"])
def test_new_bundles_within_a_day(
    limited: Callable[..., Service], make_bundle: Callable[..., Bundle], whose: str
) -> None:
    service = limited(**{f"bundles_per_{whose}": 2})
    first, second, third = (make_bundle(rows=rows) for rows in (1, 2, 3))
    assert [service.post(one).status_code for one in (first, second)] == [201, 201]
    assert refused(service.post(third), "quota_bundles")
    assert service.post(first).status_code == 200  # known: costs nothing
    service.clock.advance(DAY_S)
    assert service.post(third).status_code == 201


@pytest.mark.parametrize("whose", ["owner", "address"])
def test_bytes_in_open_uploads(limited: Callable[..., Service], make_bundle: Callable[..., Bundle], whose: str) -> None:
    first, second = make_bundle(rows=50), make_bundle(rows=51)
    service = limited(**{f"open_bytes_per_{whose}": size_of(second) + 10})
    service.post(first)
    assert refused(service.post(second), "quota_open_bytes")
    finish(service, first)
    assert service.post(second).status_code == 201


@pytest.mark.parametrize("whose", ["owner", "address"])
def test_bytes_that_are_stored(limited: Callable[..., Service], make_bundle: Callable[..., Bundle], whose: str) -> None:
    first, second = make_bundle(rows=50), make_bundle(rows=51)
    service = limited(**{f"stored_bytes_per_{whose}": size_of(second) + 10})
    service.upload(first)
    assert refused(service.post(second), "quota_stored_bytes")
    retract = f"/api/v1/bundles/{first.id}/retract"
    assert service.client.post(retract, json={"reason": "a test"}, headers=service.admin).status_code < 300
    assert service.post(second).status_code == 201


def test_an_expired_upload_needs_room_to_come_back(
    limited: Callable[..., Service], make_bundle: Callable[..., Bundle]
) -> None:
    first, second = make_bundle(rows=50), make_bundle(rows=51)
    service = limited(open_bytes_per_owner=size_of(second) + 10, upload_ttl_s=60)
    service.post(first)
    service.clock.advance(61)
    from server.intake.expiry import sweep

    sweep(service.services, "all")
    assert service.post(second).status_code == 201
    assert refused(service.post(first), "quota_open_bytes")


def test_one_owner_leaves_the_room_of_another(
    limited: Callable[..., Service], make_bundle: Callable[..., Bundle]
) -> None:
    service = limited(bundles_per_owner=1)
    assert service.post(make_bundle(rows=1)).status_code == 201
    assert refused(service.post(make_bundle(rows=2)), "quota_bundles")
    service.client.headers.update(service.admin)
    assert service.post(make_bundle(rows=3)).status_code == 201


def test_requests_at_once_do_not_exceed_a_limit(
    limited: Callable[..., Service], make_bundle: Callable[..., Bundle]
) -> None:
    service = limited(bundles_per_owner=2)
    bundles = [make_bundle(rows=rows) for rows in range(1, 7)]
    with service.client, ThreadPoolExecutor(max_workers=6) as beside:
        statuses: list[Any] = list(beside.map(lambda one: service.post(one).status_code, bundles))
    assert sorted(statuses) == [201, 201, 403, 403, 403, 403]


def finish(service: Service, bundle: Bundle) -> None:
    service.put_missing(bundle, service.post(bundle).json()["missing"])
    assert service.submit(bundle).status_code == 202
