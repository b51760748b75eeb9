"""A service with one open upload, to be attacked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from worker.bundle import Bundle

if TYPE_CHECKING:
    import httpx2

    from tests.conftest import Service


@dataclass
class Target:
    """The service, and an upload in its middle: the first of several parts has arrived."""

    service: Service
    bundle: Bundle
    blob: dict[str, Any]
    data: bytes
    before: dict[str, Any]
    audited: int

    def part(self, number: int) -> bytes:
        part = self.blob["upload"]["parts"][number - 1]
        return self.data[part["offset"] : part["offset"] + part["size_bytes"]]

    def part_url(self, number: object = 2) -> str:
        return f"/api/v1/blobs/{self.blob['sha256']}/parts/{number}"

    def expect(self, answer: httpx2.Response, code: str) -> None:
        """The refusal is a problem with this code, and an audit row is all that is left of it."""
        from server.errors import CODES, MEDIA_TYPE

        assert answer.headers["content-type"] == MEDIA_TYPE, answer.text
        assert answer.json()["code"] == code, answer.text
        assert answer.status_code == answer.json()["status"] == CODES[code].status
        assert len(answer.content) < 5000
        self.expect_unchanged()
        rows = self.service.rows("audit")
        assert len(rows) == self.audited + 1
        assert rows[-1]["action"] == "refused"
        assert rows[-1]["detail"].startswith(f"{code}: ")

    def expect_unchanged(self) -> None:
        self.service.work()
        assert self.service.traces() == self.before


@pytest.fixture
def target(service: Service, make_bundle: Callable[..., Bundle]) -> Target:
    bundle = make_bundle()
    (blob,) = service.post(bundle).json()["missing"]
    with bundle.blobs.open(blob["sha256"]) as stream:
        data = stream.read()
    one = Target(service, bundle, blob, data, {}, 0)
    assert service.put(one.part_url(1), one.part(1)).status_code == 200
    one.before, one.audited = service.traces(), len(service.rows("audit"))
    return one
