"""A Redis that hears and never answers slows nobody down: it is asked once, and then left alone for a while."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from server.broker import CeleryBell
from server.limits import RedisLimiter
from server.respite import REST_S, Respite
from server.settings import Settings

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Silence:
    """A port at which connections end up unanswered."""

    listener: socket.socket
    taken: list[socket.socket] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.listener.getsockname()[1]}/0"

    def callers(self) -> int:
        """How many have knocked since the last question."""
        before = len(self.taken)
        self.listener.setblocking(False)
        while True:
            try:
                self.taken.append(self.listener.accept()[0])
            except BlockingIOError:
                return len(self.taken) - before


@pytest.fixture
def silence() -> Iterator[Silence]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        one = Silence(listener)
        yield one
        for connection in one.taken:
            connection.close()


@dataclass
class Seconds:
    """Seconds that pass when told to, or with each look."""

    now: float = 0.0
    each: float = 0.0

    def __call__(self) -> float:
        self.now += self.each
        return self.now


@pytest.fixture(params=["limiter", "bell"])
def ask(request: pytest.FixtureRequest, silence: Silence, tmp_path: Path) -> Callable[[Respite], Callable[[], Any]]:
    """How requests ask Redis for something that they can do without."""

    def of(respite: Respite) -> Callable[[], Any]:
        if request.param == "limiter":
            limiter = RedisLimiter(silence.url, respite)
            return lambda: limiter.count("read", "somebody", quota=1, now=NOW)
        return CeleryBell(Settings(data_dir=tmp_path, redis_url=silence.url), respite).ring

    return of


def test_a_redis_that_does_not_answer_is_left_alone_for_a_while(ask: Any, silence: Silence) -> None:
    clock = Seconds(each=0.3)  # two looks are further apart than what passes for quick
    asked = ask(Respite(clock))
    assert asked() is None
    assert silence.callers() >= 1
    clock.each = 0
    for _ in range(3):
        assert asked() is None
    assert silence.callers() == 0, "nobody waits for it again"
    clock.now += REST_S
    assert asked() is None
    assert silence.callers() >= 1


def test_who_is_refused_at_once_asks_again_at_once() -> None:
    clock = Seconds()
    respite = Respite(clock)
    with pytest.raises(ConnectionRefusedError), respite.watch():
        raise ConnectionRefusedError
    assert not respite.resting
    clock.each = 1
    with pytest.raises(TimeoutError), respite.watch():
        raise TimeoutError
    clock.each = 0
    assert respite.resting
    clock.now += REST_S
    assert not respite.resting
