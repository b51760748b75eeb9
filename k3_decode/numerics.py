"""How close numbers must be: one table, a reason for every row.

An error is measured relative to the largest expected magnitude of the case (normwise), because entries that should be
0 have no relative error of their own, and never relative to less than float32's smallest normal number, because
nothing smaller can be asked of float32.
"""

import sys
from dataclasses import dataclass

import torch
from torch import Tensor

from k3_decode.errors import ArgumentError

UNBOUNDED = sys.float_info.max
"""The size reported for an error that is not a finite number."""

SMALLEST_SCALE = torch.finfo(torch.float32).tiny
"""Errors are never taken relative to less than this."""


@dataclass(frozen=True)
class Tolerance:
    """The largest relative error allowed, and why that much."""

    max_rel_error: float
    reason: str


@dataclass(frozen=True)
class ErrorSize:
    """How far two tensors are apart.

    Attributes:
        max_abs: Largest absolute difference.
        max_rel: The same, divided by the largest expected magnitude.
    """

    max_abs: float
    max_rel: float


_ROUNDINGS = "float32 rounds to 6e-8; a handful of roundings and one sum follow each other"
_EXACT = "a table look-up or a selection: nothing is rounded"
_FLOAT64 = "both sides in float64 (1e-16); only the order of sums differs"
_SCORES = "the softmax turns the rounding of a score into relative error; scores stay below a few tens"
_LARGE_SCORES = "as for ordinary inputs, but scores reach thousands and carry an absolute rounding of 1e-4 and more"

_BF16_OUT = "the result is rounded to bfloat16: half a unit in the last place is 2^-9"

TOLERANCES: dict[str, Tolerance] = {
    "rms_norm": Tolerance(1e-6, _ROUNDINGS),
    "l2_norm": Tolerance(1e-6, _ROUNDINGS),
    "situ": Tolerance(1e-6, _ROUNDINGS),
    "attention_residual": Tolerance(2e-6, _ROUNDINGS),
    "kda.short_conv": Tolerance(1e-6, _ROUNDINGS),
    "kda.log_decay": Tolerance(1e-6, _ROUNDINGS),
    "kda.recurrent": Tolerance(2e-6, "rounding of each token; the decay forgets older errors"),
    "kda.chunked": Tolerance(1e-5, "a triangular solve over 16 tokens passes rounding from token to token"),
    "kda.chunked_exact": Tolerance(1e-13, _FLOAT64),
    "mla.absorbed": Tolerance(1e-5, _SCORES),
    "mla.absorbed/heavy-tailed": Tolerance(1e-3, _LARGE_SCORES),
    "mla.absorbed/large-offset": Tolerance(1e-3, _LARGE_SCORES),
    "mla.expanded": Tolerance(1e-5, _SCORES),
    "mla.expanded/heavy-tailed": Tolerance(1e-3, _LARGE_SCORES),
    "mla.expanded/large-offset": Tolerance(1e-3, _LARGE_SCORES),
    "mla.absorbed_exact": Tolerance(1e-13, _FLOAT64),
    "mla.absorbed_exact/heavy-tailed": Tolerance(1e-11, _FLOAT64 + "; scores reach thousands"),
    "mla.absorbed_exact/large-offset": Tolerance(1e-11, _FLOAT64 + "; scores reach thousands"),
    "moe.route": Tolerance(1e-6, _ROUNDINGS),
    "moe.ties": Tolerance(0.0, _EXACT),
    "moe.routed_experts": Tolerance(5e-6, "two float32 products and a weighted sum of the picked experts"),
    "mxfp4.dequantize": Tolerance(0.0, _EXACT),
    "mxfp8.round_trip": Tolerance(2.0**-4, "e4m3 has three mantissa bits: half a unit in the last place is 1/16"),
    "model.float32": Tolerance(5e-4, "rounding through all layers, on tokens whose router choices are clear"),
    "model.forms": Tolerance(1e-11, _FLOAT64 + ", through all layers"),
    "kernel.product.f32": Tolerance(2e-5, "float32 sums of up to 7168 products in another order"),
    "kernel.product.bf16": Tolerance(2.0**-8, _BF16_OUT),
    "kernel.product.bf16/denormal": Tolerance(2.0**-7, "half a unit of a subnormal number is 2^-8 of a normal one"),
    "kernel.product.activated": Tolerance(2.0**-7, _BF16_OUT + "; the activation is rounded to bfloat16 before"),
    "kernel.attention_residual": Tolerance(2.0**-8, _BF16_OUT),
    "kernel.kda.out": Tolerance(2.0**-7, _BF16_OUT + "; the norm divides by outputs that may cancel"),
    "kernel.kda.state": Tolerance(2e-5, "float32 with fast exponentials, each within 2^-22"),
    "kernel.route": Tolerance(2e-6, "fast sigmoids and one sum of sixteen"),
    "kernel.normed": Tolerance(2.0**-8, _BF16_OUT),
    "kernel.normed.e4m3": Tolerance(0.067, "bfloat16, then e4m3 with three mantissa bits: half a unit is 2^-4"),
    "kernel.mla.front": Tolerance(2.0**-7, _BF16_OUT + "; norm and query are rounded to bfloat16 before"),
    "kernel.mla.front.e4m3": Tolerance(0.07, "bfloat16 three times, then e4m3: half a unit is 2^-4"),
    "kernel.mla.core": Tolerance(2.0**-7, _BF16_OUT + "; softmax shares enter the second product as bfloat16"),
    "kernel.mla.core/heavy-tailed": Tolerance(2.0**-5, _LARGE_SCORES),
    "kernel.mla.core/large-offset": Tolerance(2.0**-5, _LARGE_SCORES),
    "kernel.step.gap": Tolerance(5e-2, "between two logits: six times their usual error of 8e-3, for 8192 candidates"),
    "kernel.step.e4m3": Tolerance(4e-2, "as with a bfloat16 cache, beside latents and queries of three mantissa bits"),
    "kernel.step.mxfp8": Tolerance(4e-2, "as with bfloat16 activations, beside codes of three mantissa bits"),
    "kernel.step": Tolerance(2e-2, "thirteen layers in bfloat16, root mean square over the largest logit"),
    "kernel.experts": Tolerance(2.0**-7, "the hidden activation is rounded to bfloat16, as the reference rounds it"),
    "kernel.experts.mxfp8": Tolerance(1e-2, "4e-6, until a hidden activation at a tie takes the next e4m3 code"),
}
"""Row by operator, or by ``operator/distribution`` where a distribution needs its own."""


def tolerance(operator: str, distribution: str) -> Tolerance:
    """Return the row for an operator under an input distribution.

    Raises:
        ArgumentError: The operator has none.
    """
    row = TOLERANCES.get(f"{operator}/{distribution}") or TOLERANCES.get(operator)
    if row is None:
        raise ArgumentError("tolerance", "operator", expected=f"one of {sorted(TOLERANCES)}", got=operator)
    return row


def error_size(got: Tensor, expected: Tensor) -> ErrorSize:
    """Measure an error in float64. Anything not finite on either side counts as `UNBOUNDED`.

    Raises:
        ArgumentError: The shapes differ, or there is nothing to compare.
    """
    if got.shape != expected.shape:
        raise ArgumentError("error_size", "got", expected=f"shape {tuple(expected.shape)}", got=tuple(got.shape))
    if not got.numel():
        raise ArgumentError("error_size", "got", expected="at least one number", got="none")
    left, right = got.double(), expected.double()
    if not (torch.isfinite(left).all() and torch.isfinite(right).all()):
        return ErrorSize(UNBOUNDED, UNBOUNDED)
    difference = float((left - right).abs().max())
    scale = max(float(right.abs().max()), SMALLEST_SCALE)
    return ErrorSize(min(difference, UNBOUNDED), min(difference / scale, UNBOUNDED))
