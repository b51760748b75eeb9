"""Whether a machine can run a job and its owner wants it to."""

from __future__ import annotations

from typing import Any

import pytest

from worker.bundle.environment import Gpu, Link
from worker.bundle.job import Capabilities, Consent, Needs
from worker.bundle.matching import Traits, mismatches

IMAGE = f"registry.example/eval-smoke@sha256:{'1' * 64}"
TRAITS = Traits(suite="smoke/1", image=IMAGE, repository="octo/kernels", author="octocat", time_limit_s=1410)
UNKNOWN = dict.fromkeys(
    ("uuid_hash", "pci_bus_id", "pci_device_id", "multiprocessors", "compute_capability", "vbios", "sm_clock_max_mhz",
     "memory_clock_max_mhz", "power_limit_w", "ecc", "mig", "compute_mode"), "unknown",
)  # fmt: skip


def machine(gpus: int, **changes: Any) -> Capabilities:
    cards = tuple(
        Gpu.model_validate({**UNKNOWN, "index": index, "name": "NVIDIA H200", "memory_bytes": 150_000_000_000})
        for index in range(gpus)
    )
    usual = {
        "gpus": cards, "links": (), "driver_version": "570.86.15", "cuda_version": "12.8", "cpu_count": 8,
        "memory_bytes": 64_000_000_000, "runner": "podman", "runner_version": "5.0", "agent_version": "0.1.0",
    }  # fmt: skip
    return Capabilities.model_validate({**usual, **changes})


def consent(**changes: Any) -> Consent:
    lists = dict.fromkeys(("suites", "images", "repositories", "authors"), ("*",))
    return Consent.model_validate({**lists, "longest_s": 86_400, **changes})


@pytest.mark.parametrize(
    ("needs", "gpus", "changes", "expected"),
    [
        ({"gpu_count": 2}, 1, {}, ["gpu_count"]),
        ({"gpu_count": 1, "gpu_model": "B200"}, 1, {}, ["gpu_count"]),
        ({"gpu_count": 1, "gpu_model": "h200"}, 1, {}, []),
        ({"gpu_count": 1, "gpu_memory_bytes": 200_000_000_000}, 1, {}, ["gpu_count"]),
        ({"gpu_count": 2, "nvlink": True}, 2, {}, ["nvlink"]),
        ({"gpu_count": 2, "nvlink": True}, 2, {"links": (Link(first=0, second=1, kind="nvlink", lanes=18),)}, []),
        ({"driver_version": "580"}, 0, {}, ["driver"]),
        ({"driver_version": "570"}, 0, {}, []),
        ({"driver_version": "570"}, 0, {"driver_version": "unknown"}, ["driver"]),
        ({}, 0, {"suites": ("standard",)}, ["suite_refused"]),
        ({}, 0, {"suites": ("smoke/1",)}, []),
        ({}, 0, {"images": ("registry.example/other",)}, ["image_refused"]),
        ({}, 0, {"images": ("registry.example/eval-smoke",)}, []),
        ({}, 0, {"repositories": ("octo/other",)}, ["repository_refused"]),
        ({}, 0, {"authors": ()}, ["author_refused"]),
        ({}, 0, {"longest_s": 60}, ["too_long"]),
        ({"gpu_count": 1}, 0, {"suites": (), "authors": ("friend",)}, ["gpu_count", "suite_refused", "author_refused"]),
    ],
)
def test_everything_against_is_said(needs: dict, gpus: int, changes: dict, expected: list[str]) -> None:
    own = {name: value for name, value in changes.items() if name in Consent.model_fields}
    rest = {name: value for name, value in changes.items() if name not in own}
    found = mismatches(Needs.model_validate(needs), TRAITS, machine(gpus, **rest), consent(**own))
    assert sorted(one.code for one in found) == sorted(expected)
    assert all(one.detail for one in found)


def test_three_gpus_of_which_two_are_joined_run_what_needs_two() -> None:
    joined = machine(3, links=(Link(first=1, second=2, kind="nvlink", lanes=18),))
    assert mismatches(Needs(gpu_count=2, nvlink=True), TRAITS, joined, consent()) == ()
    assert [one.code for one in mismatches(Needs(gpu_count=3, nvlink=True), TRAITS, joined, consent())] == ["nvlink"]


def test_an_author_whose_account_is_gone_is_allowed_only_with_everybody() -> None:
    gone = TRAITS.model_copy(update={"author": None})
    assert mismatches(Needs(), gone, machine(0), consent()) == ()
    assert [one.code for one in mismatches(Needs(), gone, machine(0), consent(authors=("octocat",)))] == [
        "author_refused"
    ]
