"""One run of a suite: probe the machine, run every eval, pack the bundle, sign it."""

import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Self

from worker.arms import Arms
from worker.attempts import Attempts, run_key
from worker.bundle import Bundle, Draft, Manifest, canonical, write
from worker.bundle.environment import Environment
from worker.bundle.record import Sha256
from worker.bundle.redaction import Redactor
from worker.bundle.schema import Challenge, Producer, Subject
from worker.bundle.signature import NodeKey, sign
from worker.checkpoints import Checkpoints
from worker.environment import Host, Nvml, probe
from worker.errors import WorkerError
from worker.evals import EvalResult, Setting, run_eval
from worker.evals.trial import stage
from worker.manifest import assemble
from worker.progress import Progress, Silent
from worker.settings import Settings
from worker.suites import EvalPlan, Suite
from worker.suites.seeds import Seeds


@dataclass(frozen=True)
class RunRequest:
    """What to run.

    Attributes:
        suite: The suite.
        arms: Both arms, resolved.
        subject: What the bundle will be evidence about (`offline_subject`, `worker.service.Service.subject`).
        out: Folder of the bundle; new or empty.
        challenge: What the server issued for this run; None: prompts are drawn here.
        signer: Key id of the node that will sign the bundle elsewhere; None: whoever signs it here, if anybody.
        checkpoints: Folder that keeps each eval that is done, for a run that goes on after an interruption; None: none.
    """

    suite: Suite
    arms: Arms
    subject: Subject
    out: Path
    challenge: Challenge | None = None
    signer: Sha256 | None = None
    checkpoints: Path | None = None


@dataclass(frozen=True)
class Machine:
    """Where to ask about this machine; another one in tests."""

    nvml: Nvml
    host: Host

    @classmethod
    def here(cls) -> Self:
        """This machine."""
        return cls(Nvml.load(), Host())


def run_suite(
    request: RunRequest,
    *,
    settings: Settings,
    key: NodeKey | None,
    progress: Progress | None = None,
    machine: Machine | None = None,
) -> Bundle:
    """Run a suite and write the bundle.

    Args:
        request: What to run.
        settings: Where state is kept.
        key: Signs the bundle; None: unsigned. Never leaves this process.
        progress: Told how far it is.
        machine: Where to ask about the hardware; this machine if None.

    Returns:
        The finished bundle, also when evals failed: their outcomes say so (`failed_evals`).

    Raises:
        WorkerError: ``out_not_empty``, ``work_folder_unusable``, ``state_invalid``, and what probing raises.

    Note:
        A try is counted before it begins. SIGTERM ends the run like an interrupt from the keyboard does: programs that
        were started are ended first.
    """
    if request.checkpoints is None:
        _require_empty(request.out)
    shown, machine = progress or Silent(), machine or Machine.here()
    began = _Began(datetime.now(UTC), time.monotonic())
    attempts = Attempts(settings.state_folder / "attempts.json")
    run = run_key(request.subject, candidate_tree=request.arms.candidate.code.tree_digest)
    number, earlier = attempts.begin(run, now=began.at)
    with _sigterm_interrupts(), tempfile.TemporaryDirectory(prefix="byogpu-") as scratch:
        setting = _setting(request, machine, shown, Path(scratch))
        environment = _probe(request, setting, machine)
        results = [_evaluate(plan, setting, request) for plan in request.suite.evals]
    producer = Producer(
        worker_version=version("byogpu"),
        image_digest=settings.image_digest or "unknown",
        node_key_id=request.signer or ("unknown" if key is None else key.key_id),
        started_at=began.at,
        ended_at=datetime.now(UTC),
        duration_s=time.monotonic() - began.monotonic_s,
    )
    manifest = assemble(
        setting,
        subject=request.subject,
        challenge=request.challenge,
        producer=producer,
        environment=environment,
        results=results,
        attempts=earlier,
    )
    envelope = None if key is None else sign(canonical(manifest), key)
    bundle = write(request.out, manifest, envelope=envelope)
    failed = failed_evals(manifest)
    detail = f"bundle {bundle.id}" + (f"; not completed: {', '.join(failed)}" if failed else "")
    attempts.finish(run, number, outcome="failed" if failed else "completed", detail=detail)
    return bundle


def failed_evals(manifest: Manifest) -> tuple[str, ...]:
    """Ids of the evals that broke or ran out of time; one that was skipped could not run here, and is none of them."""
    return tuple(record.id for record in manifest.evals if record.outcome.outcome in ("failed", "timed_out"))


def offline_subject(suite: Suite, arms: Arms) -> Subject:
    """A subject for a run that no pull request is known for: the candidate's commit, if git knows it."""
    return Subject(
        repository_id="unknown",
        repository="unknown",
        pull_number=None,
        head_sha=arms.candidate.code.commit_sha,
        base_sha="unknown",
        suite=suite.reference,
        claim_ids=(),
    )


@dataclass(frozen=True)
class _Began:
    """When the run began: for display, and for durations."""

    at: datetime
    monotonic_s: float


def _require_empty(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise WorkerError("out_not_empty", f"{out} exists and is not an empty folder")


def _evaluate(plan: EvalPlan, setting: Setting, request: RunRequest) -> EvalResult:
    """Run an eval, or take what it came to before the run was interrupted."""
    if request.checkpoints is None:
        return run_eval(plan, setting)
    checkpoints = Checkpoints(request.checkpoints, request.challenge)
    done = checkpoints.load(plan.id, setting)
    if done is not None:
        return done
    before = len(setting.draft.files)
    result = run_eval(plan, setting)
    checkpoints.save(result, setting, files=setting.draft.files[before:])
    return result


def _setting(request: RunRequest, machine: Machine, progress: Progress, scratch: Path) -> Setting:
    challenge = request.challenge
    return Setting(
        arms=request.arms,
        config=request.suite.subject_config,
        draft=Draft(request.out),
        folder=scratch,
        seeds=Seeds.draw() if challenge is None else Seeds(challenge.nonce),
        progress=progress,
        redactor=Redactor(_private(request, scratch)),
        nvml=machine.nvml,
    )


def _private(request: RunRequest, scratch: Path) -> dict[str, str]:
    """Paths of this machine that programs may print, with the kind each is masked as."""
    arms = {str(path): f"{arm.name}_folder" for arm in request.arms for path in (arm.tree, arm.python.parent) if path}
    return {
        **arms,
        str(Path.cwd()): "working_folder",
        str(request.out.absolute()): "bundle_folder",
        str(scratch): "scratch_folder",
        sys.prefix: "python_folder",
    }


def _probe(request: RunRequest, setting: Setting, machine: Machine) -> Environment:
    candidate = request.arms.candidate
    with stage(setting.progress, "probe", total=1):
        return probe(
            python_version=candidate.python_version,
            packages=candidate.packages,
            nvml=machine.nvml,
            host=machine.host,
            redactor=setting.redactor,
        )


@contextmanager
def _sigterm_interrupts() -> Iterator[None]:
    """Turn SIGTERM into KeyboardInterrupt, so that what is to be ended is ended; only the main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, _: FrameType | None) -> None:
        raise KeyboardInterrupt(f"signal {number}")

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
