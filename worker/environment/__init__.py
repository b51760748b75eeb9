"""The machine a run happens on: asked, never typed; what cannot be asked is ``unknown``."""

import os
import platform
import re
from collections.abc import Sequence

from worker.bundle.environment import Environment, Package, Variable
from worker.bundle.redaction import Redactor
from worker.environment.bandwidth import cpu_read_bandwidth
from worker.environment.host import Host, cpu_count
from worker.environment.nvml import Nvml, hash_uuid
from worker.variables import RECORDED_VARIABLES

__all__ = ["Host", "Nvml", "probe"]

_GPU_UUID = re.compile(r"\b(?:GPU|MIG)-[0-9a-fA-F-]{8,}")


def probe(
    *, python_version: str, packages: Sequence[Package], nvml: Nvml, host: Host, redactor: Redactor
) -> Environment:
    """Describe this machine.

    Args:
        python_version: Of the Python that runs the candidate.
        packages: What is installed there (`worker.arms`).
        nvml: Where to ask about GPUs.
        host: Where to ask about the rest.
        redactor: Masks secrets in the values of environment variables.

    Note:
        Reads memory with every allowed CPU for about a second.
    """
    return Environment(
        gpus=nvml.gpus(),
        links=nvml.links(),
        gpu_processes=nvml.processes(),
        driver_version=nvml.driver_version(),
        cuda_version=nvml.cuda_version(),
        cpu_model=host.cpu_model(),
        cpu_count=cpu_count(),
        memory_bytes=host.memory_bytes(),
        kernel=f"{platform.system()} {platform.release()}"[:200],
        system=host.system(),
        python_version=python_version,
        container=host.container(),
        packages=tuple(packages),
        variables=tuple(
            Variable(name=name, value=_variable(name, os.environ[name], redactor))
            for name in RECORDED_VARIABLES
            if name in os.environ
        ),
        bandwidth=cpu_read_bandwidth(threads=cpu_count()),
    )


def _variable(name: str, value: str, redactor: Redactor) -> str:
    """A variable's value without serial numbers or secrets, on one line."""
    hashed = _GPU_UUID.sub(lambda match: f"sha256:{hash_uuid(match[0])}", value)
    return "".join(c if c.isprintable() else "?" for c in redactor.text(hashed, where=f"variable {name}"))[:4096]
