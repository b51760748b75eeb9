"""Storage of the routed experts: packed as in the checkpoint, or decoded once."""

import dataclasses

import torch
from torch import Tensor

from k3_decode.reference import mxfp4


@dataclasses.dataclass(frozen=True, eq=False)
class PackedExperts:
    """Experts as the checkpoint stores them, decoded when used."""

    w13_packed: Tensor
    """``[E, 2 * I, L / 2]`` uint8: gate rows (w1), then linear rows (w3)."""
    w13_scale: Tensor
    """``[E, 2 * I, L / 32]`` uint8."""
    w2_packed: Tensor
    """``[E, L, I / 2]`` uint8."""
    w2_scale: Tensor
    """``[E, L, I / 32]`` uint8."""

    @property
    def parameters_each(self) -> int:
        """Weights of one expert, zero padding included."""
        return 2 * (self.w13_packed[0].numel() + self.w2_packed[0].numel())

    def gather(self, ids: Tensor, *, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """Decode experts ``ids``; see :class:`k3_decode.reference.moe.Experts`."""
        w13 = mxfp4.dequantize(self.w13_packed[ids], self.w13_scale[ids], dtype=dtype)
        return w13, mxfp4.dequantize(self.w2_packed[ids], self.w2_scale[ids], dtype=dtype)

    def decoded(self, dtype: torch.dtype) -> "DecodedExperts":
        """Decode every expert, four to sixteen times the bytes, for models small enough to afford it."""
        every = torch.arange(self.w13_packed.shape[0], device=self.w13_packed.device)
        return DecodedExperts(*self.gather(every, dtype=dtype))


@dataclasses.dataclass(frozen=True, eq=False)
class DecodedExperts:
    """Experts decoded to a float dtype."""

    w13: Tensor
    """``[E, 2 * I, L]``."""
    w2: Tensor
    """``[E, L, I]``."""

    @property
    def parameters_each(self) -> int:
        """Weights of one expert, zero padding included."""
        return self.w13[0].numel() + self.w2[0].numel()

    def gather(self, ids: Tensor, *, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """Select experts ``ids``; see :class:`k3_decode.reference.moe.Experts`."""
        if ids.shape[0] == self.w13.shape[0]:  # ascending and distinct, so these are all of them
            return self.w13.to(dtype), self.w2.to(dtype)
        return self.w13[ids].to(dtype), self.w2[ids].to(dtype)
