"""Input distributions that operators are checked on: the ordinary one and five that break careless kernels."""

from typing import Literal, get_args

import torch
from torch import Tensor

Distribution = Literal["normal", "heavy-tailed", "large-offset", "partly-zero", "tiny", "denormal"]

DISTRIBUTIONS: tuple[Distribution, ...] = get_args(Distribution)


def draw(distribution: Distribution, *shape: int, generator: torch.Generator) -> Tensor:
    """Draw one tensor.

    | distribution | what it breaks |
    |---|---|
    | `normal` | nothing: mean 0, deviation 1 |
    | `heavy-tailed` | Student's t with 2 degrees of freedom: few huge values among small ones |
    | `large-offset` | mean 32, deviation 1: sums that cancel, saturated activations |
    | `partly-zero` | half the entries and every second row exactly 0: norms of zero, empty blocks |
    | `tiny` | scale 1e-30: squares underflow in float32, epsilons decide |
    | `denormal` | scale 1e-40: every value is subnormal, and may be taken for zero but for nothing else |

    Returns:
        ``shape`` float32, finite, on the generator's device.
    """
    normal = torch.randn(shape, generator=generator, device=generator.device)
    match distribution:
        case "normal":
            return normal
        case "heavy-tailed":
            scale = torch.randn((2, *shape), generator=generator, device=generator.device).square().mean(0).sqrt()
            return (normal / scale).clamp(-1e4, 1e4)
        case "large-offset":
            return normal + 32.0
        case "partly-zero":
            kept = torch.rand(shape, generator=generator, device=generator.device) < 0.5
            kept.view(-1, shape[-1])[::2] = False
            return normal * kept
        case "tiny":
            return normal * 1e-30
        case "denormal":
            return normal * 1e-20 * 1e-20
