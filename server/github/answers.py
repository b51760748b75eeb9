"""An answer on a pull request: a reaction to the comment that asked, and at most one comment of ours."""

from __future__ import annotations

from contextlib import suppress

from github import UnknownObjectException
from github.IssueComment import IssueComment
from github.Repository import Repository

from judge.markdown import COMMENT_MAX_BYTES, fit
from server.github.records import Answer


def give(repository: Repository, answer: Answer, *, own_login: str) -> str:
    """Make the answer stand; change nothing if it does.

    Args:
        repository: Where.
        answer: What to say.
        own_login: The login under which our comments appear: anybody can copy our mark into theirs.

    Returns:
        The page of our comment, or of the pull request when the reaction is the answer.
    """
    issue = repository.get_issue(answer.pull_number)
    page = f"{repository.html_url}/pull/{answer.pull_number}"
    if answer.reaction is not None and answer.comment_id is not None:
        with suppress(UnknownObjectException):  # the comment was deleted
            issue.get_comment(answer.comment_id).create_reaction(answer.reaction)  # GitHub keeps one of each kind
    if not answer.body:
        return page
    mark = f"<!-- byogpu:{answer.key} -->"
    for comment in issue.get_comments(since=answer.asked_at):
        if _is_ours(comment, mark, own_login):
            return comment.html_url
    return issue.create_comment(fit(f"{mark}\n{answer.body}", COMMENT_MAX_BYTES)).html_url


def _is_ours(comment: IssueComment, mark: str, own_login: str) -> bool:
    return comment.user is not None and comment.user.login == own_login and comment.body.startswith(mark)
