"""Which dtype sums are taken in."""

import torch


def accumulate_dtype(dtype: torch.dtype) -> torch.dtype:
    """Give the dtype in which statistics, states and softmax are computed for tensors of ``dtype``.

    Args:
        dtype: Model dtype.

    Returns:
        float64 for float64 (the oracle mode, nothing is rounded), else float32.
    """
    return torch.float64 if dtype == torch.float64 else torch.float32
