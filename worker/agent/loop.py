"""The agent: ask, run, deliver, ask again, until it is told to stop."""

import fcntl
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from worker.agent.api import ClaimAnswer, Grant
from worker.agent.client import Leases
from worker.agent.errand import Errand, ErrandError
from worker.agent.machine import make_offer
from worker.agent.policy import Policy
from worker.agent.runners import Runner, make_runner
from worker.agent.scratch import wipe_leftovers
from worker.agent.vigil import Vigil
from worker.bundle import digest
from worker.bundle.job import Offer
from worker.environment import Host, Nvml
from worker.errors import WorkerError
from worker.node_key import node_key
from worker.service import Service
from worker.settings import Settings

FIRST_WAIT_S = 5.0
LONGEST_WAIT_S = 600.0


class Agent:
    """Lends this machine.

    Args:
        settings: Server, token, key, folders.
        policy: What may run here.
        say: Told what happens, a line at a time.
        runner: Runs jobs; None: the policy's.
        jitter: Returns a number in 0 … 1.

    Raises:
        WorkerError: ``runner_missing``, ``policy_invalid``, ``work_folder_unusable``.
    """

    def __init__(
        self,
        settings: Settings,
        policy: Policy,
        *,
        say: Callable[[str], None],
        runner: Runner | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._settings = settings
        self._policy = policy
        self._say = say
        self._jitter = jitter
        self._key = node_key(settings)
        self._folder = settings.state_folder / "jobs"
        self._runner = runner or make_runner(policy, mark=digest(str(self._folder.absolute()).encode())[:12])
        self._stopping = threading.Event()
        self._drain_until_s: float | None = None

    @property
    def node_key_id(self) -> str:
        """The node's id."""
        return self._key.key_id

    @property
    def public_key(self) -> str:
        """What has to be registered with the service."""
        return self._key.public_key

    def drain(self) -> None:
        """Take no new job, and give the one that runs the policy's time; the second time: none."""
        now_s = time.monotonic()
        again = self._drain_until_s is not None
        self._drain_until_s = now_s if again else now_s + 60.0 * self._policy.drain_minutes
        self._stopping.set()

    def run(self, *, once: bool = False) -> bool:
        """Lend the machine until drained.

        Args:
            once: End after one job, or when there is none.

        Returns:
            Whether the last job, if there was one, was delivered.

        Raises:
            WorkerError: ``work_folder_unusable``: another agent runs on the same folder. With ``once`` also what went
                wrong.
        """
        with self._alone():
            return self._run(once=once)

    def _run(self, *, once: bool) -> bool:
        hasty = self._settings.model_copy(update={"retry_attempts": 2, "request_timeout_s": 10.0})
        self._runner.clean()
        self._say(f"node {self._key.key_id} asks for work")
        delivered, failures = True, 0
        with self._signals(), Service(self._settings) as service, Service(hasty) as quick:
            while not self._stopping.is_set():
                wipe_leftovers(self._folder)
                try:
                    offer = make_offer(self._policy, self._runner, nvml=Nvml.load(), host=Host())
                    claimed = Leases(service, self._key.key_id).claim(offer)
                except WorkerError as error:
                    if once:
                        raise
                    failures += 1
                    self._say(f"{error.code}: {error.detail}")
                    self._rest(min(FIRST_WAIT_S * 2.0**failures, LONGEST_WAIT_S))
                    continue
                if claimed.job is None:
                    self._explain(claimed)
                    if once:
                        return delivered
                    failures = 0
                    self._rest(claimed.ask_again_s)
                    continue
                delivered = self._carry_out(claimed.job, offer, service, quick)
                failures = 0 if delivered else failures + 1
                if once:
                    return delivered
                if failures:
                    self._rest(min(FIRST_WAIT_S * 2.0**failures, LONGEST_WAIT_S))
        self._say("drained")
        return delivered

    def _carry_out(self, granted: Grant, offer: Offer, service: Service, quick: Service) -> bool:
        self._say(f"{granted.job_id}: lease {granted.token}")
        leases = Leases(service, self._key.key_id)
        vigil = Vigil(Leases(quick, self._key.key_id), granted)
        errand = Errand(
            granted=granted,
            policy=self._policy,
            offer=offer,
            key=self._key,
            runner=self._runner,
            folder=self._folder,
            leases=leases,
            service=service,
            patience_s=self._patience_s,
            say=self._say,
        )
        try:
            with vigil:
                bundle_id = errand.carry_out(vigil)
        except ErrandError as error:
            self._say(f"{granted.job_id}: {error.cause}: {error.detail}")
            if error.cause != "lost":
                with suppress(WorkerError):  # who is not told finds out when the lease runs out
                    leases.fail(granted, cause=error.cause, detail=_printable(error.detail))
            return False
        except Exception as error:
            with suppress(WorkerError):
                leases.fail(granted, cause="node", detail=f"the agent broke: {type(error).__name__}")
            raise
        self._say(f"{granted.job_id}: delivered bundle {bundle_id}")
        return True

    def _patience_s(self) -> float | None:
        return None if self._drain_until_s is None else self._drain_until_s - time.monotonic()

    def _explain(self, claimed: ClaimAnswer) -> None:
        for hindrance in claimed.hindrances:
            of = f" ({hindrance.jobs} jobs)" if hindrance.jobs else ""
            self._say(f"no job: {hindrance.code}{of}: {hindrance.detail}")

    def _rest(self, seconds: float) -> None:
        """Wait about so long, so that agents that failed together do not come back together."""
        self._stopping.wait(seconds * (0.5 + self._jitter()))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the folder of jobs; two agents of one node would take each other's leases."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = self._folder.with_name("agent.lock").open("w")
        except OSError as error:
            raise WorkerError("work_folder_unusable", f"{self._folder}: {error.strerror}") from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise WorkerError("work_folder_unusable", f"another agent runs on {self._folder.parent}") from error
            yield

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Let SIGTERM and SIGINT drain; only the main thread can."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(number: int, _: FrameType | None) -> None:
            self.drain()
            self._say(f"{signal.Signals(number).name}: no new jobs")

        before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)[:4000]
