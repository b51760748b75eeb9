"""What an agent would offer and run, without asking for anything."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from worker.agent.machine import make_offer
from worker.agent.policy import Policy
from worker.agent.runners import Work, make_runner
from worker.agent.scratch import Scratch
from worker.bundle.job import Offer
from worker.bundle.record import Record
from worker.environment import Host, Nvml
from worker.node_key import node_key
from worker.settings import Settings


class Description(Record):
    """A dry run."""

    node_key_id: str
    public_key: str
    offer: Offer
    command: tuple[str, ...]
    """What would run a job; names in capitals stand for what the job says."""

    def lines(self) -> Iterator[str]:
        """The same for people."""
        consent, machine = self.offer.consent, self.offer.capabilities
        yield f"node {self.node_key_id} (public key {self.public_key})"
        yield f"GPUs: {', '.join(gpu.name for gpu in machine.gpus) or 'none'}; driver {machine.driver_version}"
        yield f"runs jobs with {machine.runner} {machine.runner_version}, {consent.longest_s} s at most"
        for what in ("suites", "images", "repositories", "authors"):
            yield f"{what}: {', '.join(getattr(consent, what)) or 'none'}"
        yield f"command: {shlex.join(self.command)}"


def describe(settings: Settings, policy: Policy) -> Description:
    """Say what an agent would offer and run.

    Raises:
        WorkerError: What would keep it from starting.
    """
    runner, key = make_runner(policy, mark="MARK"), node_key(settings)
    scratch = Scratch(Path(settings.state_folder) / "jobs" / "JOB")
    work = Work(name="byogpu-JOB", image="IMAGE@sha256:DIGEST", scratch=scratch, order=b"")
    return Description(
        node_key_id=key.key_id,
        public_key=key.public_key,
        offer=make_offer(policy, runner, nvml=Nvml.load(), host=Host()),
        command=tuple(runner.command(work)),
    )
