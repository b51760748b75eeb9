"""Put a deployment on this machine under the load of a large project, and measure it.

    python -m load [--store s3|local] [--agents N] [--uploads N] [--readers N] [--bundles N] [--seconds S] [--json FILE]

(tests/ on the path; `make load`). Two server processes, one of which takes the uploads, one Celery worker at the
lowest priority, SeaweedFS at a low one, PostgreSQL as durable as in production, Redis, and everybody who asks something
of them share the machine's cores. Bounded in time, loopback only. The exit status says whether anything was lost or
doubled; whether the aims were met, the table.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import httpx
from cluster import ADMIN_TOKEN, ROOT, SERVERS, Cluster, cluster
from load.seed import BUNDLES_PER_PULL, IMAGE, lend, seed
from load.uploads import manifest, prepare
from sqlalchemy import create_engine, select, text

from server.models import BundleBlob
from server.settings import Settings
from server.startup import build, close
from worker.service import Service
from worker.settings import Settings as WorkerSettings
from worker.upload import upload

MB = 1_000_000
MANIFEST = manifest(
    {
        "name": "run.log", "role": "log", "media_type": "text/plain", "size_bytes": 1000, "sha256": "0" * 64,
        "eval_id": None, "arm": None,
    }
)  # fmt: skip
"""What the bundles of the history say."""
UPLOAD_BYTES = 40 * MB
COSTED = 4
"""Uploads whose cost is measured."""
YIELDING = {"worker": 19, "s3": 10, "uploads": 5}
"""Nice values: who answers people and agents comes before who takes uploads, who stores and who validates, which have
machines of their own where there are several."""
AIMS = {
    "heartbeat_p99_ms": 250.0,
    "read_p99_ms": 300.0,
    "ingest_mb_s": 60.0,
    "server_peak_mib": 300.0,
}
"""Issue's aims: at most, but for the ingest."""
OFFER = {
    "capabilities": {
        "gpus": [], "links": [], "driver_version": "unknown", "cuda_version": "unknown", "cpu_count": 8,
        "memory_bytes": 64_000_000_000, "runner": "podman", "runner_version": "5.0", "agent_version": "0.1.0",
    },
    "consent": {
        "suites": ["*"], "images": ["*"], "repositories": ["*"], "authors": ["*"], "longest_s": 86_400,
    },
}  # fmt: skip


def percentile(values: list[float], share: float) -> float:
    """The value that so large a share does not exceed, in milliseconds."""
    ordered = sorted(values)
    return round(1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1)


class Watch:
    """Looks at a process's memory and processor time until told to stop."""

    def __init__(self, pid: int) -> None:
        self.pid, self.peak_kib, self.first_kib = pid, 0, 0
        self._stop = threading.Event()
        self._cpu = self._used()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._stop.wait(0.25) and Path(f"/proc/{self.pid}").exists():
            for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
                if line.startswith("VmRSS"):
                    used = int(line.split()[1])
                    self.first_kib = self.first_kib or used
                    self.peak_kib = max(self.peak_kib, used)

    def _used(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> float:
        """Stop; the processor seconds that were used."""
        self._stop.set()
        self._thread.join()
        return self._used() - self._cpu


@dataclass(frozen=True)
class Program:
    """What a program reads and writes."""

    stdin: IO[str]
    stdout: IO[str]


def measure(site: Cluster, chosen: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Run the load once."""
    with program("load.clients") as crowd, program("load.uploads") as uploads:
        return _measure(site, chosen, folder, crowd, uploads)


@contextlib.contextmanager
def program(name: str) -> Iterator[Program]:
    """Run clients, in a session of their own: Linux gives each session its share of the cores, as machines have theirs.

    Args:
        name: Module that is run; it is told what to do on its standard input.
    """
    path = os.pathsep.join([str(ROOT / "tests"), str(ROOT)])
    with subprocess.Popen(
        [sys.executable, "-m", name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield Program(process.stdin, process.stdout)
        finally:
            process.kill()


def _measure(
    site: Cluster, chosen: argparse.Namespace, folder: Path, crowd: Program, uploads: Program
) -> dict[str, Any]:
    wanted = {"folder": str(folder), "uploads": chosen.uploads, "size_bytes": UPLOAD_BYTES, "url": site.uploads_url}
    uploads.stdin.write(json.dumps(wanted) + "\n")
    uploads.stdin.flush()
    assert uploads.stdout.readline() == "ready\n"
    json.dump(
        {
            "url": site.url, "agents_url": site.agents_url, "token": ADMIN_TOKEN,
            "agents": chosen.agents, "readers": chosen.readers, "bundles": chosen.bundles,
            "pulls": chosen.bundles // BUNDLES_PER_PULL, "seconds": chosen.seconds, "every_s": 15.0, "offer": OFFER,
        },
        crowd.stdin,
    )  # fmt: skip
    crowd.stdin.close()
    assert crowd.stdout.readline() == "ready\n"
    watches = {name: Watch(pid_of(site, name)) for name in SERVERS}
    began = time.monotonic()
    time.sleep(chosen.seconds / 6)
    uploads.stdin.write("go\n")
    uploads.stdin.close()
    sent = json.loads(uploads.stdout.read())
    seen = json.loads(crowd.stdout.read())
    cpu_s, lasted_s = sum(watch.stop() for watch in watches.values()), time.monotonic() - began
    reads = [value for values in seen["reads"].values() for value in values]
    return {
        "heartbeats": len(seen["heartbeats"]),
        "heartbeat_p50_ms": percentile(seen["heartbeats"], 0.5),
        "heartbeat_p99_ms": percentile(seen["heartbeats"], 0.99),
        "reads": len(reads),
        "read_p50_ms": percentile(reads, 0.5),
        "read_p99_ms": percentile(reads, 0.99),
        "read_p99_ms_by_page": {page: percentile(values, 0.99) for page, values in sorted(seen["reads"].items())},
        "clients_late_p99_ms": percentile(seen["late"], 0.99),
        "reconnects": seen["reconnects"],
        "uploads": len(sent["bundles"]),
        "ingest_mb_s": round(chosen.uploads * UPLOAD_BYTES / MB / sent["duration_s"], 1),
        "longest_upload_s": round(sent["longest_s"], 1),
        "server_first_mib": {name: round(watch.first_kib / 1024) for name, watch in watches.items()},
        "server_peak_mib_by_process": {name: round(watch.peak_kib / 1024) for name, watch in watches.items()},
        "server_peak_mib": round(max(watch.peak_kib for watch in watches.values()) / 1024),
        "server_cores_used": round(cpu_s / lasted_s, 2),
        "faults": seen["faults"][:20] + lost(site, sent["bundles"], chosen.agents),
    }


def give_way(pid: int, nice: int) -> None:
    """Lower the priority of a process and its group; where Linux schedules by session, of that as well."""
    os.setpriority(os.PRIO_PGRP, os.getpgid(pid), nice)
    with contextlib.suppress(FileNotFoundError):
        Path(f"/proc/{pid}/autogroup").write_text(str(nice))


def pid_of(site: Cluster, name: str) -> int:
    """Of a process that runs."""
    process = site.members[name].process
    assert process is not None
    return process.pid


def lost(site: Cluster, bundles: list[str], agents: int) -> list[str]:
    """What was lost, and what happened twice."""
    submissions = text(
        "SELECT target, count(*) FROM audit WHERE action = 'bundle.submitted' AND target = ANY(:ids) GROUP BY target"
    )
    held = text("SELECT count(*), count(DISTINCT job_id), count(ended_at) FROM lease WHERE node_key_id != :costed")
    engine = create_engine(site.settings["database_url"])
    with engine.connect() as connection:
        times = dict(connection.execute(submissions, {"ids": bundles}).all())
        leases = connection.execute(held, {"costed": node_of(agents + 1)}).one()
    engine.dispose()
    faults = [f"{one} was submitted {times.get(one, 0)} times" for one in bundles if times.get(one) != 1]
    if len(set(bundles)) != len(bundles):
        faults.append("bundles are not distinct")
    if tuple(leases) != (agents, agents, 0):
        faults.append(f"leases, jobs with one, and leases that ended: {tuple(leases)}")
    services = build(Settings(**{**site.settings, "job_images": {}}))
    for bundle_id in bundles:
        with services.database.read() as session:
            digests = session.scalars(select(BundleBlob.sha256).where(BundleBlob.bundle_id == bundle_id)).all()
        for digest in digests:
            with services.store.open(digest) as stream:
                if hashlib.file_digest(stream, "sha256").hexdigest() != digest:
                    faults.append(f"{bundle_id} is damaged")
    close(services)
    return faults


def node_of(number: int) -> str:
    """Key of a node that was lent; the one after the agents' is there for its cost to be measured."""
    return hashlib.sha256(f"node{number}".encode()).hexdigest()


def _pages(chosen: argparse.Namespace) -> dict[str, str]:
    bundle = hashlib.sha256(f"bundle{chosen.bundles // 2}".encode()).hexdigest()
    return {
        "pulls": "/api/v1/pulls?limit=100",
        "pull": f"/api/v1/pulls/octo/kernels/{chosen.bundles // BUNDLES_PER_PULL // 2}",
        "bundles": "/api/v1/bundles?limit=100",
        "bundle": f"/api/v1/bundles/{bundle}",
        "jobs": "/api/v1/jobs",
    }


def idle_queries(site: Cluster, chosen: argparse.Namespace) -> dict[str, float]:
    """How long each page takes when nobody else asks, in milliseconds: the slowest of twenty."""
    found = {}
    with httpx.Client(base_url=site.url, timeout=60) as api:
        for name, path in _pages(chosen).items():
            api.get(path).raise_for_status()
            times = [api.get(path).elapsed.total_seconds() for _ in range(20)]
            found[name] = round(1000 * max(times), 1)
    return found


COST_OF = (*SERVERS, "postgres", "s3")
"""Whose processor time a request costs."""


def costs(site: Cluster, chosen: argparse.Namespace, folder: Path) -> dict[str, dict[str, float]]:
    """Processor time that one request of a kind costs, in milliseconds; of an upload, for a megabyte.

    Measured one after the other with nobody else there, as time used: other work on the machine hardly shows in it.
    """
    node = node_of(chosen.agents + 1)
    headers = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
    bundles = [prepare(folder / str(number), 1_000_000 + number, size_bytes=UPLOAD_BYTES) for number in range(COSTED)]
    found = {}
    with httpx.Client(base_url=site.url, timeout=60, headers=headers) as api:
        now = datetime.now(UTC).isoformat()
        claim = {"node_key_id": node, "offer": OFFER, "sent_at": now}
        job = api.post(f"{site.agents_url}/api/v1/jobs/claim", json=claim).raise_for_status().json()["job"]
        beat = {"node_key_id": node, "token": job["token"], "sent_at": now}
        path = f"{site.agents_url}/api/v1/jobs/{job['job_id']}/heartbeat"
        found["heartbeat"] = _cost(site, 300, lambda _: api.post(path, json=beat).raise_for_status())
        for name, page in _pages(chosen).items():
            found[f"page: {name}"] = _cost(site, 100, lambda _, page=page: api.get(page).raise_for_status())

    def bring(number: int) -> None:
        with Service(WorkerSettings(request_timeout_s=120), url=site.uploads_url) as service:
            upload(bundles[number], service)

    whole = _cost(site, COSTED, bring)
    found["uploaded MB"] = {name: round(value * MB / UPLOAD_BYTES, 2) for name, value in whole.items()}
    return found


def _cost(site: Cluster, times: int, act: Callable[[int], object]) -> dict[str, float]:
    members = {name: site.members[name] for name in COST_OF if name in site.members}
    before = {name: member.cpu_s() for name, member in members.items()}
    for number in range(times):
        act(number)
    return {name: round(1000 * (member.cpu_s() - before[name]) / times, 2) for name, member in members.items()}


def run(store: str, chosen: argparse.Namespace) -> dict[str, Any]:
    """Start everything, fill the database, measure."""
    many = dict.fromkeys(("jobs_per_owner", "jobs_per_address", "jobs_per_pull"), 1_000_000)
    settings = {**many, "job_images": json.dumps({"smoke": IMAGE}), "refusals_per_minute": 0}
    with tempfile.TemporaryDirectory(prefix="byogpu-load-") as top:
        os.chmod(top, 0o755)
        with cluster(Path(top) / "site", s3=store == "s3", **settings) as site:
            site.start("server")
            engine = create_engine(site.settings["database_url"])
            with engine.connect() as connection:
                seed(connection, manifest=MANIFEST, bundles=chosen.bundles)
                lend(connection, agents=chosen.agents + 1)
            engine.dispose()
            site.start("agents", "uploads", "worker")
            for name, nice in YIELDING.items():
                if name in site.members:
                    give_way(pid_of(site, name), nice)
            idle = idle_queries(site, chosen)
            each = costs(site, chosen, Path(top) / "costed")
            found = measure(site, chosen, Path(top) / "bundles")
            if found["faults"]:
                print(site.members["server"].log.read_text(errors="replace")[-4000:])
    return {"store": store, "idle_page_ms": idle, "cpu_ms": each, **found}


def table(found: list[dict[str, Any]]) -> str:
    """The figures, beside what was aimed at."""
    lines = [f"{'':<24}{'aim':>10}" + "".join(f"{one['store']:>12}" for one in found)]
    for name, aim in AIMS.items():
        cells = []
        for one in found:
            held = one[name] >= aim if name == "ingest_mb_s" else one[name] <= aim
            cells.append(f"{one[name]}{' ' if held else '!'}")
        lines.append(f"{name:<24}{aim:>10}" + "".join(f"{cell:>12}" for cell in cells))
    slowest = [max(one["idle_page_ms"].values()) for one in found]
    lines.append(f"{'slowest idle page, ms':<24}{100.0:>10}" + "".join(f"{one:>12}" for one in slowest))
    lines.append(f"{'lost or doubled':<24}{0:>10}" + "".join(f"{len(one['faults']):>12}" for one in found))
    return "\n".join(lines)


def main() -> int:
    """Measure, print, write."""
    options = argparse.ArgumentParser(description="Measure a deployment under load.")
    options.add_argument("--store", choices=("s3", "local"), action="append")
    options.add_argument("--agents", type=int, default=500)
    options.add_argument("--uploads", type=int, default=50)
    options.add_argument("--readers", type=int, default=50)
    options.add_argument("--bundles", type=int, default=100_000)
    options.add_argument("--seconds", type=float, default=120)
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the deployment is taken down
    found = [run(store, chosen) for store in chosen.store or ("s3", "local")]
    summary = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "load_average_before": os.getloadavg()[2],
        "agents": chosen.agents,
        "readers": chosen.readers,
        "upload_bytes": UPLOAD_BYTES,
        "bundles": chosen.bundles,
        "seconds": chosen.seconds,
        "runs": found,
    }
    print(table(found))
    print(json.dumps(summary, indent=2))
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(summary, indent=2) + "\n")
    return 1 if any(one["faults"] for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
