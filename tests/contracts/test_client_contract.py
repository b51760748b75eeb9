"""Every operation of our client, against the stand-in, through GitHub's own description."""

from __future__ import annotations

import pytest

from server.github import (
    AppCredentials,
    CheckAction,
    CheckAnnotation,
    GitHubClient,
    GitHubPermanentError,
    GitHubSettings,
)
from standin.acts import Edit, NewPull, NewRepository
from standin.records import DEFAULT_PERMISSIONS

ROLES = {
    "octo": "admin", "mina": "maintain", "marta": "write", "tom": "triage", "rita": "read", "nobody-known": "none",
    "../../user": "none",
}  # fmt: skip


def annotations(count):
    return tuple(
        CheckAnnotation(
            path="a.py", start_line=n + 1, end_line=n + 1, level="warning", title=f"rule {n}", message=f"finding {n}"
        )
        for n in range(count)
    )


def runs(contract, pull):
    with contract.forge.store.reading() as state:
        return [run for run in state.check_runs.values() if run.repository_id == pull.repository_id]


def comments(contract, pull):
    with contract.forge.store.reading() as state:
        return [one for one in state.comments.values() if one.repository_id == pull.repository_id]


def test_a_pull_request_is_read_as_it_is(app_client, contract, pull, repository):
    found = app_client.fetch_pull(repository, pull.number)
    assert (found.repository_id, found.repository, found.number) == (pull.repository_id, repository, pull.number)
    assert (found.title, found.body, found.author, found.state) == ("Decode faster", "A claim", "kim", "open")
    assert (found.head_sha, found.base_sha) == (pull.head_sha, pull.base_sha)
    assert (found.merged, found.draft, found.head_repository_id) == (False, False, pull.repository_id)
    contract.forge.edit(Edit(repository=repository, number=pull.number, body="", state="closed", merged=True))
    merged = app_client.fetch_pull(repository, pull.number)
    assert (merged.state, merged.merged, merged.body) == ("closed", True, "")


def test_a_pull_request_from_a_fork_names_the_fork_by_its_id(app_client, contract, repository):
    fork = f"kim/{repository.partition('/')[2]}"
    forked = contract.forge.open_pull(NewPull(repository=repository, title="t", author="kim", head_repository=fork))
    found = app_client.fetch_pull(repository, forked.number)
    assert found.repository_id == forked.repository_id
    assert found.head_repository_id == forked.head_repository_id != forked.repository_id


def test_only_open_pull_requests_are_listed(app_client, contract, pull, repository):
    contract.forge.open_pull(NewPull(repository=repository, title="second", author="kim", files={"a": "1"}))
    contract.forge.edit(Edit(repository=repository, number=pull.number, state="closed"))
    assert [one.title for one in app_client.fetch_open_pulls(repository)] == ["second"]


@pytest.mark.parametrize("login", ROLES)
def test_permission_is_what_the_repository_says_now(app_client, contract, pull, repository, login):
    contract.forge.create_repository(
        NewRepository(repository=repository, collaborators={"mina": "maintain", "tom": "triage", "rita": "read"})
    )
    assert app_client.permission(repository, login) == ROLES[login]


def test_an_organisations_own_role_counts_as_what_it_builds_upon(app_client, contract, pull, repository):
    contract.forge.create_repository(NewRepository(repository=repository, collaborators={"sam": "write"}))
    with contract.forge.store.changing() as state:
        state.repositories[pull.repository_id].role_names["sam"] = "release-captain"
    assert app_client.permission(repository, "sam") == "write"


def test_a_check_goes_from_queued_to_done_in_one_run(app_client, contract, pull, payload):
    queued = payload.model_copy(update={"status": "queued", "conclusion": None, "title": "Waiting"})
    running = queued.model_copy(update={"status": "in_progress", "title": "Running"})
    button = CheckAction(label="Run standard", description="Ask for the standard suite", identifier="run-standard")
    done = payload.model_copy(update={"actions": (button,)})
    published = [app_client.publish(one) for one in (queued, running, done, done)]
    assert {(one.kind, one.id) for one in published} == {("check_run", published[0].id)}
    [run] = runs(contract, pull)
    assert (run.status, run.conclusion, run.title, run.text) == ("completed", "neutral", "No evidence yet", "More.")
    assert [action.identifier for action in run.actions] == ["run-standard"]
    assert published[0].url == f"{contract.direct_url}/{payload.repository}/runs/{run.id}"


def test_more_than_fifty_annotations_arrive_once_each(app_client, contract, pull, payload):
    many = payload.model_copy(update={"annotations": annotations(120)})
    assert app_client.publish(many) == app_client.publish(many)
    [run] = runs(contract, pull)
    assert [one.message for one in run.annotations] == [f"finding {n}" for n in range(120)]


def test_a_personal_token_posts_a_status_and_one_comment(token_client, contract, pull, payload):
    first = token_client.publish(payload.model_copy(update={"status": "in_progress", "conclusion": None}))
    final = payload.model_copy(update={"annotations": annotations(30)})
    last = token_client.publish(final)
    assert token_client.publish(final) == last
    assert (first.kind, first.url) == ("status", last.url)
    with contract.forge.store.reading() as state:
        posted = [one for one in state.statuses.values() if one.sha == pull.head_sha]
    assert [one.state for one in posted if one.repository_id == pull.repository_id] == ["pending"]
    [comment] = comments(contract, pull)
    assert comment.author == "marta"
    assert "**neutral**" in comment.body
    assert "finding 19" in comment.body
    assert "10 more in the details" in comment.body


def test_an_app_without_the_checks_permission_falls_back(app_client, contract, pull, payload):
    without = {name: access for name, access in DEFAULT_PERMISSIONS.items() if name != "checks"}
    contract.forge.install(payload.repository, permissions=without)
    try:
        published = app_client.publish(payload)
    finally:
        contract.forge.install(payload.repository)
    assert published.kind == "status"
    assert [one.author for one in comments(contract, pull)] == ["byogpu[bot]"]


def test_a_comment_is_written_once_and_edited_in_place(app_client, contract, pull, repository):
    key = {"repository_id": pull.repository_id, "key": "stale"}
    first = app_client.upsert_comment(repository, pull.number, body="one", **key)
    again = app_client.upsert_comment(repository, pull.number, body="two", **key)
    assert first == again
    assert [one.body for one in comments(contract, pull)] == ["<!-- byogpu:stale -->\ntwo"]


def test_a_name_that_now_means_another_repository_is_refused(app_client, contract, pull, payload):
    with pytest.raises(GitHubPermanentError) as refused:
        app_client.publish(payload.model_copy(update={"repository_id": pull.repository_id + 1}))
    assert refused.value.code == "github_wrong_repository"
    assert runs(contract, pull) == []


def test_a_head_that_is_not_in_the_repository_is_refused(app_client, contract, pull, payload):
    with pytest.raises(GitHubPermanentError) as refused:
        app_client.publish(payload.model_copy(update={"head_sha": "0" * 40}))
    assert refused.value.code == "github_refused"


@pytest.mark.parametrize("app_id", [1, 78])
def test_another_apps_id_is_not_accepted(contract, pull, repository, app_id):
    credentials = AppCredentials(app_id=app_id, private_key_pem=contract.private_key_pem)
    with (
        GitHubClient(GitHubSettings(credentials=credentials, base_url=contract.url)) as client,
        pytest.raises(GitHubPermanentError) as refused,
    ):
        client.fetch_pull(repository, pull.number)
    assert refused.value.code == "github_bad_credentials"
