"""The machine as torch describes it: lm-eval puts ``torch.utils.collect_env``'s report into its results.

The report is text for people. Only lines of a known form are taken; the rest of the environment is ``unknown``.
"""

import re

from worker.bundle.environment import ContainerLimits, Environment, Gpu, Package
from worker.bundle.record import Unknown
from worker.identity import printable

MAX_GPUS = 64
MAX_PACKAGES = 1_000

_GPU = re.compile(r"^(?:GPU models and configuration: *)?GPU (\d{1,2}): (\S.*)$", re.MULTILINE)
_PACKAGE = re.compile(r"^\[(?:pip3?|conda)\] ([A-Za-z0-9._-]{1,100})==(\S{1,100})$", re.MULTILINE)
_NOTHING = ("Could not collect", "N/A", "")


def environment(report: str, *, further: dict[str, str]) -> Environment | Unknown:
    """Read a report.

    Args:
        report: Text of ``pretty_env_info``.
        further: Packages that are known from elsewhere, name to version.

    Returns:
        ``unknown`` if it does not even name a Python version.
    """
    python = _line(report, "Python version")
    if python == "unknown":
        return "unknown"
    cpus = _line(report, "CPU(s)")
    packages = dict(_PACKAGE.findall(report)[:MAX_PACKAGES]) | further
    return Environment(
        gpus=_gpus(report),
        links="unknown",
        gpu_processes="unknown",
        driver_version=_line(report, "Nvidia driver version"),
        cuda_version="unknown",
        cpu_model=_line(report, "Model name"),
        cpu_count=int(cpus) if re.fullmatch(r"[1-9]\d{0,5}", cpus) else "unknown",
        memory_bytes="unknown",
        kernel=_line(report, "Python platform"),
        system=_line(report, "OS"),
        python_version=python,
        container=ContainerLimits(containerized="unknown", cpu_limit="unknown", memory_limit_bytes="unknown"),
        packages=tuple(
            Package(name=name, version=printable(number)[:200], record_digest="unknown")
            for name, number in sorted(packages.items())
        ),
        variables=(),
        bandwidth="unknown",
    )


def _line(report: str, name: str) -> str | Unknown:
    """What stands behind a name at the start of a line."""
    match = re.search(rf"^{re.escape(name)}: *(.*)$", report, re.MULTILINE)
    text = printable(match[1].strip())[:200] if match else ""
    return "unknown" if text in _NOTHING else text


def _gpus(report: str) -> tuple[Gpu, ...] | Unknown:
    """GPUs by name; ``unknown`` without any, because the report does not tell "none" from "could not be asked"."""
    found = dict(_GPU.findall(report)[:MAX_GPUS])
    gpus = tuple(
        Gpu(
            index=int(index),
            name=printable(name.strip())[:200],
            uuid_hash="unknown",
            pci_bus_id="unknown",
            pci_device_id="unknown",
            memory_bytes="unknown",
            multiprocessors="unknown",
            compute_capability="unknown",
            vbios="unknown",
            sm_clock_max_mhz="unknown",
            memory_clock_max_mhz="unknown",
            power_limit_w="unknown",
            ecc="unknown",
            mig="unknown",
            compute_mode="unknown",
        )
        for index, name in found.items()
    )
    return gpus or "unknown"
