"""Threads of their own for work that waits on blobs.

A framework answers everything that blocks from one pool of threads. Were blobs verified there, fifty submissions at
once would take every thread, and heartbeats would wait until a gigabyte was read. These threads are few: what is done
in them is bound by the store, the disk or the processor, and each holds a buffer.
"""

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

Result = TypeVar("Result")


class Transfers:
    """Threads for work on blobs; whoever finds none free waits, in order.

    Args:
        threads: How many.
    """

    def __init__(self, threads: int) -> None:
        self._limiter = CapacityLimiter(threads)

    async def run(self, act: Callable[[], Result]) -> Result:
        """Do something in one of the threads.

        Args:
            act: What; it may block.

        Returns:
            What it returned; what it raised is raised.
        """
        return await to_thread.run_sync(act, limiter=self._limiter)
