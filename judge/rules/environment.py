"""Family E: the machine is known, quiet and plausible, and its clock runs forward."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from judge.evidence import Evidence
from judge.exclusion import harmful, spans
from judge.rules.record import Found, rule
from judge.series import measured_cells
from judge.tables import StepTable
from judge.thresholds import (
    CLOCK_SLACK_S,
    MAX_EQUAL_LATENCY_SHARE,
    MIN_STEP_LATENCY_US,
    MIN_STEPS_FOR_SPREAD,
    OVERLAP_SLACK_US,
)
from worker.bundle.environment import Gpu

_LOADER_VARIABLES = ("LD_PRELOAD", "LD_AUDIT", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONUSERBASE")


@rule(
    "E-001",
    "warning",
    "notes",
    title="The machine could not be identified",
    hint="Run `byogpu doctor`; install the NVIDIA driver's management library (NVML) where it is missing.",
)
def machine_known(evidence: Evidence) -> Iterator[Found]:
    """Numbers from an unknown GPU compare with no others, and nobody can reproduce them on purpose."""
    environment = evidence.manifest.environment
    if environment == "unknown":
        yield Found("the whole environment is unknown", "environment")
    elif environment.gpus == "unknown":
        yield Found("NVML could not be asked about GPUs", "environment/gpus")


@rule(
    "E-002",
    "info",
    "notes",
    title="The machine has no GPU",
    hint="Claims about GPU kernels need a run on a GPU.",
)
def gpu_present(evidence: Evidence) -> Iterator[Found]:
    """On a CPU the specialized path refuses to run, so such a bundle proves the way and not the speed."""
    environment = evidence.manifest.environment
    if environment != "unknown" and environment.gpus == ():
        yield Found("NVML found no GPU", "environment/gpus")


@rule(
    "E-003",
    "warning",
    "notes",
    title="A GPU was throttled while it was measured",
    hint="Cool the machine, raise the power limit or lower the clocks, and run again.",
)
def throttling(evidence: Evidence) -> Iterator[Found]:
    """Heat slows whichever arm happens to run; throttled blocks are left out in both arms, and few may be left."""
    for eval_id, table in sorted(evidence.telemetry.items()):
        slowed = [reasons for reasons in table.throttle if reasons is not None and harmful(reasons)]
        if slowed:
            names = ", ".join(sorted({reason for reasons in slowed for reason in reasons if harmful((reason,))}))
            yield Found(
                f"{len(slowed)} of {len(table.throttle)} samples report {names}", f"evals/{eval_id}", eval_id=eval_id
            )


@rule(
    "E-004",
    "error",
    "blocks",
    title="Another process was computing on the GPU",
    hint="Stop what else runs on the GPU (`nvidia-smi` lists it) and run again.",
    bears_on=("speed",),
)
def gpu_to_itself(evidence: Evidence) -> Iterator[Found]:
    """A neighbour takes bandwidth at times of its own; what one arm lost to it looks like the other's gain."""
    environment = evidence.manifest.environment
    if environment == "unknown" or environment.gpu_processes == "unknown":
        return
    for index, process in enumerate(environment.gpu_processes):
        if process.kind == "compute":
            yield Found(
                f"a compute process held GPU {process.gpu_index} before the run began",
                f"environment/gpu_processes/{index}",
            )


@rule(
    "E-005",
    "error",
    "blocks",
    title="The GPU is partitioned (MIG)",
    hint="Disable MIG for the measurement, or measure on another GPU.",
    bears_on=("speed",),
)
def whole_gpu(evidence: Evidence) -> Iterator[Found]:
    """A slice shares memory bandwidth with its neighbours and is not the GPU class whose name it carries."""
    for index, gpu in enumerate(_gpus(evidence)):
        if gpu.mig == "on":
            yield Found(f"GPU {gpu.index} ({gpu.name}) is in MIG mode", f"environment/gpus/{index}")


@rule(
    "E-006",
    "warning",
    "notes",
    title="GPUs of different classes",
    hint="Choose GPUs of one class with CUDA_VISIBLE_DEVICES.",
)
def one_class(evidence: Evidence) -> Iterator[Found]:
    """The slowest sets the pace; the name of the best would mislead."""
    names = sorted({gpu.name for gpu in _gpus(evidence)})
    if len(names) > 1:
        yield Found(", ".join(names), "environment/gpus")


@rule(
    "E-007",
    "warning",
    "notes",
    title="No GPU telemetry for a timed eval",
    hint="Install NVML and let the worker sample clocks and throttle reasons.",
)
def telemetry_present(evidence: Evidence) -> Iterator[Found]:
    """Without clocks and throttle reasons nobody can tell a slow kernel from a hot GPU."""
    if not _gpus(evidence):
        return
    for record in evidence.manifest.evals:
        timed = record.kind in ("decode_step", "serving") and record.outcome.outcome == "completed"
        if timed and record.id not in evidence.telemetry:
            yield Found("the machine has GPUs, the eval has no telemetry", f"evals/{record.id}", eval_id=record.id)


@rule(
    "E-008",
    "error",
    "quarantines",
    title="The clock ran backwards or stood still",
    hint="The rows were edited, or the machine's monotonic clock is broken; run again elsewhere.",
    bears_on=("speed",),
)
def clock_forward(evidence: Evidence) -> Iterator[Found]:
    """Within a block, steps begin one after the other on a monotonic clock; anything else was not measured."""
    for (cell, arm), table in sorted(evidence.steps.items()):
        order = np.lexsort((table.step, table.block))
        same_block = np.diff(table.block[order]) == 0
        wrong = int((same_block & (np.diff(table.start_ns[order]) <= 0)).sum())
        if wrong:
            yield Found(f"{wrong} steps begin no later than the step before them", f"cells/{cell}/{arm}", cell=cell)


@rule(
    "E-009",
    "error",
    "quarantines",
    title="Steps of one arm overlap",
    hint="Time each step until its result is there, before the next begins.",
    bears_on=("speed",),
)
def steps_apart(evidence: Evidence) -> Iterator[Found]:
    """A decode step needs the token of the step before; latencies longer than the time between starts are not real."""
    for (cell, arm), table in sorted(evidence.steps.items()):
        overlap_us, steps = _overlap_us(table)
        if steps:
            yield Found(
                f"{steps} steps begin before the one before them ended, by up to {overlap_us:.0f} µs",
                f"cells/{cell}/{arm}",
                cell=cell,
            )


@rule(
    "E-010",
    "error",
    "quarantines",
    title="Faster than any machine",
    hint="Check the unit of the latencies, and that the timer waits for the GPU.",
    bears_on=("speed",),
)
def possible_latency(evidence: Evidence) -> Iterator[Found]:
    """Launching a single kernel takes over a microsecond, so no decode step of any model is faster than that."""
    for (cell, arm), table in sorted(evidence.steps.items()):
        fast = int((table.latency_us < MIN_STEP_LATENCY_US).sum())
        if fast:
            yield Found(
                f"{fast} steps took less than {MIN_STEP_LATENCY_US:g} µs, the fastest {table.latency_us.min():.3g} µs",
                f"cells/{cell}/{arm}",
                cell=cell,
            )


@rule(
    "E-011",
    "error",
    "quarantines",
    title="Latencies without a spread",
    hint="Report each step as the timer gave it.",
    bears_on=("speed",),
)
def latencies_spread(evidence: Evidence) -> Iterator[Found]:
    """Real steps never take the same time to the last digit; a column of equal numbers was filled in."""
    for (cell, arm), table in sorted(evidence.steps.items()):
        if len(table.latency_us) < MIN_STEPS_FOR_SPREAD:
            continue
        values, counts = np.unique(table.latency_us, return_counts=True)
        top = int(counts.argmax())
        if counts[top] > MAX_EQUAL_LATENCY_SHARE * len(table.latency_us):
            yield Found(
                f"{counts[top]} of {len(table.latency_us)} steps took exactly {values[top]:g} µs",
                f"cells/{cell}/{arm}",
                cell=cell,
            )


@rule(
    "E-012",
    "error",
    "blocks",
    title="Both arms ran at the same time",
    hint="Let the worker run one arm's block after the other's.",
    bears_on=("speed",),
)
def arms_apart(evidence: Evidence) -> Iterator[Found]:
    """Arms that share the machine at one moment take time from each other, and how much nobody knows."""
    seen: set[str] = set()
    for cell in measured_cells(evidence):
        if cell.record.kind not in ("decode_step", "serving") or cell.cell.id in seen:
            continue
        seen.add(cell.cell.id)
        timed = [
            span
            for span in sorted(
                (*spans(evidence, cell, purpose="measure"), *spans(evidence, cell, purpose="drift")),
                key=lambda span: span.start_s,
            )
            if np.isfinite(span.start_s)
        ]
        for first, second in pairwise(timed):
            if first.arm != second.arm and second.start_s < first.end_s:
                yield Found(
                    f"block {second.block} ({second.arm}) began before block {first.block} ({first.arm}) ended",
                    f"cells/{cell.cell.id}",
                    eval_id=cell.record.id,
                    cell=cell.cell.id,
                )
                break


@rule(
    "E-013",
    "warning",
    "notes",
    title="Wall clock and monotonic clock disagree",
    hint="Check the machine's time service.",
)
def clocks_agree(evidence: Evidence) -> Iterator[Found]:
    """A wall clock that was set during the run makes its dates wrong; durations come from the monotonic clock only."""
    producer = evidence.manifest.producer
    if "unknown" in (producer.started_at, producer.ended_at, producer.duration_s):
        return
    if isinstance(producer.started_at, str) or isinstance(producer.ended_at, str) or producer.duration_s == "unknown":
        return
    wall_s = (producer.ended_at - producer.started_at).total_seconds()
    if abs(wall_s - producer.duration_s) > CLOCK_SLACK_S + 0.01 * producer.duration_s:
        yield Found(f"the wall clock says {wall_s:.0f} s, the monotonic {producer.duration_s:.0f} s", "producer")


@rule(
    "E-014",
    "warning",
    "notes",
    title="Variables that put foreign code into a process",
    hint="Unset them and run again, or run in the container.",
)
def loader_variables(evidence: Evidence) -> Iterator[Found]:
    """A preloaded library can answer for the timer or for a kernel, and shows in no digest."""
    environment = evidence.manifest.environment
    for index, variable in enumerate(environment.variables if environment != "unknown" else ()):
        if variable.name in _LOADER_VARIABLES and variable.value:
            yield Found(f"{variable.name} is set", f"environment/variables/{index}")


@rule(
    "E-015",
    "warning",
    "notes",
    title="The arms' source changed after its commit",
    hint="Commit what is to be judged, and run from a clean checkout.",
)
def clean_source(evidence: Evidence) -> Iterator[Found]:
    """A commit id says nothing about files that were edited since; only the tree digest names what ran."""
    for arm in evidence.manifest.arms:
        if arm.code.dirty is True:
            yield Found(f"the {arm.name} ran from a changed checkout", f"arms/{arm.name}", arm=arm.name)


def _gpus(evidence: Evidence) -> tuple[Gpu, ...]:
    environment = evidence.manifest.environment
    return () if environment == "unknown" or environment.gpus == "unknown" else environment.gpus


def _overlap_us(table: StepTable) -> tuple[float, int]:
    """Largest overlap of two neighbouring steps beyond what a timer's own cost explains, and how many overlap."""
    order = np.lexsort((table.step, table.block))
    gap_us = np.diff(table.start_ns[order]) / 1e3
    overlap = table.latency_us[order][:-1] - gap_us
    real = (np.diff(table.block[order]) == 0) & (gap_us > 0) & (overlap > OVERLAP_SLACK_US + 0.01 * gap_us)
    return (float(overlap[real].max()), int(real.sum())) if real.any() else (0.0, 0)


RULES = (
    machine_known,
    gpu_present,
    throttling,
    gpu_to_itself,
    whole_gpu,
    one_class,
    telemetry_present,
    clock_forward,
    steps_apart,
    possible_latency,
    latencies_spread,
    arms_apart,
    clocks_agree,
    loader_variables,
    clean_source,
)
