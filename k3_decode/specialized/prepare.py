"""Gets the kernels of a model ready: loads built ones, else builds them, else says why the model has none."""

import fcntl
import os
import pathlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from k3_decode.build.compiler import ARCHITECTURES, Architecture, build
from k3_decode.build.manifest import FILE
from k3_decode.errors import K3Error, UnsupportedDeviceError
from k3_decode.kernels.library import CAPABILITIES, KernelLibrary
from k3_decode.kernels.operator import Operator
from k3_decode.kernels.tactics import BUCKETS
from k3_decode.reference.cache import K3Cache
from k3_decode.reference.model import K3Model
from k3_decode.specialized.operators import step_operators
from k3_decode.specialized.path import KernelPath
from k3_decode.specialized.weights import StepWeights

POISON_VARIABLE = "K3_DECODE_POISON"
"""Environment variable that, if not empty, makes paths fill their buffers with NaN before every step."""

_MOST_COMPILERS = 8


@dataclass(frozen=True, eq=False)
class KernelPaths:
    """A model's kernels and prepared weights, from which a path is made for each cache.

    Attributes:
        model: The model.
        library: Its kernels.
        weights: Its weights as the kernels read them.
        buckets: Row counts that have all their kernels, ascending.
    """

    model: K3Model
    library: KernelLibrary
    weights: StepWeights
    buckets: tuple[int, ...]

    def for_cache(self, cache: K3Cache) -> KernelPath:
        """Make the path that steps over one cache.

        Raises:
            ArgumentError: The cache's rows are of a dtype that no kernel reads.
        """
        poison = bool(os.environ.get(POISON_VARIABLE))
        return KernelPath(
            self.model, cache, self.library, weights=self.weights, buckets=self.buckets, poison=poison
        )  # fmt: skip


def prepare_kernels(model: K3Model, folder: pathlib.Path) -> KernelPaths:
    """Load a model's kernels, building those that no folder holds.

    Looked for are kernels of the device's architecture and of these sources, in ``folder`` itself, then in
    ``folder/ARCHITECTURE``, then where this function builds them: ``folder/MODEL/ARCHITECTURE``.

    Args:
        model: A bfloat16 model of one rank on a CUDA device, experts packed.
        folder: Where built kernels are, or are to be.

    Raises:
        UnsupportedDeviceError: The model is on a device that kernels are never built for, or none are built and this
            machine has no compiler.
        ArgumentError: A shape, dtype or rank count that no kernel serves.
        OSError: The folder cannot be written.
    """
    architecture = device_architecture(model.device)
    operators = step_operators(model.config)
    weights = StepWeights.prepare(model.weights, model.config.expert_act)
    own = folder / model.config.name
    for candidate in (folder, folder / architecture, own / architecture):
        library = _load(candidate, model.device)
        buckets = () if library is None else _buckets(library, model)
        if library is not None and buckets:
            return KernelPaths(model, library, weights, buckets)
    with _alone(own):
        build(operators, [architecture], own, workers=min(_MOST_COMPILERS, os.cpu_count() or 1))
    return KernelPaths(model, KernelLibrary(own / architecture, model.device), weights, BUCKETS)


def device_architecture(device: torch.device) -> Architecture:
    """Name the architecture whose kernels a device runs.

    Raises:
        UnsupportedDeviceError: It is no CUDA device, or of a compute capability no kernel is built for.
    """
    expected = "a CUDA device of compute capability " + " or ".join(
        ".".join(map(str, each)) for each in CAPABILITIES.values()
    )
    if device.type != "cuda" or not torch.cuda.is_available():
        raise UnsupportedDeviceError("specialized decode", expected=expected, got=f"device {device}")
    capability = torch.cuda.get_device_capability(device)
    for architecture in ARCHITECTURES:
        if capability == CAPABILITIES[architecture]:
            return architecture
    got = f"{torch.cuda.get_device_name(device)} of capability {'.'.join(map(str, capability))}"
    raise UnsupportedDeviceError("specialized decode", expected=expected, got=got)


def _load(folder: pathlib.Path, device: torch.device) -> KernelLibrary | None:
    """Load a folder's kernels; None where there are none, or none for this device and these sources."""
    if not (folder / FILE).is_file():
        return None
    try:
        return KernelLibrary(folder, device)
    except K3Error:
        return None


def _buckets(library: KernelLibrary, model: K3Model) -> tuple[int, ...]:
    """List the row counts whose every kernel a library holds."""

    def held(operators: list[Operator]) -> bool:
        return all(operator.name in library.manifest["kernels"] for operator in operators)

    return tuple(rows for rows in BUCKETS if held(step_operators(model.config, buckets=(rows,))))


@contextmanager
def _alone(folder: pathlib.Path) -> Iterator[None]:
    """Let one process at a time build in a folder; the next one finds what the first has compiled."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
