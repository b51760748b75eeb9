"""Bundles of the smoke suite, signed and changed, and a pull request whose head moves."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from server.checks import pulls
from worker.bundle import Bundle
from worker.bundle.signature import NodeKey, generate_key, sign

if TYPE_CHECKING:
    from tests.conftest import Service

ROOT = Path(__file__).parents[3]
OLD, HEAD = "a" * 40, "b" * 40
CLAIMS = '```byogpu-claims\n- id: speed\n  metric: step_latency_us\n  relation: ">= 1.5x baseline"\n```'


@dataclass(frozen=True)
class Desk:
    """A service, its nodes and one pull request."""

    service: Service

    def register(self, key: NodeKey, *, owner: str = "ann", project: bool = False) -> None:
        body = {"public_key": key.public_key, "owner": owner, "project": project}
        assert self.service.client.post("/api/v1/nodes", json=body, headers=self.service.admin).is_success
        self.service.work()

    def push(self, head: str, *, body: str = CLAIMS) -> None:
        seen = pulls.Seen(
            repository_id=1001, repository="octo/kernels", number=1, title="Faster", body=body, state="open",
            head_sha=head, base_sha="c" * 40, author="kim",
        )  # fmt: skip
        with self.service.services.database.write() as session:
            pulls.store(session, self.service.services, seen, actor="github")
        self.service.work()

    def page(self) -> dict[str, Any]:
        found: dict[str, Any] = self.service.client.get("/api/v1/pulls/octo/kernels/1").json()
        return found


@pytest.fixture
def desk(service: Service) -> Desk:
    """The usual service."""
    return Desk(service)


@pytest.fixture
def node(desk: Desk, tmp_path: Path) -> NodeKey:
    key = generate_key(tmp_path / "node.pem")
    desk.register(key)
    return key


@pytest.fixture
def measure(node: NodeKey, tmp_path: Path) -> Callable[..., Bundle]:
    """A signed bundle of the smoke suite; what is given is changed in the specimen before it is written."""
    path = ROOT / "tests" / "judge" / "specimen.py"
    spec = importlib.util.spec_from_file_location("tests_judge_specimen", path)
    assert spec
    assert spec.loader
    module = sys.modules.get(spec.name) or importlib.util.module_from_spec(spec)
    if spec.name not in sys.modules:
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    made: list[Bundle] = []

    def make(*, head: str = OLD, change: Callable[[Any], object] | None = None, key: NodeKey = node) -> Bundle:
        specimen = module.build()
        specimen.manifest["challenge"] = None
        specimen.manifest["producer"]["node_key_id"] = key.key_id
        specimen.manifest["subject"]["head_sha"] = head
        specimen.manifest["producer"]["worker_version"] = f"0.1.{len(made)}"
        if change is not None:
            change(specimen)
        written = specimen.write(tmp_path / f"measured-{len(made)}")
        made.append(replace(written, envelope=sign(written.manifest_bytes, key)))
        return made[-1]

    return make
