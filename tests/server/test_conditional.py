"""Reads that are asked for again are answered with 304 while nothing has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Service
    from worker.bundle import Bundle


@pytest.mark.parametrize("path", ["/rules", "/suites", "/metrics", "/pulls", "/bundles", "/revalidations"])
def test_what_is_held_already_is_not_sent_again(service: Service, path: str) -> None:
    first = service.client.get(f"/api/v1{path}")
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "private, no-cache"
    again = service.client.get(f"/api/v1{path}", headers={"If-None-Match": f'"other", {tag}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert again.headers["x-content-type-options"] == "nosniff"
    assert "content-length" not in again.headers
    other = service.client.get(f"/api/v1{path}", headers={"If-None-Match": '"other"'})
    assert (other.status_code, other.content) == (200, first.content)


def test_a_change_changes_the_tag(service: Service, make_bundle: Callable[..., Bundle]) -> None:
    bundle = make_bundle()
    path = f"/api/v1/bundles/{bundle.id}/status"
    receipt = service.post(bundle).json()
    before = service.client.get(path).headers["etag"]
    service.put_missing(bundle, receipt["missing"])
    after = service.client.get(path, headers={"If-None-Match": before})
    assert after.status_code == 200
    assert after.headers["etag"] != before


def test_refusals_and_credentials_have_no_tag(service: Service) -> None:
    assert "etag" not in service.client.get("/api/v1/bundles/ABC").headers
    answer = service.client.get("/api/v1/session")
    assert "etag" not in answer.headers
    assert answer.headers["cache-control"] == "no-store"
