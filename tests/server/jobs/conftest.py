"""Pull requests, nodes that are lent, and people who order: what tests of jobs share."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, update

from server.models import Bundle, Challenge, Lease, Node, Pull, Repository
from worker.bundle.dsse import NodeKey, generate_key
from worker.bundle.environment import Gpu
from worker.bundle.job import Capabilities, Consent, Offer

if TYPE_CHECKING:
    import httpx2

    from server.services import Services
    from tests.conftest import Service

REPOSITORY = "octo/kernels"
REPOSITORY_ID = 1001
HEAD = "a" * 40
IMAGE = f"registry.example/eval-smoke@sha256:{'1' * 64}"


def gpu(index: int = 0, name: str = "NVIDIA H200", memory_bytes: int = 150_000_000_000) -> Gpu:
    unknown = dict.fromkeys(
        ("uuid_hash", "pci_bus_id", "pci_device_id", "multiprocessors", "compute_capability", "vbios",
         "sm_clock_max_mhz", "memory_clock_max_mhz", "power_limit_w", "ecc", "mig", "compute_mode"), "unknown",
    )  # fmt: skip
    return Gpu.model_validate({**unknown, "index": index, "name": name, "memory_bytes": memory_bytes})


def offer(*gpus: Gpu, **changes: Any) -> Offer:
    machine = {
        "gpus": gpus, "links": (), "driver_version": "570.86.15", "cuda_version": "12.8", "cpu_count": 8,
        "memory_bytes": 64_000_000_000, "runner": "podman", "runner_version": "5.0", "agent_version": "0.1.0",
    }  # fmt: skip
    consent = {
        "suites": ("*",), "images": ("*",), "repositories": ("*",), "authors": ("*",), "longest_s": 86_400,
    }  # fmt: skip
    return Offer(
        capabilities=Capabilities.model_validate({**machine, **{k: v for k, v in changes.items() if k in machine}}),
        consent=Consent.model_validate({**consent, **{k: v for k, v in changes.items() if k in consent}}),
    )


@dataclass(frozen=True)
class Rows:
    """Writes what other features of the service leave in the database."""

    services: Services

    def know_pull(self, number: int = 1, *, head_sha: str = HEAD, state: Any = "open", body: str = "") -> int:
        """Make a pull request known, or move it; its row's id."""
        now = self.services.clock()
        with self.services.database.write() as session:
            session.merge(Repository(id=REPOSITORY_ID, name=REPOSITORY, seen_at=now))
            session.flush()
            pull = session.scalar(select(Pull).where(Pull.number == number))
            if pull is None:
                pull = Pull(
                    repository_id=REPOSITORY_ID, number=number, title="Faster", body=body, author="octocat",
                    state=state, merged=False, draft=False, head_sha=head_sha, base_sha="b" * 40, seen_at=now,
                    url=f"https://github.com/{REPOSITORY}/pull/{number}",
                )  # fmt: skip
                session.add(pull)
            pull.head_sha, pull.state = head_sha, state
            session.flush()
            return pull.id

    def know_node(self, key_id: str, *, owner: str = "lender", public_key: str = "0" * 64) -> None:
        with self.services.database.write() as session:
            session.add(Node(key_id=key_id, public_key=public_key, owner=owner, registered_at=self.services.clock()))

    def submit(self, job_id: str, token: int) -> str:
        """What intake leaves when a bundle is submitted that is bound to the challenge of a lease; the bundle's id."""
        now, bundle_id = self.services.clock(), secrets.token_hex(32)
        with self.services.database.write() as session:
            challenge_id = session.get_one(Lease, (job_id, token)).challenge_id
            session.add(
                Bundle(
                    id=bundle_id,
                    manifest=b"{}",
                    origin="measured",
                    size_bytes=2,
                    signature="valid",
                    upload_state="complete",
                    validation_state="pending",
                    validation_detail="",
                    trust_reason="",
                    created_at=now,
                    progress_at=now,
                    completed_at=now,
                )
            )
            session.flush()
            session.execute(
                update(Challenge)
                .where(Challenge.id == challenge_id, Challenge.used_by.is_(None), Challenge.abandoned_at.is_(None))
                .where(Challenge.expires_at > now)
                .values(used_by=bundle_id, used_at=now)
            )
        return bundle_id


@dataclass
class Yard:
    """Orders jobs and runs them through the API."""

    service: Service
    folder: Any
    nodes: dict[str, NodeKey] = field(default_factory=dict)

    @property
    def services(self) -> Services:
        return self.service.services

    @property
    def rows(self) -> Rows:
        return Rows(self.services)

    def post(self, path: str, body: Any = None, headers: Any = None) -> httpx2.Response:
        return self.service.client.post(f"/api/v1/jobs{path}", json=body, headers=headers or self.service.admin)

    def get(self, path: str) -> Any:
        answer = self.service.client.get(f"/api/v1{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def order(self, number: int = 1, **changes: Any) -> dict[str, Any]:
        answer = self.try_order(number, **changes)
        assert answer.status_code == 200, answer.text
        job: dict[str, Any] = answer.json()
        return job

    def try_order(self, number: int = 1, *, headers: Any = None, **changes: Any) -> httpx2.Response:
        body = {
            "repository": REPOSITORY, "pull_number": number, "head_sha": HEAD, "suite": "smoke", **changes,
        }  # fmt: skip
        return self.post("", body, headers)

    def node(self, name: str = "n1", *, owner: str = "lender") -> str:
        """Register a node under a name; its key id."""
        if name not in self.nodes:
            key = generate_key(self.folder / f"{name}.pem")
            self.rows.know_node(key.key_id, owner=owner, public_key=key.public_key)
            self.nodes[name] = key
        return self.nodes[name].key_id

    def claim(self, name: str = "n1", what: Offer | None = None, *, owner: str = "lender") -> dict[str, Any]:
        body = {
            "node_key_id": self.node(name, owner=owner), "offer": (what or offer()).model_dump(mode="json"),
            "sent_at": self.services.clock().isoformat(),
        }  # fmt: skip
        answer = self.post("/claim", body)
        assert answer.status_code == 200, answer.text
        said: dict[str, Any] = answer.json()
        return said

    def leased(self, name: str = "n1", what: Offer | None = None, *, owner: str = "lender") -> dict[str, Any]:
        """Claim, and expect a job."""
        said = self.claim(name, what, owner=owner)
        assert said["job"] is not None, said["hindrances"]
        granted: dict[str, Any] = said["job"]
        return granted

    def say(self, verb: str, grant: dict[str, Any], name: str = "n1", **more: Any) -> httpx2.Response:
        """Send a message under a lease: heartbeat, progress, finish or fail."""
        body = {"node_key_id": self.node(name), "token": grant["token"], **more}
        if verb == "heartbeat":
            body["sent_at"] = self.services.clock().isoformat()
        return self.post(f"/{grant['job_id']}/{verb}", body)

    def job(self, job_id: str) -> dict[str, Any]:
        page: dict[str, Any] = self.get(f"/jobs/{job_id}")
        return page

    def sweep(self) -> None:
        """What happens regularly, and everything that follows."""
        from server import runner

        runner.sweep(self.services)
        self.service.work()


@pytest.fixture
def yard(make_service: Callable[..., Service], tmp_path: Any) -> Yard:
    """A service that knows one open pull request and an image of the smoke suite."""
    service = make_service(job_images={"smoke": IMAGE})
    yard = Yard(service, tmp_path)
    yard.rows.know_pull()
    return yard


@pytest.fixture
def make_rows() -> type[Rows]:
    return Rows


@pytest.fixture
def make_gpu() -> Callable[..., Gpu]:
    return gpu


@pytest.fixture
def make_offer() -> Callable[..., Offer]:
    return offer
