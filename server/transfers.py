"""Threads of their own for work that waits on blobs.

A framework answers everything that blocks from one pool of threads. Were blobs verified there, fifty submissions at
once would take every thread, and heartbeats would wait until a gigabyte was read. These threads are few: what is done
in them is bound by the store, the disk or the processor, and each holds a buffer.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

Result = TypeVar("Result")


class Transfers:
    """Threads for work on blobs; whoever finds none free waits, in order.

    Args:
        threads: How many; they start when they are first needed, and end with this object.
    """

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="transfers")

    async def run(self, act: Callable[[], Result]) -> Result:
        """Do something in one of the threads.

        Args:
            act: What; it may block. It sees the context of the request, as its logs and spans do.

        Returns:
            What it returned; what it raised is raised.
        """
        return await asyncio.get_running_loop().run_in_executor(self._threads, copy_context().run, act)
