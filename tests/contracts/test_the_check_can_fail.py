"""A contract check that cannot fail proves nothing: here it must."""

from __future__ import annotations

import httpx
from fastapi import FastAPI

from standin import free_port
from standin.serving import served


def test_a_wrong_request_stops_at_prism(contract, pull, repository, raw):
    answer = raw.post(f"/repos/{repository}/check-runs", json={"name": "byogpu", "head_sha": 5, "status": "finished"})
    assert answer.status_code == 422
    assert {tuple(one["location"]) for one in answer.json()["validation"]} >= {("body", "head_sha"), ("body", "status")}
    with contract.forge.store.reading() as state:
        assert all(run.repository_id != pull.repository_id for run in state.check_runs.values())


def test_a_wrong_answer_becomes_an_error(start_prism):
    wrong = FastAPI()
    wrong.get("/repos/{owner}/{repo}")(lambda owner, repo: {"id": "seven", "full_name": f"{owner}/{repo}"})
    wrong.get("/rate_limit")(lambda: {"rate": {"limit": 1, "remaining": 1, "reset": 1}, "resources": {}})
    port = free_port()
    with served(wrong, port=port):
        proxy = start_prism(free_port(), f"http://127.0.0.1:{port}")
        answers = [httpx.get(proxy + path, trust_env=False) for path in ("/repos/octo/hello", "/rate_limit")]
    assert [answer.status_code for answer in answers] == [500, 500]
    assert all(answer.json()["type"].endswith("#VIOLATIONS") for answer in answers)
    assert "must be integer" in answers[0].text
    assert "used" in answers[1].text
