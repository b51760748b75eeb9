"""Pull requests, challenges for them, and bundles that name these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from server.checks import pulls
from worker.bundle import Bundle
from worker.suites import load

if TYPE_CHECKING:
    import httpx2

    from tests.conftest import Service

REPOSITORY = "octo/kernels"
REPOSITORY_ID = 1001
SMOKE = load("smoke")


@dataclass(frozen=True)
class Desk:
    """Asks a service for challenges and brings it the bundles that go with them."""

    service: Service
    make_bundle: Callable[..., Bundle]

    def know_pull(self, number: int = 1, *, head_sha: str = "a" * 40, state: Any = "open") -> None:
        """Make a pull request known, or move it."""
        seen = pulls.Seen(
            repository_id=REPOSITORY_ID, repository=REPOSITORY, number=number, title="Faster", body="", state=state,
            head_sha=head_sha, base_sha="b" * 40,
        )  # fmt: skip
        with self.service.services.database.write() as session:
            pulls.store(session, self.service.services, seen, actor="github")

    def ask(self, number: int = 1, **changes: Any) -> httpx2.Response:
        body = {"repository": REPOSITORY, "pull_number": number, "suite_digest": SMOKE.digest, **changes}
        return self.service.client.post("/api/v1/challenges", json=body)

    def issue(self, number: int = 1, **changes: Any) -> dict[str, Any]:
        answer = self.ask(number, **changes)
        assert answer.status_code == 201, answer.text
        issued: dict[str, Any] = answer.json()
        return issued

    def give_up(self, issued: dict[str, Any], **changes: Any) -> httpx2.Response:
        body = {"nonce": issued["nonce"], **changes}
        return self.service.client.post(f"/api/v1/challenges/{issued['id']}/abandon", json=body)

    def read(self, issued: dict[str, Any]) -> dict[str, Any]:
        shown: dict[str, Any] = self.service.client.get(f"/api/v1/challenges/{issued['id']}").json()
        return shown

    def bundle(self, issued: dict[str, Any], *, rows: int = 40, node: str = "unknown", **changes: Any) -> Bundle:
        """A bundle that follows a challenge; changes are to the challenge it names, or else to its subject."""
        named = {name: changes.pop(name, issued[name]) for name in ("id", "nonce", "plan_digest")}
        subject = {
            "repository_id": issued["repository_id"], "pull_number": issued["pull_number"],
            "head_sha": issued["head_sha"], "suite": SMOKE.reference.model_dump(), **changes,
        }  # fmt: skip
        return self.make_bundle(rows=rows, challenge=named, node=node, **subject)

    def judged(self, bundle: Bundle) -> tuple[set[str], dict[str, Any]]:
        """Upload a bundle; ids of the rules of family C that spoke, and its trust."""
        self.service.upload(bundle)
        assessment = self.service.client.get(f"/api/v1/bundles/{bundle.id}").json()["assessment"]
        return {one["rule_id"] for one in assessment["findings"] if one["rule_id"][0] == "C"}, assessment["trust"]


@pytest.fixture
def make_desk(make_bundle: Callable[..., Bundle]) -> Callable[[Service], Desk]:
    """A desk at a service, with one open pull request."""

    def make(service: Service) -> Desk:
        desk = Desk(service, make_bundle)
        desk.know_pull()
        return desk

    return make


@pytest.fixture
def desk(service: Service, make_desk: Callable[[Service], Desk]) -> Desk:
    """A desk at the usual service."""
    return make_desk(service)
