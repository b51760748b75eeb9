"""Every operation of our client, against the stand-in, through GitHub's own description."""

from __future__ import annotations

import pytest

from server.github import (
    Answer,
    AppCredentials,
    CheckAction,
    CheckAnnotation,
    GitHubClient,
    GitHubPermanentError,
    GitHubSettings,
)
from standin.acts import Edit, NewComment, NewPull, NewRepository
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


def answer(pull, repository, asked):
    return Answer(
        repository=repository, repository_id=pull.repository_id, pull_number=pull.number, key="answer:7",
        asked_at=asked.created_at, comment_id=asked.id, reaction="rocket", body="Here you are.",
    )  # fmt: skip


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


def test_an_answer_is_a_reaction_and_one_comment_however_often_it_is_given(app_client, contract, pull, repository):
    asked = contract.forge.comment(NewComment(repository=repository, number=pull.number, author="kim", body="/byogpu"))
    wanted = answer(pull, repository, asked)
    first = app_client.answer(wanted)
    assert app_client.answer(wanted) == first
    assert [one.body for one in comments(contract, pull)] == ["/byogpu", "<!-- byogpu:answer:7 -->\nHere you are."]
    with contract.forge.store.reading() as state:
        given = [one.content for one in state.reactions.values() if one.comment_id == asked.id]
    assert given == ["rocket"]
    other = wanted.model_copy(update={"key": "answer:8", "body": ""})
    assert app_client.answer(other).endswith(f"/{repository}/pull/{pull.number}")
    assert len(comments(contract, pull)) == 2


def test_an_answer_to_a_comment_that_is_gone_is_given_all_the_same(app_client, contract, pull, repository):
    asked = contract.forge.comment(NewComment(repository=repository, number=pull.number, author="kim", body="/byogpu"))
    with contract.forge.store.changing() as state:
        del state.comments[asked.id]
    app_client.answer(answer(pull, repository, asked))
    assert [one.author for one in comments(contract, pull)] == ["byogpu[bot]"]


def test_our_mark_in_a_strangers_comment_is_no_answer(app_client, contract, pull, repository):
    body = "<!-- byogpu:answer:7 -->\nDenied!"
    asked = contract.forge.comment(NewComment(repository=repository, number=pull.number, author="eve", body=body))
    app_client.answer(answer(pull, repository, asked))
    assert [one.author for one in comments(contract, pull)] == ["eve", "byogpu[bot]"]


def test_an_answer_for_another_repository_is_refused(app_client, contract, pull, repository):
    asked = contract.forge.comment(NewComment(repository=repository, number=pull.number, author="kim", body="/byogpu"))
    with pytest.raises(GitHubPermanentError) as refused:
        app_client.answer(answer(pull, repository, asked).model_copy(update={"repository_id": 5}))
    assert refused.value.code == "github_wrong_repository"


def test_what_the_limit_says_is_kept(app_client, contract, pull, repository):
    assert app_client.rate() is None
    app_client.fetch_pull(repository, pull.number)
    rate = app_client.rate()
    assert (rate.limit, 0 < rate.remaining < rate.limit) == (5000, True)


def test_an_app_covers_what_it_is_installed_on(app_client, token_client, contract, pull, repository):
    assert app_client.covers(repository)
    assert token_client.covers(repository)
    contract.forge.withdraw(repository)
    assert not app_client.covers(repository)
    contract.forge.install(repository)
    contract.forge.suspend(repository)
    assert not app_client.covers(repository)
    contract.forge.suspend(repository, lift=True)
    assert app_client.covers(repository)
    assert not app_client.covers("octo/never-heard-of")


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
