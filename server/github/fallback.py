"""Where check runs are not allowed: a commit status, and one comment that is edited in place."""

from __future__ import annotations

from github.IssueComment import IssueComment
from github.PullRequest import PullRequest
from github.Repository import Repository

from judge.markdown import (
    COMMENT_MAX_BYTES,
    STATUS_DESCRIPTION_MAX_CHARS,
    Markdown,
    code,
    escape,
    fit,
    link,
    plain,
    shorten,
    table,
)
from server.github.records import CheckConclusion, CheckPayload, PublishedCheck

ANNOTATIONS_SHOWN = 20

_STATES: dict[CheckConclusion | None, str] = {
    None: "pending",
    "success": "success",
    "skipped": "success",
    "failure": "failure",
    "action_required": "failure",
    "cancelled": "error",
    "timed_out": "error",
    "neutral": "pending",  # a status has no neutral state, and missing evidence must never read as a pass
}


def publish_status(repository: Repository, payload: CheckPayload, *, own_login: str) -> PublishedCheck:
    """Make the commit status and our comment say what the payload says; change nothing that already does.

    Args:
        repository: Where.
        payload: What the check shall say.
        own_login: The login under which our comments appear.

    Note:
        The comment belongs to the pull request, not to a commit: a payload for an older head leaves it alone.
    """
    state = _STATES[payload.conclusion]
    description = shorten(plain(payload.title), STATUS_DESCRIPTION_MAX_CHARS)
    commit = repository.get_commit(payload.head_sha)
    known = [one for one in commit.get_combined_status().statuses if one.context == payload.name]
    wanted = (state, description, payload.details_url)
    if known and (known[0].state, known[0].description, known[0].target_url) == wanted:
        status = known[0]
    else:
        status = commit.create_status(state, payload.details_url, description, payload.name)
    pull = repository.get_pull(payload.pull_number)
    url = pull.html_url
    if pull.head.sha == payload.head_sha:
        url = upsert_comment(pull, key=f"check:{payload.name}", body=_comment(payload), own_login=own_login).html_url
    return PublishedCheck(kind="status", id=status.id, url=url)


def upsert_comment(pull: PullRequest, *, key: str, body: str, own_login: str) -> IssueComment:
    """Create or edit our one comment with this key.

    Args:
        pull: Where.
        key: Which of our comments; stands in an invisible mark on the first line.
        body: Markdown.
        own_login: Only a comment of this author counts: anybody can copy the mark into theirs.
    """
    mark = f"<!-- byogpu:{key} -->"
    wanted = fit(f"{mark}\n{body}", COMMENT_MAX_BYTES)
    for comment in pull.get_issue_comments():
        if comment.user is not None and comment.user.login == own_login and comment.body.startswith(mark):
            if comment.body.replace("\r\n", "\n").strip() != wanted.strip():
                comment.edit(wanted)
            return comment
    return pull.create_issue_comment(wanted)


def _comment(payload: CheckPayload) -> str:
    outcome = payload.conclusion or payload.status
    parts = [
        f"### {escape(payload.title)}",
        f"{escape(payload.name)}: **{escape(outcome.replace('_', ' '))}** for {code(payload.head_sha[:12])} · "
        + link("details", payload.details_url),
        payload.summary,
        payload.text,
        _annotations(payload),
    ]
    return "\n\n".join(part for part in parts if part)


def _annotations(payload: CheckPayload) -> Markdown | str:
    if not payload.annotations:
        return ""
    rows = [
        (
            escape(annotation.level),
            code(f"{annotation.path}:{annotation.start_line}"),
            escape(
                shorten(f"{annotation.title}: {annotation.message}" if annotation.title else annotation.message, 500)
            ),
        )
        for annotation in payload.annotations[:ANNOTATIONS_SHOWN]
    ]
    shown = table([Markdown("level"), Markdown("where"), Markdown("finding")], rows)
    rest = len(payload.annotations) - len(rows)
    return f"{shown}\n\n*{rest} more in the details.*" if rest > 0 else shown
