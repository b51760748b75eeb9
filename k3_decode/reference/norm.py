"""Root-mean-square and L2 normalisation."""

from torch import Tensor

from k3_decode.reference.precision import accumulate_dtype
from k3_decode.spans import operator


@operator
def rms_norm(x: Tensor, weight: Tensor, *, eps: float) -> Tensor:
    """Normalise the last axis: ``y = x * rsqrt(mean(x^2) + eps) * weight``.

    Args:
        x: ``[..., D]`` of any float dtype.
        weight: ``[D]``.
        eps: Added to the mean square.

    Returns:
        ``[..., D]`` in the dtype of ``x``; computed in float32 (float64 for float64) and rounded once.

    Source:
        k3-model.md section 3.1.
    """
    wide = x.to(accumulate_dtype(x.dtype))
    scale = (wide.square().mean(-1, keepdim=True) + eps).rsqrt()
    return (wide * scale * weight).to(x.dtype)


def l2_norm(x: Tensor, *, eps: float = 1e-6) -> Tensor:
    """Scale the last axis to unit length: ``y = x * rsqrt(sum(x^2) + eps)``.

    Args:
        x: ``[..., D]``, already in the dtype to compute in.
        eps: Added to the sum of squares (not a floor on the norm).

    Returns:
        ``[..., D]``.

    Source:
        k3-model.md section 3.3.
    """
    return x * (x.square().sum(-1, keepdim=True) + eps).rsqrt()
