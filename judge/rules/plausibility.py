"""Family E, continued: what no such machine does, whatever its rows say."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from judge.evidence import Evidence
from judge.physics import bound
from judge.rules.record import Found, rule
from judge.series import measured_cells
from judge.tables import StepTable
from judge.thresholds import MAX_STEPS_BELOW_BOUND, MIN_HIDDEN_SPEEDUP, MIN_STEPS_FOR_SPREAD, WARM_UP_FACTOR
from worker.bundle.environment import Gpu


@dataclass(frozen=True)
class _Facts:
    """What every GPU of a class has. None: it comes in several sizes."""

    capability: str
    multiprocessors: int | None
    memory_gb: float | None


_CLASSES = {
    "A100": _Facts("8.0", 108, None),
    "H100": _Facts("9.0", None, None),
    "H200": _Facts("9.0", 132, 141),
    "GB200": _Facts("10.0", None, None),
    "B200": _Facts("10.0", 148, None),
    "GB300": _Facts("10.3", None, None),
    "B300": _Facts("10.3", None, None),
}
"""By a part of NVML's name; the longest that fits counts. Gigabytes as sold, of which NVML shows a little more."""


@rule(
    "E-016",
    "error",
    "quarantines",
    title="Faster than the machine can read the model",
    hint="Check that each step ran the whole model, that the timer waits for the GPU, and what the probe read.",
    bears_on=("speed",),
)
def above_physics_bound(evidence: Evidence) -> Iterator[Found]:
    """A step reads the weights once; in less time than the bandwidth that the run itself probed allows, it did not."""
    for cell in measured_cells(evidence):
        for arm in evidence.manifest.arms:
            table = evidence.steps.get((cell.cell.id, arm.name))
            least = bound(arm, cell.cell, evidence.manifest.environment) if table is not None else None
            if table is None or least is None:
                continue
            fast = int((table.latency_us < least[0]).sum())
            if fast > MAX_STEPS_BELOW_BOUND * len(table.latency_us):
                yield Found(
                    f"{fast} of {len(table.latency_us)} steps took less than {least[0]:.1f} µs, the least for "
                    f"{arm.model} limited by {least[1]}; the fastest took {table.latency_us.min():.1f} µs",
                    f"cells/{cell.cell.id}/{arm.name}",
                    eval_id=cell.record.id,
                    cell=cell.cell.id,
                    arm=arm.name,
                )


@rule(
    "E-017",
    "error",
    "limits",
    title="Warm-up inside the timing",
    hint="Run warm-up steps before each block and do not report them.",
    bears_on=("speed",),
)
def warmed_up(evidence: Evidence) -> Iterator[Found]:
    """Steps that still compile, allocate or raise clocks are slow; filling a quarter of a block, they move medians."""
    for (cell, arm), table in sorted(evidence.steps.items()):
        slow, blocks = _slow_starts(table)
        if blocks and slow > blocks / 2:
            yield Found(
                f"in {slow} of {blocks} blocks the first quarter is slower than the rest by more than "
                f"{WARM_UP_FACTOR - 1:.0%}",
                f"cells/{cell}/{arm}",
                cell=cell,
                arm=arm,
            )


@rule(
    "E-018",
    "error",
    "quarantines",
    title="A GPU that is not what its name says",
    hint="Report what NVML gives; if it gives this, say so in an issue.",
)
def gpu_is_its_class(evidence: Evidence) -> Iterator[Found]:
    """Name, compute capability, multiprocessors and memory belong together; a renamed card has those of another."""
    environment = evidence.manifest.environment
    for index, gpu in enumerate(() if environment == "unknown" or environment.gpus == "unknown" else environment.gpus):
        wrong = ", ".join(_wrong_facts(gpu))
        if wrong:
            yield Found(f"{gpu.name} with {wrong}", f"environment/gpus/{index}")


@rule(
    "E-019",
    "error",
    "limits",
    title="Steps are faster, their succession is not",
    hint="Time everything that a step needs; do not move work between the steps.",
    version=2,
    bears_on=("speed",),
)
def succession_as_fast(evidence: Evidence) -> Iterator[Found]:
    """From one start to the next nothing can be hidden: if only the timed part shrinks, work was moved out of it."""
    for (cell, arm), table in sorted(evidence.steps.items()):
        other = evidence.steps.get((cell, "candidate"))
        if arm != "baseline" or other is None:
            continue
        ours, theirs = _period_us(table), _period_us(other)
        # A few steps on a busy machine differ by more than what is looked for here.
        if ours is None or theirs is None or min(len(table.block), len(other.block)) < MIN_STEPS_FOR_SPREAD:
            continue
        by_step, by_period = float(np.median(table.latency_us) / np.median(other.latency_us)), ours / theirs
        if by_step - 1 > MIN_HIDDEN_SPEEDUP and by_period - 1 < (by_step - 1) / 2:
            yield Found(
                f"the steps are faster by {by_step:.2f}x, from start to start by {by_period:.2f}x",
                f"cells/{cell}",
                cell=cell,
            )


def _period_us(table: StepTable) -> float | None:
    """Median time from the start of a step to that of the next in its block; None without two steps."""
    order = np.lexsort((table.step, table.block))
    gaps_us = np.diff(table.start_ns[order])[np.diff(table.block[order]) == 0] / 1e3
    usual = gaps_us[gaps_us > 0]
    return float(np.median(usual)) if len(usual) else None


def _slow_starts(table: StepTable) -> tuple[int, int]:
    """Blocks whose first quarter is slower than the rest, and blocks that are long enough to tell."""
    slow = blocks = 0
    for index in np.unique(table.block):
        mine = table.block == index
        latency_us = table.latency_us[mine][np.argsort(table.step[mine], kind="stable")]
        if len(latency_us) < MIN_STEPS_FOR_SPREAD:
            continue
        first = len(latency_us) // 4
        blocks += 1
        slow += bool(np.median(latency_us[:first]) > WARM_UP_FACTOR * np.median(latency_us[first:]))
    return slow, blocks


def _wrong_facts(gpu: Gpu) -> Iterator[str]:
    name = max((one for one in _CLASSES if one in gpu.name), key=len, default=None)
    if name is None:
        return
    facts = _CLASSES[name]
    if gpu.compute_capability not in ("unknown", facts.capability):
        yield f"compute capability {gpu.compute_capability}"
    partitioned = gpu.mig == "on"
    if not partitioned and facts.multiprocessors and gpu.multiprocessors not in ("unknown", facts.multiprocessors):
        yield f"{gpu.multiprocessors} multiprocessors"
    if not partitioned and facts.memory_gb and gpu.memory_bytes != "unknown":
        share = gpu.memory_bytes / (facts.memory_gb * 1e9)
        if not 0.95 <= share <= 1.15:
            yield f"{gpu.memory_bytes / 1e9:.0f} GB of memory"


RULES = (above_physics_bound, warmed_up, gpu_is_its_class, succession_as_fast)
