"""What a suite and a nonce imply together: the order of the blocks and every seed, fixed before a run begins.

The worker carries the plan out; the service puts its digest into a challenge; the judge makes it again from the
manifest. All three call `plan_run`, so a run that chose its own prompts or order cannot name the right digest, and
request rows show whether it sent the prompts it named.
"""

from collections.abc import Iterator
from itertools import product
from typing import Annotated, Literal

from pydantic import Field

from worker.bundle import canonical, digest
from worker.bundle.record import Identifier, Label, Record, Sha256
from worker.bundle.schema import ArmName, Block, EvalKind
from worker.suites import Accuracy, DecodeStep, EvalPlan, KernelNumerics, Serving, Suite
from worker.suites.seeds import Seeds

FORMAT: Literal["byogpu.plan/1"] = "byogpu.plan/1"
"""Raised whenever the same suite and nonce would give other blocks, seeds or prompts.

Bundles are judged again whenever rules change, so whoever raises it keeps the functions of the format before.
"""
WARMUP_REQUESTS = 2

Seed = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
"""A 63-bit number in hexadecimal: JSON's integers end earlier."""


class PlannedCell(Record):
    """What one block does in one cell."""

    cell: Identifier
    seeds: tuple[Seed, ...]
    """``decode_step``: one, of the context. ``serving``: one for each request, in the order in which they are sent."""


class PlannedBlock(Record):
    """One block, over all cells of its eval. The n-th block of each arm has the same seeds, no other block has them."""

    block: Block
    cells: tuple[PlannedCell, ...]


class PlannedEval(Record):
    """One eval of the suite."""

    id: Identifier
    kind: EvalKind
    seeds: tuple[Seed, ...]
    """Outside blocks: of the warm-up's requests, of the prompts of token streams, or of all operators' inputs."""
    blocks: tuple[PlannedBlock, ...]


class RunPlan(Record):
    """Everything of a run that could be chosen."""

    format: Literal["byogpu.plan/1"]
    suite: Sha256
    nonce: Label
    evals: tuple[PlannedEval, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of the plan's canonical JSON."""
        return digest(canonical(self))


def plan_run(suite: Suite, nonce: str) -> RunPlan:
    """Plan a run. The same suite and nonce always give the same plan."""
    seeds = Seeds(nonce)
    evals = tuple(plan_eval(plan, seeds) for plan in suite.evals)
    return RunPlan(format=FORMAT, suite=suite.digest, nonce=nonce, evals=evals)


def plan_eval(plan: EvalPlan, seeds: Seeds) -> PlannedEval:
    """Plan one eval of a run."""
    match plan:
        case KernelNumerics():
            return PlannedEval(id=plan.id, kind=plan.kind, seeds=(_seed(seeds, plan.id),), blocks=())
        case DecodeStep():
            return PlannedEval(id=plan.id, kind=plan.kind, seeds=(), blocks=tuple(_decode_blocks(plan, seeds)))
        case Serving():
            warm_up = tuple(_seed(seeds, plan.id, "warm-up", index) for index in range(WARMUP_REQUESTS))
            return PlannedEval(id=plan.id, kind=plan.kind, seeds=warm_up, blocks=tuple(_serving_blocks(plan, seeds)))
        case Accuracy():
            asked = range(plan.streams.prompts if plan.streams is not None else 0)
            prompts = tuple(_seed(seeds, plan.id, "stream", index) for index in asked)
            return PlannedEval(id=plan.id, kind=plan.kind, seeds=prompts, blocks=())


def decode_cell(plan: DecodeStep, batch: int, context: int) -> Identifier:
    """Id of the cell of a batch and a context."""
    return f"{plan.id}.b{batch}.c{context}"


def serving_cell(plan: Serving, concurrency: int) -> Identifier:
    """Id of the cell of a level of concurrency."""
    return f"{plan.id}.c{concurrency}"


def _decode_blocks(plan: DecodeStep, seeds: Seeds) -> Iterator[PlannedBlock]:
    ids = [decode_cell(plan, batch, context) for batch, context in product(plan.batches, plan.context_tokens)]
    for block, turn in _ordered(plan.block_order * plan.rounds, sentinel=True):
        cells = tuple(PlannedCell(cell=cell, seeds=(_seed(seeds, plan.id, cell, turn),)) for cell in ids)
        yield PlannedBlock(block=block, cells=cells)


def slice_seed(index: int) -> Seed:
    """Seed of a prompt of the hidden slices' pool: the same in every run, so that its answer can be known."""
    return _seed(Seeds("byogpu hidden slice"), index)


def _serving_blocks(plan: Serving, seeds: Seeds) -> Iterator[PlannedBlock]:
    ids = tuple(serving_cell(plan, concurrency) for concurrency in plan.concurrency)
    riders = _riders(plan, seeds)
    for block, turn in _ordered(plan.block_order * plan.rounds, sentinel=False):
        cells = tuple(
            PlannedCell(
                cell=cell,
                seeds=tuple(
                    riders.get((turn, cell, index)) or _seed(seeds, plan.id, cell, turn, index)
                    for index in range(plan.requests_per_block)
                ),
            )
            for cell in ids
        )
        yield PlannedBlock(block=block, cells=cells)


def _riders(plan: Serving, seeds: Seeds) -> dict[tuple[int, Identifier, int], Seed]:
    """Which requests carry a prompt of the hidden slice, by turn, cell and number.

    No prompt rides twice in an arm, or a cache could answer it: a small pool leaves the last blocks without.
    """
    if (hidden := plan.hidden_slice) is None:
        return {}
    drawn = sorted(range(hidden.pool), key=lambda index: seeds.integer(plan.id, "slice", index))
    turns = max(plan.block_order.count(arm) for arm in ("baseline", "candidate")) * plan.rounds
    places = [
        (turn, cell, index)
        for turn in range(turns)
        for cell in (serving_cell(plan, concurrency) for concurrency in plan.concurrency)
        for index in sorted(
            range(plan.requests_per_block), key=lambda index: seeds.integer(plan.id, cell, turn, "rides", index)
        )[: hidden.per_block]
    ]
    return {place: slice_seed(index) for place, index in zip(places, drawn, strict=False)}


def _ordered(arms: tuple[ArmName, ...], *, sentinel: bool) -> Iterator[tuple[Block, int]]:
    """Each block with its turn: how many blocks its arm has had before."""
    turns: dict[ArmName, int] = {"baseline": 0, "candidate": 0}
    for index, arm in enumerate(arms):
        yield Block(index=index, arm=arm, purpose="measure"), turns[arm]
        turns[arm] += 1
    if sentinel:
        yield Block(index=len(arms), arm="baseline", purpose="drift"), turns["baseline"]


def _seed(seeds: Seeds, *label: str | int) -> Seed:
    return f"{seeds.integer(*label):016x}"
