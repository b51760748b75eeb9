"""Bodies of webhooks."""

from __future__ import annotations

from standin.records import CheckRun, Comment, Installation, Pull, Repository, State
from standin.settings import AppIdentity
from standin.store import installation_of
from standin.wire.checks import check_run
from standin.wire.people import Addresses, Json, installation, node_id, simple_user
from standin.wire.pulls import comment, full_pull, issue
from standin.wire.repositories import full_repository


def pull_event(state: State, pull: Pull, action: str, *, sender: str, at: Addresses) -> Json:
    """Return a ``pull_request`` event."""
    return _envelope(state, pull.repository_id, action, sender=sender, at=at) | {
        "number": pull.number,
        "pull_request": full_pull(pull, state, at),
    }


def comment_event(
    state: State, pull: Pull, one: Comment, action: str, *, sender: str, app: Json | None, at: Addresses
) -> Json:
    """Return an ``issue_comment`` event."""
    return _envelope(state, pull.repository_id, action, sender=sender, at=at) | {
        "issue": issue(pull, state, at),
        "comment": comment(one, state, at, app=app),
    }


def check_event(state: State, run: CheckRun, *, sender: str, identifier: str | None, app: Json, at: Addresses) -> Json:
    """Return ``check_run.rerequested``, or ``requested_action`` for the button with this identifier."""
    action = "rerequested" if identifier is None else "requested_action"
    event = _envelope(state, run.repository_id, action, sender=sender, at=at)
    event["check_run"] = check_run(run, state, at, app=app)
    if identifier is not None:
        event["requested_action"] = {"identifier": identifier}
    return event


def installation_event(state: State, one: Installation, app: AppIdentity, action: str, *, at: Addresses) -> Json:
    """Return an ``installation`` event."""
    account = state.users[one.account]
    repositories = [state.repositories[number] for number in one.repository_ids]
    return {
        "action": action,
        "installation": installation(one, app, account, at),
        "repositories": [_listed(repository) for repository in repositories],
        "sender": simple_user(account, at),
    }


def repositories_event(
    state: State, one: Installation, repository: Repository, app: AppIdentity, action: str, *, at: Addresses
) -> Json:
    """Return an ``installation_repositories`` event about one repository."""
    account = state.users[one.account]
    return {
        "action": action,
        "installation": installation(one, app, account, at),
        "repository_selection": "selected",
        "repositories_added": [_listed(repository)] if action == "added" else [],
        "repositories_removed": [_listed(repository)] if action == "removed" else [],
        "requester": None,
        "sender": simple_user(account, at),
    }


def _listed(repository: Repository) -> Json:
    return {
        "id": repository.id,
        "node_id": node_id("Repository", repository.id),
        "name": repository.name,
        "full_name": repository.full_name,
        "private": False,
    }


def _envelope(state: State, repository_id: int, action: str, *, sender: str, at: Addresses) -> Json:
    """Return what every event about a repository carries."""
    repository = state.repositories[repository_id]
    event: Json = {
        "action": action,
        "repository": full_repository(repository, state.users[repository.owner], at),
        "sender": simple_user(state.users[sender], at),
    }
    covering = installation_of(state, repository)
    if covering is not None:
        event["installation"] = {"id": covering.id, "node_id": node_id("Installation", covering.id)}
    return event
