"""Named sets of operators, for the command lines of the builder and the linter."""

import dataclasses
from collections.abc import Callable

from k3_decode.config import CONFIGS, of_ranks
from k3_decode.kernels.catalog import ACTS, CACHES, blackwell_operators, checked_operators, distinct, sample_operators
from k3_decode.kernels.operator import Operator
from k3_decode.kernels.tactics import joint_tail, product
from k3_decode.kernels.tail_wide import WideTail
from k3_decode.specialized.operators import step_operators
from k3_decode.specialized.sharded import sharded_operators

MODELS = ("k3-small", "k3-mini-r8", "k3-mini-r16")
"""Models whose steps have a set."""


CHECKED_RANKS = (1, 2, 4, 8, 16, 32)
"""Ranks whose share of the published model has shapes that tests run."""


def _of_model(name: str) -> Callable[[], list[Operator]]:
    return lambda: step_operators(CONFIGS[name])


SESSION_BUCKETS: dict[str, tuple[int, ...]] = {
    "k3-small": (2, 8, 64),
    "k3-mini-r8": (1, 8, 64),
    "k3-mini-r16": (1, 8, 64),
}
"""Row counts of the steps that a session on a GPU tests and measures."""

SHARDED = {"k3-mini-r8": 8, "k3-mini-r16": 16}
"""Models whose layers a session also measures with a sharded front, and over how many ranks."""

DEEP = ("k3-mini-r16-deep", "k3-rank-tp16")
"""Models of more layers, of which a session measures steps of one row."""

PROBE = (7168, 98_304)
"""Columns and outputs of the product that probes a GPU's read limit: 1.4 GB of weights, one row."""

VERIFIED_ROWS, VERIFIED_TOKENS = (8,), 4
"""The verification steps of k3-small that a session tests."""


def _checked() -> list[Operator]:
    """What the tests of single operators run: special forms, and the shapes of every number of ranks."""
    whole = CONFIGS["k3"]
    models = [of_ranks(dataclasses.replace(whole, expert_act=act), ranks) for ranks in CHECKED_RANKS for act in ACTS]
    shares = (operator for each in models for cache in CACHES for operator in step_operators(each, cache=cache))
    tails = (joint_tail(3584, whole.shared_size // ranks, rows) for ranks in CHECKED_RANKS for rows in (1, 2))
    wide_tails = (WideTail(3584, whole.shared_size // ranks) for ranks in CHECKED_RANKS)
    return distinct([*checked_operators(), *shares, *tails, *wide_tails])


def _on_a_gpu() -> list[Operator]:
    """What one session on a GPU runs: all tests, and the steps of the models at a few row counts."""
    steps = (
        operator
        for name, sizes in SESSION_BUCKETS.items()
        for cache in CACHES
        for operator in step_operators(CONFIGS[name], buckets=sizes, cache=cache)
    )
    rounded = step_operators(dataclasses.replace(CONFIGS["k3-small"], expert_act="mxfp8"), buckets=(2, 8))
    shares = (
        operator
        for name, ranks in SHARDED.items()
        for operator in sharded_operators(CONFIGS[name], ranks, buckets=SESSION_BUCKETS[name])
    )
    deep = (operator for name in DEEP for operator in step_operators(CONFIGS[name], buckets=(1,)))
    probe = product(*PROBE, 1)
    verification = step_operators(CONFIGS["k3-small"], buckets=VERIFIED_ROWS, tokens=VERIFIED_TOKENS)
    return distinct([*_checked(), *steps, *rounded, *shares, *verification, *deep, probe])


SETS: dict[str, Callable[[], list[Operator]]] = {
    "sample": sample_operators,
    "checked": _checked,
    "session": _on_a_gpu,
    "blackwell": blackwell_operators,
    **{name: _of_model(name) for name in MODELS},
}
