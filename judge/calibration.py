"""How often a decision is wrong, by simulation: ``python -m judge.calibration [--sessions 2000] [--json]``.

A simulated session is measured as a real one is: ABBA blocks of step latencies on a machine that drifts, whose blocks
wander together (AR(1)), and in which some blocks hold a burst of slow samples. The functions that judge real cells
judge it. docs/judging.md shows the table from 2,000 sessions a row.
"""

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judge.decision import weigh
from judge.estimates import NoiseFloor
from judge.metrics import METRICS
from judge.stats import noise_floor
from judge.summarise import drift, ratio
from judge.tables import Floats
from worker.bundle.record import Amount, Count, Label, Positive, Record
from worker.suites import DecodeStep, published

SEED = 20_261_129
DRAWS = 2_000


@dataclass(frozen=True)
class Machine:
    """How unquiet the simulated machine is. Shares of the latency, not per cent.

    Attributes:
        wander: Standard deviation of the step from one block to the next; half of it stays (AR(1)).
        drift: Linear change over the whole session.
        warm_up: Excess at the start, which falls by e every tenth of the session.
        burst_share: Blocks that hold a burst: three of ten samples slower by 30 %.
        noise: Standard deviation of single samples.
    """

    wander: float = 0.004
    drift: float = 0.003
    warm_up: float = 0.0
    burst_share: float = 0.1
    noise: float = 0.01


MACHINES: dict[str, Machine] = {
    "quiet": Machine(wander=0.001, drift=0.0, burst_share=0.0),
    "usual": Machine(),
    "bursts": Machine(burst_share=0.4),
    "drifting": Machine(drift=0.04, warm_up=0.02),
    "wandering": Machine(wander=0.02),
}
PLANS: dict[str, tuple[int, int]] = {
    "least": (4, 8),
    **{
        suite.id: (plan.block_order.count("candidate") * plan.rounds, plan.steps_per_block)
        for suite in published()
        for plan in suite.evals
        if isinstance(plan, DecodeStep)
    },
}
"""Blocks of each arm, and samples in each block: of the published suites, and the least from which anything follows."""

AT_LEAST, NO_REGRESSION = ">= 1.0x", "no regression within 3%"
CASES: tuple[tuple[str, str, float, str], ...] = (
    *(("standard", machine, 1.0, AT_LEAST) for machine in MACHINES),
    *(("smoke", machine, 1.0, AT_LEAST) for machine in MACHINES),
    ("least", "usual", 1.0, AT_LEAST),
    ("standard", "usual", 1 / 1.03, NO_REGRESSION),
    ("standard", "usual", 1.03, AT_LEAST),
    ("standard", "bursts", 1.03, AT_LEAST),
    ("standard", "drifting", 1.03, AT_LEAST),
    ("smoke", "usual", 1.03, AT_LEAST),
    ("standard", "usual", 1.0, NO_REGRESSION),
    ("smoke", "usual", 1.0, NO_REGRESSION),
)
"""Plan, machine, true ratio and claim. The truth of the first twelve lies exactly on the claimed bound."""


class Tally(Record):
    """What became of the sessions of one case."""

    plan: Label
    blocks: Positive
    samples: Positive
    """In each block."""
    machine: Label
    truth: Amount
    claim: Label
    sessions: Positive
    supported: Count
    contradicted: Count
    covered: Count
    """Sessions whose 95 % interval holds the truth."""

    @property
    def on_the_bound(self) -> bool:
        """Whether every decision is an error: the truth is exactly what is claimed."""
        return math.isclose(self.truth, _bound(self.claim))


def session(
    rng: np.random.Generator, machine: Machine, *, blocks: int, samples: int, truth: float
) -> tuple[list[Floats], list[Floats]]:
    """Simulate one session.

    Args:
        rng: Decides everything.
        machine: How unquiet it is.
        blocks: Of each arm.
        samples: In each block.
        truth: By how much the candidate is faster.

    Returns:
        Latencies of the baseline's blocks and of the candidate's, in the order of time.
    """
    order, wander = ("ABBA" * blocks)[: 2 * blocks], 0.0
    arms: dict[str, list[Floats]] = {"A": [], "B": []}
    for index, arm in enumerate(order):
        at = index / len(order)
        wander = 0.5 * wander + rng.normal(0, machine.wander)
        level = wander + machine.drift * at + machine.warm_up * math.exp(-10 * at)
        block = 100 * math.exp(level) * np.exp(rng.normal(0, machine.noise, samples)) / (truth if arm == "B" else 1)
        if rng.random() < machine.burst_share:
            block[rng.random(samples) < 0.3] *= 1.3
        arms[arm].append(block)
    return arms["A"], arms["B"]


def tally(
    plan: str, machine: str, truth: float, claim: str, *, sessions: int, seed: int = SEED, draws: int = DRAWS
) -> Tally:
    """Judge simulated sessions of one case, as `judge.decision` does a cell."""
    blocks, samples = PLANS[plan]
    rng = np.random.default_rng((seed, blocks, sorted(MACHINES).index(machine), round(truth * 1e6)))
    supported = contradicted = covered = 0
    for number in range(sessions):
        baseline, candidate = session(rng, MACHINES[machine], blocks=blocks, samples=samples, truth=truth)
        estimate = ratio(baseline, candidate, METRICS["step_latency_us"], seed=number, draws=draws)
        split = noise_floor(baseline, seed=number)
        assert estimate is not None
        assert split is not None
        covered += estimate.low <= truth <= estimate.high
        if drift(baseline[0], baseline[-1]).exceeded:
            continue
        noise = NoiseFloor(ratio=math.exp(split.log_ratio), splits=split.count)
        answer = weigh(estimate, noise, low=_bound(claim), high=None).answer
        supported += answer == "supported"
        contradicted += answer == "contradicted"
    return Tally(
        plan=plan,
        blocks=blocks,
        samples=samples,
        machine=machine,
        truth=truth,
        claim=claim,
        sessions=sessions,
        supported=supported,
        contradicted=contradicted,
        covered=covered,
    )


def table(tallies: Sequence[Tally]) -> str:
    """The tallies as the table of docs/judging.md."""
    lines = [
        "| Plan (blocks × samples) | Machine | Truth | Claim | Supported | Contradicted | 95 % interval covers |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for one in tallies:
        shares = " | ".join(f"{100 * n / one.sessions:.1f} %" for n in (one.supported, one.contradicted, one.covered))
        plan = f"{one.plan} ({one.blocks} × {one.samples})"
        lines.append(f"| {plan} | {one.machine} | {one.truth:.3f}x | `{one.claim}` | {shares} |")
    wrong = [one for one in tallies if one.on_the_bound]
    errors, sessions = sum(one.supported + one.contradicted for one in wrong), sum(one.sessions for one in wrong)
    return "\n".join([*lines, "", f"False decisions: {errors} of {sessions} ({100 * errors / sessions:.2f} %)."])


def _bound(claim: str) -> float:
    return 1.0 if claim == AT_LEAST else 1 / 1.03


def main() -> None:
    """Simulate every case and print what came out."""
    parser = argparse.ArgumentParser(prog="python -m judge.calibration", description=__doc__)
    parser.add_argument("--sessions", type=int, default=2_000, help="simulated sessions of each case")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--draws", type=int, default=DRAWS, help="bootstrap draws of each session")
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")
    given = parser.parse_args()
    tallies = [tally(*case, sessions=given.sessions, seed=given.seed, draws=given.draws) for case in CASES]
    print(json.dumps([one.model_dump() for one in tallies], indent=2) if given.json else table(tallies))


if __name__ == "__main__":
    main()
