from collections.abc import Callable
from typing import Any

import pytest

from worker.bundle import canonical
from worker.bundle.redaction import Redactor
from worker.environment import Host, Nvml, probe
from worker.environment.bandwidth import cpu_read_bandwidth
from worker.environment.nvml import hash_uuid

UUID = "GPU-01234567-89ab-cdef-0123-456789abcdef"


@pytest.fixture
def redactor() -> Redactor:
    return Redactor()


def test_the_environment_is_a_record_that_can_be_bundled(fake_nvml: Callable[..., Any], redactor: Redactor) -> None:
    found = probe(python_version="3.11.7", packages=(), nvml=Nvml(fake_nvml(2)), host=Host(), redactor=redactor)
    assert found.cpu_count != "unknown"
    assert found.bandwidth != "unknown"
    assert canonical(found)


def test_only_allowed_variables_are_recorded_and_their_values_masked(
    redactor: Redactor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", UUID)
    monkeypatch.setenv("NCCL_DEBUG", "api_key=0123456789abcdef\nINFO")
    monkeypatch.setenv("HF_TOKEN", "secret")
    found = probe(python_version="3.11.7", packages=(), nvml=Nvml(None), host=Host(), redactor=redactor)
    values = {variable.name: variable.value for variable in found.variables}
    assert values["OMP_NUM_THREADS"] == "1"
    assert values["CUDA_VISIBLE_DEVICES"] == f"sha256:{hash_uuid(UUID)}"
    assert values["NCCL_DEBUG"] == "[masked assigned_secret]?INFO"
    assert "HF_TOKEN" not in values
    assert [(m.where, m.kind, m.count) for m in redactor.receipt().masked] == [
        ("variable NCCL_DEBUG", "assigned_secret", 1)
    ]


def test_bandwidth_is_raw_samples_of_a_sum() -> None:
    found = cpu_read_bandwidth(threads=2, buffer_bytes=1 << 20, samples=5)
    assert (found.device, len(found.read_gb_per_s)) == ("cpu", 5)
    assert all(sample > 0 for sample in found.read_gb_per_s)
