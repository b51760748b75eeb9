"""What tensor-parallel ranks exchange: sums of partial results and joins of row shards."""

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from k3_decode.reference.precision import accumulate_dtype


class Exchange(Protocol):
    """Collectives of one step. Each takes the parts of the ranks that this process runs, in rank order."""

    def sum(self, partials: Sequence[Tensor]) -> Tensor:
        """Add equally shaped partial results of all ranks; the result has their dtype."""

    def join(self, parts: Sequence[Tensor]) -> Tensor:
        """Concatenate the last axes of all ranks' parts."""


class InProcess:
    """Exchange between ranks that all live in this process."""

    def sum(self, partials: Sequence[Tensor]) -> Tensor:
        """Add in the accumulation dtype and round once."""
        if len(partials) == 1:
            return partials[0]
        wide = accumulate_dtype(partials[0].dtype)
        return torch.stack([partial.to(wide) for partial in partials]).sum(0).to(partials[0].dtype)

    def join(self, parts: Sequence[Tensor]) -> Tensor:
        """Concatenate."""
        return parts[0] if len(parts) == 1 else torch.cat(list(parts), dim=-1)
