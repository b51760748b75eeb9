"""Decode context parallelism: which rank holds which token's MLA row, and how partial attentions merge."""

import torch
from torch import Tensor


def owner(position: int, *, ranks: int, interleave: int = 1) -> int:
    """Give the rank that holds the cache row of ``position``: ``(position // interleave) % ranks``.

    Source:
        k3-model.md section 5.3, which every function of this module follows.
    """
    return position // interleave % ranks


def local_index(position: int, *, ranks: int, interleave: int = 1) -> int:
    """Give the index of ``position`` among its owner's rows.

    Args:
        position: Token position in the request.
        ranks: Ranks ``D`` that share the context.
        interleave: Consecutive tokens ``i`` kept together.

    Returns:
        ``(position // (i * D)) * i + position % i``.
    """
    return position // (interleave * ranks) * interleave + position % interleave


def local_length(total: int, *, rank: int, ranks: int, interleave: int = 1) -> int:
    """Count a rank's rows of a context.

    Args:
        total: Tokens ``n`` in the context.
        rank: Which rank ``r``.
        ranks: Ranks ``D``.
        interleave: Consecutive tokens ``i`` kept together.

    Returns:
        ``base + clip(n - base * D - r * i, 0, i)`` with ``base = n // i // D * i``.
    """
    base = total // interleave // ranks * interleave
    return base + min(max(total - base * ranks - rank * interleave, 0), interleave)


def merge(outputs: Tensor, lse: Tensor) -> Tensor:
    """Merge attention outputs computed over disjoint parts of the context.

    ``out = sum_r 2^(lse_r - max) o_r / sum_r 2^(lse_r - max)``

    Args:
        outputs: ``[D, ..., L]``, zero where a rank held nothing.
        lse: ``[D, ...]``, base-2 logarithm of each rank's softmax denominator, minus infinity for an empty part.

    Returns:
        ``[..., L]``; zero where every part was empty.
    """
    # A finite floor keeps (-inf) - (-inf) from becoming NaN when every part is empty.
    finite = lse.clamp_min(torch.finfo(lse.dtype).min / 2)
    weights = torch.exp2(finite - finite.amax(0))
    return (weights.unsqueeze(-1) * outputs).sum(0) / weights.sum(0).unsqueeze(-1)
