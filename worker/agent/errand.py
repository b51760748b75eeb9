"""One job from the signed order to the delivered bundle.

The order is checked as if nobody had checked it before, and so is the result: a bundle is signed with this node's key
only if it is about this order.
"""

import dataclasses
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from worker.agent.api import Grant
from worker.agent.client import Blame, Leases
from worker.agent.policy import Policy
from worker.agent.runners import Runner, Running, Work
from worker.agent.scratch import Scratch
from worker.agent.source import fetch_arms
from worker.agent.vigil import Vigil
from worker.bundle import Bundle, BundleError, canonical, parse_record
from worker.bundle.dsse import NodeKey
from worker.bundle.job import EvalDone, JobSpec, Offer
from worker.bundle.matching import Traits, refused
from worker.bundle.order import open_job
from worker.bundle.schema import Completed, Failed, Skipped, TimedOut
from worker.bundle.signature import sign
from worker.checkpoints import Checkpoint
from worker.errors import ServerError, WorkerError
from worker.service import Service
from worker.suites import UnknownSuiteError, by_digest
from worker.suites.plan import plan_run
from worker.upload import upload

POLL_S = 0.5
ENGINE_STATUSES = (125, 126, 127)
"""How podman and docker end when it was they who failed, and not what they ran."""
Cause = Blame | Literal["lost"]


class ErrandError(Exception):
    """A job came to nothing.

    Attributes:
        cause: Whose fault it is; ``lost``: the lease is, so there is nobody to tell.
        detail: What happened, for a person.
    """

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause = cause
        self.detail = detail


@dataclass(frozen=True)
class Errand:
    """One job on this machine.

    Attributes:
        granted: The job and its lease.
        policy: What may run here.
        offer: What was offered.
        key: This node's key.
        runner: Runs it.
        folder: Of all jobs' folders.
        leases: Where progress is told.
        service: Where the bundle goes.
        patience_s: Seconds that the job may go on; None: as long as it takes. Asked again and again.
        say: Told what happens.
    """

    granted: Grant
    policy: Policy
    offer: Offer
    key: NodeKey
    runner: Runner
    folder: Path
    leases: Leases
    service: Service
    patience_s: Callable[[], float | None]
    say: Callable[[str], None]

    def carry_out(self, vigil: Vigil) -> str:
        """Do the job.

        Returns:
            The bundle's id, delivered.

        Raises:
            ErrandError: It came to nothing; what was done is kept for another try if somebody else was at fault.
        """
        spec = check_order(self.granted, self.policy, self.key.key_id)
        scratch = Scratch(self.folder / f"{spec.job_id}-{spec.challenge.id}")
        scratch.begin()
        work = Work(
            name=f"byogpu-{spec.job_id}-{spec.token}-{os.getpid()}",
            image=spec.image,
            scratch=scratch,
            order=canonical(spec),
        )
        try:
            bundle_id = self._deliver(self._run(spec, work, vigil), spec)
        except ErrandError as error:
            if error.cause in ("job", "cancelled"):
                scratch.wipe()
            raise
        scratch.wipe()
        return bundle_id

    def _run(self, spec: JobSpec, work: Work, vigil: Vigil) -> Bundle:
        try:
            self.runner.prepare(spec.image)
            fetch_arms(spec.source, work.scratch.source, mirror=self.policy.mirrors.get(spec.subject.repository))
            running = self.runner.start(work)
        except WorkerError as error:
            raise ErrandError("node", f"{error.code}: {error.detail}") from error
        self.say(f"{spec.job_id}: runs {spec.subject.repository} at {spec.source.head_sha[:12]}")
        try:
            self._watch(spec, work, running, vigil)
        finally:
            self.runner.stop(work, running)
        status = running.ended()
        if status != 0:
            cause: Cause = "node" if status in ENGINE_STATUSES else "job"
            raise ErrandError(cause, f"ended with status {status}: {_last_words(running.said())}")
        try:
            return work.scratch.take_bundle()
        except WorkerError as error:
            raise ErrandError("job", f"{error.code}: {error.detail}") from error

    def _watch(self, spec: JobSpec, work: Work, running: Running, vigil: Vigil) -> None:
        """Wait for the job's end, within its limits."""
        began_s, told = time.monotonic(), self.granted.done
        seen: tuple[tuple[str, int], ...] = ()
        most_bytes = (self.policy.disk_gib << 30) - work.scratch.source_bytes()
        while running.ended() is None:
            if vigil.word == "lost":
                raise ErrandError("lost", "the lease was lost")
            if vigil.word == "cancelled":
                raise ErrandError("cancelled", "cancelled")
            patience_s = self.patience_s()
            if patience_s is not None and patience_s <= 0:
                raise ErrandError("drained", "the node's owner wants it back")
            if time.monotonic() - began_s > spec.time_limit_s:
                raise ErrandError("job", f"ran past its limit of {spec.time_limit_s} s")
            if work.scratch.written_bytes() > most_bytes:
                raise ErrandError("job", f"wrote more than {self.policy.disk_gib} GiB")
            if (now := work.scratch.checkpoint_marks()) != seen:
                told, seen = self._tell(spec, work, told), now
            time.sleep(POLL_S)
        self._tell(spec, work, told)

    def _tell(self, spec: JobSpec, work: Work, told: tuple[EvalDone, ...]) -> tuple[EvalDone, ...]:
        """Tell the service which evals are done, if there are more than it knows of."""
        done = done_evals(work.scratch, spec)
        if len(done) <= len(told):
            return told
        try:
            self.leases.progress(self.granted, done)
        except WorkerError:
            return told  # the vigil finds out whether the lease is lost; the next time may go through
        for one in done[len(told) :]:
            self.say(f"{self.granted.job_id}: {one.eval_id} {one.outcome}")
        return done

    def _deliver(self, bundle: Bundle, spec: JobSpec) -> str:
        _check_bundle(bundle, spec, contained=self.policy.runner != "process")
        signed = dataclasses.replace(bundle, envelope=sign(bundle.manifest_bytes, self.key))
        try:
            upload(signed, self.service)
            self.leases.finish(self.granted, signed.id)
        except WorkerError as error:
            lost = isinstance(error, ServerError) and error.server_code == "lease_lost"
            raise ErrandError("lost" if lost else "node", f"{error.code}: {error.detail}") from error
        return signed.id


def check_order(granted: Grant, policy: Policy, node_key_id: str) -> JobSpec:
    """Open an order and demand that it is one: signed, for this node and lease, and allowed by the policy.

    Raises:
        ErrandError: ``node``: this machine does not run it; nothing of it was touched.
    """
    try:
        spec = open_job(granted.envelope.encode(), service_key=policy.service_key)
    except BundleError as error:
        raise ErrandError("node", f"the order is not signed by the service: {error.code}") from error
    if (spec.job_id, spec.token, spec.node_key_id) != (granted.job_id, granted.token, node_key_id):
        raise ErrandError("node", "the order is for another job, lease or node")
    if spec.expires_at <= datetime.now(UTC):
        raise ErrandError("node", "the order's time is over, or this machine's clock is wrong")
    subject, suite = spec.subject, spec.subject.suite
    if suite is None or subject.head_sha != spec.source.head_sha or subject.repository == "unknown":
        raise ErrandError("node", "the order contradicts itself")
    try:
        known = by_digest(suite.digest)
    except UnknownSuiteError as error:
        raise ErrandError("node", f"this version does not know suite {suite.id}/{suite.version}") from error
    if plan_run(known, spec.challenge.nonce).digest != spec.challenge.plan_digest:
        raise ErrandError("node", "this version plans the suite otherwise than the service does")
    traits = Traits(
        suite=f"{suite.id}/{suite.version}",
        image=spec.image,
        repository=subject.repository,
        author=spec.author,
        time_limit_s=spec.time_limit_s,
    )
    against = refused(traits, policy.consent)
    if against:
        raise ErrandError("node", "; ".join(one.detail for one in against))
    return spec


def done_evals(scratch: Scratch, spec: JobSpec) -> tuple[EvalDone, ...]:
    """The evals that a job has done, as its checkpoints say; what is no checkpoint of this order is none."""
    order = [] if spec.subject.suite is None else [plan.id for plan in by_digest(spec.subject.suite.digest).evals]
    found: dict[str, EvalDone] = {}
    for name, data in scratch.checkpoints():
        try:
            kept = parse_record(data, Checkpoint, code="state_invalid")
        except BundleError:
            continue
        if kept.challenge == spec.challenge and kept.record.id == name and name in order:
            found[name] = _done(kept)
    return tuple(found[name] for name in order if name in found)


def _done(kept: Checkpoint) -> EvalDone:
    match kept.record.outcome:
        case Completed(duration_s=duration_s):
            known_s = 0.0 if duration_s == "unknown" else duration_s
            return EvalDone(eval_id=kept.record.id, outcome="completed", duration_s=known_s)
        case Failed():
            return EvalDone(eval_id=kept.record.id, outcome="failed", duration_s=0.0)
        case TimedOut(limit_s=limit_s):
            return EvalDone(eval_id=kept.record.id, outcome="timed_out", duration_s=limit_s)
        case Skipped():
            return EvalDone(eval_id=kept.record.id, outcome="skipped", duration_s=0.0)


def _check_bundle(bundle: Bundle, spec: JobSpec, *, contained: bool) -> None:
    """Demand that a bundle is about the order before this node's key vouches for it.

    Raises:
        ErrandError: ``job``.
    """
    manifest = bundle.manifest
    if (manifest.subject, manifest.challenge) != (spec.subject, spec.challenge):
        raise ErrandError("job", "the bundle is about another order")
    if manifest.producer.node_key_id != spec.node_key_id:
        raise ErrandError("job", "the bundle names another node")
    if contained and manifest.producer.image_digest != spec.image.rpartition(":")[2]:
        raise ErrandError("job", "the bundle names another image")


def _last_words(said: str) -> str:
    """The last line of what a job wrote, printable and short."""
    lines = [line for line in said.splitlines() if line.strip()]
    return "".join(c if c.isprintable() else " " for c in (lines[-1] if lines else "nothing said"))[:400]
