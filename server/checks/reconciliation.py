"""Catching up with what webhooks did not tell: lost deliveries, an outage of ours. Runs as a task now and then."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from judge.claims import parse_claims
from server.checks import access
from server.github import GitHubPermanentError, GitHubRetryableError
from server.github import Pull as GitHubPull
from server.models import Pull, Repository
from server.queue import PostponeError, enqueue
from server.seen import from_api, note
from server.services import Services


def known(session: Session) -> Sequence[int]:
    """Ids of all repositories."""
    return session.scalars(select(Repository.id)).all()


def reconcile(services: Services, key: str) -> None:
    """Compare a repository's open pull requests with what is known, and learn what is different.

    Of pull requests that were never heard of, only those that make claims are taken in. What is open here and not on
    GitHub's list is read by itself. Of a repository that GitHub did not let the service into, it is asked whether it
    does now; so is it of one that it does not show.

    Args:
        services: The service.
        key: The repository's id.

    Raises:
        PostponeError: GitHub cannot be reached, or asks for patience.
        GitHubPermanentError: It refuses.
    """
    if services.github is None:
        return
    with services.database.read() as session:
        repository = session.get_one(Repository, int(key))
    if not repository.covered:
        access.check(services, key)
        return
    try:
        listed = services.github.fetch_open_pulls(repository.name)
    except GitHubRetryableError as error:
        raise PostponeError(str(error)[:300], after_s=error.retry_after_s) from error
    except GitHubPermanentError as error:
        if error.code != "github_not_found":
            raise
        access.check(services, key)
        return
    now, seen = services.clock(), {pull.number: pull for pull in listed if pull.repository_id == int(key)}
    if len(seen) != len(listed):
        return  # the name has moved on to another repository
    with services.database.write() as session:
        here = {pull.number: pull for pull in session.scalars(select(Pull).where(Pull.repository_id == int(key)))}
        for number, pull in seen.items():
            if _is_news(pull, here.get(number)):
                note(session, from_api(pull), actor="github", now=now)
        for number, kept in here.items():
            if kept.state == "open" and number not in seen:
                enqueue(session, "read_pull", str(kept.id), now=now)
    services.bell.ring()


def _is_news(pull: GitHubPull, known: Pull | None) -> bool:
    if known is None:
        claimed = parse_claims(pull.body)
        return bool(claimed.claims or claimed.errors)
    shown = (pull.state, pull.head_sha, pull.base_sha, pull.title, pull.body, pull.draft)
    return shown != (known.state, known.head_sha, known.base_sha, known.title, known.body, known.draft)
