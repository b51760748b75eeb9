"""KDA state under speculative decoding: verify several tokens, keep some, for one request and one layer.

MLA needs nothing special: rows of rejected tokens are overwritten before anything reads them.

Shapes: ``q`` tokens verified together, ``N`` heads, ``K = V`` head width, ``C = 3 * N * K`` convolution channels,
``W`` convolution taps.
"""

import dataclasses

import torch
from torch import Tensor

from k3_decode.reference import kda


@dataclasses.dataclass(frozen=True, eq=False)
class StepInputs:
    """What a KDA layer's projections give for the tokens of one verification step."""

    qkv: Tensor
    """``[q, C]``, before the convolution."""
    raw_gate: Tensor
    """``[q, N, K]``, before the decay gate."""
    beta: Tensor
    """``[q, N]``."""


@dataclasses.dataclass(frozen=True, eq=False)
class KdaConstants:
    """The layer's weights that the state update needs."""

    conv: Tensor
    """``[C, W]``."""
    a_log: Tensor
    """``[N]``."""
    dt_bias: Tensor
    """``[N, K]``."""
    lower_bound: float | None


@dataclasses.dataclass(frozen=True, eq=False)
class TokenSlots:
    """Scheme 1: a state for every token of the step, and a widened convolution window."""

    states: Tensor
    """``[q, N, V, K]``; entry ``t`` is the state after token ``t``."""
    window: Tensor
    """``[C, W - 1 + q - 1]``, raw inputs, oldest first."""

    @classmethod
    def start(cls, state: Tensor, window: Tensor, *, tokens: int) -> "TokenSlots":
        """Begin from a committed state, to be read with ``accepted = 1``.

        Args:
            state: ``[N, V, K]``.
            window: ``[C, W - 1]``.
            tokens: ``q``.
        """
        states = state.new_zeros(tokens, *state.shape)
        states[0] = state
        return cls(states, torch.cat([window, window.new_zeros(window.shape[0], tokens - 1)], dim=1))


def verify_with_slots(
    inputs: StepInputs, slots: TokenSlots, weights: KdaConstants, *, accepted: int
) -> tuple[Tensor, TokenSlots]:
    """Run a step and keep the state after every token; the next step picks one.

    The state is read from slot ``accepted - 1`` and the convolution's taps start at that column. Afterwards slot ``t``
    holds the state after token ``t``, and the window the newest committed inputs but one tap, then the ``q`` new ones.

    Args:
        inputs: The step's projections.
        slots: What the previous step left.
        weights: The layer's weights.
        accepted: Tokens of the previous step that were kept, 1 to q.

    Returns:
        ``o`` ``[q, N, V]`` and the slots after the step.

    Source:
        k3-model.md section 5.4, scheme 1.
    """
    taps = weights.conv.shape[1] - 1
    q, k, v = _convolve(inputs, slots.window[:, accepted - 1 : accepted - 1 + taps], weights)
    q, k = kda.normalize_qk(q, k)
    g = _decay(inputs.raw_gate, weights)
    state, states, outputs = slots.states[accepted - 1 : accepted], [], []
    for t in range(inputs.qkv.shape[0]):
        state, _ = kda.delta_step(k[t : t + 1], v[t : t + 1], g[t : t + 1], inputs.beta[t : t + 1], state)
        states.append(state)
        outputs.append((state @ q[t : t + 1].unsqueeze(-1)).squeeze(-1))
    kept = slots.window[:, accepted : accepted + taps - 1]
    return torch.cat(outputs), TokenSlots(torch.cat(states), torch.cat([kept, inputs.qkv.T], dim=1))


@dataclasses.dataclass(frozen=True, eq=False)
class StepRecord:
    """Scheme 2: what a verification step records to fold any prefix of its tokens into the state later."""

    corrections: Tensor
    """``u``, ``[q, N, V]``, in the state's dtype."""
    keys: Tensor
    """``[q, N, K]``, after the convolution, before normalisation."""
    raw_gate: Tensor
    """``[q, N, K]``."""
    window: Tensor
    """``[C, W - 1 + q]``, the committed inputs and the step's own."""


def verify_with_record(
    inputs: StepInputs, state: Tensor, window: Tensor, weights: KdaConstants
) -> tuple[Tensor, StepRecord]:
    """Run a step without touching the committed state, and record what committing needs.

    Args:
        inputs: The step's projections.
        state: ``[N, V, K]``, committed.
        window: ``[C, W - 1]``, committed.
        weights: The layer's weights.

    Returns:
        ``o`` ``[q, N, V]`` and the record.

    Source:
        k3-model.md section 5.4, scheme 2.
    """
    q, raw_keys, v = _convolve(inputs, window, weights)
    q, k = kda.normalize_qk(q, raw_keys)
    g = _decay(inputs.raw_gate, weights)
    running, corrections, outputs = state.unsqueeze(0), [], []
    for t in range(inputs.qkv.shape[0]):
        running, u = kda.delta_step(k[t : t + 1], v[t : t + 1], g[t : t + 1], inputs.beta[t : t + 1], running)
        corrections.append(u)
        outputs.append((running @ q[t : t + 1].unsqueeze(-1)).squeeze(-1))
    joined = torch.cat([window, inputs.qkv.T], dim=1)
    return torch.cat(outputs), StepRecord(torch.cat(corrections), raw_keys, inputs.raw_gate, joined)


def commit(state: Tensor, record: StepRecord, weights: KdaConstants, *, accepted: int) -> tuple[Tensor, Tensor]:
    """Fold the first tokens of a recorded step into the committed state: ``S <- S diag(exp(g_t)) + u_t k_t^T``.

    Args:
        state: ``[N, V, K]``, the state the step was verified from.
        record: What the step recorded.
        weights: The layer's weights.
        accepted: Tokens to fold, 0 to q.

    Returns:
        The new state ``[N, V, K]`` and window ``[C, W - 1]``.
    """
    g = _decay(record.raw_gate, weights)
    _, k = kda.normalize_qk(record.keys, record.keys)
    for t in range(accepted):
        state = state * g[t].exp().unsqueeze(-2) + record.corrections[t].unsqueeze(-1) * k[t].unsqueeze(-2)
    return state, record.window[:, accepted : accepted + weights.conv.shape[1] - 1]


def _convolve(inputs: StepInputs, window: Tensor, weights: KdaConstants) -> tuple[Tensor, Tensor, Tensor]:
    mixed, _ = kda.short_conv(inputs.qkv.unsqueeze(0), window.unsqueeze(0), weights.conv)
    q, k, v = mixed[0].view(-1, 3, *weights.dt_bias.shape).unbind(1)
    return q, k, v


def _decay(raw_gate: Tensor, weights: KdaConstants) -> Tensor:
    return kda.log_decay(raw_gate, a_log=weights.a_log, dt_bias=weights.dt_bias, lower_bound=weights.lower_bound)
