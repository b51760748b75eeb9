"""Attention residuals: a learned softmax over finished blocks replaces the residual stream."""

from collections.abc import Sequence

import torch
from torch import Tensor

from k3_decode.reference.precision import accumulate_dtype
from k3_decode.spans import operator


@operator
def mix(sources: Sequence[Tensor], *, gamma: Tensor, query: Tensor, eps: float) -> Tensor:
    """Average the sources of every token with weights the token itself decides.

    For sources ``v_0 .. v_n`` (finished blocks, then the running sum)::

        s_i = rsqrt(mean_d(v_i,d^2) + eps) * sum_d v_i,d * gamma_d * query_d
        out = sum_i softmax_i(s) * v_i

    The raw ``v_i`` are averaged, not the normalised ones, and nothing divides by sqrt(d).

    Args:
        sources: One to nine tensors ``[T, H]``.
        gamma: ``[H]``, a ``*_res_norm.weight``.
        query: ``[H]``, the row of a ``*_res_proj.weight``.
        eps: Added to the mean square.

    Returns:
        ``[T, H]`` in the dtype of the sources. One source is returned as it is.

    Source:
        k3-model.md section 2.
    """
    if len(sources) == 1:
        return sources[0]
    wide = accumulate_dtype(sources[0].dtype)
    stacked = torch.stack(list(sources)).to(wide)
    scale = (stacked.square().mean(-1) + eps).rsqrt()
    weights = (scale * (stacked @ (gamma.to(wide) * query.to(wide)))).softmax(0)
    return (weights.unsqueeze(-1) * stacked).sum(0).to(sources[0].dtype)


def attention_sources(layer: int, block_size: int) -> int:
    """Count the sources of the mix before a layer's attention: ``ceil(layer / block_size)`` blocks and the sum."""
    return -(-layer // block_size) + 1


def mlp_sources(layer: int, block_size: int) -> int:
    """Count the sources of the mix before a layer's MLP: ``floor(layer / block_size) + 1`` blocks and the sum."""
    return layer // block_size + 2
