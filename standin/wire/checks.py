"""Check runs, annotations and commit statuses."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from standin.records import Annotation, CheckRun, CommitStatus, Repository, State
from standin.wire.people import Addresses, Json, moment, node_id, simple_user
from standin.wire.repositories import minimal_repository


def check_run(run: CheckRun, state: State, at: Addresses, *, app: Json) -> Json:
    """Return GitHub's ``check-run``.

    Args:
        run: The run.
        state: For its repository and pull requests.
        at: Roots of addresses.
        app: Our App; another App's run shows that App's id.
    """
    repository = state.repositories[run.repository_id]
    api = f"{at.api}/repos/{repository.full_name}/check-runs/{run.id}"
    page = f"{at.web}/{repository.full_name}/runs/{run.id}"
    return {
        "id": run.id,
        "node_id": node_id("CheckRun", run.id),
        "head_sha": run.head_sha,
        "name": run.name,
        "external_id": run.external_id,
        "url": api,
        "html_url": page,
        "details_url": run.details_url or page,
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": moment(run.started_at) if run.started_at else None,
        "completed_at": moment(run.completed_at) if run.completed_at else None,
        "output": {
            "title": run.title,
            "summary": run.summary,
            "text": run.text,
            "annotations_count": len(run.annotations),
            "annotations_url": f"{api}/annotations",
        },
        "check_suite": {"id": int(run.head_sha[:7], 16)},
        "app": app | {"id": run.app_id},
        "pull_requests": _pulls(run, state, at),
    }


def annotation(one: Annotation, run: CheckRun, repository: Repository, at: Addresses) -> Json:
    """Return GitHub's ``check-annotation``."""
    shown: Json = one.model_dump()
    return shown | {
        "blob_href": f"{at.web}/{repository.full_name}/blob/{run.head_sha}/{quote(one.path)}",
    }


def status(one: CommitStatus, state: State, at: Addresses) -> Json:
    """Return GitHub's ``status``."""
    return _simple_status(one, state, at) | {"creator": simple_user(state.users[one.creator], at)}


def combined_status(
    statuses: Sequence[CommitStatus], sha: str, repository: Repository, state: State, at: Addresses
) -> Json:
    """Return GitHub's ``combined-commit-status`` of the newest status in each context.

    Args:
        statuses: All statuses of the commit, newest first.
        sha: The commit.
        repository: Where.
        state: For users.
        at: Roots of addresses.
    """
    newest: dict[str, CommitStatus] = {}
    for one in statuses:
        newest.setdefault(one.context, one)
    states = {one.state for one in newest.values()}
    if states & {"error", "failure"}:
        combined = "failure"
    elif states == {"success"}:
        combined = "success"
    else:
        combined = "pending"
    api = f"{at.api}/repos/{repository.full_name}/commits/{sha}"
    return {
        "state": combined,
        "sha": sha,
        "total_count": len(newest),
        "statuses": [_simple_status(one, state, at) for one in newest.values()],
        "repository": minimal_repository(repository, state.users[repository.owner], at),
        "commit_url": api,
        "url": f"{api}/status",
    }


def _simple_status(one: CommitStatus, state: State, at: Addresses) -> Json:
    full_name = state.repositories[one.repository_id].full_name
    return {
        "id": one.id,
        "node_id": node_id("Status", one.id),
        "url": f"{at.api}/repos/{full_name}/statuses/{one.sha}",
        "avatar_url": f"{at.web}/avatars/{state.users[one.creator].id}",
        "state": one.state,
        "context": one.context,
        "description": one.description,
        "target_url": one.target_url,
        "created_at": moment(one.created_at),
        "updated_at": moment(one.created_at),
    }


def _pulls(run: CheckRun, state: State, at: Addresses) -> list[Json]:
    """Return the open pull requests with this head; from a fork GitHub names none."""
    found = []
    for pull in state.pulls.values():
        same_place = pull.repository_id == pull.head_repository_id == run.repository_id
        if same_place and pull.head_sha == run.head_sha and pull.state == "open":
            full_name = state.repositories[pull.repository_id].full_name
            where = {"id": pull.repository_id, "url": f"{at.api}/repos/{full_name}", "name": full_name.split("/")[1]}
            found.append(
                {
                    "id": pull.id,
                    "number": pull.number,
                    "url": f"{at.api}/repos/{full_name}/pulls/{pull.number}",
                    "head": {"ref": pull.head_ref, "sha": pull.head_sha, "repo": where},
                    "base": {"ref": pull.base_ref, "sha": pull.base_sha, "repo": where},
                }
            )
    return found
