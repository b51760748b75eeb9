"""What runs a job: a container of podman or docker, or, for developers who trust the job, a plain process.

A container has no network, no capabilities, a read-only root, no mount but the job's own folder, and limits on memory,
processes, file size and CPUs. Time and disk are watched from outside (`worker.agent.errand`).
"""

import os
import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from worker.agent.policy import Policy
from worker.agent.scratch import Scratch
from worker.bundle.blobs import MAX_BLOB_BYTES
from worker.errors import WorkerError
from worker.processes import Tail
from worker.variables import clean_environment

PULL_TIMEOUT_S = 3600
STOP_TIMEOUT_S = 30
OPEN_FILES = 65_536
UNPRIVILEGED = 10001
"""User inside a container that root starts."""
LABEL = "byogpu.agent"


@dataclass(frozen=True)
class Work:
    """One job to run.

    Attributes:
        name: Unique on this machine.
        image: The image by digest.
        scratch: The job's folder, both arms' code in it.
        order: What the job reads from its standard input.
    """

    name: str
    image: str
    scratch: Scratch
    order: bytes


class Running:
    """A job that runs. Its output is read and thrown away, but for the end."""

    def __init__(self, command: Sequence[str], order: bytes, *, environment: Mapping[str, str], folder: Path) -> None:
        try:
            self.process = subprocess.Popen(
                command,
                env=dict(environment),
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise WorkerError("process_not_started", f"{command[0]}: {error.strerror}") from error
        self._tail = Tail()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._pump = threading.Thread(target=self._tail.pump, args=(self.process.stdout,), daemon=True)
        self._pump.start()
        try:
            self.process.stdin.write(order)
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # it ended at once; its exit status says why

    def ended(self) -> int | None:
        """Exit status; None: it runs."""
        return self.process.poll()

    def said(self) -> str:
        """The end of what it wrote."""
        return self._tail.text()

    def close(self) -> None:
        """Wait for its end, and for the end of what it wrote; kill it if it does not come."""
        try:
            self.process.wait(timeout=STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._pump.join(timeout=STOP_TIMEOUT_S)
        if not self._pump.is_alive() and self.process.stdout is not None:
            self.process.stdout.close()


class Runner(Protocol):
    """Runs jobs."""

    def version(self) -> str:
        """Version of what runs them; ``unknown`` if it does not say.

        Raises:
            WorkerError: ``runner_missing``.
        """
        ...

    def prepare(self, image: str) -> None:
        """Have an image ready.

        Raises:
            WorkerError: ``image_unavailable``.
        """
        ...

    def command(self, work: Work) -> list[str]:
        """The command that runs a job."""
        ...

    def start(self, work: Work) -> Running:
        """Start a job.

        Raises:
            WorkerError: ``process_not_started``.
        """
        ...

    def stop(self, work: Work, running: Running) -> None:
        """End a job and everything it started; returns when nothing of it runs. Safe to repeat."""
        ...

    def clean(self) -> None:
        """End what an agent that was killed left running."""
        ...


def make_runner(policy: Policy, *, mark: str) -> Runner:
    """The runner that a policy names.

    Args:
        policy: The policy.
        mark: Tells this agent's containers from those of others on the machine.

    Raises:
        WorkerError: ``runner_missing``; ``policy_invalid``: root without the policy's leave.
    """
    if policy.runner == "process":
        return ProcessRunner()
    if os.geteuid() == 0 and not policy.allow_root:
        raise WorkerError("policy_invalid", "do not run the agent as root, or say allow_root = true in the policy")
    if shutil.which(policy.runner) is None:
        raise WorkerError("runner_missing", f"{policy.runner} is not installed")
    return ContainerRunner(policy, mark=mark)


class ContainerRunner:
    """Containers of podman, best without root, or docker.

    Args:
        policy: Engine, GPUs and limits.
        mark: Label of its containers.
    """

    def __init__(self, policy: Policy, *, mark: str) -> None:
        self._policy = policy
        self._label = f"{LABEL}={mark}"
        self._engine = policy.runner

    def version(self) -> str:
        """See `Runner`."""
        said = self._ask("version", "--format", "{{.Client.Version}}")
        return said.strip()[:200] or "unknown"

    def prepare(self, image: str) -> None:
        """See `Runner`. An image is fetched by digest, so the registry cannot hand out another one."""
        if self._call("image", "inspect", image).returncode == 0:
            return
        pulled = self._call("pull", "--quiet", image, timeout_s=PULL_TIMEOUT_S)
        if pulled.returncode != 0:
            said = pulled.stderr.decode("utf-8", "replace").strip().splitlines()
            raise WorkerError("image_unavailable", f"{image}: {said[-1][:300] if said else 'no reason given'}")

    def command(self, work: Work) -> list[str]:
        """See `Runner`."""
        policy, scratch = self._policy, work.scratch
        memory = f"{policy.memory_gib}g"
        label = ",relabel=private" if self._engine == "podman" else ""  # SELinux, where it is on, lets this job in
        limits = [f"--memory={memory}", f"--memory-swap={memory}", f"--pids-limit={policy.processes}"]
        limits += [f"--cpus={policy.cpus}"] if policy.cpus else []
        return [
            self._engine, "run", "--rm", "--interactive", "--pull=never", f"--name={work.name}",
            f"--label={self._label}",
            "--network=none", "--hostname=node", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges",
            "--log-driver=none", "--ipc=private", "--stop-timeout=5", *self._user(), *limits,
            f"--ulimit=fsize={2 * MAX_BLOB_BYTES}:{2 * MAX_BLOB_BYTES}", "--ulimit=core=0:0", *_own_limits(policy),
            f"--tmpfs=/tmp:rw,exec,nosuid,nodev,size={memory},mode=1777",
            f"--mount=type=bind,source={scratch.source},target=/source,readonly{label}",
            f"--mount=type=bind,source={scratch.out},target=/out{label}",
            f"--env=BYOGPU_IMAGE_DIGEST={work.image.rpartition(':')[2]}", "--env=BYOGPU_STATE_FOLDER=/out/state",
            *self._gpus(),
            work.image, "run-job", "--out=/out",
            "--baseline-tree=/source/baseline", "--candidate-tree=/source/candidate",
        ]  # fmt: skip

    def start(self, work: Work) -> Running:
        """See `Runner`."""
        if os.geteuid() == 0:
            _hand_over(work.scratch.out, UNPRIVILEGED)
        return Running(self.command(work), work.order, environment=os.environ, folder=work.scratch.folder)

    def stop(self, work: Work, running: Running) -> None:
        """See `Runner`."""
        self._call("rm", "--force", work.name, timeout_s=STOP_TIMEOUT_S)
        running.close()

    def clean(self) -> None:
        """See `Runner`."""
        left = self._ask("ps", "--all", "--quiet", f"--filter=label={self._label}").split()
        if left:
            self._call("rm", "--force", *left, timeout_s=STOP_TIMEOUT_S)

    def _user(self) -> list[str]:
        """Who the job is inside: never root, and able to write to its folder."""
        user, group = os.geteuid(), os.getegid()
        if user == 0:
            return [f"--user={UNPRIVILEGED}:{UNPRIVILEGED}"]
        mapped = [f"--userns=keep-id:uid={user},gid={group}"] if self._engine == "podman" else []
        return [*mapped, f"--user={user}:{group}"]

    def _gpus(self) -> list[str]:
        lent = self._policy.gpus
        if lent == "none" or not lent:
            return []
        if self._engine == "podman":
            names = ["all"] if lent == "all" else [str(index) for index in lent]
            present = lent != "all" or any(
                Path(folder, "nvidia.yaml").exists() for folder in ("/etc/cdi", "/var/run/cdi")
            )
            return [f"--device=nvidia.com/gpu={name}" for name in names] if present else []
        if lent == "all":
            return ["--gpus=all"] if shutil.which("nvidia-smi") else []
        return [f'--gpus="device={",".join(str(index) for index in lent)}"']

    def _ask(self, *words: str) -> str:
        asked = self._call(*words)
        if asked.returncode != 0:
            said = asked.stderr.decode("utf-8", "replace").strip()[:300]
            raise WorkerError("runner_missing", f"{self._engine} does not work here: {said}")
        return asked.stdout.decode("utf-8", "replace")

    def _call(self, *words: str, timeout_s: float = 60.0) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                [self._engine, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout_s, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise WorkerError("runner_missing", f"{self._engine} {words[0]} takes too long") from error


class ProcessRunner:
    """Plain processes of this user, which can do what the user can: for developers, never for jobs of strangers."""

    def version(self) -> str:
        """See `Runner`."""
        return f"Python {sys.version.split()[0]}"

    def prepare(self, image: str) -> None:
        """Do nothing: what runs is what is installed here."""

    def command(self, work: Work) -> list[str]:
        """See `Runner`."""
        scratch = work.scratch
        return [
            sys.executable, "-m", "byogpu.cli", "run-job", f"--out={scratch.out}",
            f"--baseline-tree={scratch.source / 'baseline'}", f"--candidate-tree={scratch.source / 'candidate'}",
        ]  # fmt: skip

    def start(self, work: Work) -> Running:
        """See `Runner`."""
        home = work.scratch.out / "home"
        home.mkdir(exist_ok=True)
        environment = clean_environment(home, extra={"BYOGPU_STATE_FOLDER": str(work.scratch.out / "state")})
        return Running(self.command(work), work.order, environment=environment, folder=work.scratch.out)

    def stop(self, work: Work, running: Running) -> None:  # noqa: ARG002
        """See `Runner`. SIGTERM first: the run ends its arms' programs, which have process groups of their own."""
        running.process.terminate()
        running.close()

    def clean(self) -> None:
        """Do nothing: a process does not outlive its agent's session without being seen."""


def _own_limits(policy: Policy) -> list[str]:
    """Limits that this process may set: an engine's own defaults can be above what the machine allows.

    ``nproc`` counts everything that the user runs, in and out of containers; a job's own share is ``--pids-limit``.
    """
    processes = max(2 * policy.processes, 4096)
    words = []
    for name, number, wanted in (
        ("nofile", resource.RLIMIT_NOFILE, OPEN_FILES),
        ("nproc", resource.RLIMIT_NPROC, processes),
    ):
        hard = resource.getrlimit(number)[1]
        most = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        words.append(f"--ulimit={name}={most}:{most}")
    return words


def _hand_over(folder: Path, user: int) -> None:
    """Give the job's folder to the user that it has inside, links left alone."""
    os.chown(folder, user, user, follow_symlinks=False)
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            os.chown(os.path.join(parent, name), user, user, follow_symlinks=False)
