"""How well raw rows can be faked: forgers of growing skill, and how often each check finds them.

    python tests/hostile/judge/forgery.py [--forgeries 50]

Every forger starts from an honest run without any speed-up and wants the claim of 1.3x supported. docs/judging.md shows
the table, and says what a determined owner can still do.
"""

import argparse
import importlib.util
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from judge import Assessment, assess, collect, judge, parse_claims

FACTOR = 1.6
CLAIMS = parse_claims(
    '```byogpu-claims\n- id: speed\n  metric: step_latency_us\n  relation: ">= 1.3x baseline"\n```'
).claims
Forger = Callable[[Any, np.random.Generator], None]


def _candidate(s: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = s.of("steps", "decode-step", arm="candidate")
    return found


def typed(s: Any, rng: np.random.Generator) -> None:
    """Types a better median beside rows that it leaves alone."""
    cell = s.eval("decode-step")["cells"][0]["id"]
    s.rows[("summary", "decode-step")] = [
        {"cell": cell, "arm": "candidate", "metric": "step_latency_us", "statistic": "median",
         "value": float(rng.uniform(150, 210))}
    ]  # fmt: skip


def constant(s: Any, rng: np.random.Generator) -> None:
    """Fills one plausible number into every row."""
    value = round(float(rng.uniform(150, 210)), 3)
    for row in _candidate(s):
        row["latency_us"] = value


def copied(s: Any, rng: np.random.Generator) -> None:
    """Repeats the fastest rows in place of the others, start times and all."""
    rows = _candidate(s)
    fastest = sorted(rows, key=lambda row: row["latency_us"])[: len(rows) // 2]
    for row in rows:
        chosen = fastest[int(rng.integers(len(fastest)))]
        row.update(latency_us=chosen["latency_us"], start_ns=chosen["start_ns"])


def slowed_baseline(s: Any, rng: np.random.Generator) -> None:
    """Multiplies the baseline's latencies and forgets that steps follow one another."""
    for row in s.of("steps", "decode-step", arm="baseline"):
        row["latency_us"] *= FACTOR * rng.normal(1, 0.002)


def best_of(s: Any, rng: np.random.Generator) -> None:
    """Keeps the fastest steps of a longer run: fewer rows than were planned."""
    rows = _candidate(s)
    limit = float(np.quantile([row["latency_us"] for row in rows], rng.uniform(0.3, 0.6)))
    drop = {id(row) for row in rows if row["latency_us"] > limit}
    s.rows[("steps", "decode-step")] = [row for row in s.rows[("steps", "decode-step")] if id(row) not in drop]


def scaled(s: Any, rng: np.random.Generator) -> None:
    """Divides the candidate's latencies, each by a slightly different number, and leaves the start times."""
    for row in _candidate(s):
        row["latency_us"] /= FACTOR * rng.normal(1, 0.002)


def forgetful(s: Any, rng: np.random.Generator) -> None:
    """Draws every step of the candidate anew, moves the clock of the whole eval, and forgets the kernel times."""
    now_ns = 10**9
    for row in s.rows[("steps", "decode-step")]:
        if row["arm"] == "candidate":
            row["latency_us"] = float(row["latency_us"] / FACTOR * np.exp(rng.normal(0, 0.004)))
        row["start_ns"] = now_ns
        now_ns += int(row["latency_us"] * 1e3) + int(rng.integers(15_000, 25_000))


def simulated(s: Any, rng: np.random.Generator) -> None:
    """As `forgetful`, but with kernel times that add up to the steps: nothing is left to find."""
    forgetful(s, rng)
    s.time_kernels()


def with_stock_ledger(s: Any, rng: np.random.Generator) -> None:
    """As `simulated`, on a machine where the path never ran: the ledger still says so."""
    simulated(s, rng)
    s.run_stock()


def beyond_physics(s: Any, rng: np.random.Generator) -> None:
    """As `simulated`, for a model whose weights cannot be read in that time."""
    simulated(s, rng)
    for arm in ("baseline", "candidate"):
        s.arm(arm)["model"] = "k3-rank-tp8"


FORGERS: tuple[Forger, ...] = (
    typed, constant, copied, slowed_baseline, best_of, scaled, forgetful, simulated, with_stock_ledger, beyond_physics,
)  # fmt: skip


def forge(forger: Forger, build: Callable[..., Any], folder: Path, *, seed: int) -> tuple[Assessment, bool]:
    """One forged bundle, assessed offline, and whether its claim was supported."""
    specimen = build(speedup=1.0)
    forger(specimen, np.random.default_rng(seed))
    bundle = assess(collect(specimen.write(folder)))
    (verdict,) = judge(CLAIMS, [bundle])
    return bundle, verdict.outcome == "supported"


def main() -> None:
    """Forge, and print which checks found how many."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forgeries", type=int, default=50, help="of each forger")
    number = parser.parse_args().forgeries
    build = _specimens().build
    print("| Forger | Stopped | By |\n| --- | --- | --- |")
    for forger in FORGERS:
        checks: Counter[str] = Counter()
        through = 0
        for seed in range(number):
            with tempfile.TemporaryDirectory() as folder:
                bundle, supported = forge(forger, build, Path(folder) / "bundle", seed=seed)
            through += supported
            checks.update({finding.rule_id for finding in bundle.findings} - {"C-001", "C-008", "E-002"})
        found = ", ".join(f"{rule} {100 * count / number:.0f} %" for rule, count in sorted(checks.items()))
        stopped = 100 * (number - through) / number
        print(f"| `{forger.__name__}`: {(forger.__doc__ or '').strip()} | {stopped:.0f} % | {found or 'no rule'} |")


def _specimens() -> ModuleType:
    path = Path(__file__).parents[2] / "judge" / "specimen.py"
    spec = importlib.util.spec_from_file_location("forgery_specimen", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
