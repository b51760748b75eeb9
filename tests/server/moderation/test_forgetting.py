"""Events that had their effect are forgotten in time; what people look up later is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import delete

from server.models import ApiToken, Audit, Command, Delivery, Post, Pull, PullKey, Repository, Table, Task
from server.models.accounts import Account
from server.moderation import forgetting
from server.runner import sweep

if TYPE_CHECKING:
    from tests.conftest import Service

DAY_S = 24 * 3600


@pytest.fixture
def keeping(make_service: Callable[..., Service], database_url: str) -> Callable[..., Service]:
    """Start a service with a policy, once on each database."""
    return lambda **policy: make_service(database_url=database_url, **policy)


def seed(service: Service) -> None:
    """One event of each kind in each of its states, on an open pull request (1) and a closed one (2)."""
    now = service.clock.now
    with service.services.database.write() as session:
        session.add(Repository(id=1001, name="octo/kernels", seen_at=now))
        session.add(Account(id=7, login="kim", role="contributor", created_at=now, seen_at=now))
        session.flush()
        pulls = [_pull(number, state, now) for number, state in ((1, "open"), (2, "closed"))]
        session.add_all(pulls)
        session.flush()
        session.add_all(_events(pulls[0].id, now))


def _pull(number: int, state: Any, now: Any) -> Pull:
    return Pull(
        repository_id=1001, number=number, title="Faster", body="", author="kim", state=state, merged=False,
        draft=False, head_sha="a" * 40, base_sha="b" * 40, url="https://github.com/x", seen_at=now,
    )  # fmt: skip


def _events(pull_id: int, now: Any) -> Iterator[Table]:
    yield Delivery(id="delivery", event="push", received_at=now)
    asked: dict[str, Any] = {
        "repository_id": 1001, "repository": "octo/kernels", "login": "kim", "words": "/byogpu run",
        "asked_at": now, "heard_at": now, "attempts": 1, "detail": "", "url": "",
    }  # fmt: skip
    for state in ("heard", "decided", "answered", "ignored", "dead"):
        yield Command(key=f"comment:{state}", comment_id=1, pull_number=1, state=state, **asked)
    for number in (1, 2):
        yield Command(key=f"button:{number}", comment_id=None, pull_number=number, state="answered", **asked)
    for state in ("pending", "sent", "superseded", "dead"):
        yield Post(
            pull_id=pull_id, head_sha="a" * 40, digest=state, payload="{}", conclusion="success", title="t",
            state=state, attempts=1, detail="", url="", created_at=now,
        )  # fmt: skip
    for state in ("queued", "running", "done", "dead"):
        until = now + timedelta(days=9999)
        yield Task(
            kind="refresh", key=state, state=state, wanted=1, attempts=0, detail="",
            run_after=until if state == "queued" else now, lease_until=until if state == "running" else None,
        )  # fmt: skip
    held: dict[str, Any] = {"secret_hash": "0" * 64, "account_id": 7, "created_at": now}
    for name, ends, revoked in (("good", 9999, None), ("expired", 1, None), ("revoked", 9999, now)):
        times = {"expires_at": now + timedelta(days=ends), "revoked_at": revoked}
        yield ApiToken(id=name, name=name, scopes="", **held, **times)
        yield PullKey(id=name, pull_id=pull_id, head_sha="a" * 40, **held, **times)
    yield Audit(at=now, actor="service", action="seeded", target="x", detail="")


def kept(service: Service) -> dict[str, list[str]]:
    """What is still there."""
    names = {"delivery": "id", "command": "key", "post": "state", "task": "key", "api_token": "id", "pull_key": "id"}
    found = {table: [row[name] for row in service.rows(table)] for table, name in names.items()}
    found["task"] = [row["key"] for row in service.rows("task") if row["kind"] == "refresh"]
    found["audit"] = [row["action"] for row in service.rows("audit") if row["action"] == "seeded"]
    return {table: sorted(rows) for table, rows in found.items()}


EVERYTHING = {
    "delivery": ["delivery"],
    "command": sorted(
        ["button:1", "button:2", *(f"comment:{one}" for one in ("answered", "dead", "decided", "heard", "ignored"))]
    ),
    "post": ["dead", "pending", "sent", "superseded"],
    "task": ["dead", "done", "queued", "running"],
    "api_token": ["expired", "good", "revoked"],
    "pull_key": ["expired", "good", "revoked"],
    "audit": ["seeded"],
}
WHAT_MATTERS = {
    "delivery": [],
    "command": ["button:1", "comment:decided", "comment:heard"],
    "post": ["pending", "sent"],
    "task": ["dead", "queued", "running"],
    "api_token": ["good"],
    "pull_key": ["good"],
    "audit": ["seeded"],
}


def test_what_had_its_effect_goes_when_its_time_is_over(keeping: Callable[..., Service]) -> None:
    service = keeping(retention_events_days=30)
    seed(service)
    service.clock.advance(30 * DAY_S - 60)
    forgetting.forget(service.services, "all")
    assert kept(service) == EVERYTHING
    service.clock.advance(DAY_S + 61)
    forgetting.forget(service.services, "all")
    assert kept(service) == WHAT_MATTERS


def test_nothing_is_forgotten_by_whom_it_is_not_asked_to(keeping: Callable[..., Service]) -> None:
    service = keeping(retention_events_days=0)
    seed(service)
    service.clock.advance(5000 * DAY_S)
    forgetting.forget(service.services, "all")
    assert kept(service) == EVERYTHING


def test_the_audit_log_has_a_time_of_its_own(keeping: Callable[..., Service]) -> None:
    service = keeping(retention_events_days=0, retention_audit_days=400)
    seed(service)
    service.clock.advance(400 * DAY_S - 60)
    forgetting.forget(service.services, "all")
    assert kept(service) == EVERYTHING
    service.clock.advance(61)
    forgetting.forget(service.services, "all")
    assert kept(service) == {**EVERYTHING, "audit": []}


def test_the_sweep_asks_for_it_once_a_day(keeping: Callable[..., Service]) -> None:
    service = keeping(retention_events_days=30)
    seed(service)
    with service.services.database.write() as session:
        session.execute(delete(Task))  # those that nobody could do
    service.clock.advance(31 * DAY_S)
    sweep(service.services)
    service.work()
    assert kept(service)["delivery"] == []
    with service.services.database.write() as session:
        session.add(Delivery(id="late", event="push", received_at=service.clock.now - timedelta(days=31)))
    for passed_s, left in ((DAY_S - 60, ["late"]), (120, [])):
        service.clock.advance(passed_s)
        sweep(service.services)
        service.work()
        assert kept(service)["delivery"] == left


def test_more_than_a_batch_goes_at_once(keeping: Callable[..., Service]) -> None:
    service = keeping(retention_events_days=1)
    rows = 2 * forgetting.BATCH + 1
    with service.services.database.write() as session:
        session.add_all(Delivery(id=str(n), event="push", received_at=service.clock.now) for n in range(rows))
    service.clock.advance(2 * DAY_S)
    forgetting.forget(service.services, "all")
    assert service.rows("delivery") == []
