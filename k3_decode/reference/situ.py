"""SiTU, the bounded gated activation of every feed-forward."""

from torch import Tensor

from k3_decode.reference.precision import accumulate_dtype


def situ(gate: Tensor, linear: Tensor, *, beta: float, linear_beta: float | None) -> Tensor:
    """Combine the two halves of a gated feed-forward.

    ``situ(a, u) = beta * tanh(a / beta) * sigmoid(a) * linear_beta * tanh(u / linear_beta)``, so the result stays
    within ``beta * linear_beta`` (100 for K3) whatever the inputs.

    Args:
        gate: ``a``, any shape.
        linear: ``u``, same shape.
        beta: Bound of the gate factor.
        linear_beta: Bound of the linear factor; None lets ``u`` pass unchanged.

    Returns:
        The activation, shaped and typed as ``gate``; computed in float32 (float64 for float64).

    Source:
        k3-model.md section 3.2; keys ``activation_situ_beta``, ``activation_situ_linear_beta``.
    """
    wide = accumulate_dtype(gate.dtype)
    a, u = gate.to(wide), linear.to(wide)
    if linear_beta is not None:
        u = linear_beta * (u / linear_beta).tanh()
    return (beta * (a / beta).tanh() * a.sigmoid() * u).to(gate.dtype)
