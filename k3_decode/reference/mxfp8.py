"""MXFP8 activations: e4m3 values, one power-of-two scale for 32 of them."""

from typing import Literal

import torch
from torch import Tensor

from k3_decode.errors import ArgumentError

BLOCK = 32
"""Elements that share one scale."""

E4M3_MAX = 448.0
"""Largest finite e4m3 value, 0.875 * 2^9."""

ScaleRule = Literal["ceil", "floor"]


def block_exponent(amax: Tensor, *, rule: ScaleRule = "ceil") -> Tensor:
    """Choose the biased scale exponent of a block from its largest magnitude.

    ``ceil``: the smallest ``s`` in 0..254 with ``amax <= 448 * 2^(s - 127)``, so nothing saturates.
    ``floor``: ``floor(log2(amax)) - 8 + 127`` clamped to 0..254; magnitudes above 448 scaled saturate.

    Args:
        amax: Largest magnitudes, float32 or float64, any shape. Zero and subnormal magnitudes give 0.
        rule: Which rule.

    Returns:
        int32 exponents, shaped as ``amax``.

    Source:
        k3-model.md section 3.6.
    """
    mantissa, exponent = torch.frexp(amax)  # amax = mantissa * 2^exponent, mantissa in [0.5, 1)
    biased = exponent - 9 + 127
    if rule == "ceil":
        biased = biased + (mantissa > E4M3_MAX / 512)
    return torch.where(amax == 0, 0, biased).clamp(0, 254).to(torch.int32)


def round_trip(x: Tensor, *, rule: ScaleRule = "ceil") -> Tensor:
    """Quantize the last axis to MXFP8 and decode it again.

    Args:
        x: ``[..., D]``, D a multiple of 32, float32 or float64.
        rule: How block scales are chosen.

    Returns:
        ``[..., D]``: ``fp8_e4m3(x * 2^(127 - s)) * 2^(s - 127)`` with one ``s`` for every 32 elements.

    Raises:
        ArgumentError: D is not a multiple of 32.
    """
    if x.shape[-1] % BLOCK:
        raise ArgumentError("mxfp8.round_trip", "x", expected=f"a last axis divisible by {BLOCK}", got=x.shape[-1])
    blocks = x.reshape(*x.shape[:-1], -1, BLOCK)
    shift = block_exponent(blocks.abs().amax(-1, keepdim=True), rule=rule) - 127
    scaled = torch.ldexp(blocks, -shift).clamp(-E4M3_MAX, E4M3_MAX)
    return torch.ldexp(scaled.to(torch.float8_e4m3fn).to(x.dtype), shift).flatten(-2)
