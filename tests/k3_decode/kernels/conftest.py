"""Built kernels for tests that run them, the shapes they run, and the float64 comparison they share."""

import os
import pathlib
from collections.abc import Callable

import pytest
import torch

from k3_decode.config import CONFIGS, K3Config, of_ranks
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
def share() -> Callable[[int], K3Config]:
    """Give the published model the shapes of one of so many ranks."""
    return lambda ranks: of_ranks(CONFIGS["k3"], ranks)


@pytest.fixture
def seeded(device: torch.device) -> Callable[[int], torch.Generator]:
    """Make a generator that draws on the GPU."""
    return lambda seed: torch.Generator(device=device).manual_seed(seed)


@pytest.fixture
def close() -> Callable[..., None]:
    """Check a result against float64 numbers under a row of the tolerance table."""

    def check(
        operator: str, got: torch.Tensor, expected: torch.Tensor, distribution: str = "normal", where: str = ""
    ) -> None:
        row = tolerance(operator, distribution)
        size = error_size(got, expected)
        assert size.max_rel <= row.max_rel_error, f"{operator}/{distribution} {where}: {size.max_rel:.2e}: {row.reason}"

    return check


@pytest.fixture(autouse=True)
def _give_memory_back(request: pytest.FixtureRequest):
    """Free what one test cached before another process asks for memory."""
    yield
    if request.node.get_closest_marker("gpu"):
        torch.cuda.empty_cache()
