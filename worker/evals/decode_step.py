"""Latency of single decode steps: one long-lived session for each arm, measured in interleaved blocks."""

from contextlib import ExitStack
from itertools import product

from worker.bundle.samples import KernelTimeRow, StepRow
from worker.bundle.schema import ArmName, Cell
from worker.evals.trial import ARMS, NO_SPECULATION, Setting, Trial, stage
from worker.session import BenchSession
from worker.suites import DecodeStep
from worker.suites.plan import PlannedBlock, decode_cell, plan_eval


def measure(plan: DecodeStep, setting: Setting, trial: Trial) -> None:
    """Fill a trial with every step of every block.

    A block is a stretch of one arm over all cells; both sessions stay loaded throughout and only one is ever at work.
    The n-th block of each arm decodes after the same context. Kernels are timed in each arm's last block, so that a
    tracer, where one is needed, has nothing but the end of an arm to touch.

    Raises:
        WorkerError, EvalError, TimeLimitError: See `worker.session`.
    """
    trial.cells += [_cell(plan, batch, context) for batch, context in product(plan.batches, plan.context_tokens)]
    blocks = plan_eval(plan, setting.seeds).blocks
    with ExitStack() as stack, stage(setting.progress, plan.id, total=len(blocks) + 1):
        sessions: dict[ArmName, BenchSession] = {}
        for arm in setting.arms:
            folder = setting.folder / plan.id / arm.name
            sessions[arm.name] = stack.enter_context(BenchSession(arm, config=setting.config, folder=folder))
            trial.watch(sessions[arm.name].child, arm=arm.name, name="session")
        for name in ARMS:
            trial.identities[name] = sessions[name].identity(trial.deadline)
        setting.progress.advance(plan.id)
        last = {planned.block.arm: planned.block.index for planned in blocks}
        for planned in blocks:
            kernels = plan.kernel_times and planned.block.index == last[planned.block.arm]
            _block(plan, planned, trial, sessions[planned.block.arm], kernels=kernels)
            setting.progress.advance(plan.id)


def _block(plan: DecodeStep, planned: PlannedBlock, trial: Trial, session: BenchSession, *, kernels: bool) -> None:
    trial.blocks.append(planned.block)
    for cell, (batch, context) in zip(planned.cells, product(plan.batches, plan.context_tokens), strict=True):
        [seed] = cell.seeds
        answer = session.block(
            batch=batch,
            context=context,
            steps=plan.steps_per_block,
            warmup=plan.warmup_steps,
            seed=int(seed, 16),
            kernels=kernels,
            deadline=trial.deadline,
        )
        trial.steps += [
            StepRow(
                cell=cell.cell,
                arm=session.arm.name,
                block=planned.block.index,
                step=row.step,
                latency_us=row.latency_us,
                start_ns=row.monotonic_ns,
            )
            for row in answer.rows
        ]
        trial.kernel_times += [
            KernelTimeRow(cell=cell.cell, arm=session.arm.name, block=planned.block.index, **one.model_dump())
            for one in answer.kernels
        ]
        trial.take(session.arm.name, answer.ledger)


def _cell(plan: DecodeStep, batch: int, context: int) -> Cell:
    return Cell(
        id=decode_cell(plan, batch, context),
        metric="step_latency_us",
        phase="decode",
        tensor_parallel=1,
        context_parallel=1,
        batch=batch,
        context_tokens=context,
        input_tokens="unknown",
        output_tokens="unknown",
        speculation=NO_SPECULATION,
        task=None,
        arms=ARMS,
    )
