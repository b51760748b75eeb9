"""A moment by which an eval must be done, on the monotonic clock."""

import time
from dataclasses import dataclass

from worker.errors import TimeLimitError


@dataclass(frozen=True)
class Deadline:
    """Counts down from the moment it is made with `after`.

    Attributes:
        limit_s: Seconds allowed in all.
        ends_at_s: The moment, on `time.monotonic`.
    """

    limit_s: float
    ends_at_s: float

    @classmethod
    def after(cls, limit_s: float) -> "Deadline":
        """Start a deadline that ends ``limit_s`` seconds from now."""
        return cls(limit_s, time.monotonic() + limit_s)

    def remaining_s(self, *, at_most: float | None = None) -> float:
        """Seconds left, never more than ``at_most``.

        Raises:
            TimeLimitError: None is left.
        """
        left = self.ends_at_s - time.monotonic()
        if left <= 0:
            raise TimeLimitError(self.limit_s)
        return left if at_most is None else min(left, at_most)
