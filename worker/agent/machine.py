"""What this machine offers: asked of NVML, the host and the container engine, narrowed to what the policy lends."""

from importlib.metadata import version

from worker.agent.policy import Policy
from worker.agent.runners import Runner
from worker.bundle.job import Capabilities, Offer
from worker.environment import Host, Nvml
from worker.environment.host import cpu_count


def make_offer(policy: Policy, runner: Runner, *, nvml: Nvml, host: Host) -> Offer:
    """Describe this machine and what its owner allows.

    A GPU that the policy does not lend is not there; if NVML cannot be asked, there is none to lend.
    """
    found = nvml.gpus()
    gpus = tuple(gpu for gpu in (() if found == "unknown" else found) if _is_lent(policy, gpu.index))
    joined = nvml.links()
    lent = {gpu.index for gpu in gpus}
    links = tuple(link for link in (() if joined == "unknown" else joined) if {link.first, link.second} <= lent)
    return Offer(
        capabilities=Capabilities(
            gpus=gpus,
            links=links,
            driver_version=nvml.driver_version(),
            cuda_version=nvml.cuda_version(),
            cpu_count=cpu_count(),
            memory_bytes=host.memory_bytes(),
            runner=policy.runner,
            runner_version=runner.version(),
            agent_version=version("byogpu"),
        ),
        consent=policy.consent,
    )


def _is_lent(policy: Policy, index: int) -> bool:
    return policy.gpus == "all" or (policy.gpus != "none" and index in policy.gpus)
