"""The App, its installations and tokens; the caller's own account; the rate limit."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Depends
from pydantic import BaseModel, Field

from standin.credentials import UserCaller, require_app
from standin.errors import ApiError, not_found, not_permitted
from standin.limits import core_limit
from standin.records import Installation, Permissions, Repository, State
from standin.routes.context import CallerDep, ForgeDep, get_caller
from standin.store import find_repository, installation_of
from standin.wire.people import Json, installation, installation_token, public_user
from standin.wire.repositories import full_repository

router = APIRouter()


class TokenRequest(BaseModel):
    """Narrows a token to some repositories or permissions."""

    repositories: list[str] | None = None
    repository_ids: list[int] | None = None
    permissions: Permissions = Field(default_factory=dict)


@router.get("/app")
def get_app(forge: ForgeDep, caller: CallerDep) -> Json:
    """Return the App."""
    require_app(caller)
    with forge.store.reading() as state:
        return forge.app_json(state)


@router.get("/app/installations/{installation_id}")
def get_installation(installation_id: int, forge: ForgeDep, caller: CallerDep) -> Json:
    """Return one installation."""
    require_app(caller)
    with forge.store.reading() as state:
        return _installation(forge, state, _known(state, installation_id))


@router.post("/app/installations/{installation_id}/access_tokens", status_code=201)
def create_token(
    installation_id: int,
    forge: ForgeDep,
    caller: CallerDep,
    wanted: Annotated[TokenRequest | None, Body()] = None,
) -> Json:
    """Give out an installation token."""
    require_app(caller)
    wanted = wanted or TokenRequest()
    with forge.store.reading() as state:
        one = _known(state, installation_id)
        if one.suspended_at is not None:
            raise ApiError(403, "This installation has been suspended")
        repositories = _narrowed(state, one, wanted)
        permissions = wanted.permissions or one.permissions
        for name, access in permissions.items():
            if one.permissions.get(name) not in (access, "write"):
                raise ApiError(422, "The permissions requested are not granted to this installation.")
        token, expires_at = forge.credentials.issue(
            one, repository_ids=frozenset(repository.id for repository in repositories), permissions=permissions
        )
        return installation_token(
            token,
            expires_at,
            permissions=permissions,
            repositories=[
                full_repository(repository, state.users[repository.owner], forge.addresses)
                for repository in repositories
            ],
        )


@router.get("/repos/{owner}/{repo}/installation")
def get_repository_installation(owner: str, repo: str, forge: ForgeDep, caller: CallerDep) -> Json:
    """Return the installation that covers a repository."""
    require_app(caller)
    with forge.store.reading() as state:
        one = installation_of(state, find_repository(state, f"{owner}/{repo}"))
        if one is None:
            raise not_found()
        return _installation(forge, state, one)


@router.get("/user")
def get_user(forge: ForgeDep, caller: CallerDep) -> Json:
    """Return the caller's own account."""
    if not isinstance(caller, UserCaller):
        raise not_permitted()
    with forge.store.reading() as state:
        return public_user(state.users[caller.login], forge.addresses, since=forge.store.now())


@router.get("/rate_limit", dependencies=[Depends(get_caller)])
def get_rate_limit(forge: ForgeDep) -> Json:
    """Return how many calls were made since the start. Nothing is ever refused for it: that is what faults are for."""
    core = core_limit(forge)
    return {"resources": {"core": core, "search": core}, "rate": core}


def _known(state: State, installation_id: int) -> Installation:
    one = state.installations.get(installation_id)
    if one is None:
        raise not_found()
    return one


def _narrowed(state: State, one: Installation, wanted: TokenRequest) -> list[Repository]:
    covered = [state.repositories[number] for number in one.repository_ids]
    if wanted.repositories is None and wanted.repository_ids is None:
        return covered
    names, numbers = set(wanted.repositories or ()), set(wanted.repository_ids or ())
    chosen = [repository for repository in covered if repository.name in names or repository.id in numbers]
    if len(chosen) < len(names) + len(numbers):
        raise ApiError(422, "There is at least one repository that does not exist or is not accessible.")
    return chosen


def _installation(forge: ForgeDep, state: State, one: Installation) -> Json:
    return installation(one, forge.app, state.users[one.account], forge.addresses)
