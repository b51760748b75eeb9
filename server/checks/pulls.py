"""Pull requests as this service knows them: read from GitHub, or heard of through a webhook."""

from sqlalchemy.orm import Session

from server import audit, orders
from server.errors import AppError
from server.github import GitHubPermanentError, GitHubRetryableError
from server.models import Pull, Repository
from server.queue import PostponeError
from server.seen import Seen, from_api, note
from server.services import Services


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

    One that GitHub does not show any more is closed, if its repository is shown; else it waits until that is.

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
        seen = _shown(services, repository, pull)
    except GitHubRetryableError as error:
        raise PostponeError(str(error)[:300], after_s=error.retry_after_s) from error
    if seen is None or seen.repository_id != repository.id:
        return  # not shown; or the name has moved on to another repository: the id is what we watch
    with services.database.write() as session:
        store(session, services, seen, actor="github")


def _shown(services: Services, repository: Repository, pull: Pull) -> Seen | None:
    """What GitHub shows of a pull request; None: nothing, and that is noted."""
    try:
        return fetch(services, repository.name, pull.number)
    except GitHubPermanentError as error:
        if error.code != "github_not_found" or services.github is None:
            raise
    covered = services.github.covers(repository.name)
    with services.database.write() as session:
        target, now = f"{repository.name}#{pull.number}", services.clock()
        session.get_one(Repository, repository.id, with_for_update=True).covered = covered
        if covered:
            session.get_one(Pull, pull.id, with_for_update=True).state = "closed"
            session.flush()
            orders.make_stale(session, now=now, pull_id=pull.id)
            audit.record(session, at=now, actor="github", action="pull.gone", target=target)
    return None


def store(session: Session, services: Services, seen: Seen, *, actor: audit.Actor) -> int:
    """Write what was learnt, in the caller's transaction, and ask for the verdicts; returns the row's id."""
    return note(session, seen, actor=actor, now=services.clock())
