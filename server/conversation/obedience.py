"""Obeying commands: one after the other for each pull request, each once, each answered once. Runs as a task."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Select, func, select, update
from sqlalchemy.orm import Session

from server import audit
from server.conversation import deeds
from server.conversation.deeds import Seen
from server.conversation.grammar import parse
from server.github import Answer, GitHubPermanentError, GitHubRetryableError, Permission
from server.github import Pull as GitHubPull
from server.heard import pull_key
from server.models import Command, Pull
from server.principals import Account
from server.queue import PostponeError
from server.seen import from_api, note
from server.services import GitHub, Services

COMMANDS_PER_HOUR = 20
"""Of one person on one pull request; more are not answered."""
_CLOCKS_DIFFER = timedelta(minutes=10)
_WAITING = ("heard", "decided")


def waiting(session: Session) -> Sequence[str]:
    """Pull requests with commands that are not answered yet, as tasks name them."""
    rows = session.execute(
        select(Command.repository_id, Command.pull_number).where(Command.state.in_(_WAITING)).distinct()
    )
    return [pull_key(repository_id, number) for repository_id, number in rows]


def obey(services: Services, key: str) -> None:
    """Obey and answer what waits on one pull request, oldest first.

    What a command does and its answer are written in one transaction; a crash after that repeats only the answering,
    which GitHub then finds given.

    Args:
        services: The service.
        key: The pull request (`server.heard.pull_key`).

    Raises:
        PostponeError: GitHub cannot be reached, or asks for patience.
    """
    github = services.github
    if github is None:
        return
    while (command := _next(services, key)) is not None:
        try:
            if command.state == "heard":
                _decide(services, github, command)
            else:
                _answered(services, command, github.answer(Answer.model_validate_json(command.answer or "")))
        except GitHubRetryableError as error:
            _note_failure(services, command, str(error))
            raise PostponeError(str(error)[:300], after_s=error.retry_after_s) from error
        except GitHubPermanentError as error:
            with services.database.write() as session:
                _bury(session, services, [command], str(error))


def give_up(session: Session, services: Services, key: str, detail: str) -> None:
    """Stop trying: every command that waits on the pull request is dead."""
    _bury(session, services, session.scalars(_of_pull(key).where(Command.state.in_(_WAITING))).all(), detail)


def revive(session: Session, key: str) -> None:
    """Let the dead commands of a pull request be tried once more; what was decided is only answered."""
    for command in session.scalars(_of_pull(key).where(Command.state == "dead")):
        command.state = "heard" if command.answer is None else "decided"


def _next(services: Services, key: str) -> Command | None:
    with services.database.read() as session:
        return session.scalars(_of_pull(key).where(Command.state.in_(_WAITING)).order_by(Command.id).limit(1)).first()


def _of_pull(key: str) -> Select[Command]:
    repository_id, _, number = key.partition(":")
    return select(Command).where(Command.repository_id == int(repository_id), Command.pull_number == int(number))


def _decide(services: Services, github: GitHub, command: Command) -> None:
    """Ask GitHub what is true now, then do what is asked and note the answer, in one transaction."""
    request = parse(command.words)
    pull = github.fetch_pull(command.repository, command.pull_number)
    if pull.repository_id != command.repository_id:
        raise GitHubPermanentError("The name belongs to another repository now.", code="github_wrong_repository")
    permission: Permission = "none"
    if deeds.needs_permission(request):
        permission = github.permission(pull.repository, command.login)
    with services.database.write() as session:
        now = services.clock()
        head_seen = _head_at(session, pull, command.asked_at)
        pull_id = note(session, from_api(pull), actor="github", now=now)
        row = session.get_one(Command, command.id, with_for_update=True)
        if row.state != "heard":
            return
        if _too_many(session, row, now):
            row.state, row.detail = "ignored", "too many commands within an hour"
        else:
            seen = Seen(row, permission, head_seen, pull.head_sha)
            reply = deeds.do(session, services, session.get_one(Pull, pull_id), seen, request)
            row.state, row.detail = "decided", ""
            row.answer = Answer(
                repository=pull.repository,
                repository_id=pull.repository_id,
                pull_number=pull.number,
                key=f"answer:{row.id}",
                asked_at=row.asked_at - _CLOCKS_DIFFER,
                comment_id=row.comment_id,
                reaction=reply.reaction,
                body=reply.body,
            ).model_dump_json()
        audit.record(
            session,
            at=now,
            actor=Account(f"github:{row.login}"),
            action=f"command.{row.state}",
            target=f"{pull.repository}#{pull.number} {row.key}",
            detail=f"{permission}: {row.words}",
        )
    services.bell.ring()


def _head_at(session: Session, pull: GitHubPull, asked_at: datetime) -> str | None:
    """The present head, if it was known here before the question was asked; so whoever asked could have seen it.

    A push between the question and now makes this None, whichever of the two webhooks came first.
    """
    return session.scalar(
        select(Pull.head_sha).where(
            Pull.repository_id == pull.repository_id,
            Pull.number == pull.number,
            Pull.head_sha == pull.head_sha,
            Pull.head_seen_at <= asked_at,
        )
    )


def _too_many(session: Session, command: Command, now: datetime) -> bool:
    before = session.scalar(
        select(func.count())
        .select_from(Command)
        .where(
            Command.repository_id == command.repository_id,
            Command.pull_number == command.pull_number,
            Command.login == command.login,
            Command.id < command.id,
            Command.heard_at > now - timedelta(hours=1),
        )
    )
    return (before or 0) >= COMMANDS_PER_HOUR


def _answered(services: Services, command: Command, url: str) -> None:
    with services.database.write() as session:
        session.execute(
            update(Command)
            .where(Command.id == command.id)
            .values(state="answered", url=url, attempts=Command.attempts + 1, detail="")
        )


def _note_failure(services: Services, command: Command, detail: str) -> None:
    with services.database.write() as session:
        session.execute(
            update(Command).where(Command.id == command.id).values(attempts=Command.attempts + 1, detail=detail[:500])
        )


def _bury(session: Session, services: Services, commands: Sequence[Command], detail: str) -> None:
    for command in commands:
        session.execute(update(Command).where(Command.id == command.id).values(state="dead", detail=detail[:500]))
        audit.record(
            session,
            at=services.clock(),
            actor="service",
            action="command.dead",
            target=f"{command.repository}#{command.pull_number} {command.key}",
            detail=detail,
        )
