"""A check on GitHub: found by our id, created once, updated in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from github.CheckRun import CheckRun
from github.GithubObject import NotSet, Opt
from github.Repository import Repository

from judge.markdown import (
    ANNOTATION_MESSAGE_MAX_CHARS,
    ANNOTATION_TITLE_MAX_CHARS,
    SUMMARY_MAX_BYTES,
    TITLE_MAX_CHARS,
    fit,
    plain,
    plain_lines,
    shorten,
)
from server.github.records import CheckAnnotation, CheckPayload, PublishedCheck

ANNOTATIONS_PER_CALL = 50


class _Fields(TypedDict):
    """What both creating and updating a check run accept."""

    details_url: str
    status: str
    conclusion: Opt[str]
    output: dict[str, str | list[dict[str, str | int]]]
    actions: Opt[list[dict[str, str]]]


def publish_check_run(repository: Repository, payload: CheckPayload, *, app_id: int) -> PublishedCheck:
    """Make the check run on GitHub say what the payload says.

    Safe to repeat after a crash at any point: a run that carries our id is continued, and of the annotations only
    those that have not arrived are sent (GitHub appends, and counts them).

    Args:
        repository: Where, opened as our App.
        payload: What the check shall say.
        app_id: Our App; runs of other Apps under the same id are not ours.
    """
    run = _find(repository, payload, app_id=app_id)
    if run is None:
        first = payload.annotations[:ANNOTATIONS_PER_CALL]
        run = repository.create_check_run(
            payload.name, payload.head_sha, external_id=payload.stored_external_id, **_fields(payload, first)
        )
        sent, told = len(first), True
    else:
        sent, told = run.output.annotations_count, _says(run, payload)
    while sent < len(payload.annotations) or not told:
        following = payload.annotations[sent : sent + ANNOTATIONS_PER_CALL]
        run.edit(**_fields(payload, following))
        sent, told = sent + len(following), True
    return PublishedCheck(kind="check_run", id=run.id, url=run.html_url)


def _find(repository: Repository, payload: CheckPayload, *, app_id: int) -> CheckRun | None:
    """Return our newest run for this payload."""
    runs = repository.get_commit(payload.head_sha).get_check_runs(check_name=payload.name, filter="all")
    ours = [run for run in runs if run.external_id == payload.stored_external_id and run.app.id == app_id]
    return max(ours, key=lambda run: run.id, default=None)


def _says(run: CheckRun, payload: CheckPayload) -> bool:
    """Whether the run already shows the payload. GitHub does not tell which buttons a run has: those are sent again."""
    wanted = _fields(payload, ())
    output = wanted["output"]
    return (
        not payload.actions
        and (run.status, run.conclusion, run.details_url) == (payload.status, payload.conclusion, payload.details_url)
        and (run.output.title, run.output.summary, run.output.text or "")
        == (output["title"], output["summary"], output["text"])
    )


def _fields(payload: CheckPayload, annotations: Sequence[CheckAnnotation]) -> _Fields:
    return {
        "details_url": payload.details_url,
        "status": payload.status,
        "conclusion": NotSet if payload.conclusion is None else payload.conclusion,
        "output": {
            "title": shorten(plain(payload.title), TITLE_MAX_CHARS),
            "summary": fit(payload.summary, SUMMARY_MAX_BYTES),
            "text": fit(payload.text, SUMMARY_MAX_BYTES),
            "annotations": [_annotation(annotation) for annotation in annotations],
        },
        "actions": [action.model_dump() for action in payload.actions] if payload.actions else NotSet,
    }


def _annotation(annotation: CheckAnnotation) -> dict[str, str | int]:
    return {
        "path": plain(annotation.path),
        "start_line": annotation.start_line,
        "end_line": annotation.end_line,
        "annotation_level": annotation.level,
        "title": shorten(plain(annotation.title), ANNOTATION_TITLE_MAX_CHARS),
        "message": shorten(plain_lines(annotation.message), ANNOTATION_MESSAGE_MAX_CHARS),
    }
