"""The pages for people."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from standin import pages
from standin.errors import not_found
from standin.routes.context import ForgeDep
from standin.store import find_pull, find_repository

router = APIRouter(default_response_class=HTMLResponse)


@router.get("/")
def index(forge: ForgeDep) -> HTMLResponse:
    """Show all repositories."""
    with forge.store.reading() as state:
        return HTMLResponse(pages.index_page(state), headers=pages.HEADERS)


@router.get("/{owner}/{repo}/pull/{number}")
def pull(owner: str, repo: str, number: int, forge: ForgeDep) -> HTMLResponse:
    """Show one pull request."""
    with forge.store.reading() as state:
        repository = find_repository(state, f"{owner}/{repo}")
        found = find_pull(state, repository, number)
        return HTMLResponse(pages.pull_page(state, repository, found), headers=pages.HEADERS)


@router.get("/{owner}/{repo}/runs/{check_run_id}")
def run(owner: str, repo: str, check_run_id: int, forge: ForgeDep) -> HTMLResponse:
    """Show one check run."""
    with forge.store.reading() as state:
        repository = find_repository(state, f"{owner}/{repo}")
        found = state.check_runs.get(check_run_id)
        if found is None or found.repository_id != repository.id:
            raise not_found()
        return HTMLResponse(pages.run_page(repository, found), headers=pages.HEADERS)
