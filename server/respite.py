"""Leaving alone for a while what keeps everybody waiting: a store that can be done without must slow nobody down."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

REST_S = 5.0
"""How long nobody asks it."""
SLOW_S = 0.25
"""A failure that takes less is no hardship: who is told at once that nobody is there may ask again at once."""


class Respite:
    """Remembers whether the last attempt failed after a long wait.

    Args:
        clock: Seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = clock()

    @property
    def resting(self) -> bool:
        """Whether to leave it alone now."""
        return self._clock() < self._until

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Ask within the block; what it raises passes."""
        began = self._clock()
        try:
            yield
        except Exception:
            now = self._clock()
            if now - began >= SLOW_S:
                self._until = now + REST_S
            raise
