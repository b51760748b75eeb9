"""Metrics, and the public status: what they say is so."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text

from server.models import Contact, Task

if TYPE_CHECKING:
    from tests.conftest import Service

TOKEN = "metrics-token-for-tests"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def service(make_service: Callable[..., Service]) -> Service:
    return make_service(metrics_token=TOKEN)


def metrics(service: Service) -> dict[tuple[str, ...], float]:
    """Every sample by its name and the values of its labels."""
    answer = service.client.get("/metrics", headers=HEADERS)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def add_task(service: Service, kind: str, state: str, *, waited_s: float = 0) -> None:
    with service.services.database.write() as session:
        at = service.clock.now - timedelta(seconds=waited_s)
        key = f"{kind}-{state}-{waited_s}"
        session.add(Task(kind=kind, key=key, state=state, wanted=1, attempts=0, run_after=at, detail="a secret detail"))


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic abc"}])
def test_metrics_are_for_whoever_has_the_token(service: Service, headers: dict[str, str]) -> None:
    refused = service.client.get("/metrics", headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (401, "unauthorized")


def test_without_a_token_metrics_are_closed(make_service: Callable[..., Service]) -> None:
    for headers in ({}, {"Authorization": "Bearer "}):
        refused = make_service().client.get("/metrics", headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (403, "metrics_disabled")


def test_requests_are_counted_by_template(service: Service) -> None:
    for number in range(3):
        service.client.get(f"/api/v1/bundles/{number:064d}")
    service.client.get("/nowhere/at/all")
    service.client.request("BREW", "/api/v1/pulls")
    service.client.post("/api/v1/bundles", content=b"{" * 100, headers={"Content-Type": "application/json"})
    found = metrics(service)
    route = "/api/v1/bundles/{bundle_id}"
    assert found["byogpu_requests_total", "GET", route, "404"] == 3
    assert found["byogpu_request_seconds_count", "GET", route] == 3
    assert found["byogpu_requests_total", "GET", "none", "404"] == 1
    assert found["byogpu_received_bytes_total",] == 100
    assert found["byogpu_sent_bytes_total",] > 0
    methods = {key[1] for key in found if key[0] == "byogpu_requests_total"}
    assert methods == {"GET", "POST", "other"}


def test_no_address_of_anybody_makes_a_new_series(service: Service) -> None:
    def knock(numbers: range) -> None:
        for number in numbers:
            service.client.get(f"/made/up/{number}")
            service.client.get(f"/api/v1/pulls/octo/kernels/{number + 1}")

    knock(range(1))
    metrics(service)
    before = set(metrics(service))
    knock(range(1, 20))
    assert set(metrics(service)) == before


def test_tasks_by_kind_and_state_and_how_long_they_wait(service: Service) -> None:
    add_task(service, "validate", "queued", waited_s=100)
    add_task(service, "validate", "queued", waited_s=40)
    add_task(service, "validate", "queued", waited_s=-500)
    add_task(service, "publish", "dead")
    found = metrics(service)
    assert found["byogpu_tasks", "validate", "queued"] == 3
    assert found["byogpu_tasks", "publish", "dead"] == 1
    assert found["byogpu_tasks_due",] == 2
    assert found["byogpu_task_oldest_seconds", "validate"] == pytest.approx(100, abs=1)
    assert ("byogpu_task_oldest_seconds", "publish") not in found


def test_uploads_and_their_bytes(service: Service, make_bundle: Any) -> None:
    bundle = make_bundle(rows=400)
    service.post(bundle)
    assert metrics(service)["byogpu_uploads", "open"] == 1
    service.upload(make_bundle(rows=41))
    found = metrics(service)
    assert (found["byogpu_uploads", "open"], found["byogpu_uploads", "complete"]) == (1, 1)
    assert found["byogpu_received_bytes_total",] > len(bundle.manifest_bytes)


def test_how_github_answers(service: Service) -> None:
    found = metrics(service)
    assert found["byogpu_github_failing_seconds",] == 0
    assert ("byogpu_github_rate_remaining",) not in found
    with service.services.database.write() as session:
        now = service.clock.now
        session.add(
            Contact(
                id=1, answered_at=None, failing_since=now - timedelta(seconds=90), detail="503", limited=1,
                quiet_until=now + timedelta(seconds=60), rate_limit=5000, rate_remaining=17, rate_reset_at=now,
            )
        )  # fmt: skip
    found = metrics(service)
    assert found["byogpu_github_failing_seconds",] == pytest.approx(90, abs=1)
    assert found["byogpu_github_quiet_seconds",] == pytest.approx(60, abs=1)
    assert (found["byogpu_github_rate_remaining",], found["byogpu_github_rate_limit",]) == (17, 5000)


def test_without_a_database_metrics_still_say_that(service: Service) -> None:
    with service.services.database.write() as session:
        session.execute(text("ALTER TABLE task RENAME TO gone"))
    found = metrics(service)
    assert found["byogpu_database_up",] == 0
    assert found["byogpu_data_dir_free_bytes",] > 0
    assert not any(name.startswith("byogpu_tasks") for name, *_ in found)


def test_a_healthy_service_has_no_holes(service: Service) -> None:
    status = service.client.get("/api/v1/status").json()
    assert status["troubles"] == []
    assert (status["tasks_waiting"], status["nodes"]) == (0, 0)


def test_holes_are_loud_and_tell_no_details(service: Service) -> None:
    add_task(service, "validate", "dead")
    add_task(service, "publish", "queued", waited_s=400)
    with service.services.database.write() as session:
        at = service.clock.now - timedelta(seconds=700)
        session.add(Contact(id=1, failing_since=at, detail="a secret detail", limited=0))
    answer = service.client.get("/api/v1/status")
    troubles = {trouble["code"]: trouble for trouble in answer.json()["troubles"]}
    assert set(troubles) == {"github_failing", "tasks_dead", "tasks_late"}
    assert troubles["github_failing"]["since_s"] == pytest.approx(700, abs=1)
    assert troubles["tasks_dead"]["count"] == 1
    assert troubles["tasks_late"]["since_s"] == pytest.approx(400, abs=1)
    assert "secret" not in answer.text


def test_the_status_is_counted_every_few_seconds_only(service: Service) -> None:
    assert service.client.get("/api/v1/status").json()["troubles"] == []
    add_task(service, "validate", "dead")
    assert service.client.get("/api/v1/status").json()["troubles"] == []
    service.clock.advance(5)
    assert len(service.client.get("/api/v1/status").json()["troubles"]) == 1


def test_orders_that_no_node_takes_are_a_hole() -> None:
    from server.telemetry.figures import Figures
    from server.telemetry.troubles import troubles

    nothing: dict[str, Any] = {"tasks": {}, "task_oldest_s": {}, "tasks_due": 0, "uploads": {}}
    figures = Figures(
        **nothing, posts={"dead": 2, "pending": 4}, post_oldest_s=301, commands={"dead": 1}, command_oldest_s=0,
        jobs={"queued": 3, "dead": 1, "quarantined": 1}, job_oldest_s=50, nodes=0,
    )  # fmt: skip
    assert {(trouble.code, trouble.count) for trouble in troubles(figures)} == {
        ("checks_dead", 2), ("checks_late", 4), ("commands_dead", 1), ("jobs_without_nodes", 3), ("jobs_given_up", 2),
    }  # fmt: skip


def test_a_service_that_was_told_to_stop_is_not_ready(service: Service) -> None:
    from server.startup import start

    with start(service.services):
        assert service.client.get("/ready").status_code == 200
        service.services.draining.set()
        refused = service.client.get("/ready")
        assert (refused.status_code, refused.json()["draining"]) == (503, True)
        assert service.client.get("/health").status_code == 200
        assert metrics(service)["byogpu_draining",] == 1
