"""The images build, hold inside hardened containers, and do there what the project does outside.

One file, because both images share a container store and a build cache.
"""

import json
import os
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from judge.rules import RULES

pytestmark = [pytest.mark.containers, pytest.mark.timeout(1800)]

START_TIMEOUT_S = 60
VALIDATION_TIMEOUT_S = 60
HARDENED = (
    "--network=host",
    "--read-only",
    "--read-only-tmpfs=false",
    "--tmpfs=/tmp",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    "--user=10001",
    "--pids-limit=512",
    "--memory=4g",
)
CONFINEMENT = """
import json, os, pathlib
status = dict(line.rstrip().split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
def writable(folder):
    try:
        pathlib.Path(folder, "probe").write_text("x")
    except OSError:
        return False
    return True
print(json.dumps({
    "user": os.getuid(),
    "capabilities": int(status["CapEff"], 16),
    "no_new_privileges": status["NoNewPrivs"],
    "seccomp": status["Seccomp"],
    "writable": [f for f in ("/", "/venv", "/usr", "/var/tmp", "/tmp", "/out", "/var/lib/byogpu") if writable(f)],
}))
"""


@pytest.fixture(scope="module")
def service(podman, server_image: str) -> Iterator["Service"]:
    """The service in a hardened container, on a port and a volume of its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    running = Service(podman, server_image, name=f"byogpu-{uuid.uuid4().hex[:12]}", port=port)
    podman("volume", "create", running.name)
    try:
        running.start()
        yield running
    finally:
        podman("rm", "--force", "--time=5", running.name, check=False)
        podman("volume", "rm", "--force", running.name, check=False)


class Service:
    """A container of the server image that can be stopped and started again on the same volume."""

    def __init__(self, podman: Callable[..., str], image: str, *, name: str, port: int) -> None:
        self._podman = podman
        self._image = image
        self._port = port
        self.name = name
        self.url = f"http://127.0.0.1:{port}"

    def start(self) -> None:
        """Run it and wait until it answers; on failure show its log."""
        settings = ("--env=BYOGPU_HOST=127.0.0.1", f"--env=BYOGPU_PORT={self._port}")
        volume = f"--volume={self.name}:/var/lib/byogpu"
        self._podman("run", "--detach", f"--name={self.name}", volume, *settings, *HARDENED, self._image)
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"{self.url}/health").status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.2)
        raise AssertionError(f"the service does not answer:\n{self._podman('logs', self.name)}")

    def stop(self) -> None:
        """End it as an orchestrator does, with SIGTERM, and remove the container, not the volume."""
        self._podman("stop", "--time=20", self.name)
        self._podman("rm", self.name)

    def get(self, path: str) -> httpx.Response:
        """Ask for an address of the service."""
        return httpx.get(self.url + path).raise_for_status()

    def judged(self, bundle_id: str) -> dict[str, object]:
        """Return a bundle's page once it has been validated."""
        deadline = time.monotonic() + VALIDATION_TIMEOUT_S
        while True:
            page = self.get(f"/api/v1/bundles/{bundle_id}").json()
            if page["bundle"]["validation_state"] not in ("pending", "running") or time.monotonic() > deadline:
                return page
            time.sleep(0.2)


def test_both_images_are_confined(podman, eval_smoke: str, server_image: str) -> None:
    allowed = {eval_smoke: ["/tmp"], server_image: ["/tmp", "/var/lib/byogpu"]}
    for image, writable in allowed.items():
        seen = json.loads(podman("run", "--rm", *HARDENED, "--entrypoint=python", image, "-c", CONFINEMENT))
        assert seen["user"] == 10001
        assert (seen["capabilities"], seen["no_new_privileges"], seen["seccomp"]) == (0, "1", "2")
        assert seen["writable"] == writable


def test_the_images_run_without_rights_by_default(podman, eval_smoke: str, server_image: str) -> None:
    for image in (eval_smoke, server_image):
        described = json.loads(podman("image", "inspect", image))[0]
        assert described["Config"]["User"] == "10001"
        assert described["HealthCheck" if "HealthCheck" in described else "Healthcheck"]["Test"]


def test_the_service_serves_api_and_dashboard(podman, service: Service) -> None:
    assert service.get("/ready").json()["ready"] is True
    page = service.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "<script" in page.text
    assert podman("healthcheck", "run", service.name).strip() in ("", "healthy")


def test_the_smoke_suite_gives_in_a_container_what_it_gives_outside(
    podman, eval_smoke: str, service: Service, tmp_path: Path
) -> None:
    arguments = ("run", "--suite", "smoke", "--server", service.url)
    podman("run", "--rm", *HARDENED, eval_smoke, *arguments)
    [inside] = bundle_ids(service)
    outside_run = subprocess.run(
        [Path(sys.executable).parent / "byogpu", *arguments],
        env={**os.environ, "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert outside_run.returncode == 0, outside_run.stdout + outside_run.stderr
    [outside] = bundle_ids(service) - {inside}

    pages = {bundle_id: service.judged(bundle_id) for bundle_id in (inside, outside)}
    assert {page["bundle"]["validation_state"] for page in pages.values()} == {"valid"}
    assert shape(pages[inside]) == shape(pages[outside])
    assert len(shape(pages[inside])["cells"]) > 0

    service.stop()
    service.start()
    assert bundle_ids(service) == {inside, outside}
    assert service.judged(inside) == pages[inside]


def bundle_ids(service: Service) -> set[str]:
    return {item["bundle_id"] for item in service.get("/api/v1/bundles").json()["items"]}


OF_TIMES = {rule.id for rule in RULES if rule.bears_on == ("speed",) and rule.id.startswith(("E-", "M-"))}
"""Rules about measured times: other work on the machine decides some of them."""


def shape(page: dict) -> dict[str, object]:
    """What two runs of one suite have in common: everything but the measured values, and what hangs on them alone."""
    manifest, assessment = page["manifest"], page["assessment"]
    return {
        "suite": manifest["subject"]["suite"],
        "evals": [(record["id"], record["outcome"]["outcome"]) for record in manifest["evals"]],
        "files": sorted(entry["role"] for entry in manifest["files"]),
        "code": [arm["code"]["tree_digest"] for arm in manifest["arms"]],
        "weights": [arm["weights_digest"] for arm in manifest["arms"]],
        "cells": sorted((cell["eval_id"], cell["cell"]["id"]) for cell in assessment["cells"]),
        "errors": sorted({f["rule_id"] for f in assessment["findings"] if f["severity"] == "error"} - OF_TIMES),
        "signature": page["bundle"]["signature"],
    }
