"""How fast this machine reads memory: the yardstick for what a memory-bound step can reach."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from worker.bundle.environment import BandwidthProbe

BUFFER_BYTES = 256 << 20
"""Well beyond the last-level cache of most machines."""
SAMPLES = 7


def cpu_read_bandwidth(*, threads: int, buffer_bytes: int = BUFFER_BYTES, samples: int = SAMPLES) -> BandwidthProbe:
    """Sum an array of integers, over and over, and report each pass.

    A sum reads every byte and writes none; a copy would state the limit too low.

    Args:
        threads: How many share the array; as many as the process may use.
        buffer_bytes: Size of the array.
        samples: Passes reported; one more runs first and is dropped, since it meets pages for the first time.
    """
    parts = np.array_split(np.ones(buffer_bytes // 8, dtype=np.int64), threads)
    read: list[float] = []
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(samples + 1):
            began_ns = time.perf_counter_ns()
            list(pool.map(np.add.reduce, parts))
            read.append(buffer_bytes / (time.perf_counter_ns() - began_ns))
    return BandwidthProbe(device="cpu", read_gb_per_s=tuple(read[1:]))
