from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import httpx
import pytest

from standin import Forge, free_port
from standin.__main__ import parse
from standin.acts import Edit, NewComment, NewPull, Push
from standin.errors import ApiError


def test_everything_survives_a_restart(settings, reopen, tmp_path):
    file = tmp_path / "deep" / "state.json"
    with reopen(state_file=file) as before:
        forge = before.app.state.forge
        opened = forge.open_pull(NewPull(repository="octo/hello", title="T", author="kim", files={"a": "1\n"}))
        forge.comment(NewComment(repository="octo/hello", number=1, author="eve", body="hello"))
    with reopen(state_file=file) as after:
        forge = after.app.state.forge
        with forge.store.reading() as state:
            assert state.pulls[opened.id] == opened
            assert [comment.body for comment in state.comments.values()] == ["hello"]
        second = forge.open_pull(NewPull(repository="octo/hello", title="U", author="kim"))
    assert second.number == 2
    assert second.id > opened.id
    assert os.listdir(file.parent) == ["state.json"]


def test_a_refused_act_changes_nothing_on_disk(settings, reopen, tmp_path):
    file = tmp_path / "state.json"
    with reopen(state_file=file) as http:
        forge = http.app.state.forge
        before = file.read_bytes()
        with pytest.raises(ApiError):
            forge.push(Push(repository="octo/none", number=1))
    assert file.read_bytes() == before


def test_shas_can_be_given_and_are_otherwise_made_from_content(settings):
    forge = Forge(settings)
    given = NewPull(repository="o/r", title="t", author="k", head_sha="a" * 40, base_sha="b" * 40)
    assert forge.open_pull(given).head_sha == "a" * 40
    made = [forge.open_pull(NewPull(repository="o/r", title="t", author="k", files={"a": text})) for text in "112"]
    assert made[0].head_sha == made[1].head_sha != made[2].head_sha


@pytest.mark.parametrize("reference", ["change", "head", "short"])
def test_a_commit_is_found_by_branch_and_by_sha(http, pull, reference):
    wanted = {"head": pull.head_sha, "short": pull.head_sha[:8]}.get(reference, reference)
    answer = http.get(f"/repos/octo/hello/commits/{wanted}", headers={"Authorization": "Bearer writes"})
    assert answer.json()["sha"] == pull.head_sha


def test_one_file_of_a_commit(http, pull):
    headers = {"Authorization": "Bearer writes"}
    found = http.get("/repos/octo/hello/contents/a.py", headers=headers, params={"ref": "change"})
    assert found.json()["size"] == 4
    assert http.get("/repos/octo/hello/contents/a.py", headers=headers).status_code == 404  # not yet on main


def test_files_follow_pushes(http, forge, pull):
    forge.push(Push(repository="octo/hello", number=1, files={"a.py": None, "b.py": "1\n2\n"}))
    headers = {"Authorization": "Bearer writes"}
    files = http.get("/repos/octo/hello/pulls/1/files", headers=headers).json()
    assert [(file["filename"], file["status"], file["additions"]) for file in files] == [("b.py", "added", 2)]
    assert len(http.get("/repos/octo/hello/pulls/1/commits", headers=headers).json()) == 2


@pytest.mark.parametrize(("query", "numbers"), [({}, [2]), ({"state": "closed"}, [1]), ({"state": "all"}, [2, 1])])
def test_pull_requests_are_listed_by_state(http, forge, pull, query, numbers):
    forge.open_pull(NewPull(repository="octo/hello", title="second", author="kim"))
    forge.edit(Edit(repository="octo/hello", number=1, state="closed"))
    found = http.get("/repos/octo/hello/pulls", headers={"Authorization": "Bearer writes"}, params=query)
    assert [one["number"] for one in found.json()] == numbers


def test_the_rate_limit_counts_calls(http, pull):
    headers = {"Authorization": "Bearer writes"}
    first = http.get("/rate_limit", headers=headers).json()["rate"]
    http.get("/user", headers=headers)
    second = http.get("/rate_limit", headers=headers).json()["rate"]
    assert (second["used"] - first["used"], first["remaining"] - second["remaining"]) == (2, 2)


def test_people_act_over_http_too(http):
    opened = http.post("/_standin/pulls", json={"repository": "o/r", "title": "t", "author": "k", "files": {"a": "1"}})
    assert (opened.status_code, opened.json()["number"]) == (201, 1)
    pushed = http.post("/_standin/push", json={"repository": "o/r", "number": 1, "files": {"a": "2"}})
    assert pushed.json()["head_sha"] != opened.json()["head_sha"]
    comment = {"repository": "o/r", "number": 1, "author": "k", "body": "b"}
    assert http.post("/_standin/comment", json=comment).status_code == 201
    closed = http.post("/_standin/edit", json={"repository": "o/r", "number": 1, "state": "closed"})
    assert closed.json()["state"] == "closed"
    assert http.post("/_standin/pulls", json={"repository": "o/..", "title": "t", "author": "k"}).status_code == 422
    assert http.post("/_standin/press", json={"check_run_id": 1, "author": "k"}).status_code == 404
    assert http.get("/_standin/deliveries").json() == []


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "server_error", "status": 500},
        {"kind": "unavailable", "status": 503, "retry_after_s": 4},
        {"kind": "too_many_requests", "status": 429, "retry_after_s": 4},
        {"kind": "secondary_limit", "status": 403},
        {"kind": "primary_limit", "status": 403},
        {"kind": "lost_answer", "status": 502},
    ],
    ids=lambda fault: fault["kind"],
)
def test_faults_hit_the_calls_they_name_as_often_as_they_say(http, pull, fault):
    status = fault.pop("status")
    planned = {"faults": [fault | {"times": 2, "method": "GET", "path_contains": "/pulls"}]}
    assert http.post("/_standin/faults", json=planned).status_code == 204
    headers = {"Authorization": "Bearer writes"}
    assert http.get("/repos/octo/hello", headers=headers).status_code == 200
    answers = [http.get("/repos/octo/hello/pulls", headers=headers) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [status, status, 200]
    assert answers[0].headers.get("retry-after") == (str(fault["retry_after_s"]) if "retry_after_s" in fault else None)
    assert http.get("/octo/hello/pull/1").status_code == 200


def test_faults_can_be_taken_back(http, pull):
    http.post("/_standin/faults", json={"faults": [{"kind": "server_error", "times": 100}]})
    http.post("/_standin/faults", json={"clear": True})
    assert http.get("/user", headers={"Authorization": "Bearer writes"}).status_code == 200


def test_the_command_line_becomes_settings(tmp_path):
    (tmp_path / "key").write_text("PEM")
    (tmp_path / "secret").write_text("s3cret\n")
    given = ["--port", "8700", "--app-id", "5", "--app-public-key", str(tmp_path / "key"), "--token", "kim:a:b"]
    given += ["--webhook-url", "http://x/hook", "--webhook-secret-file", str(tmp_path / "secret")]
    settings, port = parse(given)
    assert (port, settings.api_url, settings.web_url) == (8700, "http://127.0.0.1:8700", "http://127.0.0.1:8700")
    assert (settings.app.app_id, settings.app.public_key_pem) == (5, "PEM")
    assert settings.tokens == {"a:b": "kim"}
    assert (settings.webhook.url, settings.webhook.secret) == ("http://x/hook", "s3cret")


@pytest.mark.parametrize("given", [["--webhook-url", "http://x"], ["--token", "nocolon"]])
def test_a_command_line_that_makes_no_sense(given, capsys):
    with pytest.raises(SystemExit) as stopped:
        parse(["--port", "1", *given])
    assert stopped.value.code == 2
    assert "error" in capsys.readouterr().err


def test_the_command_serves_and_keeps_its_state(tmp_path):
    file, port = tmp_path / "state.json", free_port()
    command = [sys.executable, "-m", "standin", "--port", str(port), "--state", str(file), "--token", "kim:t"]
    for opened in (1, 2):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _wait_for(port, process)
            body = {"repository": "kim/r", "title": "t", "author": "kim"}
            answer = httpx.post(f"http://127.0.0.1:{port}/_standin/pulls", json=body, trust_env=False)
            assert answer.json()["number"] == opened
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=20)
    assert len(json.loads(file.read_text())["pulls"]) == 2


def _wait_for(port, process):
    limit = time.monotonic() + 60
    while True:
        try:
            httpx.get(f"http://127.0.0.1:{port}/", trust_env=False)
        except httpx.TransportError:
            assert process.poll() is None
            assert time.monotonic() < limit
            time.sleep(0.05)
        else:
            return
