"""What the dashboard is looked at with: pull requests and bundles in every state, brought in by the front doors.

Pull requests are opened on the GitHub stand-in, which sends its webhooks; bundles are made up from the judge's
specimen, signed, and uploaded with the worker's own client.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from byogpu.demo.stage import Stage, staged
from standin.acts import Edit, NewPull, Push
from worker.bundle import Bundle, Manifest
from worker.bundle.signature import NodeKey, generate_key, sign
from worker.service import Service
from worker.settings import Settings
from worker.upload import upload, wait

REPOSITORY = "octo/kernels"
MANY = "octo/many"
MANY_PULLS = 31
"""One more than a page of the list holds."""
PATIENCE_S = 60.0

ATTACK = "<img src=x onerror=\"document.title='attacked'\"><script>document.title='attacked'</script>"
"""Markup that must be shown as these characters, wherever it comes in."""
REVERSED = "safe\u202egnp.exe"
"""Text that shows in another order than it is written in, unless its control character is taken away."""

CLAIMS = """\
Decode steps take less time, and nothing else changes.

```byogpu-claims
- id: decode-faster
  metric: step_latency_us
  cells: {batch: [1, 4], phase: decode}
  relation: ">= 1.4x baseline"
- id: decode-twice-as-fast
  metric: step_latency_us
  cells: {batch: [1]}
  relation: ">= 2x baseline"
- id: first-token-no-slower
  metric: ttft_ms
  relation: "no regression within 5%"
- id: operators-exact
  metric: max_relative_error
  relation: "within tolerance"
- id: answers-unchanged
  metric: score
  relation: "equal within 40%"
- id: large-batch
  metric: step_latency_us
  cells: {batch: [64]}
  relation: ">= 1.4x baseline"
- scope: {batch: [1, 4, 64], context: [64], speculation: [none], features: [byogpu_copy, logprobs]}
```
"""
BROKEN_CLAIMS = """\
What it promises:

```byogpu-claims
- id: decode-faster
  metric: step_latency_us
  relation: "much faster <img src=x onerror=alert(1)> than baseline"
```
"""


def _specimens() -> Any:
    path = Path(__file__).parents[1] / "judge" / "specimen.py"
    spec = importlib.util.spec_from_file_location("tests_browser_specimen", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


specimens = _specimens()


@dataclass(frozen=True)
class Site:
    """A service full of stories.

    Attributes:
        url: Where it answers.
        good: Number of a pull request with claims of every outcome but one; its evidence is for its head.
        stale: One whose evidence is for an older commit.
        broken: One whose claims cannot be read.
        hostile: One whose every text attacks.
        unlike: One whose arms cannot be compared.
        silent: One that claims nothing.
        bundles: Bundle ids by the name of their story.
        job: A job that a node gave back and that no machine fits any more; its words attack.
    """

    url: str
    good: int
    stale: int
    broken: int
    hostile: int
    unlike: int
    silent: int
    bundles: dict[str, str]
    job: str

    def api(self, path: str) -> Any:
        """What the API says, for comparison with what is shown."""
        return httpx.get(f"{self.url}/api/v1{path}", timeout=PATIENCE_S).raise_for_status().json()

    def pull(self, number: int) -> str:
        return f"{self.url}/pulls/{REPOSITORY}/{number}"

    def bundle(self, story: str) -> str:
        return f"{self.url}/bundles/{self.bundles[story]}"

    def compare(self, first: str, second: str) -> str:
        return f"{self.url}/compare?a={self.bundles[first]}&b={self.bundles[second]}"


@contextmanager
def told(folder: Path) -> Iterator[Site]:
    """Run a service and the GitHub stand-in, and tell them every story.

    Args:
        folder: New or empty; everything is kept below it.
    """
    with staged(folder / "stage", port=None) as stage:
        key = generate_key(folder / "node.pem")
        stage.register_node(key)
        teller = _Teller(stage, key, folder)
        for number in range(MANY_PULLS):
            teller.open(f"One of many: {number}", repository=MANY)
        yield teller.tell()


@dataclass
class _Teller:
    stage: Stage
    key: NodeKey
    folder: Path

    def tell(self) -> Site:
        silent = self.open("Tidy the build files")
        broken = self.open("Faster decode, claimed in words", body=BROKEN_CLAIMS)
        stale = self.open("Fuse the gates", body=CLAIMS)
        unlike = self.open("Serve more requests at once", body=CLAIMS)
        hostile = self.open(f"{ATTACK} {REVERSED}", body=CLAIMS)
        good = self.open("Decode K3 with specialized kernels", body=CLAIMS)
        bundles = {
            "stale": self.hand_in(specimens.build(), stale),
            "unlike": self.hand_in(_unlike(), unlike),
            "hostile": self.hand_in(_hostile(), hostile),
            "cpu": self.hand_in(_unsure(specimens.build_on_cpu()), good, signed=False),
            "invalid": self.hand_in(_damaged(), good),
            "secret": self.hand_in(_secret(), good),
            "good": self.hand_in(_attempted(specimens.build()), good),
        }
        self.stage.github.forge.push(Push(repository=REPOSITORY, number=stale))
        self.stage.github.forge.edit(Edit(repository=REPOSITORY, number=silent, state="closed", merged=True))
        for number in (stale, unlike, hostile, broken, good):
            self.wait_for_check(number)
        job = self.order(hostile)
        return Site(self.stage.url, good, stale, broken, hostile, unlike, silent, bundles, job)

    def open(self, title: str, *, body: str = "", repository: str = REPOSITORY) -> int:
        pull = NewPull(repository=repository, title=title, body=body, author="contributor")
        number = self.stage.github.forge.open_pull(pull).number
        self.wait_until(lambda: self.read(f"/api/v1/pulls/{repository}/{number}") is not None)
        return number

    def order(self, number: int) -> str:
        """Order two jobs; a node whose GPU attacks gives the second back with words that do."""
        page = self.read(f"/api/v1/pulls/{REPOSITORY}/{number}")
        assert page is not None
        asked = {
            "repository": REPOSITORY,
            "pull_number": number,
            "head_sha": page["pull"]["head_sha"],
            "suite": "smoke",
        }
        self.post("/api/v1/jobs", {**asked, "needs": {"gpu_count": 64, "gpu_model": ATTACK[:180]}})
        job = self.post("/api/v1/jobs", {**asked, "image": f"registry.example/eval@sha256:{'3' * 64}"})
        unknown = ("uuid_hash", "pci_bus_id", "pci_device_id", "multiprocessors", "compute_capability", "vbios")
        unknown += ("sm_clock_max_mhz", "memory_clock_max_mhz", "power_limit_w", "ecc", "mig", "compute_mode")
        gpu = {**dict.fromkeys(unknown, "unknown"), "index": 0, "name": ATTACK[:180], "memory_bytes": 1 << 37}
        capabilities = {
            "gpus": [gpu], "links": [], "driver_version": ATTACK[:180], "cuda_version": "unknown", "cpu_count": 8,
            "memory_bytes": "unknown", "runner": "podman", "runner_version": ATTACK[:180], "agent_version": "0.1.0",
        }  # fmt: skip
        consent = {
            "suites": ["*"], "images": ["*"], "repositories": ["*"], "authors": [ATTACK[:180], "contributor"],
            "longest_s": 7200,
        }  # fmt: skip
        offer = {"capabilities": capabilities, "consent": consent}
        said = {"node_key_id": self.key.key_id, "offer": offer, "sent_at": "2026-01-01T00:00:00Z"}
        grant = self.post("/api/v1/jobs/claim", said)["job"]
        given = {"node_key_id": self.key.key_id, "token": grant["token"], "cause": "node", "detail": ATTACK}
        self.post(f"/api/v1/jobs/{grant['job_id']}/fail", given)
        return str(job["id"])

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        admin = {"Authorization": f"Bearer {self.stage.admin_token}"}
        answer = httpx.post(f"{self.stage.url}{path}", json=body, headers=admin, timeout=PATIENCE_S)
        assert answer.status_code == 200, answer.text
        said: dict[str, Any] = answer.json()
        return said

    def hand_in(self, specimen: Any, number: int, *, signed: bool = True) -> str:
        page = self.read(f"/api/v1/pulls/{REPOSITORY}/{number}")
        assert page is not None
        pull = page["pull"]
        names = ("repository_id", "repository", "head_sha", "base_sha")
        specimen.manifest["subject"].update({name: pull[name] for name in names}, pull_number=number)
        specimen.manifest["challenge"] = None
        specimen.manifest["producer"]["node_key_id"] = self.key.key_id if signed else "unknown"
        for one in specimen.manifest["arms"]:
            one["code"]["commit_sha"] = pull["head_sha"]
        folder = self.folder / f"{number}-{time.monotonic_ns()}"
        bundle = specimen.write(folder)
        if signed:
            envelope = sign(bundle.manifest_bytes, self.key)
            bundle = Bundle(bundle.manifest, bundle.manifest_bytes, envelope, bundle.blobs)
        assert isinstance(bundle.manifest, Manifest)
        settings = Settings(node_key=folder / "unused.pem", token=None, token_file=None)
        with Service(settings, url=self.stage.url) as service:
            upload(bundle, service)
            wait(bundle, service, limit_s=PATIENCE_S)
        return bundle.id

    def wait_for_check(self, number: int) -> None:
        def stands() -> bool:
            page = self.read(f"/api/v1/pulls/{REPOSITORY}/{number}")
            assert page is not None
            check, head = page["check"], page["pull"]["head_sha"]
            return bool(check and check["state"] == "sent" and check["head_sha"] == head == page["judged_head_sha"])

        self.wait_until(stands)

    def wait_until(self, holds: Any) -> None:
        limit_s = time.monotonic() + PATIENCE_S
        while not holds():
            assert time.monotonic() < limit_s, "the service did not get there in time"
            time.sleep(0.05)

    def read(self, path: str) -> dict[str, Any] | None:
        answer = httpx.get(f"{self.stage.url}{path}", timeout=PATIENCE_S)
        if answer.status_code == 404:
            return None
        answer.raise_for_status()
        page: dict[str, Any] = answer.json()
        return page


# ------------------------------------------------------------------ what the bundles hold
def _attempted(specimen: Any) -> Any:
    """An earlier attempt, and something masked: so that there is a receipt to show."""
    specimen.manifest["attempts"] = [
        {"number": 1, "started_at": "2026-01-01T11:00:00Z", "outcome": "abandoned", "detail": "stopped by hand"}
    ]
    specimen.manifest["redaction"]["masked"] = [{"where": "variable HOME", "kind": "home_folder", "count": 2}]
    specimen.extra.append(("run.log", "log", None, None, b"measured\n"))
    return specimen


def _unlike(specimen: Any | None = None) -> Any:
    """The candidate's server never had more than half of the requests in flight."""
    specimen = specimen or specimens.build()
    for row in specimen.of("requests", "serving", arm="candidate"):
        late = row["index"] * 10.0
        row["start_s"] += late
        row["end_s"] += late
        row["token_times_s"] = [moment + late for moment in row["token_times_s"]]
    specimen.arm("candidate")["quantization"] = "fp8"
    return specimen


def _unsure(specimen: Any) -> Any:
    """A machine that could say little about itself."""
    specimen.manifest["environment"].update(
        gpus="unknown", links="unknown", driver_version="unknown", cuda_version="unknown", bandwidth="unknown"
    )
    return specimen


def _damaged() -> Any:
    """Counts of steps that were never measured."""
    specimen = specimens.build()
    specimen.drop("steps", "decode-step", arm="baseline", block=0)
    specimen.replaced["numerics.numerics.jsonl"] = b'{"cell": "numerics.kda"}\n'
    return specimen


def _secret() -> Any:
    specimen = specimens.build()
    specimen.extra.append(("run.log", "log", None, None, b"token ghp_" + b"a" * 36 + b"\n"))
    return specimen


def _hostile() -> Any:
    """Markup in every text of a bundle that people see."""
    specimen = specimens.build()
    attack = ATTACK[:180]
    for one in specimen.manifest["arms"]:
        one["model"] = attack
        one["engine_config"].append({"name": attack, "value": f"{ATTACK} {one['name']}"})
        for ledger in one["ledgers"]:
            for bucket in ledger["buckets"]:
                for reason in bucket["reasons"]:
                    reason["reason"] = f"{attack} {reason['reason']}"[:200]
    environment = specimen.manifest["environment"]
    environment["cpu_model"] = attack
    environment["gpus"][0]["name"] = attack
    environment["variables"].append({"name": "HOSTNAME", "value": ATTACK})
    environment["packages"].append({"name": attack, "version": attack, "record_digest": "unknown"})
    specimen.manifest["attempts"] = [
        {"number": 1, "started_at": "2026-01-01T11:00:00Z", "outcome": "failed", "detail": ATTACK}
    ]
    specimen.extra.append((attack, "log", None, None, ATTACK.encode()))
    return specimen
