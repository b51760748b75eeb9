"""torch's report about a machine: known lines are taken, the rest is unknown."""

import json
from pathlib import Path

import pytest

from worker.importers.torch_report import environment

GPU_REPORT = """PyTorch version: 2.14.0
OS: Ubuntu 24.04.2 LTS (x86_64)

Python version: 3.12.3 (main) (64-bit runtime)
Python platform: Linux-6.8.0-60-generic-x86_64-with-glibc2.39
Is CUDA available: True
CUDA runtime version: 13.0.88
GPU models and configuration: 
GPU 0: NVIDIA H200
GPU 1: NVIDIA H200

Nvidia driver version: 580.65.06
CPU:
CPU(s):                               192
NUMA node0 CPU(s):                    0-95
Model name:                           INTEL(R) XEON(R) PLATINUM 8568Y+

Versions of relevant libraries:
[pip3] numpy==2.3.5
[pip3] torch==2.14.0
[conda] Could not collect"""  # noqa: W291


def test_gpus_driver_and_packages_are_read() -> None:
    found = environment(GPU_REPORT, further={"lm_eval": "0.4.13"})
    assert found != "unknown"
    assert found.gpus != "unknown"
    assert [(gpu.index, gpu.name, gpu.memory_bytes) for gpu in found.gpus] == [
        (0, "NVIDIA H200", "unknown"),
        (1, "NVIDIA H200", "unknown"),
    ]
    assert found.driver_version == "580.65.06"
    assert (found.cpu_model, found.cpu_count) == ("INTEL(R) XEON(R) PLATINUM 8568Y+", 192)
    assert (found.system, found.kernel) == (
        "Ubuntu 24.04.2 LTS (x86_64)",
        "Linux-6.8.0-60-generic-x86_64-with-glibc2.39",
    )
    assert [(one.name, one.version) for one in found.packages] == [
        ("lm_eval", "0.4.13"), ("numpy", "2.3.5"), ("torch", "2.14.0"),
    ]  # fmt: skip


def test_a_single_gpu_may_stand_on_the_heading_line() -> None:
    found = environment("Python version: 3.12\nGPU models and configuration: GPU 0: NVIDIA B200\n", further={})
    assert found != "unknown"
    assert found.gpus != "unknown"
    assert [gpu.name for gpu in found.gpus] == ["NVIDIA B200"]


def test_what_could_not_be_collected_is_unknown(evals: Path) -> None:
    (path,) = (evals / "in_process").rglob("results_*.json")
    found = environment(json.loads(path.read_bytes())["pretty_env_info"], further={})
    assert found != "unknown"
    assert found.gpus == found.driver_version == found.cuda_version == found.memory_bytes == "unknown"
    assert found.python_version.startswith("3.11.7")


@pytest.mark.parametrize("report", ["", "nonsense", "Python version: Could not collect", "Python version:\n"])
def test_a_report_without_a_python_is_no_machine(report: str) -> None:
    assert environment(report, further={}) == "unknown"


def test_hostile_text_becomes_one_printable_line() -> None:
    found = environment("Python version: 3\x1b[31m" + "x" * 5000 + "\nOS: a\u2028b\n", further={"x": "1\x00"})
    assert found != "unknown"
    assert found.python_version == "3?[31m" + "x" * 194
    assert found.system == "a?b"
    assert found.packages[0].version == "1?"
