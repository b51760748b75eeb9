"""Throttled blocks are left out of both arms alike, or the cell stays open."""

from collections.abc import Callable
from typing import Any

import pytest

from judge.exclusion import harmful
from judge.summarise import summarise

Read = Callable[..., Any]


def serving(evidence: Any) -> Any:
    return next(one for one in summarise(evidence) if one.cell.metric == "e2e_ms")


def throttle(specimen: Any, eval_id: str, *, start_s: float, end_s: float, reason: str = "hw_thermal_slowdown") -> None:
    for row in specimen.of("telemetry", eval_id):
        if start_s <= row["time_s"] <= end_s:
            row["throttle_reasons"] = [reason]


def span(specimen: Any, block: int) -> tuple[float, float]:
    rows = [row for row in specimen.of("requests", "serving") if row["block"] == block]
    return min(row["start_s"] for row in rows), max(row["end_s"] for row in rows)


@pytest.mark.parametrize(
    ("reasons", "slowed"),
    [
        (("sw_thermal_slowdown",), True),
        (("gpu_idle", "hw_power_brake_slowdown"), True),
        (("hw_slowdown",), True),
        (("gpu_idle",), False),
        (("sw_power_cap", "applications_clocks_setting"), False),
        ((), False),
        (None, False),
    ],
)
def test_heat_and_brakes_are_harmful(reasons: tuple[str, ...] | None, slowed: bool) -> None:
    assert harmful(reasons) is slowed


def test_a_throttled_block_takes_its_partner_with_it(specimen: Any, collected: Read) -> None:
    start_s, end_s = span(specimen, 2)
    throttle(specimen, "serving", start_s=start_s + 0.3, end_s=end_s - 0.3)
    found = serving(collected(specimen))
    assert found.throttling == "excluded"
    assert found.excluded_blocks == (2, 3)
    baseline, candidate = found.arms
    whole = serving(collected(_quiet(specimen)))
    assert baseline.blocks == candidate.blocks == whole.arms[0].blocks - 1


def _quiet(specimen: Any) -> Any:
    for row in specimen.of("telemetry", "serving"):
        row["throttle_reasons"] = []
    return specimen


def test_throttling_between_blocks_harms_nobody(specimen: Any, collected: Read) -> None:
    specimen.of("telemetry", "serving")[0]["throttle_reasons"] = ["hw_slowdown"]
    assert specimen.of("telemetry", "serving")[0]["time_s"] < span(specimen, 0)[0] - 0.5
    found = serving(collected(specimen))
    assert (found.throttling, found.excluded_blocks) == ("none", ())


def test_throttling_on_another_clock_cannot_be_placed(specimen: Any, collected: Read) -> None:
    for row in specimen.of("requests", "serving"):
        for name in ("start_s", "end_s"):
            row[name] += 10_000.0
        row["token_times_s"] = [time + 10_000.0 for time in row["token_times_s"]]
    throttle(specimen, "serving", start_s=3.0, end_s=3.5)
    assert serving(collected(specimen)).throttling == "unplaced"


def test_no_telemetry_is_unknown_with_a_gpu_and_none_without(specimen: Any, collected: Read) -> None:
    del specimen.rows[("telemetry", "serving")]
    assert serving(collected(specimen)).throttling == "unknown"
    specimen.manifest["environment"]["gpus"] = []
    assert serving(collected(specimen)).throttling == "none"


def test_reasons_nobody_could_read_are_unknown(specimen: Any, collected: Read) -> None:
    for row in specimen.of("telemetry", "serving"):
        row["throttle_reasons"] = "unknown"
    assert serving(collected(specimen)).throttling == "unknown"
