"""Jobs as service and node speak of them: what one needs, what the other offers, what the service signs."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from worker.bundle.environment import Gpu, Link
from worker.bundle.record import (
    Amount,
    CommitSha,
    Count,
    Identifier,
    Label,
    Positive,
    Record,
    Sha256,
    Time,
    Unknown,
)
from worker.bundle.schema import Challenge, Subject

JobId = Annotated[str, StringConstraints(pattern=r"^j-[0-9a-f]{16}$")]
ImageReference = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._:/-]{0,254}@sha256:[0-9a-f]{64}$", max_length=400)
]
"""An image by digest. A tag can be moved, a digest cannot."""


class Needs(Record):
    """What a machine must have for a job."""

    gpu_count: Annotated[int, Field(ge=0, le=64)] = 0
    gpu_model: Label | None = None
    """Words of the GPU's name, such as ``H200``; null: any."""
    gpu_memory_bytes: Count = 0
    """Of each GPU."""
    nvlink: bool = False
    """Whether every two GPUs have to be joined by NVLink."""
    driver_version: Annotated[str, StringConstraints(pattern=r"^[0-9]{1,5}(\.[0-9]{1,5}){0,2}$")] | None = None
    """The oldest driver that will do."""


class Capabilities(Record):
    """A machine as its agent's software found it; nothing of it is typed."""

    gpus: Annotated[tuple[Gpu, ...], Field(max_length=64)]
    links: Annotated[tuple[Link, ...], Field(max_length=2016)]
    driver_version: Label | Unknown
    cuda_version: Label | Unknown
    cpu_count: Positive | Unknown
    memory_bytes: Positive | Unknown
    runner: Literal["podman", "docker", "process"]
    """What runs a job. ``process``: no container, for machines of developers who trust every job they get."""
    runner_version: Label | Unknown
    agent_version: Label


class Consent(Record):
    """What a node's owner lets it run. A list names what is allowed; an empty one allows nothing, ``*`` anything."""

    suites: Annotated[tuple[Label, ...], Field(max_length=100)]
    images: Annotated[tuple[Label, ...], Field(max_length=100)]
    """Images by digest, or names before the ``@`` of which any digest is taken."""
    repositories: Annotated[tuple[Label, ...], Field(max_length=1000)]
    authors: Annotated[tuple[Label, ...], Field(max_length=1000)]
    """Authors of pull requests."""
    longest_s: Positive
    """Longest time a job may take."""


class Offer(Record):
    """A node that asks for work."""

    capabilities: Capabilities
    consent: Consent


class Source(Record):
    """The code of both arms, by commit."""

    clone_url: Annotated[str, StringConstraints(pattern=r"^https?://[^\s?#@]{1,500}$")]
    head_sha: CommitSha
    base_sha: CommitSha


class JobSpec(Record):
    """An order to run one suite once. Only what the service signed is run (`worker.bundle.order`)."""

    format: Literal["byogpu.job/1"]
    service: Label
    """Public address of the service that signed it."""
    job_id: JobId
    token: Positive
    """The fencing token of the lease it came with."""
    node_key_id: Sha256
    """The node it was given to; no other runs it."""
    image: ImageReference
    source: Source
    subject: Subject
    challenge: Challenge
    author: Label | None
    """Of the pull request; null: the account is gone."""
    approved_by: Label
    """Who answers for this commit being run on machines of others."""
    time_limit_s: Positive
    issued_at: Time
    expires_at: Time
    """The challenge ends then: a bundle that is submitted later is worth less."""


class EvalDone(Record):
    """An eval of the suite that has come to its end."""

    eval_id: Identifier
    outcome: Literal["completed", "failed", "timed_out", "skipped"]
    duration_s: Amount


class Progress(Record):
    """Which evals are done. They stand in one bundle, so they come from one machine and one challenge."""

    done: Annotated[tuple[EvalDone, ...], Field(max_length=100)] = ()
