from __future__ import annotations

import pytest

from standin.acts import Push

OUTPUT = {"title": "t", "summary": "s"}
REMARK = {"path": "a.py", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}


@pytest.fixture
def runs(http, pull, install_headers):
    """Create, change and list check runs."""

    class Runs:
        head = pull.head_sha

        def create(self, **body):
            wanted = {"name": "byogpu", "head_sha": pull.head_sha} | body
            return http.post("/repos/octo/hello/check-runs", headers=install_headers, json=wanted)

        def change(self, number, **body):
            return http.patch(f"/repos/octo/hello/check-runs/{number}", headers=install_headers, json=body)

        def get(self, number, tail="", **query):
            path = f"/repos/octo/hello/check-runs/{number}{tail}"
            return http.get(path, headers=install_headers, params=query)

        def listed(self, **query):
            path = f"/repos/octo/hello/commits/{pull.head_sha}/check-runs"
            return http.get(path, headers=install_headers, params=query).json()

    return Runs()


def test_a_new_run_is_queued(runs):
    made = runs.create().json()
    assert (made["status"], made["conclusion"], made["started_at"], made["completed_at"]) == (
        "queued",
        None,
        None,
        None,
    )


def test_a_conclusion_completes_a_run_and_another_status_takes_it_away(runs, clock):
    number = runs.create(status="in_progress").json()["id"]
    clock.forward(minutes=1)
    done = runs.change(number, conclusion="success").json()
    assert (done["status"], done["conclusion"]) == ("completed", "success")
    assert (done["started_at"], done["completed_at"]) == ("2030-01-01T00:00:00Z", "2030-01-01T00:01:00Z")
    again = runs.change(number, status="in_progress").json()
    assert (again["status"], again["conclusion"], again["completed_at"]) == ("in_progress", None, None)


def test_annotations_are_added_never_replaced(runs):
    number = runs.create(output=OUTPUT | {"annotations": [REMARK] * 50}).json()["id"]
    changed = runs.change(number, output=OUTPUT | {"annotations": [REMARK | {"message": "last"}]}).json()
    assert changed["output"]["annotations_count"] == 51
    last = runs.get(number, "/annotations", per_page=50, page=2)
    assert [one["message"] for one in last.json()] == ["last"]
    assert 'rel="prev"' in last.headers["link"]
    assert 'rel="next"' not in last.headers["link"]


def test_of_each_name_the_latest_is_listed_or_all(runs):
    numbers = [runs.create(name=name).json()["id"] for name in ("a", "a", "b")]
    assert [run["id"] for run in runs.listed()["check_runs"]] == [numbers[2], numbers[1]]
    assert [run["id"] for run in runs.listed(filter="all")["check_runs"]] == numbers[::-1]
    assert runs.listed(filter="all", check_name="a")["total_count"] == 2
    assert runs.listed(status="completed") == {"total_count": 0, "check_runs": []}


def test_a_push_leaves_checks_on_their_commit(runs, forge, http, install_headers):
    runs.create()
    head = forge.push(Push(repository="octo/hello", number=1, files={"a.py": "2\n"})).head_sha
    there = http.get(f"/repos/octo/hello/commits/{head}/check-runs", headers=install_headers).json()
    assert (runs.listed()["total_count"], there["total_count"]) == (1, 0)


@pytest.mark.parametrize(
    "body",
    [
        {"head_sha": "0" * 40},
        {"name": ""},
        {"status": "completed"},
        {"status": "finished"},
        {"conclusion": "maybe"},
        {"output": {"title": "t"}},
        {"output": OUTPUT | {"summary": "s" * 65_536}},
        {"output": OUTPUT | {"text": "s" * 65_536}},
        {"output": OUTPUT | {"annotations": [REMARK] * 51}},
        {"output": OUTPUT | {"annotations": [REMARK | {"annotation_level": "fatal"}]}},
        {"actions": [{"label": "l", "description": "d", "identifier": "i"}] * 4},
    ],
)
def test_what_github_refuses_is_refused_and_leaves_nothing(runs, body):
    answer = runs.create(**body)
    assert answer.status_code == 422
    assert answer.json()["message"] == "Validation Failed"
    assert answer.json()["errors"]
    assert runs.listed()["total_count"] == 0


def test_a_body_that_is_not_json(http, pull, install_headers):
    headers = install_headers | {"Content-Type": "application/json"}
    answer = http.post("/repos/octo/hello/check-runs", headers=headers, content=b"{")
    assert (answer.status_code, answer.json()["message"]) == (400, "Problems parsing JSON")


@pytest.mark.parametrize(
    ("states", "combined"),
    [
        ({}, "pending"),
        ({"a": "success"}, "success"),
        ({"a": "success", "b": "pending"}, "pending"),
        ({"a": "failure", "b": "pending"}, "failure"),
        ({"a": "error", "b": "success"}, "failure"),
    ],
)
def test_statuses_combine_as_on_github(http, pull, states, combined):
    headers = {"Authorization": "Bearer writes"}
    for context, state in states.items():
        for posted in ("error", state):  # the later one of a context counts
            body = {"state": posted, "context": context}
            http.post(f"/repos/octo/hello/statuses/{pull.head_sha}", headers=headers, json=body)
    found = http.get(f"/repos/octo/hello/commits/{pull.head_sha}/status", headers=headers).json()
    assert (found["state"], found["total_count"]) == (combined, len(states))
    assert {one["context"]: one["state"] for one in found["statuses"]} == states


def test_a_description_too_long_for_a_status(http, pull):
    body = {"state": "success", "description": "d" * 141}
    headers = {"Authorization": "Bearer writes"}
    path = f"/repos/octo/hello/statuses/{pull.head_sha}"
    assert http.post(path, headers=headers, json=body).status_code == 422


@pytest.mark.parametrize(("token", "status"), [("writes", 200), ("reads", 403)])
def test_only_the_author_or_a_writer_edits_a_comment(http, pull, install_headers, token, status):
    made = http.post("/repos/octo/hello/issues/1/comments", headers=install_headers, json={"body": "one"}).json()
    path = f"/repos/octo/hello/issues/comments/{made['id']}"
    answer = http.patch(path, headers={"Authorization": f"Bearer {token}"}, json={"body": "two"})
    assert answer.status_code == status
    assert http.get(path, headers=install_headers).json()["body"] == ("two" if status == 200 else "one")


@pytest.mark.parametrize("body", ["", "b" * 65_537])
def test_a_comment_without_text_or_with_too_much(http, pull, install_headers, body):
    answer = http.post("/repos/octo/hello/issues/1/comments", headers=install_headers, json={"body": body})
    assert answer.status_code == 422
