"""How often a lie is called reproduced, by simulation: ``python -m judge.collusion [--trials 2000] [--json]``.

A pull request's author hands in a run; a number of volunteers, drawn at random, repeat it. A share of the volunteers
colludes: they confirm a forged speed-up and contradict an honest one. A forger brings accounts of his own besides, on
one machine or each on its own. The functions that place real runs place these. docs/judging.md shows the table.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judge.cells import ArmSummary, CellSummary
from judge.comparability import ComparabilityKey
from judge.estimates import Estimate
from judge.trust import NAMES, Run, TrustLevel, place
from worker.bundle.record import Amount, Count, Label, Positive, Record
from worker.bundle.schema import ArmName, Cell, NoSpeculation

SEED = 20_261_129
FORGED, TRUE = 1.3, 1.0
SPREAD = 0.01
"""Standard deviation of honest runs' ratios."""
REPRODUCED = 3


@dataclass(frozen=True)
class Setting:
    """Who takes part.

    Attributes:
        bad_share: Share of volunteers that collude with the forger.
        volunteers: Runs that are repeated for each pull request, by volunteers drawn at random.
        accounts: Further accounts of the forger, whose runs agree with his.
        one_machine: Whether these accounts share the forger's machine.
    """

    bad_share: float
    volunteers: int
    accounts: int = 0
    one_machine: bool = True


SETTINGS: tuple[Setting, ...] = (
    *(Setting(share, volunteers) for share in (0.05, 0.1, 0.2, 0.3) for volunteers in (1, 3, 5)),
    Setting(0.1, 3, accounts=5, one_machine=True),
    Setting(0.0, 0, accounts=1, one_machine=False),
    Setting(0.1, 1, accounts=1, one_machine=False),
    Setting(0.1, 3, accounts=1, one_machine=False),
    Setting(0.1, 3, accounts=3, one_machine=False),
    Setting(0.1, 5, accounts=3, one_machine=False),
)


class Rate(Record):
    """What became of the trials of one setting."""

    bad_share: Amount
    volunteers: Count
    accounts: Count
    machines: Label
    trials: Positive
    lies: Count
    """Forged runs that were called reproduced."""
    truths: Count
    """Honest runs that were."""


def rate(setting: Setting, *, trials: int, seed: int = SEED) -> Rate:
    """Count, over simulated pull requests, how often a forged run and how often an honest one reaches level 3."""
    rng = np.random.default_rng((seed, round(1000 * setting.bad_share), setting.volunteers, setting.accounts))
    lies = truths = 0
    for _ in range(trials):
        bad = [bool(one) for one in rng.random(setting.volunteers) < setting.bad_share]
        lies += _level(_forged(rng, setting, bad)) >= REPRODUCED
        truths += _level(_honest(rng, bad)) >= REPRODUCED
    return Rate(
        bad_share=setting.bad_share,
        volunteers=setting.volunteers,
        accounts=setting.accounts,
        machines="none" if not setting.accounts else "one" if setting.one_machine else "each its own",
        trials=trials,
        lies=lies,
        truths=truths,
    )


def table(rates: Sequence[Rate]) -> str:
    """The rates as the table of docs/judging.md."""
    lines = [
        "| Colluding volunteers | Volunteers | Forger's further accounts | Lie reproduced | Truth reproduced |",
        "| --- | --- | --- | --- | --- |",
    ]
    for one in rates:
        accounts = "none" if not one.accounts else f"{one.accounts}, on {one.machines} machine"
        shares = " | ".join(f"{100 * n / one.trials:.1f} %" for n in (one.lies, one.truths))
        lines.append(f"| {one.bad_share:.0%} | {one.volunteers} | {accounts} | {shares} |")
    return "\n".join(lines)


def _level(runs: Sequence[Run]) -> int:
    return place(runs)[0].trust.level


def _forged(rng: np.random.Generator, setting: Setting, bad: Sequence[bool]) -> list[Run]:
    runs = [_run(0, "forger", "m0", FORGED)]
    for number in range(setting.accounts):
        machine = "m0" if setting.one_machine else f"s{number}"
        runs.append(_run(len(runs), f"account {number}", machine, _ratio(rng, FORGED)))
    for number, colludes in enumerate(bad):
        runs.append(_run(len(runs), f"volunteer {number}", f"v{number}", _ratio(rng, FORGED if colludes else TRUE)))
    return runs


def _honest(rng: np.random.Generator, bad: Sequence[bool]) -> list[Run]:
    runs = [_run(0, "author", "m0", _ratio(rng, FORGED))]
    for number, colludes in enumerate(bad):
        runs.append(_run(len(runs), f"volunteer {number}", f"v{number}", _ratio(rng, TRUE if colludes else FORGED)))
    return runs


def _ratio(rng: np.random.Generator, truth: float) -> float:
    return truth * float(np.exp(rng.normal(0, SPREAD)))


def _run(number: int, owner: str, machine: str, ratio: float) -> Run:
    own = TrustLevel(level=2, name=NAMES[2], reason="bound to a challenge")
    return Run(f"{number:064x}", own, (), (_cell(ratio),), ("a" * 40, "s"), owner, False, (machine,))


def _cell(ratio: float) -> CellSummary:
    estimate = Estimate(
        kind="ratio", value=ratio, low=ratio * 0.98, high=ratio * 1.02, method="block_bootstrap", quantiles=()
    )
    return _TEMPLATE.model_copy(update={"estimate": estimate})


def _template() -> CellSummary:
    """A decode-step cell of which only the estimate matters here."""
    key = ComparabilityKey(
        metric="step_latency_us", metric_version=1, phase="decode", hardware="GPU", gpu_count=1, tensor_parallel=1,
        context_parallel=1, model="model", quantization="unknown", weights_digest="unknown", draft_digest=None,
        tokenizer_digest="unknown", chat_template_digest=None, acceptance="none", acceptance_length=None, drafts=0,
        speculation_method=None, context_tokens=64, input_tokens=None, output_tokens=None, task=None, documents=None,
        requested_batch=1, achieved_concurrency=1.0,
    )  # fmt: skip
    names: tuple[ArmName, ArmName] = ("baseline", "candidate")
    arms = tuple(
        ArmSummary(
            arm=name, samples=100, blocks=8, failed=0, value=100.0, p10=None, p90=None, p99=None, seconds=None,
            path="unknown", key=key,
        )
        for name in names
    )  # fmt: skip
    cell = Cell(
        id="b1", metric="step_latency_us", phase="decode", tensor_parallel=1, context_parallel=1, batch=1,
        context_tokens=64, input_tokens="unknown", output_tokens="unknown", speculation=NoSpeculation(kind="none"),
        task=None, arms=names,
    )  # fmt: skip
    return CellSummary(
        bundle_id="0" * 64, eval_id="decode-step", eval_kind="decode_step", cell=cell, kind="speed", unit="µs",
        better="lower", arms=arms, estimate=None, pairs=None, numerics=None, noise_floor=None, drift=None,
        throttling="none", excluded_blocks=(), differing=(), unverified=(), sample_floor=20,
    )  # fmt: skip


_TEMPLATE = _template()


def main() -> None:
    """Simulate every setting and print what came out."""
    parser = argparse.ArgumentParser(prog="python -m judge.collusion", description=__doc__)
    parser.add_argument("--trials", type=int, default=2_000, help="simulated pull requests of each setting")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")
    given = parser.parse_args()
    rates = [rate(one, trials=given.trials, seed=given.seed) for one in SETTINGS]
    print(json.dumps([one.model_dump() for one in rates], indent=2) if given.json else table(rates))


if __name__ == "__main__":
    main()
