"""The machine a bundle was measured on: captured, never typed. Part of the manifest."""

from typing import Literal

from worker.bundle.record import Amount, Count, Label, Positive, Record, Sha256, Text, Unknown


class Gpu(Record):
    """One GPU as NVML describes it."""

    index: Count
    name: Label
    uuid_hash: Sha256 | Unknown
    """SHA-256 of the UUID: the same card is recognised, its serial number is not published."""
    pci_bus_id: Label | Unknown
    pci_device_id: Label | Unknown
    memory_bytes: Positive | Unknown
    multiprocessors: Positive | Unknown
    compute_capability: Label | Unknown
    vbios: Label | Unknown
    sm_clock_max_mhz: Positive | Unknown
    memory_clock_max_mhz: Positive | Unknown
    power_limit_w: Amount | Unknown
    ecc: Literal["on", "off"] | Unknown
    mig: Literal["on", "off"] | Unknown
    compute_mode: Label | Unknown


class Link(Record):
    """How two GPUs are joined."""

    first: Count
    second: Count
    kind: Label
    """``nvlink``, or NVML's name of the closest common ancestor."""
    lanes: Count | Unknown


class GpuProcess(Record):
    """A process that was on a GPU before the run began; nameless, so that nothing private leaves the host."""

    gpu_index: Count
    kind: Literal["compute", "graphics"]
    memory_bytes: Count | Unknown


class Package(Record):
    """One installed Python distribution."""

    name: Label
    version: Label
    record_digest: Sha256 | Unknown
    """SHA-256 of the distribution's RECORD file."""


class Variable(Record):
    """One environment variable from the allow-list."""

    name: Label
    value: Text


class ContainerLimits(Record):
    """What the control group allows."""

    containerized: bool | Unknown
    cpu_limit: Amount | Unknown | None
    """CPUs; None: no limit."""
    memory_limit_bytes: Positive | Unknown | None


class BandwidthProbe(Record):
    """Read-only memory bandwidth seen by this run; raw samples, GB/s (10^9 bytes)."""

    device: Literal["gpu", "cpu"]
    read_gb_per_s: tuple[Amount, ...]


class Environment(Record):
    """The whole machine."""

    gpus: tuple[Gpu, ...] | Unknown
    """An empty list: NVML answered that there is none. ``unknown``: NVML could not be asked."""
    links: tuple[Link, ...] | Unknown
    gpu_processes: tuple[GpuProcess, ...] | Unknown
    driver_version: Label | Unknown
    cuda_version: Label | Unknown
    cpu_model: Label | Unknown
    cpu_count: Positive | Unknown
    memory_bytes: Positive | Unknown
    kernel: Label | Unknown
    system: Label | Unknown
    python_version: Label
    container: ContainerLimits
    packages: tuple[Package, ...]
    variables: tuple[Variable, ...]
    bandwidth: BandwidthProbe | Unknown
