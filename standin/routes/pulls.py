"""Repositories, pull requests, commits, contents, roles."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from standin.credentials import Caller, require_access
from standin.errors import not_found
from standin.records import Access, Commit, Repository, State
from standin.routes.context import CallerDep, ForgeDep, PagerDep
from standin.store import find_commit, find_pull, find_repository, pulls_of
from standin.wire.people import Addresses, Json, permission_of
from standin.wire.pulls import full_pull, pull_files, simple_pull
from standin.wire.repositories import commit, content_file, full_repository

router = APIRouter(prefix="/repos/{owner}/{repo}")


def opened(
    state: State, caller: Caller, owner: str, repo: str, *, permission: str, access: Access = "read"
) -> Repository:
    """Return the repository if the caller may do this there.

    Raises:
        ApiError: 401, 403 or 404.
    """
    repository = find_repository(state, f"{owner}/{repo}")
    require_access(caller, repository, permission=permission, access=access)
    return repository


@router.get("")
def get_repository(owner: str, repo: str, forge: ForgeDep, caller: CallerDep) -> Json:
    """Return the repository."""
    with forge.store.reading() as state:
        repository = opened(state, caller, owner, repo, permission="metadata")
        count = sum(pull.state == "open" for pull in pulls_of(state, repository))
        return full_repository(repository, state.users[repository.owner], forge.addresses, open_pulls=count)


@router.get("/pulls")
def list_pulls(
    owner: str,
    repo: str,
    forge: ForgeDep,
    caller: CallerDep,
    pager: PagerDep,
    wanted: Annotated[Literal["open", "closed", "all"], Query(alias="state")] = "open",
) -> list[Json]:
    """Return pull requests, newest first."""
    with forge.store.reading() as state:
        repository = opened(state, caller, owner, repo, permission="pull_requests")
        pulls = [pull for pull in pulls_of(state, repository) if wanted in ("all", pull.state)]
        return [simple_pull(pull, state, forge.addresses) for pull in pager.cut(pulls)]


@router.get("/pulls/{number}")
def get_pull(owner: str, repo: str, number: int, forge: ForgeDep, caller: CallerDep) -> Json:
    """Return one pull request."""
    with forge.store.reading() as state:
        repository = opened(state, caller, owner, repo, permission="pull_requests")
        return full_pull(find_pull(state, repository, number), state, forge.addresses)


@router.get("/pulls/{number}/files")
def list_files(owner: str, repo: str, number: int, forge: ForgeDep, caller: CallerDep, pager: PagerDep) -> list[Json]:
    """Return the files a pull request changes."""
    with forge.store.reading() as state:
        repository = opened(state, caller, owner, repo, permission="pull_requests")
        return pager.cut(pull_files(find_pull(state, repository, number), state, forge.addresses))


@router.get("/pulls/{number}/commits")
def list_commits(owner: str, repo: str, number: int, forge: ForgeDep, caller: CallerDep, pager: PagerDep) -> list[Json]:
    """Return a pull request's commits, oldest first."""
    with forge.store.reading() as state:
        repository = opened(state, caller, owner, repo, permission="pull_requests")
        shas = pager.cut(find_pull(state, repository, number).commits)
        return [_commit(state, repository, state.commits[sha], forge.addresses) for sha in shas]


@router.get("/commits/{ref}")
def get_commit(owner: str, repo: str, ref: str, forge: ForgeDep, caller: CallerDep) -> Json:
    """Return one commit."""
    with forge.store.reading() as state:
        repository = opened(state, caller, owner, repo, permission="contents")
        return _commit(state, repository, find_commit(state, repository, ref), forge.addresses)


@router.get("/contents/{path:path}")
def get_content(owner: str, repo: str, path: str, forge: ForgeDep, caller: CallerDep, ref: str | None = None) -> Json:
    """Return one file as it is in a commit."""
    with forge.store.reading() as state:
        repository = opened(state, caller, owner, repo, permission="contents")
        reference = ref or repository.default_branch
        files = find_commit(state, repository, reference).files
        if path not in files:
            raise not_found()
        return content_file(path, files[path], repository, reference, forge.addresses)


@router.get("/collaborators/{username}/permission")
def get_permission(owner: str, repo: str, username: str, forge: ForgeDep, caller: CallerDep) -> Json:
    """Return what a user may do."""
    with forge.store.reading() as state:
        repository = opened(state, caller, owner, repo, permission="metadata")
        if username not in state.users:
            raise not_found()
        return permission_of(state.users[username], repository, forge.addresses)


def _commit(state: State, repository: Repository, one: Commit, at: Addresses) -> Json:
    before = state.commits[one.parents[0]].files if one.parents else {}
    return commit(one, repository, state.users[one.author], at, before=before)
