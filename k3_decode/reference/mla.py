"""Gated multi-head latent attention without position encoding: expanded and absorbed forms.

Shapes: ``N`` heads, ``L`` latent width, ``R`` shared key width, ``D`` and ``V`` key and value width of a head.
"""

import math

import torch
from torch import Tensor

from k3_decode.reference.mxfp8 import E4M3_MAX
from k3_decode.reference.precision import accumulate_dtype

QUERY_ROWS = 256
"""Query rows scored at once by the expanded form, which bounds its score table."""


def split_kv_b(weight: Tensor, *, num_heads: int, key_dim: int) -> tuple[Tensor, Tensor]:
    """View ``kv_b_proj`` as its two halves.

    Args:
        weight: ``[N * (D + V), L]``, head-major: a head's key rows, then its value rows.
        num_heads: ``N``.
        key_dim: ``D``.

    Returns:
        ``W_UK`` ``[N, D, L]`` and ``W_UV`` ``[N, V, L]``.
    """
    heads = weight.view(num_heads, -1, weight.shape[-1])
    return heads[:, :key_dim], heads[:, key_dim:]


def absorb_query(q: Tensor, w_uk: Tensor) -> Tensor:
    """Move queries into the latent space: ``(W_UK^T q_n | q_r)``.

    Args:
        q: ``[T, N, D + R]``.
        w_uk: ``[N, D, L]``.

    Returns:
        ``[T, N, L + R]`` in the dtype of ``q``.
    """
    key_dim = w_uk.shape[1]
    latent = (q[..., :key_dim].transpose(0, 1) @ w_uk).transpose(0, 1)
    return torch.cat([latent, q[..., key_dim:]], dim=-1)


def absorbed_attention(
    query: Tensor, rows: Tensor, mask: Tensor, *, latent_dim: int, scale: float
) -> tuple[Tensor, Tensor]:
    """Attend over cache rows that all heads share.

    ``l = sum_s softmax_s(scale * query . row_s) * row_s[:L]``

    Args:
        query: ``[B, Q, N, L + R]``, absorbed queries.
        rows: ``[B, S, L + R]``, cache rows.
        mask: ``[B, Q, S]`` bool, true where a query may look.
        latent_dim: ``L``.
        scale: Softmax scale.

    Returns:
        Latent outputs ``[B, Q, N, L]`` and ``log2(sum_s 2^(score * log2 e))`` ``[B, Q, N]``, both float32
        (float64 for float64). A query that may look nowhere gets zeros and minus infinity.

    Source:
        k3-model.md section 3.4 (absorbed form) and 5.3 (log-sum-exp in base 2).
    """
    batch, queries, heads, width = query.shape
    wide = accumulate_dtype(query.dtype)
    keys = rows.to(wide)
    flat = query.reshape(batch, queries * heads, width).to(wide)
    scores = (flat @ keys.transpose(1, 2)).view(batch, queries, heads, -1) * scale
    scores = scores.masked_fill(~mask.unsqueeze(2), -torch.inf)
    lse = scores.logsumexp(-1)
    # An empty row has lse = -inf; -inf - -inf would be NaN, so such rows are shifted by zero instead.
    shift = lse.masked_fill(lse == -torch.inf, 0.0)
    weights = (scores - shift.unsqueeze(-1)).exp()
    latent = weights.view(batch, queries * heads, -1) @ keys[..., :latent_dim]
    return latent.view(batch, queries, heads, latent_dim), lse / math.log(2.0)


def expand_value(latent: Tensor, w_uv: Tensor) -> Tensor:
    """Bring latent outputs back to heads: ``o_n = W_UV,n l_n``.

    Args:
        latent: ``[T, N, L]``.
        w_uv: ``[N, V, L]``.

    Returns:
        ``[T, N, V]`` in the dtype of ``latent``.
    """
    return (latent.transpose(0, 1) @ w_uv.transpose(1, 2)).transpose(0, 1)


def to_e4m3(x: Tensor) -> Tensor:
    """Round to fp8 e4m3 with scale 1, saturating at 448."""
    return x.clamp(-E4M3_MAX, E4M3_MAX).to(torch.float8_e4m3fn)


def expanded_attention(
    q: Tensor, rows: Tensor, w_uk: Tensor, w_uv: Tensor, *, context: int, scale: float, fp8: bool = False
) -> Tensor:
    """Attend with keys and values expanded to every head, causally.

    ``score = scale * (q_n . W_UK c + q_r . k_r)``, ``o = sum_s softmax_s(score) W_UV c_s``.

    Args:
        q: ``[T, N, D + R]``; query ``t`` has position ``context + t``.
        rows: ``[context + T, L + R]``, cache rows of positions 0, 1, and so on.
        w_uk: ``[N, D, L]``.
        w_uv: ``[N, V, L]``.
        context: Tokens before the first query.
        scale: Softmax scale.
        fp8: Round queries, keys and values to e4m3, as prefill over an FP8 cache does.

    Returns:
        ``[T, N, V]`` in the dtype of ``q``; softmax in float32 (float64 for float64).

    Source:
        k3-model.md section 3.4.
    """
    tokens, latent_dim = q.shape[0], w_uk.shape[-1]
    wide = accumulate_dtype(q.dtype)
    latent, shared = rows[:, :latent_dim], rows[:, latent_dim:]
    keys = torch.cat([latent @ w_uk.transpose(1, 2), shared.expand(w_uk.shape[0], -1, -1)], dim=-1)
    values = latent @ w_uv.transpose(1, 2)
    queries = q.transpose(0, 1)
    if fp8:
        queries, keys, values = to_e4m3(queries), to_e4m3(keys), to_e4m3(values)
    queries, keys, values = queries.to(wide), keys.to(wide), values.to(wide)
    positions = torch.arange(rows.shape[0], device=q.device)
    outputs = []
    for start in range(0, tokens, QUERY_ROWS):
        stop = min(start + QUERY_ROWS, tokens)
        last = positions[context + start : context + stop]
        scores = queries[:, start:stop] @ keys.transpose(1, 2) * scale
        scores = scores.masked_fill(positions > last.unsqueeze(-1), -torch.inf)
        outputs.append(scores.softmax(-1) @ values)
    return torch.cat(outputs, dim=1).transpose(0, 1).to(q.dtype)
