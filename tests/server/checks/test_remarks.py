"""Findings as annotations of the check."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from judge.assess import Assessment
from server.checks.remarks import MAX_ANNOTATIONS, annotations, buttons
from server.heard import first_line


def bundle(*severities: str) -> Assessment:
    findings = [
        SimpleNamespace(
            severity=severity, rule_id=f"P-{number:03}", title="Too fast", where="evals/decode",
            detail=f"detail {number}", hint="Measure again.",
        )
        for number, severity in enumerate(severities)
    ]  # fmt: skip
    made: Any = SimpleNamespace(bundle_id="ab" * 32, findings=findings)
    return cast(Assessment, made)


def test_errors_come_before_warnings_and_remarks_stay_in_the_text() -> None:
    made = annotations([bundle("warning", "info", "error"), bundle("error")])
    assert [(one.level, one.title) for one in made] == [
        ("failure", "P-002: Too fast"), ("failure", "P-000: Too fast"), ("warning", "P-000: Too fast"),
    ]  # fmt: skip
    assert made[0].path == "bundles/abababababababab"
    assert made[0].message == "evals/decode: detail 2\nMeasure again."


def test_there_are_not_too_many() -> None:
    made = annotations([bundle(*["warning"] * 300, "error")])
    assert len(made) == MAX_ANNOTATIONS
    assert made[0].level == "failure"


def test_buttons_fit_githubs_limits_and_are_commands() -> None:
    shown = buttons(123_456_789)
    assert len(shown) == 3
    assert len({one.identifier for one in shown}) == 3
    for one in shown:
        assert first_line(f"/byogpu {one.identifier.partition('.')[0]}") is not None
