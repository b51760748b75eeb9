"""A KDA layer over a ragged batch: projections, carried states, output."""

import torch
from torch import Tensor
from torch.nn import functional

from k3_decode.config import K3Config
from k3_decode.reference import kda
from k3_decode.reference.plan import Group
from k3_decode.reference.weights import KdaWeights
from k3_decode.spans import operator


@operator
def kda_attention(
    x: Tensor,
    weights: KdaWeights,
    config: K3Config,
    *,
    conv: Tensor,
    recurrent: Tensor,
    decode: list[Group],
    prefill: list[Group],
) -> Tensor:
    """Run one rank's heads of a KDA layer.

    Everything between the input projections and ``o_proj`` is computed in the accumulation dtype, which is the
    rounding of the fused decode kernels.

    Args:
        x: ``[T, H]``, normed hidden.
        weights: This rank's weights.
        config: The model.
        conv: ``[slots, 3 * P, conv_width - 1]``; updated in place for the groups' slots.
        recurrent: ``[slots, heads, V, K]``; updated in place likewise.
        decode: Groups for the recurrent form.
        prefill: Groups for the chunked form.

    Returns:
        ``[T, H]``, this rank's partial output; zero for tokens in no group.

    Source:
        k3-model.md sections 3.3 and 5.1.
    """
    heads, head = weights.dt_bias.shape
    wide, tokens = weights.a_log.dtype, x.shape[0]
    projected = functional.linear(x, weights.in_proj)
    sizes = [3 * heads * head, heads * head, head, heads]
    qkv, gate, bottleneck, step = torch.split(projected, sizes, dim=-1)
    raw = functional.linear(bottleneck, weights.f_b).view(tokens, heads, head)
    g = kda.log_decay(raw, a_log=weights.a_log, dt_bias=weights.dt_bias, lower_bound=config.gate_lower_bound)
    beta = step.to(wide).sigmoid()
    out = torch.zeros(tokens, heads, head, dtype=wide, device=x.device)
    for form, groups in ((kda.recurrent, decode), (kda.chunked, prefill)):
        for group in groups:
            window, state = conv[group.slots], recurrent[group.slots]
            if group.fresh is not None:
                window = window.masked_fill(group.fresh.view(-1, 1, 1), 0.0)
                state = state.masked_fill(group.fresh.view(-1, 1, 1, 1), 0.0)
            mixed, window = kda.short_conv(qkv[group.tokens], window, weights.conv)
            q, k, v = mixed.view(group.size, group.length, 3, heads, head).unbind(2)
            q, k = kda.normalize_qk(q, k)
            out[group.tokens], state = form(q, k, v, g[group.tokens], beta[group.tokens], state)
            conv[group.slots], recurrent[group.slots] = window, state
    gated = kda.gated_norm(out, gate.view(tokens, heads, head), weights.o_norm, eps=config.rms_eps)
    return functional.linear(gated.flatten(1).to(x.dtype), weights.o_proj)
