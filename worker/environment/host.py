"""The host without its GPUs: CPU, memory, kernel, the limits of the control group."""

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from worker.bundle.environment import ContainerLimits
from worker.bundle.record import Unknown

_UNLIMITED_BYTES = 1 << 62
"""Version 1 writes about 2^63 for "no limit"."""
_CONTAINER_WORDS = ("docker", "kubepods", "containerd", "libpod", "lxc")


@dataclass(frozen=True)
class Host:
    """Reads the kernel's files.

    Attributes:
        root: Where the file system starts; another folder than ``/`` in tests.
    """

    root: Path = Path("/")

    def cpu_model(self) -> str | Unknown:
        """Name of the first CPU."""
        for line in self._lines("proc/cpuinfo"):
            name, _, value = line.partition(":")
            if name.strip() in ("model name", "Model", "cpu model") and value.strip():
                return value.strip()[:200]
        return "unknown"

    def memory_bytes(self) -> int | Unknown:
        """Memory of the whole machine."""
        for line in self._lines("proc/meminfo"):
            words = line.split()
            if words[:1] == ["MemTotal:"] and words[1].isdigit():
                return int(words[1]) * 1024
        return "unknown"

    def system(self) -> str | Unknown:
        """Name of the distribution."""
        for line in self._lines("etc/os-release"):
            name, _, value = line.partition("=")
            if name == "PRETTY_NAME":
                return value.strip().strip('"')[:200] or "unknown"
        return platform.system() or "unknown"

    def container(self) -> ContainerLimits:
        """Limits of the control group this process is in, version 1 or 2, and whether a container is around it."""
        groups = self._groups()
        if groups is None:
            return ContainerLimits(containerized="unknown", cpu_limit="unknown", memory_limit_bytes="unknown")
        cpu = [_cpu_share(*quota) for quota in self._cpu_quotas(groups)]
        memory = [limit for limit in self._memory_limits(groups) if limit < _UNLIMITED_BYTES]
        return ContainerLimits(
            containerized=self._containerized(),
            cpu_limit=min((share for share in cpu if share is not None), default=None),
            memory_limit_bytes=min(memory, default=None),
        )

    def _containerized(self) -> bool:
        marks = (".dockerenv", "run/.containerenv")
        if any((self.root / mark).exists() for mark in marks):
            return True
        if any(word in line for line in self._lines("proc/1/cgroup") for word in _CONTAINER_WORDS):
            return True
        mounts = (line.split() for line in self._lines("proc/self/mounts"))
        return any(fields[1:3] == ["/", "overlay"] for fields in mounts)

    def _groups(self) -> dict[str, str] | None:
        """Controller to path; the empty controller is version 2. None when the kernel does not say."""
        fields = [line.split(":", 2) for line in self._lines("proc/self/cgroup")]
        return {name: path for _, names, path in fields for name in names.split(",")} or None

    def _cpu_quotas(self, groups: dict[str, str]) -> Iterator[tuple[str, str]]:
        for folder in self._folders("", groups.get("")):
            for line in self._lines(folder / "cpu.max"):
                quota, _, period = line.partition(" ")
                yield quota, period
        for folder in self._folders("cpu", groups.get("cpu")):
            for quota in self._lines(folder / "cpu.cfs_quota_us"):
                yield from ((quota, period) for period in self._lines(folder / "cpu.cfs_period_us"))

    def _memory_limits(self, groups: dict[str, str]) -> Iterator[int]:
        places = [(folder / "memory.max") for folder in self._folders("", groups.get(""))]
        places += [(folder / "memory.limit_in_bytes") for folder in self._folders("memory", groups.get("memory"))]
        for place in places:
            yield from (int(line) for line in self._lines(place) if line.isdigit() and int(line) > 0)

    def _folders(self, controller: str, group: str | None) -> Iterator[Path]:
        """The group's folder and every one above it: each may hold a limit.

        Inside a container the path may be the host's and not exist; the mount's root is then the container's group.
        """
        if group is None:
            return
        top = Path("sys/fs/cgroup") / controller
        inside = Path(group.lstrip("/"))
        for folder in (inside, *inside.parents):
            yield top / folder

    def _lines(self, path: str | Path) -> list[str]:
        try:
            return (self.root / path).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return []


def cpu_count() -> int:
    """CPUs this process may run on."""
    return len(os.sched_getaffinity(0))


def _cpu_share(quota: str, period: str) -> float | None:
    if quota.isdigit() and period.strip().isdigit() and int(period) > 0:
        return int(quota) / int(period)
    return None
