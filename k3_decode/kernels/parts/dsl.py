"""The one place that imports CuTe DSL, so that every kernel module imports on a machine without it.

Where the compiler is absent, its names are stand-ins that decorate functions without effect and fail only when a
kernel is traced; `k3_decode.build` refuses before that with `CompilerMissingError`.
"""

import importlib.util
import pathlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Value = Any
    """A number on the device, known only when the kernel runs."""
    Address = Any
    """A device address, 64 bits."""

    cute: Any
    cutlass: Any
    BFloat16: Any
    Float32: Any
    Int32: Any
    Int64: Any
    Uint32: Any
    Tensor = Any
    Stream = Any
    AVAILABLE: bool
else:

    class _Absent:
        """Stands for a compiler that is not installed: usable as decorator and annotation, nothing else."""

        def __getattr__(self, name: str) -> "_Absent":
            if name.startswith("__"):
                raise AttributeError(name)
            return self

        def __call__(self, function: object = None, *_args: object, **_options: object) -> object:
            return function

    def _add_parts() -> None:
        """Make the compiler importable where its parts are installed without the package that names their folder."""
        spec = importlib.util.find_spec("nvidia_cutlass_dsl")
        for root in spec.submodule_search_locations or () if spec else ():
            folder = str(pathlib.Path(root) / "dsl_packages")
            if folder not in sys.path:
                sys.path.append(folder)

    _add_parts()
    try:
        import cuda.bindings.driver as _driver
        import cutlass
        from cutlass import BFloat16, Float32, Int32, Int64, Uint32, cute

        Tensor, Stream, Value, Address = cute.Tensor, _driver.CUstream, object, Int64
        AVAILABLE = True
    except ModuleNotFoundError:
        cute = cutlass = BFloat16 = Float32 = Int32 = Int64 = Uint32 = _Absent()
        Tensor = Stream = Value = Address = object
        AVAILABLE = False


def on_hopper() -> bool:
    """Tell whether the kernel that is being traced is compiled for Hopper."""
    from cutlass.base_dsl import BaseDSL

    return bool(BaseDSL._get_dsl().get_arch_enum().name == "sm_90a")


__all__ = [
    "AVAILABLE", "Address", "BFloat16", "Float32", "Int32", "Int64", "Stream", "Tensor", "Uint32", "Value",
    "cute", "cutlass", "on_hopper",
]  # fmt: skip
