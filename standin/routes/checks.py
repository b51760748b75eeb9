"""Check runs and commit statuses."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field, model_validator

from standin.credentials import InstallationCaller, UserCaller
from standin.errors import ApiError, not_found
from standin.records import (
    Action,
    Annotation,
    CheckRun,
    CheckStatus,
    CommitStatus,
    Conclusion,
    Repository,
    State,
    StatusState,
)
from standin.routes.context import CallerDep, ForgeDep, PagerDep
from standin.routes.pulls import opened
from standin.store import ensure_user, find_commit, new_id
from standin.wire.checks import annotation, check_run, combined_status, status
from standin.wire.people import Json

TEXT_MAX_CHARS = 65_535
ANNOTATIONS_PER_CALL = 50

router = APIRouter(prefix="/repos/{owner}/{repo}")


class Output(BaseModel):
    """What a check shows. Annotations are added to those the run already has."""

    title: str = Field(min_length=1, max_length=255)
    summary: str = Field(min_length=1, max_length=TEXT_MAX_CHARS)
    text: str | None = Field(default=None, max_length=TEXT_MAX_CHARS)
    annotations: list[Annotation] = Field(default_factory=list, max_length=ANNOTATIONS_PER_CALL)


class CheckRunChange(BaseModel):
    """A change to a check run; what is None stays."""

    name: str | None = Field(default=None, min_length=1)
    external_id: str | None = None
    details_url: str | None = None
    status: CheckStatus | None = None
    conclusion: Conclusion | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    output: Output | None = None
    actions: list[Action] | None = Field(default=None, max_length=3)

    @model_validator(mode="after")
    def _concluded_if_completed(self) -> Self:
        if self.status == "completed" and self.conclusion is None:
            raise ValueError("conclusion is required when status is completed")
        return self


class NewCheckRun(CheckRunChange):
    """A check run to create."""

    name: str = Field(min_length=1)
    head_sha: str


class NewStatus(BaseModel):
    """A commit status to post."""

    state: StatusState
    context: str = Field(default="default", min_length=1)
    description: str | None = Field(default=None, max_length=140)
    target_url: str | None = None


@router.post("/check-runs", status_code=201)
def create_check_run(owner: str, repo: str, wanted: NewCheckRun, forge: ForgeDep, caller: CallerDep) -> Json:
    """Create a check run. Only an App may."""
    with forge.store.changing() as state:
        repository = opened(state, caller, owner, repo, permission="checks", access="write")
        head = find_commit(state, repository, wanted.head_sha)
        run = CheckRun(
            id=new_id(state), app_id=forge.app.app_id, repository_id=repository.id, head_sha=head.sha, name=wanted.name
        )
        _apply(run, wanted, at=forge.store.now())
        state.check_runs[run.id] = run
        return check_run(run, state, forge.addresses, app=forge.app_json(state))


@router.get("/check-runs/{check_run_id}")
def get_check_run(owner: str, repo: str, check_run_id: int, forge: ForgeDep, caller: CallerDep) -> Json:
    """Return one check run."""
    with forge.store.reading() as state:
        repository = opened(state, caller, owner, repo, permission="checks")
        run = _known(state, repository, check_run_id)
        return check_run(run, state, forge.addresses, app=forge.app_json(state))


@router.patch("/check-runs/{check_run_id}")
def update_check_run(
    owner: str, repo: str, check_run_id: int, wanted: CheckRunChange, forge: ForgeDep, caller: CallerDep
) -> Json:
    """Change a check run."""
    with forge.store.changing() as state:
        repository = opened(state, caller, owner, repo, permission="checks", access="write")
        run = _known(state, repository, check_run_id)
        if run.app_id != forge.app.app_id:
            raise ApiError(403, "A check run can only be modified by the GitHub App that created it.")
        _apply(run, wanted, at=forge.store.now())
        return check_run(run, state, forge.addresses, app=forge.app_json(state))


@router.get("/check-runs/{check_run_id}/annotations")
def list_annotations(
    owner: str, repo: str, check_run_id: int, forge: ForgeDep, caller: CallerDep, pager: PagerDep
) -> list[Json]:
    """Return a check run's annotations in the order they came."""
    with forge.store.reading() as state:
        repository = opened(state, caller, owner, repo, permission="checks")
        run = _known(state, repository, check_run_id)
        return [annotation(one, run, repository, forge.addresses) for one in pager.cut(run.annotations)]


@router.get("/commits/{ref}/check-runs")
def list_check_runs(
    owner: str,
    repo: str,
    ref: str,
    forge: ForgeDep,
    caller: CallerDep,
    pager: PagerDep,
    check_name: str | None = None,
    wanted_status: Annotated[CheckStatus | None, Query(alias="status")] = None,
    which: Annotated[Literal["latest", "all"], Query(alias="filter")] = "latest",
) -> Json:
    """Return a commit's check runs, newest first; of each name the latest, or all."""
    with forge.store.reading() as state:
        repository = opened(state, caller, owner, repo, permission="checks")
        head = find_commit(state, repository, ref)
        runs = runs_of(state, repository, head.sha)
        if which == "latest":
            newest = {run.name: run.id for run in reversed(runs)}
            runs = [run for run in runs if newest[run.name] == run.id]
        found = [
            run
            for run in runs
            if (check_name is None or run.name == check_name) and (wanted_status is None or run.status == wanted_status)
        ]
        app = forge.app_json(state) if found else {}
        return {
            "total_count": len(found),
            "check_runs": [check_run(run, state, forge.addresses, app=app) for run in pager.cut(found)],
        }


@router.post("/statuses/{sha}", status_code=201)
def create_status(owner: str, repo: str, sha: str, wanted: NewStatus, forge: ForgeDep, caller: CallerDep) -> Json:
    """Post a commit status."""
    with forge.store.changing() as state:
        repository = opened(state, caller, owner, repo, permission="statuses", access="write")
        head = find_commit(state, repository, sha)
        by_app = isinstance(caller, InstallationCaller)
        login = caller.login if isinstance(caller, UserCaller) else forge.app_login()
        made = CommitStatus(
            id=new_id(state),
            repository_id=repository.id,
            sha=head.sha,
            state=wanted.state,
            context=wanted.context,
            description=wanted.description,
            target_url=wanted.target_url,
            creator=ensure_user(state, login, kind="Bot" if by_app else "User").login,
            created_at=forge.store.now(),
        )
        state.statuses[made.id] = made
        return status(made, state, forge.addresses)


@router.get("/commits/{ref}/status")
def get_combined_status(owner: str, repo: str, ref: str, forge: ForgeDep, caller: CallerDep) -> Json:
    """Return the newest status of each context, and what they amount to."""
    with forge.store.reading() as state:
        repository = opened(state, caller, owner, repo, permission="statuses")
        sha = find_commit(state, repository, ref).sha
        return combined_status(statuses_of(state, repository, sha), sha, repository, state, forge.addresses)


def runs_of(state: State, repository: Repository, sha: str) -> list[CheckRun]:
    """Return a commit's check runs, newest first."""
    found = (r for r in state.check_runs.values() if (r.repository_id, r.head_sha) == (repository.id, sha))
    return sorted(found, key=lambda run: -run.id)


def statuses_of(state: State, repository: Repository, sha: str) -> list[CommitStatus]:
    """Return a commit's statuses, newest first."""
    found = (s for s in state.statuses.values() if (s.repository_id, s.sha) == (repository.id, sha))
    return sorted(found, key=lambda one: -one.id)


def _known(state: State, repository: Repository, check_run_id: int) -> CheckRun:
    run = state.check_runs.get(check_run_id)
    if run is None or run.repository_id != repository.id:
        raise not_found()
    return run


def _apply(run: CheckRun, wanted: CheckRunChange, *, at: datetime) -> None:
    """Change the run as GitHub does: a conclusion completes it, another status takes its conclusion away."""
    for name in ("name", "external_id", "details_url", "started_at", "actions"):
        value = getattr(wanted, name)
        if value is not None:
            setattr(run, name, value)
    if wanted.conclusion is not None:
        run.status, run.conclusion = "completed", wanted.conclusion
        run.completed_at = wanted.completed_at or at
    elif wanted.status is not None:
        run.status, run.conclusion, run.completed_at = wanted.status, None, None
    if run.started_at is None and run.status != "queued":
        run.started_at = at
    if wanted.output is not None:
        run.title, run.summary, run.text = wanted.output.title, wanted.output.summary, wanted.output.text
        run.annotations = [*run.annotations, *wanted.output.annotations]
