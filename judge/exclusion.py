"""Blocks during which a GPU was throttled, left out of both arms alike.

A slow block in one arm must not be dropped alone: each goes with its partner, the neighbouring block of the other arm.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from judge.evidence import Evidence
from judge.series import MeasuredCell, usable
from judge.tables import Flags, Integers, TelemetryTable
from worker.bundle.record import Unknown
from worker.bundle.schema import ArmName

_HARMFUL = ("thermal", "slowdown", "brake")
_CLOCK_SLACK_S = 2.0


@dataclass(frozen=True)
class Span:
    """When one block ran, on the clock of its rows.

    Attributes:
        arm: Whose block.
        block: Its index.
        start_s: Start of its first sample; NaN: unknown.
        end_s: End of its last sample; NaN: unknown.
    """

    arm: ArmName
    block: int
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Exclusion:
    """What telemetry says about a cell's blocks.

    Attributes:
        kind: As `judge.cells.CellSummary.throttling`.
        blocks: Blocks to leave out, in order.
    """

    kind: Literal["none", "excluded", "unplaced"] | Unknown
    blocks: tuple[int, ...]


def harmful(reasons: tuple[str, ...] | None) -> bool:
    """Whether clock-event reasons mean that the GPU was slowed: heat or power brakes, not idling or a set limit."""
    return reasons is not None and any(part in reason for reason in reasons for part in _HARMFUL)


def spans(evidence: Evidence, cell: MeasuredCell, *, purpose: Literal["measure", "drift"]) -> tuple[Span, ...]:
    """Blocks of a cell in the order in which they began; those the manifest does not list count as measured."""
    purposes = {block.index: block.purpose for block in cell.record.blocks}
    found = []
    for row in cell.rows:
        for arm in evidence.arms_with_rows:
            if (steps := evidence.steps.get((row, arm))) is not None:
                end_ns = steps.start_ns + steps.latency_us * 1e3
                found += _spans(arm, steps.block, steps.start_ns / 1e9, end_ns / 1e9)
            if (requests := evidence.requests.get((row, arm))) is not None:
                done = usable(requests)
                found += _spans(
                    arm,
                    requests.block,
                    np.where(done, requests.start_s, np.nan),
                    np.where(done, requests.end_s, np.nan),
                )
    wanted = [span for span in found if purposes.get(span.block, "measure") == purpose]
    return tuple(sorted(wanted, key=lambda span: (np.nan_to_num(span.start_s, nan=np.inf), span.block, span.arm)))


def exclusion(evidence: Evidence, cell: MeasuredCell, measured: Sequence[Span]) -> Exclusion:
    """Decide which blocks to leave out.

    Args:
        evidence: The bundle.
        cell: The cell.
        measured: Its measured blocks, in order of time.
    """
    table = evidence.telemetry.get(cell.record.id)
    if table is None or not len(table.time_s):
        no_gpu = evidence.manifest.environment != "unknown" and evidence.manifest.environment.gpus == ()
        return Exclusion("none" if no_gpu else "unknown", ())
    slowed = np.array([harmful(reasons) for reasons in table.throttle])
    if not slowed.any():
        return Exclusion("none" if any(reasons is not None for reasons in table.throttle) else "unknown", ())
    if not _same_clock(table, measured):
        return Exclusion("unplaced", ())
    hit = {index for index, span in enumerate(measured) if _slowed_during(table, slowed, span)}
    dropped = sorted({partner for index in hit for partner in (index, index ^ 1) if partner < len(measured)})
    return Exclusion("excluded" if dropped else "none", tuple(measured[index].block for index in dropped))


def _spans(arm: ArmName, block: Integers, start_s: object, end_s: object) -> list[Span]:
    starts, ends = np.asarray(start_s, dtype=np.float64), np.asarray(end_s, dtype=np.float64)
    found = []
    for index in np.unique(block):
        mine = block == index
        known = mine & np.isfinite(starts) & np.isfinite(ends)
        first, last = (float(starts[known].min()), float(ends[known].max())) if known.any() else (np.nan, np.nan)
        found.append(Span(arm, int(index), first, last))
    return found


def _same_clock(table: TelemetryTable, measured: Sequence[Span]) -> bool:
    """Whether the samples' clock covers the blocks, so that it must be the same clock."""
    starts = [span.start_s for span in measured]
    ends = [span.end_s for span in measured]
    if not starts or not np.isfinite(starts).all():
        return False
    return bool(table.time_s.min() <= min(starts) + _CLOCK_SLACK_S and table.time_s.max() >= max(ends) - _CLOCK_SLACK_S)


def _slowed_during(table: TelemetryTable, slowed: Flags, span: Span) -> bool:
    period_s = float(np.median(np.diff(np.unique(table.time_s)))) if len(np.unique(table.time_s)) > 1 else 0.0
    inside = (table.time_s >= span.start_s - period_s) & (table.time_s <= span.end_s + period_s)
    return bool((inside & slowed).any())
