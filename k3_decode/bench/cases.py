"""What is checked: each row of numbers that an operator computes, beside the float64 numbers it must equal.

Operators are run in float32 on inputs of every distribution, and compared either with the formula of the specification
written out again in float64, or with the other mathematically equal form of the operator in float64. Whole-model cases
compare ways to compute the same logits.
"""

from collections.abc import Iterator

import torch

from k3_decode.bench.attention_cases import attention_cases
from k3_decode.bench.case import Case, Inputs
from k3_decode.bench.feed_forward_cases import exact_cases, feed_forward_cases
from k3_decode.bench.inputs import DISTRIBUTIONS
from k3_decode.bench.model_cases import model_cases
from k3_decode.config import K3Config

TOKENS = (1, 5, 16, 67)
"""Tokens in a case: one, fewer than a tile, one tile, several tiles and a rest."""


def all_cases(config: K3Config, *, seed: int) -> Iterator[Case]:
    """Yield every case in the shapes of a configuration.

    Args:
        config: The configuration; a synthetic model of it is made in float32 and float64.
        seed: Seed of inputs and weights.
    """
    for distribution in DISTRIBUTIONS:
        generator = torch.Generator().manual_seed(seed)
        for tokens in TOKENS:
            inputs = Inputs(config, distribution, tokens, generator)
            yield from feed_forward_cases(inputs)
            yield from attention_cases(inputs)
    yield from exact_cases(config, seed=seed)
    yield from model_cases(config, seed=seed)
