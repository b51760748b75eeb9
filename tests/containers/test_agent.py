"""An agent runs jobs in real containers: a good one is delivered, hostile ones get nowhere.

The model's code is a stand-in (tests/data/worker/arm): what is tried here is the container, not the measurement.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from standin import free_port

pytestmark = [pytest.mark.containers, pytest.mark.timeout(1800)]

ADMIN_TOKEN = "admin-token-for-tests"
REPOSITORY = "octo/kernels"
AGENT_TIMEOUT_S = 600

HOSTILE = """
import json, os, pathlib, socket, subprocess, sys, time

def attempt(deed):
    try:
        return deed() or "done"
    except BaseException as error:
        return type(error).__name__

def fork_bomb():
    children = []
    try:
        while len(children) < 5_000:
            child = os.fork()
            if child == 0:
                time.sleep(30)
                os._exit(0)
            children.append(child)
    except BlockingIOError:
        return f"stopped after {len(children)}"
    finally:
        for child in children:
            os.kill(child, 9)
            os.waitpid(child, 0)

def too_much_memory():
    code = "x = bytearray(3 << 30); x[::4096] = b'1' * len(x[::4096])"
    return subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL).returncode

def too_large_a_file():
    code = "import os, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    code += "os.posix_fallocate(os.open('/out/large', os.O_CREAT | os.O_RDWR), 0, 2 << 30)"
    return subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL).returncode

if not os.path.exists("/out/hostile.json"):
    here = json.loads(pathlib.Path(__file__).with_name("targets.json").read_text())
    status = dict(l.rstrip().split(":\\t", 1) for l in open("/proc/self/status") if ":\\t" in l)
    found = {
        "service": attempt(lambda: socket.create_connection(("127.0.0.1", here["port"]), timeout=3)),
        "world": attempt(lambda: socket.create_connection(("192.0.2.1", 80), timeout=3)),
        "names": attempt(lambda: socket.getaddrinfo("example.com", 80)),
        "interfaces": sorted(os.listdir("/sys/class/net")),
        "host_file": attempt(lambda: open(here["secret"]).read()),
        "sockets": [p for p in ("/var/run/docker.sock", "/run/podman/podman.sock") if os.path.exists(p)],
        "root": attempt(lambda: open("/planted", "w")),
        "code": attempt(lambda: open("/source/candidate/planted", "w")),
        "user": os.getuid(),
        "capabilities": int(status["CapEff"], 16),
        "no_new_privileges": status["NoNewPrivs"],
        "seccomp": status["Seccomp"],
        "tokens": sorted(n for n in os.environ if "TOKEN" in n or "KEY" in n),
        "memory": attempt(too_much_memory),
        "file": attempt(too_large_a_file),
        "processes": attempt(fork_bomb),
    }
    pathlib.Path("/out/hostile.json").write_text(json.dumps(found))
    time.sleep(2)
    raise SystemExit("nothing to be had")
"""
FILLER = """
import os
for number in range(40):
    f = os.open(f"/out/fill-{number}", os.O_CREAT | os.O_RDWR)
    os.posix_fallocate(f, 0, 100 << 20)
    os.close(f)
import time
time.sleep(300)
"""


@pytest.fixture(scope="module")
def image(podman: Any, eval_smoke: str) -> str:
    """The image by digest."""
    reference: str = json.loads(podman("image", "inspect", eval_smoke))[0]["RepoDigests"][0]
    return reference


@pytest.fixture
def run_agent(podman: Any, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run ``byogpu agent --once`` on the container store of the tests."""

    def run(lender: Any, **changes: Any) -> subprocess.CompletedProcess[str]:
        policy = {
            "service_key": lender.api.get("/api/v1/service-key").json()["public_key"], "runner": "podman",
            "suites": ["smoke"], "images": ["*"], "authors": ["*"], "repositories": [REPOSITORY], "gpus": "none",
            "memory_gib": 4, "disk_gib": 4, "allow_root": True, **changes,
        }  # fmt: skip
        written = "\n".join(f"{name} = {json.dumps(value)}" for name, value in policy.items())
        path = tmp_path / "agent.toml"
        path.write_text(f'{written}\n[mirrors]\n"{REPOSITORY}" = "{tmp_path / "mirror"}"\n')
        environment = {
            "BYOGPU_SERVER_URL": str(lender.api.base_url), "BYOGPU_TOKEN": ADMIN_TOKEN,
            "BYOGPU_NODE_KEY": str(lender.settings.node_key), "BYOGPU_STATE_FOLDER": str(tmp_path / "state"),
        }  # fmt: skip
        words = [f"{name}={value}" for name, value in environment.items()]
        command = [*podman.prefix, "env", *words, sys.executable, "-m", "byogpu.cli", "agent", "--policy", str(path)]
        return subprocess.run(
            [*command, "--once"], capture_output=True, text=True, timeout=AGENT_TIMEOUT_S, check=False, cwd=tmp_path
        )

    return run


def test_a_job_runs_in_a_container_and_is_delivered(lending: Any, image: str, run_agent: Any, tmp_path: Path) -> None:
    with lending(tmp_path, image=image) as lender:
        lender.agent()  # registers the key that the agent below will use
        job_id = lender.order()
        ended = run_agent(lender)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        page = lender.page(job_id)
        assert page["job"]["state"] == "done", ended.stdout
        assert [one["eval_id"] for one in page["job"]["evals_done"]] == page["job"]["evals"]
        bundle = lender.judged(page["job"]["bundle_id"])
    assert (bundle["bundle"]["validation_state"], bundle["bundle"]["signature"]) == ("valid", "valid")
    assert bundle["manifest"]["producer"]["image_digest"] == image.rpartition(":")[2]
    assert bundle["manifest"]["environment"]["container"]["containerized"] is True
    assert lender.left() == []


def test_a_hostile_job_gets_nowhere(lending: Any, podman: Any, image: str, run_agent: Any, tmp_path: Path) -> None:
    """The code under test looks for a way out; what it finds it leaves in its folder, which is read before the wipe."""
    secret = tmp_path / "secret"
    secret.write_text("of the host")
    port = free_port()
    targets = json.dumps({"port": port, "secret": str(secret)})
    changed = {"k3_decode/__init__.py": HOSTILE, "k3_decode/targets.json": targets}
    with lending(tmp_path, image=image, changed=changed, port=port) as lender:
        lender.agent()
        lender.order()
        found = lender.folder / "found.json"
        report_there = f"{shlex.quote(str(tmp_path))}/state/jobs/*/out/hostile.json"
        loop = f"while ! cp {report_there} {shlex.quote(str(found))} 2>/dev/null; do sleep 0.1; done"
        watcher = subprocess.Popen(
            ["sh", "-c", loop]
        )  # the agent wipes the folder: it is copied as soon as it is there
        try:
            ended = run_agent(lender, processes=512, memory_gib=2)
        finally:
            watcher.kill()
            watcher.wait()
        assert found.exists(), ended.stdout + ended.stderr
    report = json.loads(found.read_text())
    assert report["service"] in ("ConnectionRefusedError", "OSError")
    assert report["world"] == "OSError"
    assert report["names"] == "gaierror"
    assert report["interfaces"] == ["lo"]
    assert report["host_file"] == "FileNotFoundError"
    assert report["sockets"] == []
    assert (report["root"], report["code"]) == ("OSError", "OSError")
    assert (report["user"], report["capabilities"], report["no_new_privileges"], report["seccomp"]) == (
        10001,
        0,
        "1",
        "2",
    )
    assert report["tokens"] == []
    assert report["memory"] == -9, "more memory than the job may have"
    assert report["file"] == 1, "a file larger than any file of a bundle"
    assert report["processes"].startswith("stopped after ")
    assert int(report["processes"].split()[-1]) < 512


def test_a_job_that_fills_the_disk_is_stopped(lending: Any, image: str, run_agent: Any, tmp_path: Path) -> None:
    with lending(tmp_path, image=image, changed={"k3_decode/__init__.py": FILLER}) as lender:
        lender.agent()
        job_id = lender.order()
        ended = run_agent(lender, disk_gib=1)
        assert ended.returncode == 1
        page = lender.page(job_id)
    assert page["leases"][0]["outcome"] == "failed"
    assert page["leases"][0]["detail"] == "wrote more than 1 GiB"
    assert lender.left() == [], "the folder is wiped"
