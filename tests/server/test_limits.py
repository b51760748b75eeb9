"""Counting requests: per owner and kind, over a window that slides, in one process and in several."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from server.limits import Limiter, MemoryLimiter, RedisLimiter

if TYPE_CHECKING:
    from tests.conftest import Service

START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.redis)])
def limiters(request: pytest.FixtureRequest) -> tuple[Limiter, Limiter]:
    """What two requests are counted by: the same object in one process, two connections for two."""
    if request.param == "memory":
        one = MemoryLimiter()
        return one, one
    address = os.environ.get("BYOGPU_TEST_REDIS_URL")
    if not address:
        pytest.fail("BYOGPU_TEST_REDIS_URL is not set: run `make test`, or leave out with -m 'not redis'")
    import redis

    redis.Redis.from_url(address).flushdb()
    return RedisLimiter(address), RedisLimiter(address)


def test_a_window_slides(limiters: tuple[Limiter, Limiter]) -> None:
    one, other = limiters

    def count(at_s: float, limiter: Limiter = one) -> tuple[int, bool]:
        standing = limiter.count("write", "account:1", quota=4, now=START + timedelta(seconds=at_s))
        assert standing is not None
        return standing.remaining, standing.exceeded

    assert [count(0), count(1, other), count(2), count(3, other), count(4)] == [
        (3, False), (2, False), (1, False), (0, False), (0, True)
    ]  # fmt: skip
    assert count(60) == (0, True)  # five within the minute before
    assert count(110) == (1, False)  # a sixth of the five, and two
    assert count(300) == (3, False)


def test_owners_and_kinds_are_counted_apart(limiters: tuple[Limiter, Limiter]) -> None:
    one, _ = limiters
    for kind, owner in (("read", "a"), ("write", "a"), ("read", "b")):
        standing = one.count(kind, owner, quota=1, now=START)  # type: ignore[arg-type]
        assert standing is not None
        assert not standing.exceeded


def test_a_store_that_is_away_refuses_nobody() -> None:
    assert RedisLimiter("redis://127.0.0.1:1").count("read", "a", quota=1, now=START) is None


def test_answers_say_where_one_stands_and_refusals_when_to_come_back(make_service: Callable[..., Service]) -> None:
    service = make_service(reads_per_minute=2)
    first, second, third = (service.client.get("/api/v1/rules") for _ in range(3))
    assert first.headers["ratelimit-policy"] == '"read";q=2;w=60'
    assert first.headers["ratelimit"] == '"read";r=1;t=60'
    assert second.headers["ratelimit"].startswith('"read";r=0;')
    assert (third.status_code, third.json()["code"]) == (429, "rate_limited")
    assert third.headers["retry-after"] == "60"
    assert third.headers["ratelimit"].startswith('"read";r=0;')
    assert service.client.post("/api/v1/bundles", json={}).json()["code"] == "body_invalid"  # counted apart
    assert service.client.get("/health").status_code == 200  # never counted
    service.clock.advance(120)
    assert service.client.get("/api/v1/rules").status_code == 200


def test_refusals_say_where_one_stands(service: Service) -> None:
    assert "ratelimit" in service.client.get("/api/v1/bundles/ABC").headers
    assert "ratelimit" in service.client.post("/api/v1/bundles", json={}).headers


def test_guessing_credentials_is_slowed_down(make_service: Callable[..., Service]) -> None:
    service = make_service(refusals_per_minute=3)
    codes = [
        service.client.get("/api/v1/rules", headers={"Authorization": f"Bearer guess-{n}"}).json()["code"]
        for n in range(5)
    ]
    assert codes == ["unauthorized"] * 3 + ["rate_limited"] * 2
    assert service.client.get("/api/v1/rules").status_code == 200
    assert service.client.get("/api/v1/rules", headers=service.admin).status_code == 200


def test_who_has_a_credential_is_not_counted_with_the_address(make_service: Callable[..., Service]) -> None:
    service = make_service(reads_per_minute=1)
    assert service.client.get("/api/v1/rules").status_code == 200
    assert service.client.get("/api/v1/rules").status_code == 429
    assert service.client.get("/api/v1/rules", headers=service.admin).status_code == 200


def test_zero_is_any_number(make_service: Callable[..., Service]) -> None:
    service = make_service(reads_per_minute=0)
    assert "ratelimit" not in service.client.get("/api/v1/rules").headers
