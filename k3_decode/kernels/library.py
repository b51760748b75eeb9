"""Loads kernels built by `k3_decode.build` and hands them out by operator; needs no compiler."""

import ctypes
import pathlib
from collections.abc import Callable
from typing import Any

import torch

from k3_decode.build.manifest import LIBRARY, Manifest, read_manifest
from k3_decode.build.sources import source_digest
from k3_decode.errors import ArgumentError, StaleKernelsError, UnsupportedDeviceError
from k3_decode.kernels.operator import Operator

RUNTIME = "libcute_dsl_runtime.so"
"""The compiler's run-time library; taken from the folder of the kernels, else from the installed package."""

CAPABILITIES: dict[str, tuple[int, int]] = {"sm_90a": (9, 0), "sm_100a": (10, 0), "sm_103a": (10, 3)}
"""Compute capability each architecture's kernels run on, and no other."""

Kernel = Callable[..., None]
"""A loaded kernel: takes the operator's tensors, runs on torch's current stream, returns at once."""


class KernelLibrary:
    """Kernels of one folder, loaded for one device.

    Args:
        folder: What `k3_decode.build` wrote.
        device: Where the kernels will run.

    Raises:
        UnsupportedDeviceError: The device is none the kernels were built for.
        StaleKernelsError: They were built from other sources than the ones that are running.
        K3Error: The folder holds no built kernels.
    """

    def __init__(self, folder: pathlib.Path, device: torch.device) -> None:
        self.manifest: Manifest = read_manifest(folder)
        require_device(device, self.manifest["architecture"])
        if self.manifest["source_sha256"] != source_digest():
            raise StaleKernelsError(folder, expected=source_digest(), got=self.manifest["source_sha256"])
        self._module = _load(folder)

    def kernel(self, operator: Operator) -> Kernel:
        """Give the kernel of an operator.

        Raises:
            ArgumentError: It was not built.
        """
        if operator.name not in self.manifest["kernels"]:
            raise ArgumentError("KernelLibrary.kernel", "operator", expected="one that was built", got=operator.name)
        kernel: Kernel = self._module[operator.name]
        return kernel


def require_device(device: torch.device, architecture: str) -> None:
    """Refuse a device that cannot run an architecture's kernels.

    Raises:
        UnsupportedDeviceError: It is no CUDA device, or of another compute capability.
    """
    expected = f"a CUDA device of compute capability {'.'.join(map(str, CAPABILITIES[architecture]))}"
    if device.type != "cuda" or not torch.cuda.is_available():
        raise UnsupportedDeviceError(f"kernels for {architecture}", expected=expected, got=f"device {device}")
    capability = torch.cuda.get_device_capability(device)
    if capability != CAPABILITIES[architecture]:
        got = f"{torch.cuda.get_device_name(device)} of capability {'.'.join(map(str, capability))}"
        raise UnsupportedDeviceError(f"kernels for {architecture}", expected=expected, got=got)


def _load(folder: pathlib.Path) -> Any:
    import tvm_ffi

    ctypes.CDLL(str(_runtime(folder)), mode=ctypes.RTLD_GLOBAL)
    return tvm_ffi.load_module(str(folder / LIBRARY))


def _runtime(folder: pathlib.Path) -> pathlib.Path:
    beside = folder / RUNTIME
    if beside.exists():
        return beside
    try:
        from cutlass import cute
    except ModuleNotFoundError as error:
        raise UnsupportedDeviceError(str(folder), expected=f"{RUNTIME} beside the kernels", got="none") from error
    return next(pathlib.Path(path) for path in cute.runtime.find_runtime_libraries() if path.endswith(RUNTIME))
