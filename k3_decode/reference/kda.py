"""Kimi Delta Attention, one head block at a time: convolution, gate, recurrence, chunks, output norm.

Shapes: ``T`` tokens in order, ``N`` heads, ``K = V`` head width, ``B`` independent requests.
"""

import torch
from torch import Tensor
from torch.nn import functional

from k3_decode.reference.norm import l2_norm

TILE = 16
"""Tokens per chunk in the chunked form. Any value gives the same result; 16 keeps the pairwise table small."""


def short_conv(inputs: Tensor, window: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """Convolve every channel over time, causally, and apply SiLU.

    ``c_t = sum_i weight[:, i] * in_{t - W + 1 + i}``, so the last tap hits the current token.

    Args:
        inputs: ``[B, T, C]``, raw projections.
        window: ``[B, C, W - 1]``, the inputs before the first token, oldest first; zeros at the start of a request.
        weight: ``[C, W]``.

    Returns:
        ``[B, T, C]`` in the dtype of ``weight``, and the window after the last token in the dtype of ``window``.

    Source:
        k3-model.md sections 3.3 and 5.1.
    """
    width, tokens = weight.shape[1], inputs.shape[1]
    padded = torch.cat([window, inputs.transpose(1, 2).to(window.dtype)], dim=2)
    out = functional.silu((padded.to(weight.dtype).unfold(2, width, 1) * weight.unsqueeze(1)).sum(-1))
    return out.transpose(1, 2), padded[:, :, tokens:]


def normalize_qk(q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    """Scale keys to unit length and queries to length ``K ** -0.5``.

    Args:
        q: ``[..., K]`` after convolution.
        k: ``[..., K]`` after convolution.

    Returns:
        ``q * rsqrt(sum q^2 + 1e-6) * K^-0.5`` and ``k * rsqrt(sum k^2 + 1e-6)``.
    """
    return l2_norm(q) * q.shape[-1] ** -0.5, l2_norm(k)


def log_decay(raw: Tensor, *, a_log: Tensor, dt_bias: Tensor, lower_bound: float | None) -> Tensor:
    """Turn the gate projection into the logarithm of the decay, per key channel.

    Bounded: ``g = lower_bound * sigmoid(exp(a_log) * (r + dt_bias))``, in ``(lower_bound, 0)``.
    Unbounded (``lower_bound`` None): ``g = -exp(a_log) * softplus(r + dt_bias)``, softplus linear above 20.

    Args:
        raw: ``r``, ``[..., N, K]``.
        a_log: ``[N]``.
        dt_bias: ``[N, K]``.
        lower_bound: The config's ``gate_lower_bound``.

    Returns:
        ``g``, shaped as ``raw``, in the dtype of ``a_log``.
    """
    rate, shifted = a_log.exp().unsqueeze(-1), raw.to(a_log.dtype) + dt_bias
    if lower_bound is None:
        return -rate * functional.softplus(shifted, beta=1.0, threshold=20.0)
    return lower_bound * (rate * shifted).sigmoid()


def recurrent(q: Tensor, k: Tensor, v: Tensor, g: Tensor, beta: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    """Run the delta rule token by token.

    ::

        S' = S_{t-1} * diag(exp(g_t))
        u_t = beta_t * (v_t - S' k_t)
        S_t = S' + u_t k_t^T
        o_t = S_t q_t

    Args:
        q: ``[B, T, N, K]``, normalised and scaled.
        k: ``[B, T, N, K]``, normalised.
        v: ``[B, T, N, V]``.
        g: ``[B, T, N, K]``, log decay.
        beta: ``[B, T, N]``, step size in (0, 1).
        state: ``[B, N, V, K]`` before the first token.

    Returns:
        ``o`` ``[B, T, N, V]`` and the state after the last token, both in the dtype of ``state``.

    Source:
        k3-model.md section 3.3.
    """
    outputs = []
    for t in range(q.shape[1]):
        state, _ = delta_step(k[:, t], v[:, t], g[:, t], beta[:, t], state)
        outputs.append((state @ q[:, t].unsqueeze(-1)).squeeze(-1))
    return torch.stack(outputs, dim=1), state


def delta_step(k: Tensor, v: Tensor, g: Tensor, beta: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    """Advance the state by one token and return it with the correction ``u_t``.

    Args:
        k: ``[B, N, K]``.
        v: ``[B, N, V]``.
        g: ``[B, N, K]``.
        beta: ``[B, N]``.
        state: ``[B, N, V, K]``.

    Returns:
        The new state (a new tensor) and ``u_t`` ``[B, N, V]``.
    """
    decayed = state * g.exp().unsqueeze(-2)
    u = beta.unsqueeze(-1) * (v - (decayed @ k.unsqueeze(-1)).squeeze(-1))
    return torch.addcmul(decayed, u.unsqueeze(-1), k.unsqueeze(-2)), u


def chunked(
    q: Tensor, k: Tensor, v: Tensor, g: Tensor, beta: Tensor, state: Tensor, *, chunk_size: int = TILE
) -> tuple[Tensor, Tensor]:
    """Run the delta rule chunk by chunk; equal to :func:`recurrent` up to rounding.

    With ``G_t`` the inclusive cumulative sum of ``g`` inside the chunk and ``S_0`` the state at its start::

        A(x)_{t,i} = sum_d x_t,d * k_i,d * exp(G_t,d - G_i,d)
        u_t = beta_t * (v_t - S_0 (k_t * e^{G_t}) - sum_{i<t} A(k)_{t,i} u_i)     (unit lower triangular solve)
        o_t = S_0 (q_t * e^{G_t}) + sum_{i<=t} A(q)_{t,i} u_i
        S_C = S_0 diag(e^{G_C}) + sum_i u_i (k_i * e^{G_C - G_i})^T

    Differences of ``G`` are taken before the exponential, so no decay, however strong, overflows.

    Args:
        q: ``[B, T, N, K]``, normalised and scaled.
        k: ``[B, T, N, K]``, normalised.
        v: ``[B, T, N, V]``.
        g: ``[B, T, N, K]``, log decay, not positive.
        beta: ``[B, T, N]``.
        state: ``[B, N, V, K]`` before the first token.
        chunk_size: Tokens per chunk.

    Returns:
        ``o`` ``[B, T, N, V]`` and the state after the last token, both in the dtype of ``state``.

    Source:
        k3-model.md section 3.3, chunked form.
    """
    q, k, v, g = (x.transpose(1, 2) for x in (q, k, v, g))
    beta = beta.transpose(1, 2).unsqueeze(-1)
    outputs = []
    for start in range(0, q.shape[2], chunk_size):
        rows = slice(start, start + chunk_size)
        qc, kc, vc, bc = q[:, :, rows], k[:, :, rows], v[:, :, rows], beta[:, :, rows]
        total = g[:, :, rows].cumsum(2)
        # exp(G_t - G_i) for i <= t; the rest is masked before the exponential, where it could overflow.
        causal = torch.ones(qc.shape[2], qc.shape[2], dtype=torch.bool, device=q.device).tril()
        gaps = (total.unsqueeze(3) - total.unsqueeze(2)).masked_fill(~causal.unsqueeze(-1), -torch.inf)
        weighted = gaps.exp_() * kc.unsqueeze(2)
        a_k, a_q = (weighted @ torch.stack([kc, qc], dim=-1)).unbind(-1)
        decay, tail = total.exp(), (total[:, :, -1:] - total).exp()
        right = bc * (vc - (kc * decay) @ state.transpose(2, 3))
        u = torch.linalg.solve_triangular(bc * a_k.tril(-1), right, upper=False, unitriangular=True)
        outputs.append((qc * decay) @ state.transpose(2, 3) + a_q @ u)
        state = state * decay[:, :, -1:] + u.transpose(2, 3) @ (kc * tail)
    return torch.cat(outputs, dim=2).transpose(1, 2), state


def gated_norm(o: Tensor, gate: Tensor, weight: Tensor, *, eps: float) -> Tensor:
    """Normalise each head's output, then gate it: ``o * rsqrt(mean(o^2) + eps) * weight * sigmoid(gate)``.

    Args:
        o: ``[T, N, V]``.
        gate: ``[T, N, V]``, raw projection.
        weight: ``[V]``, shared by all heads.
        eps: Added to the mean square.

    Returns:
        ``[T, N, V]`` in the dtype of ``o``.

    Source:
        k3-model.md section 3.3.
    """
    scale = (o.square().mean(-1, keepdim=True) + eps).rsqrt()
    return o * scale * weight * gate.to(o.dtype).sigmoid()
