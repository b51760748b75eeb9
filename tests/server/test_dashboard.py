"""The dashboard's files, and the headers of everything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Service

PAGE = "<!doctype html><title>byogpu</title>"


@pytest.fixture
def service(make_service: Callable[..., Service], tmp_path: Path) -> Service:
    web = tmp_path / "dist"
    (web / "assets").mkdir(parents=True)
    (web / "index.html").write_text(PAGE)
    (web / "assets" / "index-1234.js").write_text("export {}")
    (tmp_path / "secret.txt").write_text("secret")
    (web / "link.txt").symlink_to(tmp_path / "secret.txt")
    return make_service(web_dir=web)


@pytest.mark.parametrize("path", ["/", "/pulls", "/pulls/octo/kernels/1", "/bundles/" + "0" * 64, "/compare?a=1&b=2"])
def test_every_page_is_the_dashboards_one_page(service: Service, path: str) -> None:
    answer = service.client.get(path)
    assert (answer.status_code, answer.text) == (200, PAGE)
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert answer.headers["cache-control"] == "no-cache"


def test_files_with_a_digest_in_their_name_are_cached_for_ever(service: Service) -> None:
    answer = service.client.get("/assets/index-1234.js")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]


@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/v1/nothing", "/api/v2/bundles", "/assets/gone-1.js", "/api/v1/bundles/"]
)
def test_what_is_not_a_page_is_not_found(service: Service, path: str) -> None:
    answer = service.client.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "path",
    ["/../secret.txt", "/%2e%2e/secret.txt", "/assets/..%2f..%2fsecret.txt", "/link.txt", "//etc/passwd", "/%00"],
)
def test_nothing_outside_the_folder_is_served(service: Service, path: str) -> None:
    answer = service.client.get(path)
    assert "secret" not in answer.text
    assert "root:" not in answer.text
    assert answer.status_code in (200, 404)


@pytest.mark.parametrize("path", ["/", "/health", "/api/v1/pulls", "/api/v1/bundles/x", "/nothing.html"])
def test_every_answer_is_hardened(service: Service, path: str) -> None:
    headers = service.client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_data_is_never_a_page(service: Service) -> None:
    for path in ("/api/v1/pulls", "/health", "/api/v1/nothing"):
        headers = service.client.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert headers["content-security-policy"].endswith("sandbox")
        assert headers["cache-control"] in ("no-store", "private, no-cache")


def test_without_a_dashboard_pages_are_not_found(make_service: Callable[..., Service]) -> None:
    answer = make_service().client.get("/pulls")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
