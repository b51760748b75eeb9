"""One comparison of numbers, and the inputs that a family of comparisons is made on."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from k3_decode.bench.inputs import Distribution, draw
from k3_decode.config import K3Config


@dataclass(frozen=True)
class Case:
    """One comparison.

    Attributes:
        operator: Row of the tolerance table.
        case: What is compared with what.
        shape: Sizes, for people.
        distribution: Of the inputs.
        compute: Runs the operator; called several times, gives a new tensor each time.
        expected: Computes what it must equal, in float64.
    """

    operator: str
    case: str
    shape: str
    distribution: str
    compute: Callable[[], Tensor]
    expected: Callable[[], Tensor]


class Inputs:
    """Draws the inputs of one distribution and token count, and names the cases made of them."""

    def __init__(self, config: K3Config, distribution: Distribution, tokens: int, generator: torch.Generator) -> None:
        self.config = config
        self.tokens = tokens
        self.generator = generator
        self._distribution: Distribution = distribution

    def draw(self, *shape: int) -> Tensor:
        """Draw from the distribution; float32."""
        return draw(self._distribution, *shape, generator=self.generator)

    def weight(self, *shape: int) -> Tensor:
        """Draw a weight matrix, deviation one over the square root of its inputs; float32."""
        return torch.randn(shape, generator=self.generator).div(math.sqrt(shape[-1]))

    def case(
        self, operator: str, case: str, shape: str, compute: Callable[[], Tensor], expected: Callable[[], Tensor]
    ) -> Case:
        """Make a case of these inputs; the arguments are those of `Case`."""
        return Case(operator, case, f"tokens={self.tokens} {shape}", self._distribution, compute, expected)
