"""Load on each arm's OpenAI-compatible server, both up at once and driven in interleaved blocks."""

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack

from worker.bundle import digest
from worker.bundle.record import Identifier
from worker.bundle.samples import CounterRow, RequestRow
from worker.bundle.schema import ArmName, Cell
from worker.engine import EngineServer
from worker.errors import EvalError
from worker.evals.load import Exchange, Planned, drive
from worker.evals.trial import ARMS, NO_SPECULATION, Setting, Trial, stage
from worker.identity import printable
from worker.suites import Serving
from worker.suites.plan import PlannedBlock, Seed, plan_eval, serving_cell
from worker.suites.prompts import prompt, prompt_digest


def measure(plan: Serving, setting: Setting, trial: Trial) -> None:
    """Fill a trial with every request of every block, and the server's counters around each.

    A block is a stretch of one arm over all levels of concurrency. The n-th block of each arm sends the same prompts,
    which no other block sends.

    Raises:
        WorkerError, EvalError, TimeLimitError: See `worker.engine`.
    """
    trial.cells += [_cell(plan, concurrency) for concurrency in plan.concurrency]
    planned = plan_eval(plan, setting.seeds)
    with ExitStack() as stack, stage(setting.progress, plan.id, total=len(planned.blocks) + 1):
        servers: dict[ArmName, EngineServer] = {}
        for arm in setting.arms:
            folder = setting.folder / plan.id / arm.name
            servers[arm.name] = stack.enter_context(EngineServer(arm, config=setting.config, folder=folder))
            trial.watch(servers[arm.name].child, arm=arm.name, name="server")
        for name in ARMS:
            _warm_up(plan, planned.seeds, trial, servers[name])
        setting.progress.advance(plan.id)
        for block in planned.blocks:
            _block(plan, block, setting, trial, servers[block.block.arm])
            setting.progress.advance(plan.id)


def _warm_up(plan: Serving, seeds: Sequence[Seed], trial: Trial, server: EngineServer) -> None:
    server.wait_ready(trial.deadline)
    trial.identities[server.arm.name] = server.identity(trial.deadline)
    prompts = [prompt(seed, characters=plan.input_tokens) for seed in seeds]
    server.generate(prompts, output_tokens=plan.output_tokens, deadline=trial.deadline)
    server.take_ledger(trial.deadline)


def _block(plan: Serving, planned: PlannedBlock, setting: Setting, trial: Trial, server: EngineServer) -> None:
    arm, block = server.arm.name, planned.block.index
    trial.blocks.append(planned.block)
    for cell, concurrency in zip(planned.cells, plan.concurrency, strict=True):
        requests = [
            Planned(prompt=prompt(seed, characters=plan.input_tokens), output_tokens=plan.output_tokens)
            for seed in cell.seeds
        ]
        _count(trial, server, cell.cell, block, after=False)

        def keep(exchange: Exchange, cell_id: Identifier = cell.cell) -> None:
            trial.requests.append(_row(exchange, setting, cell=cell_id, arm=arm, block=block))

        asyncio.run(
            drive(
                server.url,
                requests,
                model=setting.config,
                concurrency=concurrency,
                began_s=trial.began_s,
                deadline=trial.deadline,
                done=keep,
            )
        )
        if not server.child.running:
            raise EvalError("process_ended", f"the {arm} server ended during block {block}")
        _count(trial, server, cell.cell, block, after=True)
    trial.take(arm, server.take_ledger(trial.deadline))


def _count(trial: Trial, server: EngineServer, cell: Identifier, block: int, *, after: bool) -> None:
    trial.counters += [
        CounterRow(
            cell=cell, arm=server.arm.name, block=block, moment="after" if after else "before", name=name, value=value
        )
        for name, value in server.counters(trial.deadline).items()
    ]


def _row(exchange: Exchange, setting: Setting, *, cell: Identifier, arm: ArmName, block: int) -> RequestRow:
    error = None
    if exchange.error is not None:
        error = printable(setting.redactor.text(exchange.error, where="request error"))[:4096]
    counted = exchange.output_tokens
    return RequestRow(
        cell=cell,
        arm=arm,
        block=block,
        index=exchange.index,
        prompt_sha256=prompt_digest(exchange.planned.prompt),
        input_tokens="unknown" if exchange.input_tokens is None else exchange.input_tokens,
        requested_output_tokens=exchange.planned.output_tokens,
        output_tokens=len(exchange.token_times_s) if counted is None else counted,
        start_s=exchange.start_s,
        token_times_s=tuple(exchange.token_times_s),
        end_s=exchange.end_s,
        output_sha256=digest("".join(exchange.text).encode()),
        finish_reason=printable(exchange.finish_reason or "") or "unknown",
        error=error,
    )


def _cell(plan: Serving, concurrency: int) -> Cell:
    """The cell whose rows give every request metric; ``metric`` names the plainest of them."""
    return Cell(
        id=serving_cell(plan, concurrency),
        metric="e2e_ms",
        phase="request",
        tensor_parallel=1,
        context_parallel=1,
        batch=concurrency,
        context_tokens="unknown",
        input_tokens=plan.input_tokens,
        output_tokens=plan.output_tokens,
        speculation=NO_SPECULATION,
        task=None,
        arms=ARMS,
    )
