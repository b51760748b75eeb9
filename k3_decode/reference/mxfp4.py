"""MXFP4 weights: two e2m1 values a byte, one power-of-two scale for 32 of them."""

import functools

import torch
from torch import Tensor

from k3_decode.config import MXFP4_GROUP
from k3_decode.errors import ArgumentError

MAGNITUDES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
"""Values of the three low bits of a nibble; bit 3 is the sign."""


@functools.cache
def _pairs(dtype: torch.dtype, device: torch.device) -> Tensor:
    """Both values of every byte: ``[256, 2]``, low nibble first."""
    values = torch.tensor([*MAGNITUDES, *(-m for m in MAGNITUDES)], dtype=dtype, device=device)
    codes = torch.arange(256, device=device)
    return torch.stack([values[codes & 15], values[codes >> 4]], dim=-1)


def dequantize(packed: Tensor, scale: Tensor, *, dtype: torch.dtype) -> Tensor:
    """Decode packed weights: ``value = e2m1 * 2^(scale - 127)``.

    Args:
        packed: ``[..., out, in / 2]`` uint8; element ``2j`` is the low nibble of byte ``j``, ``2j + 1`` the high one.
        scale: ``[..., out, in / 32]`` uint8, biased exponents of groups along the input axis; 255 is NaN.
        dtype: Result dtype. Every value is exact in bfloat16 and wider, short of under- or overflow.

    Returns:
        ``[..., out, in]``.

    Raises:
        ArgumentError: The shapes do not belong together, or a dtype is not uint8.

    Source:
        k3-model.md section 3.6.
    """
    if packed.dtype != torch.uint8 or scale.dtype != torch.uint8:
        got = f"{packed.dtype} and {scale.dtype}"
        raise ArgumentError("mxfp4.dequantize", "packed, scale", expected="uint8", got=got)
    expected = (*packed.shape[:-1], packed.shape[-1] * 2 // MXFP4_GROUP)
    if packed.shape[-1] * 2 % MXFP4_GROUP or tuple(scale.shape) != expected:
        raise ArgumentError("mxfp4.dequantize", "scale", expected=expected, got=tuple(scale.shape))
    values = _pairs(dtype, packed.device)[packed.int()].flatten(-2)
    groups = values.view(*scale.shape, MXFP4_GROUP)
    groups *= exponent_value(scale, dtype=dtype).unsqueeze(-1)
    return values


def exponent_value(scale: Tensor, *, dtype: torch.dtype) -> Tensor:
    """Decode biased exponents (e8m0): ``2^(scale - 127)``, NaN for 255.

    Args:
        scale: uint8, any shape.
        dtype: Result dtype.

    Returns:
        Powers of two, shaped as ``scale``.
    """
    powers = torch.exp2(scale.to(torch.float64) - 127.0)
    return powers.masked_fill(scale == 255, torch.nan).to(dtype)
