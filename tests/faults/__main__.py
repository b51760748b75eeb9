"""Kill any part of a deployment at random moments, again and again, and see whether anything acknowledged is lost.

    python -m faults [--schedules N] [--first N] [--seed S] [--lanes N] [--json FILE]      (`make faults`)

A schedule is one bundle's way from the first request to the check on GitHub. Its seed says which processes are killed
with SIGKILL, each in the middle of what (upload, validation, posting), after how long, and how long they stay down.
What exactly a process was doing then differs from run to run. A few schedules run at once, and each is hit by the
kills of the others.

After each schedule, and at the end for all of them:

- no acknowledged part was asked for again, no acknowledged manifest or submission is forgotten;
- the bundle is complete and was judged like an undisturbed one; its verdict stands;
- GitHub holds one check for the commit, with the final conclusion;
- every blob can be read and has its digest; no task is dead, none waits.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import httpx
from cluster import ADMIN_TOKEN, ROOT, Cluster, cluster, load_module
from sqlalchemy import create_engine, text

from server.backup import verify
from server.settings import Settings
from server.startup import build, close
from server.storage import StoreUnavailableError
from standin.acts import NewPull
from worker.bundle import Bundle, Manifest, canonical
from worker.bundle.blobs import FolderBlobs
from worker.bundle.signature import NodeKey, generate_key, sign
from worker.service import Service
from worker.settings import Settings as WorkerSettings
from worker.upload import Receipt, upload, wait

Found = TypeVar("Found")
Moment = Literal["upload", "validation", "posting"]
VICTIMS = ("server", "worker", "postgres", "redis", "s3")
WEIGHTS = (5, 4, 3, 2, 1)
"""S3 is killed less often than the others: SeaweedFS takes a quarter of a minute to come back."""
LASTS_S: dict[Moment, float] = {"upload": 1.0, "validation": 0.8, "posting": 0.3}
"""About how long each part of the way takes: a blow falls within."""
LOG_BYTES = 6 << 20
"""Two parts."""
PATIENCE_S = 240.0
CLAIMS = """Faster.

```byogpu-claims
- id: decode-speed
  metric: step_latency_us
  cells: {batch: [1, 4]}
  relation: ">= 1.2x baseline"
```
"""


@dataclass(frozen=True)
class Blow:
    """One kill."""

    victim: str
    moment: Moment
    after_s: float
    down_s: float


@dataclass(frozen=True)
class Schedule:
    """One bundle's way, and what happens on it."""

    number: int
    blows: tuple[Blow, ...]


@dataclass
class Outcome:
    """What became of a schedule."""

    number: int
    blows: list[str]
    duration_s: float = 0.0
    faults: list[str] = field(default_factory=list)


def draw(seed: int, number: int) -> Schedule:
    """Make the schedule of that number."""
    dice = random.Random(f"{seed}/{number}")
    order: tuple[Moment, ...] = get_args(Moment)
    moments = sorted((dice.choice(order) for _ in range(dice.choice((1, 1, 2, 3)))), key=order.index)
    return Schedule(
        number,
        tuple(
            Blow(dice.choices(VICTIMS, WEIGHTS)[0], moment, dice.uniform(0, LASTS_S[moment]), dice.uniform(0, 1.5))
            for moment in moments
        ),
    )


class Recorder(httpx.HTTPTransport):
    """The network, and a list of what was acknowledged over it."""

    def __init__(self) -> None:
        super().__init__()
        self.acknowledged: Counter[str] = Counter()
        self.first_part = threading.Event()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "PUT":
            self.first_part.set()
        answer = super().handle_request(request)
        if request.method == "PUT" and answer.is_success:
            blob = re.search(r"[0-9a-f]{64}", request.url.path)
            assert blob is not None
            number = request.url.params.get("partNumber") or request.url.path.rpartition("/")[2]
            self.acknowledged[f"{blob[0][:12]}/{number}"] += 1
        return answer


@dataclass
class Campaign:
    """Schedules on one deployment."""

    site: Cluster
    key: NodeKey
    folder: Path
    outcomes: list[Outcome] = field(default_factory=list)

    def run(self, schedule: Schedule) -> Outcome:
        """Run one schedule, and look at what it left."""
        began = time.monotonic()
        outcome = Outcome(schedule.number, [])
        try:
            outcome.faults += self._go(schedule, outcome.blows)
        except Exception as error:  # whatever it is, it belongs into the table
            outcome.faults.append(f"{type(error).__name__}: {error}")
        outcome.duration_s = time.monotonic() - began
        self.outcomes.append(outcome)
        return outcome

    def _go(self, schedule: Schedule, blows: list[str]) -> list[str]:
        """The bundle's way, with the blows; returns what is wrong at its end."""
        pull, bundle = self._open(schedule.number)
        recorder = Recorder()
        with ThreadPoolExecutor(max_workers=1) as beside:
            receipt = beside.submit(self._bring, bundle, recorder)
            for blow in schedule.blows:
                self._await(blow.moment, bundle, recorder, receipt)
                time.sleep(blow.after_s)
                where = self._where(bundle)
                victim = self.site.members[blow.victim]
                with victim.lock:
                    victim.kill()
                    time.sleep(blow.down_s)
                    victim.start()
                    victim.wait()
                blows.append(f"{blow.victim} in {where}")
            return list(self._judge(receipt.result(timeout=PATIENCE_S), pull, bundle, recorder))

    def _open(self, number: int) -> tuple[Any, Bundle]:
        """Open a pull request, tell the service, and make a bundle for it."""
        files = {f"a{number}.py": "1\n"}
        wanted = NewPull(repository="octo/kernels", title=f"Faster {number}", author="kim", body=CLAIMS, files=files)
        pull = self.site.standin.forge.open_pull(wanted)
        page = f"{self.site.url}/api/v1/pulls/octo/kernels/{pull.number}"
        self._eventually(lambda: httpx.get(page, timeout=10).status_code == 200, "the pull request is known")
        specimen = SPECIMEN.build()
        specimen.manifest["producer"]["node_key_id"] = self.key.key_id
        specimen.manifest["subject"].update(
            repository_id=pull.repository_id, repository="octo/kernels", pull_number=pull.number,
            head_sha=pull.head_sha, base_sha=pull.base_sha,
        )  # fmt: skip
        specimen.manifest["challenge"] = None
        specimen.arm("candidate")["code"]["commit_sha"] = pull.head_sha
        specimen.arm("baseline")["code"]["commit_sha"] = pull.base_sha
        written = specimen.write(self.folder / f"bundle-{number}")
        return pull, self._with_log(written, self.folder / f"bundle-{number}", number)

    def _with_log(self, bundle: Bundle, folder: Path, number: int) -> Bundle:
        """Add a file of several parts, and sign."""
        log = (f"schedule {number}: one line of a log\n" * (1 + LOG_BYTES // 30)).encode()[:LOG_BYTES]
        (folder / "blobs" / sha256(log).hexdigest()).write_bytes(log)
        plain = bundle.manifest.model_dump(mode="json")
        plain["files"].append(
            {
                "name": "run.log", "role": "log", "media_type": "text/plain", "size_bytes": len(log),
                "sha256": sha256(log).hexdigest(), "eval_id": None, "arm": None,
            }
        )  # fmt: skip
        manifest_bytes = canonical(plain)
        made = Bundle(Manifest.model_validate_json(manifest_bytes), manifest_bytes, None, FolderBlobs(folder))
        return replace(made, envelope=sign(manifest_bytes, self.key))

    def _bring(self, bundle: Bundle, recorder: Recorder) -> Receipt:
        patient = WorkerSettings(request_timeout_s=30, retry_attempts=100, retry_longest_wait_s=PATIENCE_S / 50)
        with Service(patient, url=self.site.url, transport=recorder) as service:
            upload(bundle, service)
            return wait(bundle, service, limit_s=PATIENCE_S)

    def _await(self, moment: Moment, bundle: Bundle, recorder: Recorder, receipt: Future[Receipt]) -> None:
        """Wait until that part of the way has begun, or lies behind."""
        recorder.first_part.wait(PATIENCE_S)
        goal = {"upload": 0, "validation": 1, "posting": 2}[moment]
        if goal:
            self._eventually(lambda: receipt.done() or self._stage(bundle) >= goal, f"{moment} begins")

    def _stage(self, bundle: Bundle) -> int:
        return {"upload": 0, "validation": 1}.get(self._where(bundle), 2)

    def _where(self, bundle: Bundle) -> str:
        """How far the bundle is, as the service says; the last it said while it is silent."""
        try:
            answer = httpx.get(f"{self.site.url}/api/v1/bundles/{bundle.id}/status", timeout=10)
        except httpx.TransportError:
            return "silence"
        if answer.status_code != 200 or answer.json()["upload_state"] != "complete":
            return "upload"
        if answer.json()["validation_state"] in ("pending", "running"):
            return "validation"
        head = bundle.manifest.subject.head_sha
        done = [run for run in self._checks(str(head)) if run.conclusion == "success"]
        return "afterwards" if done else "posting"

    def _checks(self, head_sha: str) -> list[Any]:
        with self.site.standin.forge.store.reading() as state:
            return [run.model_copy(deep=True) for run in state.check_runs.values() if run.head_sha == head_sha]

    def _judge(self, receipt: Receipt, pull: Any, bundle: Bundle, recorder: Recorder) -> Iterator[str]:
        """Everything that is wrong."""
        if receipt.validation_state != "valid":
            yield f"validation ended in {receipt.validation_state}"
            return
        twice = [part for part, times in recorder.acknowledged.items() if times > 1]
        if twice:
            yield f"acknowledged parts were asked for again: {twice}"
        page_url = f"{self.site.url}/api/v1/pulls/octo/kernels/{pull.number}"

        page: dict[str, Any] = {}

        def sent() -> bool:
            page.update(httpx.get(page_url, timeout=10).raise_for_status().json())
            check = page["check"]
            return check is not None and (check["state"], check["conclusion"]) == ("sent", "success")

        self._eventually(sent, "the check is sent")
        if [one["outcome"] for one in page["verdicts"]] != ["supported"]:
            yield f"verdicts are {[one['outcome'] for one in page['verdicts']]}"
        if [one["bundle"]["bundle_id"] for one in page["evidence"]] != [bundle.id]:
            yield "the evidence is not the bundle"
        checks = self._checks(pull.head_sha)
        if len(checks) != 1:
            yield f"{len(checks)} checks stand on GitHub"
        elif checks[0].conclusion != "success":
            yield f"the check on GitHub says {checks[0].conclusion}"

    def _eventually(self, good: Callable[[], Found], what: str) -> Found:
        limit = time.monotonic() + PATIENCE_S
        while True:
            try:
                if found := good():
                    return found
            except (httpx.HTTPError, ValueError, StoreUnavailableError):
                pass  # whoever was killed is not all there again
            if time.monotonic() > limit:
                raise TimeoutError(f"never: {what}")
            time.sleep(0.1)

    def finish(self) -> list[str]:
        """What is wrong when all is quiet again."""
        self._eventually(
            lambda: httpx.get(f"{self.site.url}/ready", timeout=10).json()["tasks_waiting"] == 0, "no task waits"
        )
        faults = []
        services = build(Settings(**self.site.settings))
        found = self._eventually(lambda: verify(services), "every blob can be read")
        close(services)
        faults += [f"{one.bundle_id}: {one.detail}" for one in found.damages]
        if found.bundles != len(self.outcomes):
            faults.append(f"{found.bundles} bundles are complete, {len(self.outcomes)} were acknowledged")
        engine = create_engine(self.site.settings["database_url"])
        with engine.connect() as connection:
            dead = connection.execute(text("SELECT kind, key, detail FROM task WHERE state = 'dead'")).all()
            moves = connection.execute(
                text("SELECT target, action FROM audit WHERE action IN ('bundle.submitted', 'bundle.valid')")
            ).all()
            posts = connection.execute(text("SELECT state, count(*) FROM post GROUP BY state")).all()
        engine.dispose()
        faults += [f"dead task: {tuple(one)}" for one in dead]
        faults += [f"{move} {times} times" for move, times in Counter(map(tuple, moves)).items() if times > 1]
        faults += [f"{count} posts are {state}" for state, count in posts if state not in ("sent", "superseded")]
        return faults


SPECIMEN = load_module(ROOT / "tests" / "judge" / "specimen.py")


@contextmanager
def campaign(folder: Path) -> Iterator[Campaign]:
    """A deployment with everything running, and a registered node.

    A webhook that finds no server is not sent again: the comparison with GitHub's list has to make up for it.
    """
    settings = {"sweep_interval_s": 1, "task_lease_s": 8, "part_size_bytes": 5 << 20, "reconcile_interval_s": 60}
    with cluster(folder / "site", **settings) as site:
        site.start("server", "worker")
        key = generate_key(folder / "node.pem")
        httpx.post(
            f"{site.url}/api/v1/nodes",
            json={"public_key": key.public_key, "owner": "campaign"},
            headers={"Authorization": f"Bearer {ADMIN_TOKEN}"},
            timeout=30,
        ).raise_for_status()
        yield Campaign(site, key, folder)


def main() -> int:
    """Run the campaign; the exit status says whether anything was wrong."""
    options = argparse.ArgumentParser(description="Kill parts of a deployment at random moments.")
    options.add_argument("--schedules", type=int, default=100)
    options.add_argument("--first", type=int, default=1, help="go on where an earlier campaign of that seed stopped")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--lanes", type=int, default=4)
    options.add_argument("--minutes", type=float, default=120, help="begin no schedule after that time")
    options.add_argument("--json", type=Path)
    chosen = options.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the deployment is taken down
    with tempfile.TemporaryDirectory(prefix="byogpu-faults-") as folder:
        os.chmod(folder, 0o755)
        with campaign(Path(folder)) as one:
            schedules = [draw(chosen.seed, number) for number in range(chosen.first, chosen.schedules + 1)]
            ends = time.monotonic() + 60 * chosen.minutes
            with ThreadPoolExecutor(max_workers=chosen.lanes) as lanes:
                for outcome in lanes.map(lambda each: one.run(each) if time.monotonic() < ends else None, schedules):
                    if outcome is None:
                        continue
                    blows, what = ", ".join(outcome.blows), "; ".join(outcome.faults) or "ok"
                    print(f"{outcome.number:4d}  {outcome.duration_s:6.1f} s  {blows:<60}  {what}", flush=True)
            left = one.finish()
            summary = summarise(one, left, seed=chosen.seed)
            if left or any(outcome.faults for outcome in one.outcomes):
                for name in ("server", "worker"):
                    print(f"--- {name}\n{one.site.members[name].log.read_text(errors='replace')[-6000:]}")
    print(json.dumps(summary, indent=2))
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(summary, indent=2) + "\n")
    return 1 if summary["faults"] else 0


def summarise(one: Campaign, left: list[str], *, seed: int) -> dict[str, Any]:
    """The figures of a campaign."""
    blows = Counter(blow for outcome in one.outcomes for blow in outcome.blows)
    faults = [f"schedule {outcome.number}: {fault}" for outcome in one.outcomes for fault in outcome.faults]
    durations = sorted(outcome.duration_s for outcome in one.outcomes)
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": seed,
        "schedules": len(one.outcomes),
        "kills": sum(blows.values()),
        "kills_by_victim_and_moment": dict(sorted(blows.items())),
        "longest_schedule_s": round(durations[-1], 1),
        "median_schedule_s": round(durations[len(durations) // 2], 1),
        "faults": faults + left,
        "cores": os.cpu_count(),
    }


if __name__ == "__main__":
    sys.exit(main())
