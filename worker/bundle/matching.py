"""Whether a machine can run a job and its owner wants it to: every reason against, none hidden behind another.

The service asks before it gives a job away, the agent asks again before it runs one.
"""

from typing import Literal

from worker.bundle.environment import Gpu
from worker.bundle.job import Capabilities, Consent, Needs
from worker.bundle.record import Record, Text

MismatchCode = Literal[
    "gpu_count",
    "nvlink",
    "driver",
    "suite_refused",
    "image_refused",
    "repository_refused",
    "author_refused",
    "too_long",
]


class Mismatch(Record):
    """One reason why a job and a node do not go together."""

    code: MismatchCode
    detail: Text


class Traits(Record):
    """What a node's owner may want to know of a job before it is run."""

    suite: str
    """``id/version``."""
    image: str
    repository: str
    author: str | None
    time_limit_s: int


def mismatches(needs: Needs, traits: Traits, capabilities: Capabilities, consent: Consent) -> tuple[Mismatch, ...]:
    """Say everything that speaks against running a job on a machine; nothing: it fits."""
    return (*lacking(needs, capabilities), *refused(traits, consent))


def lacking(needs: Needs, capabilities: Capabilities) -> tuple[Mismatch, ...]:
    """Say what a machine lacks. What could not be captured is lacking."""
    fit = [gpu for gpu in capabilities.gpus if _fits(needs, gpu)]
    found: list[Mismatch] = []
    if len(fit) < needs.gpu_count:
        found.append(Mismatch(code="gpu_count", detail=f"needs {_wanted(needs)}; has {len(fit)}"))
    elif needs.nvlink and not _joined(fit, needs.gpu_count, capabilities):
        found.append(Mismatch(code="nvlink", detail=f"needs {needs.gpu_count} GPUs joined by NVLink"))
    if needs.driver_version is not None and not _at_least(capabilities.driver_version, needs.driver_version):
        detail = f"needs driver {needs.driver_version} or later; has {capabilities.driver_version}"
        found.append(Mismatch(code="driver", detail=detail))
    return tuple(found)


def refused(traits: Traits, consent: Consent) -> tuple[Mismatch, ...]:
    """Say what the node's owner does not consent to."""
    found: list[Mismatch] = []
    if not _allows(consent.suites, traits.suite, traits.suite.partition("/")[0]):
        found.append(Mismatch(code="suite_refused", detail=f"the owner does not allow suite {traits.suite}"))
    if not _allows(consent.images, traits.image, traits.image.partition("@")[0]):
        found.append(Mismatch(code="image_refused", detail=f"the owner does not allow image {traits.image}"))
    if not _allows(consent.repositories, traits.repository):
        found.append(Mismatch(code="repository_refused", detail=f"the owner does not allow {traits.repository}"))
    if not _allows(consent.authors, traits.author or "unknown"):
        detail = f"the owner does not allow changes by {traits.author or 'an account that is gone'}"
        found.append(Mismatch(code="author_refused", detail=detail))
    if traits.time_limit_s > consent.longest_s:
        detail = f"takes up to {traits.time_limit_s} s; the owner allows {consent.longest_s} s"
        found.append(Mismatch(code="too_long", detail=detail))
    return tuple(found)


def _fits(needs: Needs, gpu: Gpu) -> bool:
    if needs.gpu_memory_bytes and (gpu.memory_bytes == "unknown" or gpu.memory_bytes < needs.gpu_memory_bytes):
        return False
    words = set(gpu.name.lower().replace("-", " ").split())
    return needs.gpu_model is None or set(needs.gpu_model.lower().replace("-", " ").split()) <= words


def _wanted(needs: Needs) -> str:
    model = "" if needs.gpu_model is None else f" {needs.gpu_model}"
    memory = f" with {needs.gpu_memory_bytes} bytes each" if needs.gpu_memory_bytes else ""
    return f"{needs.gpu_count}{model} GPU{'' if needs.gpu_count == 1 else 's'}{memory}"


def _joined(fit: list[Gpu], count: int, capabilities: Capabilities) -> bool:
    """Whether so many of the fitting GPUs are joined two by two: a group grown from each GPU in turn."""
    pairs = {frozenset((link.first, link.second)) for link in capabilities.links if link.kind == "nvlink"}
    for first in fit:
        clique = [first.index]
        for gpu in fit:
            if gpu.index not in clique and all(frozenset((gpu.index, other)) in pairs for other in clique):
                clique.append(gpu.index)
        if len(clique) >= count:
            return True
    return False


def _at_least(found: str, oldest: str) -> bool:
    """Compare dotted numbers; what is no such number is older than any."""
    try:
        return _numbers(found) >= _numbers(oldest)
    except ValueError:
        return False


def _numbers(version: str) -> tuple[int, ...]:
    parts = [int(part) for part in version.split(".")]
    return tuple(parts + [0] * (4 - len(parts)))


def _allows(allowed: tuple[str, ...], *names: str) -> bool:
    folded = {entry.lower() for entry in allowed}
    return "*" in folded or any(name.lower() in folded for name in names)
