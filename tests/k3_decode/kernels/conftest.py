"""Built kernels for tests that run them, and the float64 comparison they share."""

import os
import pathlib
from collections.abc import Callable

import pytest
import torch

from k3_decode.kernels.library import KernelLibrary
from k3_decode.numerics import error_size, tolerance


@pytest.fixture(scope="session")
def device() -> torch.device:
    return torch.device("cuda")


@pytest.fixture(scope="session")
def library(device: torch.device) -> KernelLibrary:
    """The kernels in the folder that K3_DECODE_KERNELS names."""
    return KernelLibrary(pathlib.Path(os.environ["K3_DECODE_KERNELS"]), device)


@pytest.fixture
def close() -> Callable[..., None]:
    """Check a result against float64 numbers under a row of the tolerance table."""

    def check(operator: str, got: torch.Tensor, expected: torch.Tensor, distribution: str = "normal") -> None:
        row = tolerance(operator, distribution)
        size = error_size(got.cpu(), expected.cpu())
        assert size.max_rel <= row.max_rel_error, f"{operator}/{distribution}: {size.max_rel:.2e}: {row.reason}"

    return check
