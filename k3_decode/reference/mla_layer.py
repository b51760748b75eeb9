"""A gated MLA layer over a ragged batch: projections, paged cache, output."""

import torch
from torch import Tensor
from torch.nn import functional

from k3_decode.config import K3Config
from k3_decode.reference import mla
from k3_decode.reference.norm import rms_norm
from k3_decode.reference.plan import Group
from k3_decode.reference.precision import accumulate_dtype
from k3_decode.reference.weights import MlaWeights
from k3_decode.spans import operator


@operator
def mla_attention(
    x: Tensor,
    weights: MlaWeights,
    config: K3Config,
    *,
    cache: Tensor,
    live: Tensor,
    rows: Tensor,
    decode: list[Group],
    prefill: list[Group],
) -> Tensor:
    """Run one rank's heads of an MLA layer.

    Args:
        x: ``[T, H]``, normed hidden.
        weights: This rank's weights.
        config: The model.
        cache: ``[blocks, block_size, L + R]`` in the model dtype or e4m3 (scale 1); rows of live tokens are written.
        live: ``[T_live]`` int64, tokens to write.
        rows: ``[T_live]`` int64, where, as block * block_size + offset.
        decode: Groups for the absorbed form.
        prefill: Groups for the expanded form.

    Returns:
        ``[T, H]``, this rank's partial output; zero for tokens in no group.

    Note:
        With an e4m3 cache the absorbed form rounds queries to e4m3 and the expanded form queries, keys and values;
        both read the rounded rows, those of this step included.

    Source:
        k3-model.md sections 3.4 and 5.2.
    """
    tokens, heads, latent = x.shape[0], weights.w_uk.shape[0], config.kv_lora_rank
    wide, scale = accumulate_dtype(x.dtype), config.qk_head_dim**-0.5
    fp8 = cache.dtype == torch.float8_e4m3fn
    projected = functional.linear(x, weights.in_proj)
    sizes = [config.q_lora_rank, latent, config.qk_rope_head_dim, heads * config.v_head_dim]
    c_q, c_kv, k_r, gate = torch.split(projected, sizes, dim=-1)
    eps = config.mla_latent_norm_eps
    q = functional.linear(rms_norm(c_q, weights.q_a_norm, eps=eps), weights.q_b).view(tokens, heads, -1)
    new = torch.cat([rms_norm(c_kv, weights.kv_a_norm, eps=eps), k_r], dim=-1)[live]
    flat = cache.view(-1, config.cache_width)
    if fp8:
        flat.view(torch.uint8)[rows] = mla.to_e4m3(new).view(torch.uint8)
    else:
        flat[rows] = new
    out = torch.zeros(tokens, heads, config.v_head_dim, dtype=x.dtype, device=x.device)
    for group in decode:
        shape = (group.size, group.length, heads, -1)
        query = mla.absorb_query(q[group.tokens.flatten()], weights.w_uk).view(shape)
        if fp8:
            query = mla.to_e4m3(query).to(x.dtype)
        reach = group.context.unsqueeze(1) + torch.arange(group.length, device=x.device)
        keys = read_rows(cache, group, x.dtype)
        mask = torch.arange(group.longest, device=x.device) <= reach.unsqueeze(-1)
        lat, _ = mla.absorbed_attention(query, keys, mask, latent_dim=latent, scale=scale)
        values = mla.expand_value(lat.to(x.dtype).flatten(0, 1), weights.w_uv)
        out[group.tokens] = values.reshape(shape)
    for group in prefill:
        index = group.tokens[0]
        out[index] = mla.expanded_attention(
            q[index], read_rows(cache, group, x.dtype)[0], weights.w_uk, weights.w_uv,
            context=int(group.longest - group.length), scale=scale, fp8=fp8,
        )  # fmt: skip
    gated = (out.to(wide).flatten(1) * gate.to(wide).sigmoid()).to(x.dtype)
    return functional.linear(gated, weights.o_proj)


def read_rows(cache: Tensor, group: Group, dtype: torch.dtype) -> Tensor:
    """Gather a group's cache rows in order of position.

    Args:
        cache: ``[blocks, block_size, W]``.
        group: Whose rows.
        dtype: Dtype to return.

    Returns:
        ``[B, longest, W]``; rows beyond a request's own are zero, whatever the blocks hold there.
    """
    raw = cache.view(torch.uint8) if cache.dtype == torch.float8_e4m3fn else cache
    rows = raw[group.blocks].flatten(1, 2)[:, : group.longest]
    total = group.context + group.length
    beyond = torch.arange(group.longest, device=cache.device) >= total.unsqueeze(1)
    return rows.view(cache.dtype).to(dtype).masked_fill(beyond.unsqueeze(-1), 0.0)
