"""What waits on blobs has threads of its own."""

import threading

import anyio
import pytest
from anyio import to_thread

from server.transfers import Transfers


def test_work_on_blobs_leaves_the_other_threads_free() -> None:
    """As many submissions as there are request threads, all of them stuck, and a request is answered."""
    go = threading.Event()

    async def scene() -> None:
        to_thread.current_default_thread_limiter().total_tokens = 3
        transfers = Transfers(2)
        async with anyio.create_task_group() as stuck:
            for _ in range(3):
                stuck.start_soon(transfers.run, lambda: go.wait(60))
            with anyio.fail_after(30):
                assert await to_thread.run_sync(lambda: "answered") == "answered"
            go.set()

    anyio.run(scene)


def test_no_more_work_than_threads_at_a_time() -> None:
    """The third waits for one of two."""
    inside, most, lock = 0, 0, threading.Lock()
    both = threading.Barrier(2)

    def act() -> None:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        both.wait(30)
        with lock:
            inside -= 1

    async def scene() -> None:
        transfers = Transfers(2)
        async with anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(transfers.run, act)

    anyio.run(scene)
    assert most == 2


def test_a_refusal_passes_through() -> None:
    """What is raised in the thread is raised to the caller."""

    def act() -> None:
        raise ValueError("refused")

    with pytest.raises(ValueError, match="refused"):
        anyio.run(Transfers(1).run, act)
