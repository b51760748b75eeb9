"""What a machine's owner lets it run: a file that only the owner writes, read when the agent starts."""

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from worker.bundle.canonical import describe
from worker.bundle.dsse import PublicKey
from worker.bundle.job import Consent
from worker.bundle.record import Label, Positive, Record
from worker.errors import WorkerError
from worker.settings import Settings

RunnerName = Literal["podman", "docker", "process"]
_Names = Annotated[tuple[Label, ...], Field(strict=False)]

_SAMPLE = """\
# What this machine may run for others. An empty list allows nothing, "*" allows anything.

# The service's public key, as its operator publishes it (also at SERVER/api/v1/service-key). Jobs signed by any other
# key are refused.
service_key = "0000000000000000000000000000000000000000000000000000000000000000"

runner = "podman"            # podman without root is the best protection; docker works; process has none at all
suites = ["smoke"]           # names, or name/version
images = []                  # registry/name@sha256:... or registry/name, of which any digest is taken
repositories = []            # owner/name
authors = []                 # GitHub logins of pull requests' authors

longest_minutes = 120        # of one job, the suite's own limit included
drain_minutes = 5            # what a job gets to end by itself when the agent is stopped
gpus = "all"                 # or "none", or a list: [0, 1]
cpus = 0                     # 0: all
memory_gib = 32
disk_gib = 20                # of one job's folder, its source included
processes = 2048             # processes and threads of one job

# Where to fetch a repository from instead of its own address: a mirror nearby, or a folder.
# [mirrors]
# "owner/name" = "/srv/mirrors/name.git"
"""


class Policy(Record):
    """What may run here, and with how much of the machine."""

    service_key: PublicKey
    """Of the one service whose orders are carried out."""
    runner: RunnerName = "podman"
    suites: _Names = ()
    images: _Names = ()
    repositories: _Names = ()
    authors: _Names = ()
    longest_minutes: Annotated[int, Field(ge=1, le=10_080)] = 120
    drain_minutes: Annotated[int, Field(ge=0, le=10_080)] = 5
    gpus: Literal["all", "none"] | Annotated[tuple[Annotated[int, Field(ge=0, le=63)], ...], Field(strict=False)] = (
        "all"
    )
    cpus: Annotated[int, Field(ge=0, le=4096)] = 0
    memory_gib: Positive = 32
    disk_gib: Positive = 20
    processes: Annotated[int, Field(ge=64, le=4_000_000)] = 2048
    mirrors: dict[str, str] = Field(default_factory=dict)
    allow_root: bool = False
    """Whether the agent may run as root: whatever breaks out of a container is then root, too."""

    @property
    def consent(self) -> Consent:
        """What the service is told, so that it offers nothing else."""
        return Consent(
            suites=self.suites,
            images=self.images,
            repositories=self.repositories,
            authors=self.authors,
            longest_s=60 * self.longest_minutes,
        )


def policy_file(settings: Settings) -> Path:
    """Where the policy is unless the command names another: beside the node's key."""
    return settings.node_key.with_name("agent.toml")


def load_policy(path: Path) -> Policy:
    """Read a policy.

    Raises:
        WorkerError: ``policy_invalid``.
    """
    try:
        return Policy.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        detail = f"there is no policy at {path}: byogpu agent --print-policy > {path}, then edit it"
        raise WorkerError("policy_invalid", detail) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise WorkerError("policy_invalid", f"{path}: {error}") from error
    except ValidationError as error:
        raise WorkerError("policy_invalid", f"{path}: {describe(error)}") from error


def sample_policy() -> str:
    """A policy to begin with: it allows nothing until it is edited."""
    return _SAMPLE
