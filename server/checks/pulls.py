"""Pull requests as this service knows them: read from GitHub, or heard of through a webhook."""

from sqlalchemy.orm import Session

from server import audit
from server.errors import AppError
from server.github import GitHubPermanentError, GitHubRetryableError
from server.models import Pull, Repository
from server.queue import PostponeError, enqueue
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
    except GitHubPermanentError as error:
        if error.code != "github_not_found":
            raise
        # Gone, or we are not let in any more: then it is read again as soon as we are.
        with services.database.write() as session:
            enqueue(session, "check_access", str(repository.id), now=services.clock())
        return
    if seen.repository_id != repository.id:
        return  # the name has moved on to another repository; the id is what we watch
    with services.database.write() as session:
        store(session, services, seen, actor="github")


def store(session: Session, services: Services, seen: Seen, *, actor: audit.Actor) -> int:
    """Write what was learnt, in the caller's transaction, and ask for the verdicts; returns the row's id."""
    return note(session, seen, actor=actor, now=services.clock())
