"""What people ask of the service on GitHub: noted in the webhook's transaction, obeyed by a task.

Nothing said here is believed: who may do what, and which commit is the head, is asked of GitHub when it is needed.
"""

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.db import inserter
from server.github import CheckRunEvent, IssueCommentEvent
from server.models import Command
from server.queue import enqueue
from worker.suites import published

PREFIX = "/byogpu"
MAX_WORDS_CHARS = 200


def usual_suite() -> str:
    """The suite that is meant when none is named: ``standard`` where it is published, else the first there is."""
    names = [suite.id for suite in published()]
    return "standard" if "standard" in names else names[0]


def first_line(body: str) -> str | None:
    """The command that a comment is; None: it is none.

    The first line has to begin with the prefix: what is quoted, indented, hidden or shown as code is never obeyed.
    """
    line = body.partition("\n")[0].rstrip()
    return line[:MAX_WORDS_CHARS] if line == PREFIX or line.startswith(f"{PREFIX} ") else None


def hear_comment(session: Session, event: IssueCommentEvent, *, now: datetime, since: datetime | None) -> bool:
    """Note a command in a new comment of a person on a pull request.

    Args:
        session: The webhook's transaction.
        event: What GitHub says.
        now: Now.
        since: From when on commands are remembered (`Settings.events_since`): an older one may have been obeyed before.

    Returns:
        Whether there was one. Edited comments, Apps, our own comments and plain issues have none.
    """
    if since is not None and event.created_at < since:
        return False
    words = first_line(event.body)
    by_person = event.sender_type == "User" and not event.written_by_app and event.author_id in (None, event.sender_id)
    if event.action != "created" or not event.is_on_pull or not by_person or words is None:
        return False
    return _note(
        session,
        now=now,
        key=f"comment:{event.comment_id}",
        repository_id=event.repository_id,
        repository=event.repository,
        pull_number=event.number,
        comment_id=event.comment_id,
        head_sha=None,
        login=event.sender,
        words=words,
        asked_at=event.created_at,
    )


def buttons_pressed(session: Session, repository_id: int, pull_number: int) -> int:
    """How often a button was pressed on a pull request.

    Buttons carry this number, so each is good for one press: a delivery does not sign its id, and one that is sent
    again under another id would otherwise be another press.
    """
    presses = select(func.count()).select_from(Command)
    where = (Command.repository_id == repository_id, Command.pull_number == pull_number, Command.comment_id.is_(None))
    return session.scalar(presses.where(*where)) or 0


def hear_press(session: Session, event: CheckRunEvent, *, pull_number: int, now: datetime) -> bool:
    """Note that somebody pressed a button of our check on a pull request.

    Returns:
        Whether it is one of ours, and pressed for the first time.
    """
    if event.action != "requested_action" or event.requested_action is None:
        return False
    return _note(
        session,
        now=now,
        key=f"button:{event.check_run_id}:{event.requested_action}"[:100],
        repository_id=event.repository_id,
        repository=event.repository,
        pull_number=pull_number,
        comment_id=None,
        head_sha=event.head_sha,
        login=event.sender,
        words=f"{PREFIX} {event.requested_action.partition('.')[0]}"[:MAX_WORDS_CHARS],
        asked_at=now,
    )


def pull_key(repository_id: int, number: int) -> str:
    """How tasks about commands name a pull request, which need not be known here yet."""
    return f"{repository_id}:{number}"


def _note(
    session: Session,
    *,
    now: datetime,
    key: str,
    repository_id: int,
    repository: str,
    pull_number: int,
    comment_id: int | None,
    head_sha: str | None,
    login: str,
    words: str,
    asked_at: datetime,
) -> bool:
    row = inserter(session)(Command).values(
        key=key,
        repository_id=repository_id,
        repository=repository,
        pull_number=pull_number,
        comment_id=comment_id,
        head_sha=head_sha,
        login=login,
        words=words,
        asked_at=asked_at,
        heard_at=now,
        state="heard",
        attempts=0,
        detail="",
        url="",
    )
    if session.execute(row.on_conflict_do_nothing().returning(Command.id)).one_or_none() is None:
        return False
    enqueue(session, "obey", pull_key(repository_id, pull_number), now=now)
    return True
