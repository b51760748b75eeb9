"""Every call the stand-in answers, through GitHub's own description: requests and answers have GitHub's shapes."""

from __future__ import annotations

import json
import runpy
import time

import jwt
import pytest
from github import Auth, Github, GithubIntegration

from standin.acts import NewComment

REPO = "/repos/{owner}/{repo}"
OUTPUT = {"title": "t", "summary": "s", "text": "x"}
REMARK = {"path": "a.py", "start_line": 1, "end_line": 2, "annotation_level": "notice", "message": "m"}

# Operation → who calls it ("app", "installation" or "person") and the body it sends.
CALLS = {
    "GET /app": ("app", None),
    "GET /app/installations/{installation_id}": ("app", None),
    "POST /app/installations/{installation_id}/access_tokens": ("app", {"permissions": {"checks": "write"}}),
    "GET /rate_limit": ("installation", None),
    "GET /user": ("person", None),
    f"GET {REPO}": ("installation", None),
    f"POST {REPO}/check-runs": (
        "installation",
        {"name": "other", "head_sha": "{ref}", "status": "in_progress", "output": OUTPUT | {"annotations": [REMARK]}},
    ),
    f"GET {REPO}/check-runs/{{check_run_id}}": ("installation", None),
    f"PATCH {REPO}/check-runs/{{check_run_id}}": ("installation", {"conclusion": "success", "output": OUTPUT}),
    f"GET {REPO}/check-runs/{{check_run_id}}/annotations": ("installation", None),
    f"GET {REPO}/collaborators/{{username}}/permission": ("installation", None),
    f"GET {REPO}/commits/{{ref}}": ("installation", None),
    f"GET {REPO}/commits/{{ref}}/check-runs": ("installation", None),
    f"GET {REPO}/commits/{{ref}}/status": ("installation", None),
    f"GET {REPO}/contents/{{path}}": ("person", None),
    f"GET {REPO}/installation": ("app", None),
    f"GET {REPO}/issues/comments/{{comment_id}}": ("installation", None),
    f"PATCH {REPO}/issues/comments/{{comment_id}}": ("person", {"body": "edited"}),
    f"POST {REPO}/issues/comments/{{comment_id}}/reactions": ("installation", {"content": "rocket"}),
    f"GET {REPO}/issues/{{issue_number}}/comments": ("installation", None),
    f"POST {REPO}/issues/{{issue_number}}/comments": ("installation", {"body": "hello"}),
    f"GET {REPO}/pulls": ("installation", None),
    f"GET {REPO}/pulls/{{pull_number}}": ("installation", None),
    f"GET {REPO}/pulls/{{pull_number}}/commits": ("installation", None),
    f"GET {REPO}/pulls/{{pull_number}}/files": ("installation", None),
    f"POST {REPO}/statuses/{{sha}}": ("installation", {"state": "success", "context": "c", "description": "d"}),
}


@pytest.fixture
def app_token(contract):
    now = int(time.time())
    claims = {"iat": now - 60, "exp": now + 300, "iss": str(contract.forge.settings.app.app_id)}
    return jwt.encode(claims, contract.private_key_pem, algorithm="RS256")


@pytest.fixture
def place(contract, pull, repository, raw, app_token):
    """Values for every ``{name}`` in a path, and the token of each kind of caller."""
    owner, _, repo = repository.partition("/")
    as_app = {"Authorization": f"Bearer {app_token}"}
    installation_id = raw.get(f"/repos/{repository}/installation", headers=as_app).json()["id"]
    issued = raw.post(f"/app/installations/{installation_id}/access_tokens", headers=as_app, json={}).json()
    headers = {"Authorization": f"Bearer {issued['token']}"}
    run = {"name": "byogpu", "head_sha": pull.head_sha, "output": OUTPUT | {"annotations": [REMARK]}}
    check_run = raw.post(f"/repos/{repository}/check-runs", headers=headers, json=run).json()
    comment = contract.forge.comment(
        NewComment(repository=repository, number=pull.number, author="kim", body="/byogpu run")
    )
    names = {
        "owner": owner,
        "repo": repo,
        "installation_id": installation_id,
        "check_run_id": check_run["id"],
        "comment_id": comment.id,
        "issue_number": pull.number,
        "pull_number": pull.number,
        "ref": pull.head_sha,
        "sha": pull.head_sha,
        "path": "c.py",
        "username": "marta",
    }
    return names, {"app": app_token, "installation": issued["token"], "person": "maintainer"}


def described(description):
    paths = json.loads(description.read_text())["paths"]
    return {f"{method.upper()} {path}" for path, item in paths.items() for method in item if method != "parameters"}


@pytest.fixture(scope="module")
def description(request):
    return request.path.parent / "github.openapi.json"


def test_every_described_operation_is_called_below(description):
    assert set(CALLS) == described(description)


@pytest.mark.parametrize("operation", CALLS)
def test_request_and_answer_have_githubs_shape(operation, place, raw):
    names, tokens = place
    caller, body = CALLS[operation]
    method, _, path = operation.partition(" ")
    query = {"ref": names["ref"]} if path.endswith("/contents/{path}") else {}
    sent = None if body is None else json.loads(json.dumps(body).replace("{ref}", names["ref"]))
    headers = {"Authorization": f"Bearer {tokens[caller]}"}
    answer = raw.request(method, path.format(**names), params=query, json=sent, headers=headers)
    assert answer.status_code == (201 if method == "POST" else 200), answer.text
    assert "sl-violations" not in answer.headers


@pytest.mark.parametrize(
    ("method", "path", "token", "status"),
    [
        ("GET", "/repos/nobody/nothing", "maintainer", 404),
        ("GET", "/repos/{owner}/{repo}/pulls/99", "maintainer", 404),
        ("GET", "/user", "wrong", 401),
        ("GET", "/repos/{owner}/{repo}/collaborators/stranger/permission", "maintainer", 404),
        ("GET", "/repos/{owner}/{repo}/commits/0000000000", "maintainer", 422),
    ],
)
def test_refusals_have_githubs_shape(method, path, token, status, place, raw):
    answer = raw.request(method, path.format(**place[0]), headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == status, answer.text
    assert "sl-violations" not in answer.headers
    assert answer.json()["message"]


def test_pygithub_reads_what_the_client_does_not_ask_for(contract, pull, repository):
    quick = {"base_url": contract.url, "retry": None, "seconds_between_requests": None, "seconds_between_writes": None}
    app = Auth.AppAuth(contract.forge.settings.app.app_id, contract.private_key_pem)
    with GithubIntegration(auth=app, **quick) as integration:
        assert integration.get_app().slug == "byogpu"
        assert integration.get_repo_installation(*repository.split("/")).app_id == integration.get_app().id
    with Github(auth=Auth.Token("maintainer"), per_page=1, **quick) as github:
        there = github.get_repo(repository)
        request = there.get_pull(pull.number)
        files = {file.filename: (file.status, file.additions, file.deletions) for file in request.get_files()}
        assert files == {"a.py": ("modified", 1, 0), "b.py": ("removed", 0, 1), "c.py": ("added", 1, 0)}
        assert [commit.sha for commit in request.get_commits()] == [pull.head_sha]
        assert there.get_contents("a.py", ref=pull.head_sha).decoded_content == b"one\ntwo\n"
        assert there.get_commit(pull.head_sha).stats.total == 3
        assert github.get_user().login == "marta"
        assert github.get_rate_limit().rate.remaining > 0


def test_the_description_holds_what_the_script_keeps_and_no_address_of_github(description):
    script = runpy.run_path(str(description.with_name("slim.py")))
    kept = {f"{method.upper()} {path}" for path, methods in script["OPERATIONS"].items() for method in methods}
    assert described(description) == kept
    text = description.read_text()
    assert "https://api.github" not in text
    assert json.loads(text)["servers"] == [{"url": script["LOCAL_BASE"]}]
    assert "Octokit contributors" in description.with_name("github.openapi.LICENSE").read_text()
