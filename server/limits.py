"""How often somebody may ask: a sliding window for each owner and kind of request, counted over all processes.

The window slides: what was asked in the window before counts for the share of it that still overlaps. Nothing depends
on the counts but these refusals, so a store that cannot be reached refuses nobody.
"""

import logging
import threading
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Protocol

import redis

from server.respite import Respite
from server.settings import Kind

_log = logging.getLogger(__name__)
WINDOW_S = 60
_TIMEOUT_S = 0.5


@dataclass(frozen=True)
class Standing:
    """Where somebody stands in their window.

    Attributes:
        kind: What is counted.
        quota: Most requests in a window.
        remaining: How many are left.
        reset_s: Seconds until the window has moved on.
        exceeded: Whether this request is one too many.
    """

    kind: Kind
    quota: int
    remaining: int
    reset_s: int
    exceeded: bool

    @property
    def headers(self) -> dict[str, str]:
        """What an answer says about it.

        Source:
            draft-ietf-httpapi-ratelimit-headers-10.
        """
        return {
            "RateLimit-Policy": f'"{self.kind}";q={self.quota};w={WINDOW_S}',
            "RateLimit": f'"{self.kind}";r={self.remaining};t={self.reset_s}',
        }


class Limiter(Protocol):
    """Counts requests."""

    def count(self, kind: Kind, owner: str, *, quota: int, now: datetime) -> Standing | None:
        """Count one request; None: it could not be counted."""
        ...


class MemoryLimiter:
    """Counts in this process: for the embedded service, which is one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._window = 0
        self._before: dict[tuple[Kind, str], int] = {}
        self._counts: dict[tuple[Kind, str], int] = {}

    def count(self, kind: Kind, owner: str, *, quota: int, now: datetime) -> Standing | None:
        """Count one request."""
        window = int(now.timestamp()) // WINDOW_S
        with self._lock:
            if window != self._window:
                self._before = self._counts if window == self._window + 1 else {}
                self._counts, self._window = {}, window
            current = self._counts[kind, owner] = self._counts.get((kind, owner), 0) + 1
            return _standing(kind, quota, self._before.get((kind, owner), 0), current, now)


class RedisLimiter:
    """Counts in Redis: for several processes.

    Args:
        url: Of the Redis.
        respite: For a Redis that does not answer.
    """

    def __init__(self, url: str, respite: Respite | None = None) -> None:
        self._redis = redis.Redis.from_url(url, socket_timeout=_TIMEOUT_S, socket_connect_timeout=_TIMEOUT_S)
        self._respite = respite or Respite()

    def count(self, kind: Kind, owner: str, *, quota: int, now: datetime) -> Standing | None:
        """Count one request."""
        if self._respite.resting:
            return None
        window = int(now.timestamp()) // WINDOW_S
        key = f"byogpu:limit:{kind}:{owner}:"
        try:
            with self._respite.watch(), self._redis.pipeline(transaction=False) as asked:
                asked.get(f"{key}{window - 1}")
                asked.incr(f"{key}{window}")
                asked.expire(f"{key}{window}", 2 * WINDOW_S)
                before, current, _ = asked.execute()
        except redis.RedisError as error:
            _log.warning("requests are not counted: %s", type(error).__name__)
            return None
        return _standing(kind, quota, int(before or 0), int(current), now)


def _standing(kind: Kind, quota: int, before: int, current: int, now: datetime) -> Standing:
    passed_s = now.timestamp() % WINDOW_S
    used = current + before * (1 - passed_s / WINDOW_S)
    return Standing(
        kind=kind,
        quota=quota,
        remaining=max(0, int(quota - used)),
        reset_s=max(1, ceil(WINDOW_S - passed_s)),
        exceeded=used > quota,
    )
