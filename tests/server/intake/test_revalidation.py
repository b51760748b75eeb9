"""Bundles judged again after rules or limits changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import update

from judge.assess import edition
from server.intake import revalidation
from server.models import AssessmentRow, Bundle, Task
from server.startup import ask_for_outdated
from worker.bundle import Bundle as Written

if TYPE_CHECKING:
    from tests.conftest import Service


@pytest.fixture
def service(make_service: Callable[..., Service], database_url: str) -> Service:
    """A service, once on each database."""
    return make_service(database_url=database_url)


@pytest.fixture
def bundle(service: Service, make_bundle: Callable[..., Written]) -> Written:
    made = make_bundle()
    service.upload(made)
    return made


def age(service: Service, bundle: Written, change: Callable[[dict[str, Any]], object] | None = None) -> None:
    """Leave the assessment as another release had left it."""
    (row,) = [row for row in service.rows("assessment") if row["bundle_id"] == bundle.id]
    record = json.loads(row["record"])
    if change is not None:
        change(record)
    with service.services.database.write() as session:
        session.execute(
            update(AssessmentRow)
            .where(AssessmentRow.bundle_id == bundle.id)
            .values(edition="0" * 64, record=json.dumps(record))
        )


def ask(service: Service) -> int:
    answer = service.client.post("/api/v1/revalidations", headers=service.admin)
    assert answer.status_code == 202, answer.text
    service.work()
    outdated: int = answer.json()["outdated"]
    return outdated


def log(service: Service) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = service.client.get("/api/v1/revalidations").json()["items"]
    return items


def test_what_is_up_to_date_is_left_alone(service: Service, bundle: Written) -> None:
    assert ask(service) == 0
    assert log(service) == []
    assert [row["edition"] for row in service.rows("assessment")] == [edition()]
    ask_for_outdated(service.services)
    assert [row["state"] for row in service.rows("task")] == ["done"] * len(service.rows("task"))


def test_the_difference_is_logged_without_the_findings_words(service: Service, bundle: Written) -> None:
    def older(record: dict[str, Any]) -> None:
        first, *others = record["findings"]
        words = {"rule_id": "B-999", "detail": "quotes the bundle", "where": "somewhere"}
        record["findings"] = [*others, {**first, **words}]
        record["thresholds_version"] = 1
        record["a_field_of_old"] = 1

    kept = service.client.get(f"/api/v1/bundles/{bundle.id}").json()["assessment"]
    age(service, bundle, older)
    assert service.client.get(f"/api/v1/bundles/{bundle.id}").json()["assessment"] is None, "another shape"
    assert ask(service) == 1
    (entry,) = log(service)
    assert (entry["bundle_id"], entry["changed"]) == (bundle.id, True)
    assert (entry["edition_before"], entry["edition_after"]) == ("0" * 64, edition())
    found = entry["difference"]
    assert [one["rule_id"] for one in found["appeared"]] == [kept["findings"][0]["rule_id"]]
    assert [one["rule_id"] for one in found["gone"]] == ["B-999"]
    assert "quotes the bundle" not in json.dumps(entry)
    assert service.client.get(f"/api/v1/bundles/{bundle.id}").json()["assessment"] == kept
    assert service.rows("audit")[-1]["action"] == "bundle.revalidated"
    assert ask(service) == 0
    assert len(log(service)) == 1


def test_a_new_version_that_finds_the_same_changes_nothing(service: Service, bundle: Written) -> None:
    age(service, bundle, lambda record: [one.update(rule_version=77) for one in record["findings"]])
    ask(service)
    (entry,) = log(service)
    assert entry["changed"] is False
    assert (entry["difference"]["appeared"], entry["difference"]["gone"]) == ([], [])


def test_validity_follows_the_new_rules_both_ways(service: Service, bundle: Written) -> None:
    age(service, bundle, lambda record: record.update(validity="invalid"))
    with service.services.database.write() as session:
        session.execute(update(Bundle).where(Bundle.id == bundle.id).values(validation_state="invalid"))
    ask(service)
    (entry,) = log(service)
    assert (entry["difference"]["validity_before"], entry["difference"]["validity_after"]) == ("invalid", "valid")
    assert service.client.get(f"/api/v1/bundles/{bundle.id}").json()["bundle"]["validation_state"] == "valid"


def test_a_record_that_cannot_be_read_is_replaced_and_logged(service: Service, bundle: Written) -> None:
    age(service, bundle, lambda record: record.clear())
    assert ask(service) == 1
    (entry,) = log(service)
    assert (entry["difference"], entry["changed"]) == (None, True)
    assert service.client.get(f"/api/v1/bundles/{bundle.id}").json()["assessment"] is not None


def test_a_start_asks_for_outdated_bundles(service: Service, bundle: Written) -> None:
    age(service, bundle)
    ask_for_outdated(service.services)
    service.work()
    assert len(log(service)) == 1


def test_a_retracted_bundle_is_not_judged_again(service: Service, bundle: Written) -> None:
    age(service, bundle)
    url = f"/api/v1/bundles/{bundle.id}/retract"
    assert service.client.post(url, json={"reason": "gone"}, headers=service.admin).status_code == 200
    assert ask(service) == 0
    revalidation.revalidate(service.services, bundle.id)
    assert log(service) == []


def test_a_lost_blob_changes_no_verdict(service: Service, bundle: Written) -> None:
    before = service.client.get(f"/api/v1/bundles/{bundle.id}").json()
    age(service, bundle)
    for entry in bundle.manifest.files:
        service.services.store.delete(entry.sha256)
    ask(service)
    with service.services.database.read() as session:
        (task,) = session.query(Task).filter(Task.kind == "revalidate")
        assert (task.state, "lost blob" in task.detail) == ("queued", True)
    assert service.client.get(f"/api/v1/bundles/{bundle.id}").json() == before
    assert log(service) == []


def test_the_log_is_paged_newest_first_and_the_request_is_the_operators(
    service: Service, make_bundle: Callable[..., Written]
) -> None:
    bundles = [make_bundle(rows=rows) for rows in (1, 2, 3)]
    for one in bundles:
        service.upload(one)
        age(service, one)
    assert ask(service) == 3
    assert [row["action"] for row in service.rows("audit")].count("revalidation.asked") == 1
    first = service.client.get("/api/v1/revalidations?limit=2").json()
    second = service.client.get(f"/api/v1/revalidations?limit=2&cursor={first['next_cursor']}").json()
    assert [one["id"] for one in first["items"] + second["items"]] == [3, 2, 1]
    assert second["next_cursor"] is None
    assert service.client.post("/api/v1/revalidations").json()["code"] == "unauthorized"
    bad = service.client.get("/api/v1/revalidations?cursor=WzEsICJ4Il0")
    assert bad.json()["code"] == "cursor_invalid"
