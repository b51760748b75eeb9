"""Environment variables of an arm's programs: an allow-list, and a home of their own."""

import os
from collections.abc import Mapping
from pathlib import Path

PASSED_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "CUDA_HOME")
"""What a program needs to start and says nothing about how fast it runs; passed on, not recorded."""

RECORDED_VARIABLES = (
    "CUBLAS_WORKSPACE_CONFIG",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_DEVICE_ORDER",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MODULE_LOADING",
    "CUDA_VISIBLE_DEVICES",
    "CUTE_DSL_ARCH",
    "GOMP_CPU_AFFINITY",
    "KMP_AFFINITY",
    "MALLOC_ARENA_MAX",
    "MKL_NUM_THREADS",
    "NCCL_ALGO",
    "NCCL_DEBUG",
    "NCCL_NVLS_ENABLE",
    "NCCL_P2P_DISABLE",
    "NCCL_PROTO",
    "NUMEXPR_NUM_THREADS",
    "NVIDIA_VISIBLE_DEVICES",
    "OMP_NUM_THREADS",
    "OMP_PROC_BIND",
    "OPENBLAS_NUM_THREADS",
    "PYTHONHASHSEED",
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_CUDA_ALLOC_CONF",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
    "TORCH_NCCL_AVOID_RECORD_STREAMS",
)
"""What can change speed or answers; passed on and recorded in every bundle. No other variable reaches an arm."""


def clean_environment(home: Path, *, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Make the environment of an arm's program.

    Args:
        home: A folder that becomes its home, cache and temporary folder.
        extra: Further variables, such as ``PYTHONPATH``.
    """
    allowed = {name: os.environ[name] for name in (*PASSED_VARIABLES, *RECORDED_VARIABLES) if name in os.environ}
    return {
        **allowed,
        "HOME": str(home),
        "TMPDIR": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "HF_HOME": str(home / "hub"),
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONSAFEPATH": "1",
        "PYTHONUNBUFFERED": "1",
        **(extra or {}),
    }
