import time
from collections.abc import Callable
from typing import Any

import pytest

from worker.environment.nvml import Nvml, hash_uuid, load_nvml
from worker.environment.telemetry import Telemetry


def test_a_gpu_is_described_without_its_serial(fake_nvml: Callable[..., Any]) -> None:
    gpus = Nvml(fake_nvml(2)).gpus()
    assert gpus != "unknown"
    first = gpus[0]
    assert (first.name, first.multiprocessors, first.compute_capability) == ("NVIDIA H200", 132, "9.0")
    assert (first.power_limit_w, first.ecc, first.mig, first.compute_mode) == (700.0, "on", "off", "default")
    assert (first.pci_bus_id, first.pci_device_id) == ("00000000:00:00.0", "233510de")
    assert first.uuid_hash == hash_uuid("GPU-00000000-0000-0000-0000-000000000000")
    assert "GPU-0000" not in first.model_dump_json()
    assert gpus[1].uuid_hash != first.uuid_hash


def test_versions_are_spelled_as_people_write_them(fake_nvml: Callable[..., Any]) -> None:
    nvml = Nvml(fake_nvml(1))
    assert (nvml.driver_version(), nvml.cuda_version()) == ("580.65.06", "13.2")


def test_no_gpu_is_an_empty_list_and_no_library_is_unknown(fake_nvml: Callable[..., Any]) -> None:
    none, unasked = Nvml(fake_nvml(0)), Nvml(None)
    assert (none.gpus(), none.links(), none.processes()) == ((), (), ())
    assert (unasked.gpus(), unasked.links(), unasked.processes()) == ("unknown",) * 3
    assert (unasked.driver_version(), unasked.cuda_version()) == ("unknown", "unknown")
    assert unasked.telemetry(time_s=0.0) == ()


def test_a_value_the_driver_cannot_say_is_unknown_and_the_rest_stays(fake_nvml: Callable[..., Any]) -> None:
    refused = frozenset({"nvmlDeviceGetNumGpuCores", "nvmlDeviceGetEccMode", "nvmlDeviceGetMigMode"})
    [gpu] = Nvml(fake_nvml(1, refused=refused)).gpus()
    assert (gpu.multiprocessors, gpu.ecc, gpu.mig) == ("unknown", "unknown", "unknown")
    assert gpu.memory_bytes == 150_754_820_096


def test_a_driver_that_cannot_count_is_unknown(fake_nvml: Callable[..., Any]) -> None:
    assert Nvml(fake_nvml(1, refused=frozenset({"nvmlDeviceGetCount"}))).gpus() == "unknown"


@pytest.mark.parametrize(("linked", "kind", "lanes"), [(True, "nvlink", 18), (False, "system", 0)])
def test_links_name_nvlink_or_the_common_ancestor(
    fake_nvml: Callable[..., Any], linked: bool, kind: str, lanes: int
) -> None:
    [link] = Nvml(fake_nvml(2, linked=linked)).links()
    assert (link.first, link.second, link.kind, link.lanes) == (0, 1, kind, lanes)


def test_processes_are_counted_but_not_named(fake_nvml: Callable[..., Any]) -> None:
    processes = Nvml(fake_nvml(1)).processes()
    assert [(p.kind, p.memory_bytes) for p in processes] == [("compute", 1_048_576), ("compute", "unknown")]
    assert "4242" not in "".join(p.model_dump_json() for p in processes)


def test_telemetry_names_throttle_reasons(fake_nvml: Callable[..., Any]) -> None:
    [row] = Nvml(fake_nvml(1)).telemetry(time_s=1.5)
    assert row.throttle_reasons == ("sw_power_cap", "hw_thermal_slowdown")
    assert (row.time_s, row.sm_clock_mhz, row.power_w, row.temperature_c) == (1.5, 1_500, 121.5, 41)


def test_the_sampler_runs_only_where_there_are_gpus(fake_nvml: Callable[..., Any]) -> None:
    began_s = time.monotonic()
    with Telemetry(Nvml(fake_nvml(2)), began_s=began_s) as sampled:
        while len(sampled.rows) < 4:
            time.sleep(0.01)
    times = [row.time_s for row in sampled.rows]
    assert times == sorted(times)
    assert {row.gpu_index for row in sampled.rows} == {0, 1}
    with Telemetry(Nvml(None), began_s=began_s) as nothing:
        pass
    assert nothing.rows == ()


def test_this_machine_answers_or_says_unknown() -> None:
    assert (load_nvml() is None) == (Nvml.load().gpus() == "unknown")
