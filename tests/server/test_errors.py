"""Every refusal is a problem document, the framework's own included."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from server.errors import CODES, MEDIA_TYPE, AppError, document

if TYPE_CHECKING:
    from tests.conftest import Service

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/api/v1/nothing", "not_found"),
        ("GET", "/api/v1/bundles/", "not_found"),
        ("DELETE", "/api/v1/bundles", "method_not_allowed"),
        ("TRACE", "/api/v1/bundles", "method_not_allowed"),
        ("GET", "/api/v1/bundles/ABC", "parameter_invalid"),
        ("GET", "/api/v1/bundles/" + "0" * 64, "bundle_not_found"),
        ("GET", "/api/v1/pulls?limit=0", "parameter_invalid"),
        ("GET", "/api/v1/pulls?limit=x", "parameter_invalid"),
        ("GET", "/api/v1/pulls?cursor=%00", "cursor_invalid"),
        ("GET", "/api/v1/pulls?cursor=WzEsMl0", "cursor_invalid"),
        ("GET", "/api/v1/pulls?cursor=WzFlOTk5LCJhIl0", "cursor_invalid"),
        ("GET", "/api/v1/pulls/octo/kernels/0", "parameter_invalid"),
        ("GET", "/api/v1/pulls/octo/kernels/99999999999999999999", "parameter_invalid"),
        ("GET", "/api/v1/pulls/octo/kernels/1", "pull_not_found"),
        ("GET", "/api/v1/compare?a=1&b=2", "parameter_invalid"),
        ("GET", "/api/v1/compare", "parameter_invalid"),
        ("GET", "/api/v1/blobs/" + "0" * 64, "blob_not_found"),
    ],
)
def test_refusals_of_reads(service: Service, method: str, path: str, code: str) -> None:
    answer = service.client.request(method, path)
    assert answer.headers["content-type"] == MEDIA_TYPE
    problem = answer.json()
    assert problem["code"] == code
    assert problem["status"] == answer.status_code == CODES[code].status
    assert problem["type"] == f"urn:byogpu:error:{code}"
    assert problem["title"] == CODES[code].title
    assert problem["detail"]


def test_a_wrong_method_is_told_the_right_ones(service: Service) -> None:
    assert service.client.delete("/health").headers["allow"] == "GET"
    assert service.client.delete("/api/v1/bundles").headers["allow"] == "GET, POST"


def test_a_surprise_says_nothing_about_itself(make_service: Callable[..., Service]) -> None:
    service = make_service()

    @service.client.app.get("/surprise")  # type: ignore[attr-defined]
    def surprise() -> None:
        raise RuntimeError("a secret path")

    answer = service.client.get("/surprise")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert "secret" not in answer.text
    assert answer.headers["content-type"] == MEDIA_TYPE


def test_a_database_that_is_gone_is_no_fault_of_the_request(service: Service) -> None:
    with service.services.database.write() as session:
        session.execute(text("DROP TABLE bundle_blob"))
        session.execute(text("DROP TABLE assessment"))
        session.execute(text("DROP TABLE bundle"))
    answer = service.client.get("/api/v1/bundles")
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.headers["retry-after"] == "5"


def test_an_unregistered_code_cannot_be_raised() -> None:
    with pytest.raises(KeyError):
        AppError("no_such_code", "detail")
    with pytest.raises(KeyError):
        document("no_such_code")


def test_every_registered_code_is_raised_somewhere() -> None:
    source = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("server", "worker/bundle")
        for path in (ROOT / folder).rglob("*.py")
        if path.name != "errors.py" or path.parent.name != "server"
    )
    framework = {"not_found", "method_not_allowed", "request_refused", "parameter_invalid", "internal_error",
                 "unavailable", "database_busy", "client_gone"}  # fmt: skip
    unused = {code for code in CODES if not re.search(rf'"{code}"', source)} - framework
    assert unused == set()
