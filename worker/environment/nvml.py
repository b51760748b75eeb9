"""GPUs as NVML describes them. Every value is asked for on its own: what one driver cannot say is ``unknown``."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, Literal, Self, TypeVar

from worker.bundle.environment import Gpu, GpuProcess, Link
from worker.bundle.record import Unknown
from worker.bundle.samples import TelemetryRow

Value = TypeVar("Value")

_CORES_PER_MULTIPROCESSOR = {"6.0": 64, "7.0": 64, "7.2": 64, "7.5": 64, "8.0": 64}
"""FP32 lanes of one multiprocessor, where they are not 128 (CUDA C++ programming guide, compute capabilities)."""
_THROTTLE_REASONS = {
    "GpuIdle": "gpu_idle",
    "ApplicationsClocksSetting": "applications_clocks_setting",
    "SwPowerCap": "sw_power_cap",
    "HwSlowdown": "hw_slowdown",
    "SyncBoost": "sync_boost",
    "SwThermalSlowdown": "sw_thermal_slowdown",
    "HwThermalSlowdown": "hw_thermal_slowdown",
    "HwPowerBrakeSlowdown": "hw_power_brake_slowdown",
    "DisplayClockSetting": "display_clock_setting",
}


def load_nvml() -> Any | None:
    """The ``pynvml`` module, started; None when there is no library or no driver to talk to."""
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None
    return pynvml


@dataclass(frozen=True)
class Nvml:
    """Asks NVML. Make one with `Nvml.load`, or around anything that answers like ``pynvml``.

    Attributes:
        library: The started ``pynvml`` module; None: NVML could not be asked, and every answer is ``unknown``.
    """

    library: Any | None

    @classmethod
    def load(cls) -> Self:
        """Start NVML on this machine."""
        return cls(load_nvml())

    def gpus(self) -> tuple[Gpu, ...] | Unknown:
        """Every GPU this process may see; an empty tuple when NVML answers that there is none."""
        handles = self._handles()
        return handles if handles == "unknown" else tuple(self._gpu(*pair) for pair in enumerate(handles))

    def links(self) -> tuple[Link, ...] | Unknown:
        """How each pair of GPUs is joined."""
        handles = self._handles()
        if handles == "unknown":
            return "unknown"
        return tuple(self._link(first, second) for first, second in combinations(enumerate(handles), 2))

    def processes(self) -> tuple[GpuProcess, ...] | Unknown:
        """Processes on the GPUs, without name or id."""
        handles = self._handles()
        return handles if handles == "unknown" else tuple(self._processes(handles))

    def driver_version(self) -> str | Unknown:
        """Version of the driver."""
        return self._ask(lambda nvml: str(nvml.nvmlSystemGetDriverVersion()))

    def cuda_version(self) -> str | Unknown:
        """Newest CUDA version the driver serves."""
        number = self._ask(lambda nvml: int(nvml.nvmlSystemGetCudaDriverVersion_v2()))
        return "unknown" if number == "unknown" else f"{number // 1000}.{number % 1000 // 10}"

    def telemetry(self, *, time_s: float) -> tuple[TelemetryRow, ...]:
        """One sample of every GPU, stamped ``time_s``; empty without GPUs."""
        handles = self._handles()
        return () if handles == "unknown" else tuple(self._sample(*pair, time_s) for pair in enumerate(handles))

    def _handles(self) -> tuple[Any, ...] | Unknown:
        return self._ask(
            lambda nvml: tuple(nvml.nvmlDeviceGetHandleByIndex(index) for index in range(nvml.nvmlDeviceGetCount()))
        )

    def _gpu(self, index: int, handle: Any) -> Gpu:
        ask = self._ask
        capability = ask(lambda nvml: "{}.{}".format(*nvml.nvmlDeviceGetCudaComputeCapability(handle)))
        cores = ask(lambda nvml: int(nvml.nvmlDeviceGetNumGpuCores(handle)))
        return Gpu(
            index=index,
            name=_or(ask(lambda nvml: str(nvml.nvmlDeviceGetName(handle))), "unnamed"),
            uuid_hash=ask(lambda nvml: hash_uuid(str(nvml.nvmlDeviceGetUUID(handle)))),
            pci_bus_id=ask(lambda nvml: str(nvml.nvmlDeviceGetPciInfo(handle).busId)),
            pci_device_id=ask(lambda nvml: f"{nvml.nvmlDeviceGetPciInfo(handle).pciDeviceId:08x}"),
            memory_bytes=ask(lambda nvml: _positive(nvml.nvmlDeviceGetMemoryInfo(handle).total)),
            multiprocessors=_multiprocessors(cores, capability),
            compute_capability=capability,
            vbios=ask(lambda nvml: str(nvml.nvmlDeviceGetVbiosVersion(handle))),
            sm_clock_max_mhz=ask(lambda nvml: _positive(nvml.nvmlDeviceGetMaxClockInfo(handle, nvml.NVML_CLOCK_SM))),
            memory_clock_max_mhz=ask(
                lambda nvml: _positive(nvml.nvmlDeviceGetMaxClockInfo(handle, nvml.NVML_CLOCK_MEM))
            ),
            power_limit_w=ask(lambda nvml: nvml.nvmlDeviceGetEnforcedPowerLimit(handle) / 1000),
            ecc=ask(lambda nvml: _switch(nvml.nvmlDeviceGetEccMode(handle)[0])),
            mig=ask(lambda nvml: _switch(nvml.nvmlDeviceGetMigMode(handle)[0])),
            compute_mode=ask(lambda nvml: _compute_mode(nvml, nvml.nvmlDeviceGetComputeMode(handle))),
        )

    def _link(self, first: tuple[int, Any], second: tuple[int, Any]) -> Link:
        joined = self._ask(
            lambda nvml: (
                nvml.nvmlDeviceGetP2PStatus(first[1], second[1], nvml.NVML_P2P_CAPS_INDEX_NVLINK)
                == nvml.NVML_P2P_STATUS_OK
            )
        )
        lanes = self._ask(lambda nvml: _lanes(nvml, first[1], second[1])) if joined is True else 0
        kind = "nvlink" if joined is True else self._ask(lambda nvml: _ancestor(nvml, first[1], second[1]))
        return Link(first=first[0], second=second[0], kind=kind, lanes=lanes)

    def _processes(self, handles: tuple[Any, ...]) -> Iterator[GpuProcess]:
        kinds: tuple[tuple[Literal["compute", "graphics"], str], ...] = (
            ("compute", "nvmlDeviceGetComputeRunningProcesses"),
            ("graphics", "nvmlDeviceGetGraphicsRunningProcesses"),
        )
        for index, handle in enumerate(handles):
            for kind, question in kinds:
                found = self._ask(partial(_running, question=question, handle=handle))
                for process in () if found == "unknown" else found:
                    used = process.usedGpuMemory
                    yield GpuProcess(gpu_index=index, kind=kind, memory_bytes="unknown" if used is None else used)

    def _sample(self, index: int, handle: Any, time_s: float) -> TelemetryRow:
        ask = self._ask
        return TelemetryRow(
            time_s=time_s,
            gpu_index=index,
            sm_clock_mhz=ask(lambda nvml: int(nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM))),
            memory_clock_mhz=ask(lambda nvml: int(nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM))),
            power_w=ask(lambda nvml: nvml.nvmlDeviceGetPowerUsage(handle) / 1000),
            temperature_c=ask(lambda nvml: int(nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU))),
            throttle_reasons=ask(lambda nvml: _reasons(nvml, nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle))),
        )

    def _ask(self, question: Callable[[Any], Value]) -> Value | Unknown:
        if self.library is None:
            return "unknown"
        try:
            return question(self.library)
        except self.library.NVMLError:
            return "unknown"


def hash_uuid(uuid: str) -> str:
    """The SHA-256 under which a bundle names a GPU; its serial stays on the machine."""
    return hashlib.sha256(uuid.encode()).hexdigest()


def _running(nvml: Any, *, question: str, handle: Any) -> list[Any]:
    return list(getattr(nvml, question)(handle))


def _or(value: Value | Unknown, instead: Value) -> Value:
    return instead if value == "unknown" else value


def _positive(number: int) -> int | Unknown:
    return number if number > 0 else "unknown"


def _switch(state: int) -> Literal["on", "off"]:
    return "on" if state else "off"


def _compute_mode(nvml: Any, mode: int) -> str:
    names = {
        nvml.NVML_COMPUTEMODE_DEFAULT: "default",
        nvml.NVML_COMPUTEMODE_EXCLUSIVE_PROCESS: "exclusive_process",
        nvml.NVML_COMPUTEMODE_EXCLUSIVE_THREAD: "exclusive_thread",
        nvml.NVML_COMPUTEMODE_PROHIBITED: "prohibited",
    }
    return names.get(mode, f"mode_{mode}")


def _multiprocessors(cores: int | Unknown, capability: str | Unknown) -> int | Unknown:
    if cores == "unknown" or capability == "unknown" or int(capability.partition(".")[0]) < 6:
        return "unknown"
    return _positive(cores // _CORES_PER_MULTIPROCESSOR.get(capability, 128))


def _lanes(nvml: Any, first: Any, second: Any) -> int:
    """Active links of ``first`` that lead to ``second``, or to a switch that leads everywhere."""
    other = str(nvml.nvmlDeviceGetPciInfo(second).busId).lower()
    lanes = 0
    for link in range(nvml.NVML_NVLINK_MAX_LINKS):
        try:
            if not nvml.nvmlDeviceGetNvLinkState(first, link):
                continue
            remote = str(nvml.nvmlDeviceGetNvLinkRemotePciInfo(first, link).busId).lower()
            kind = nvml.nvmlDeviceGetNvLinkRemoteDeviceType(first, link)
        except nvml.NVMLError:
            continue
        lanes += remote == other or kind == nvml.NVML_NVLINK_DEVICE_TYPE_SWITCH
    return lanes


def _ancestor(nvml: Any, first: Any, second: Any) -> str:
    names = {
        nvml.NVML_TOPOLOGY_INTERNAL: "internal",
        nvml.NVML_TOPOLOGY_SINGLE: "single",
        nvml.NVML_TOPOLOGY_MULTIPLE: "multiple",
        nvml.NVML_TOPOLOGY_HOSTBRIDGE: "hostbridge",
        nvml.NVML_TOPOLOGY_NODE: "node",
        nvml.NVML_TOPOLOGY_SYSTEM: "system",
    }
    level = nvml.nvmlDeviceGetTopologyCommonAncestor(first, second)
    return names.get(level, f"level_{level}")


def _reasons(nvml: Any, bits: int) -> tuple[str, ...]:
    return tuple(
        name for key, name in _THROTTLE_REASONS.items() if bits & int(getattr(nvml, f"nvmlClocksThrottleReason{key}"))
    )
