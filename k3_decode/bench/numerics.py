"""Runs the checks of `k3_decode.bench.cases` against the tolerance table."""

from collections.abc import Sequence
from typing import TypedDict

import torch

from k3_decode.bench.case import Case
from k3_decode.bench.cases import all_cases
from k3_decode.config import K3Config
from k3_decode.numerics import error_size, tolerance

CONFIG_NAMES = ("k3-tiny", "k3-small")
"""Configurations whose float64 model fits an ordinary machine."""

REPEATS = 3
"""Times each operator is run to see whether it gives the same bits."""


class CaseResult(TypedDict):
    """One row of the answer. ``tolerance`` bounds ``max_rel_error``; both are relative as `error_size` says."""

    operator: str
    case: str
    shape: str
    distribution: str
    max_abs_error: float
    max_rel_error: float
    tolerance: float
    tolerance_reason: str
    repeats: int
    bitwise_repeatable: bool
    passed: bool


def run_cases(config: K3Config, *, seed: int, threads: int) -> list[CaseResult]:
    """Check every operator and identity.

    Args:
        config: Gives the shapes, and the synthetic model of the whole-model cases.
        seed: Seed of inputs and weights.
        threads: CPU threads of one operator.

    Note:
        Sets torch's thread count for the whole process.
    """
    torch.set_num_threads(threads)
    return [run_case(case) for case in all_cases(config, seed=seed)]


def table(cases: Sequence[CaseResult]) -> str:
    """Lay results out for people, one line a case and a total."""
    lines = [
        f"{'ok  ' if case['passed'] else 'FAIL'} {case['max_rel_error']:9.2e} of {case['tolerance']:9.2e}  "
        f"{case['operator']} / {case['case']} / {case['shape']} / {case['distribution']}"
        for case in cases
    ]
    passed = sum(case["passed"] for case in cases)
    return "\n".join([*lines, f"{passed} of {len(cases)} cases within tolerance"])


def run_case(case: Case) -> CaseResult:
    """Check one case; the worst of the repeats counts."""
    expected = case.expected()
    results = [case.compute() for _ in range(REPEATS)]
    sizes = [error_size(result, expected) for result in results]
    row = tolerance(case.operator, case.distribution)
    worst = max(size.max_rel for size in sizes)
    return {
        "operator": case.operator,
        "case": case.case,
        "shape": case.shape,
        "distribution": case.distribution,
        "max_abs_error": max(size.max_abs for size in sizes),
        "max_rel_error": worst,
        "tolerance": row.max_rel_error,
        "tolerance_reason": row.reason,
        "repeats": REPEATS,
        "bitwise_repeatable": all(torch.equal(result, results[0]) for result in results),
        "passed": worst <= row.max_rel_error,
    }
