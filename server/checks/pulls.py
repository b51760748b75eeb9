"""Pull requests as this service knows them: read from GitHub, or heard of through a webhook."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from server import audit
from server.db import inserter
from server.errors import AppError
from server.github import GitHubPermanentError, GitHubRetryableError, PullRequestEvent
from server.github import Pull as GitHubPull
from server.models import Pull, PullState, Repository
from server.queue import PostponeError, enqueue
from server.services import Services


@dataclass(frozen=True)
class Seen:
    """What was learnt about a pull request.

    Attributes:
        author: None: not learnt; what is known stays.
        merged: None: not learnt.
        draft: None: not learnt.
        url: None: not learnt.
    """

    repository_id: int
    repository: str
    number: int
    title: str
    body: str
    state: PullState
    head_sha: str
    base_sha: str
    author: str | None = None
    merged: bool | None = None
    draft: bool | None = None
    url: str | None = None


def fetch(services: Services, repository: str, number: int) -> Seen:
    """Read a pull request from GitHub.

    Args:
        services: The service.
        repository: ``owner/name``.
        number: Its number.

    Raises:
        AppError: ``github_not_configured``.
        GitHubError: See `server.github`.
    """
    if services.github is None:
        raise AppError("github_not_configured", "Set BYOGPU_GITHUB_TOKEN, or an App, to read pull requests.")
    return from_api(services.github.fetch_pull(repository, number))


def sync(services: Services, repository: str, number: int) -> int:
    """Read a pull request from GitHub now and ask for its verdicts.

    Returns:
        Its row's id.

    Raises:
        AppError: ``github_not_configured``, ``github_not_found``, ``github_failed``.
    """
    try:
        seen = fetch(services, repository, number)
    except GitHubPermanentError as error:
        code = "github_not_found" if error.code == "github_not_found" else "github_failed"
        raise AppError(code, str(error)[:300]) from error
    except GitHubRetryableError as error:
        raise AppError("github_failed", str(error)[:300]) from error
    with services.database.write() as session:
        pull_id = store(session, services, seen, actor="admin")
    services.bell.ring()
    return pull_id


def reread(services: Services, key: str) -> None:
    """Bring a known pull request up to date: a webhook is a hint, the API is the truth.

    Args:
        services: The service.
        key: The pull request's row id.

    Raises:
        PostponeError: GitHub does not answer now.
        GitHubPermanentError: It refuses.
    """
    with services.database.read() as session:
        pull = session.get_one(Pull, int(key))
        repository = session.get_one(Repository, pull.repository_id)
    try:
        seen = fetch(services, repository.name, pull.number)
    except GitHubRetryableError as error:
        raise PostponeError(str(error)[:300], after_s=error.retry_after_s) from error
    if seen.repository_id != repository.id:
        return  # the name has moved on to another repository; the id is what we watch
    with services.database.write() as session:
        store(session, services, seen, actor="github")


def store(session: Session, services: Services, seen: Seen, *, actor: audit.Actor) -> int:
    """Write what was learnt, in the caller's transaction, and ask for the verdicts.

    Returns:
        The pull request's row id.
    """
    now = services.clock()
    insert = inserter(session)
    repository = insert(Repository).values(id=seen.repository_id, name=seen.repository, seen_at=now)
    session.execute(
        repository.on_conflict_do_update(index_elements=["id"], set_={"name": seen.repository, "seen_at": now})
    )
    learnt = {
        "title": seen.title,
        "body": seen.body,
        "state": seen.state,
        "head_sha": seen.head_sha,
        "base_sha": seen.base_sha,
        "seen_at": now,
        **{name: value for name in ("author", "merged", "draft", "url") if (value := getattr(seen, name)) is not None},
    }
    first = {
        "author": None,
        "merged": False,
        "draft": False,
        "url": f"https://github.com/{seen.repository}/pull/{seen.number}",
        **learnt,
    }
    pull = insert(Pull).values(repository_id=seen.repository_id, number=seen.number, **first)
    pull_id: int = session.scalars(
        pull.on_conflict_do_update(index_elements=["repository_id", "number"], set_=learnt).returning(Pull.id)
    ).one()
    enqueue(session, "refresh", str(pull_id), now=now)
    audit.record(
        session,
        at=now,
        actor=actor,
        action="pull.seen",
        target=f"{seen.repository}#{seen.number}",
        detail=f"{seen.state}, head {seen.head_sha}",
    )
    return pull_id


def from_api(pull: GitHubPull) -> Seen:
    """What the API says."""
    return Seen(
        repository_id=pull.repository_id,
        repository=pull.repository,
        number=pull.number,
        title=pull.title,
        body=pull.body,
        state=pull.state,
        head_sha=pull.head_sha,
        base_sha=pull.base_sha,
        author=pull.author,
        merged=pull.merged,
        draft=pull.draft,
        url=pull.url,
    )


def from_event(event: PullRequestEvent) -> Seen:
    """What a webhook says."""
    return Seen(
        repository_id=event.repository_id,
        repository=event.repository,
        number=event.number,
        title=event.title,
        body=event.body,
        state=event.state,
        head_sha=event.head_sha,
        base_sha=event.base_sha,
        author=event.sender if event.action == "opened" else None,
    )
