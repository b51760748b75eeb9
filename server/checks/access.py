"""Whether GitHub lets the service into a repository: asked when an installation of the App changed. Runs as a task."""

from sqlalchemy import select

from server import audit
from server.github import GitHubRetryableError
from server.models import Post, Pull, Repository
from server.queue import PostponeError, enqueue
from server.services import Services


def check(services: Services, key: str) -> None:
    """Ask GitHub, and note the answer. Where the service is let in, its open pull requests are read again.

    While it is not, posts wait; what was missed meanwhile is caught up with afterwards.

    Args:
        services: The service.
        key: The repository's id.

    Raises:
        PostponeError: GitHub cannot be reached, or asks for patience.
        GitHubPermanentError: It refuses to say.
    """
    if services.github is None:
        return
    with services.database.read() as session:
        name = session.get_one(Repository, int(key)).name
    try:
        covered = services.github.covers(name)
    except GitHubRetryableError as error:
        raise PostponeError(str(error)[:300], after_s=error.retry_after_s) from error
    now = services.clock()
    with services.database.write() as session:
        repository = session.get_one(Repository, int(key), with_for_update=True)
        if repository.covered != covered:
            repository.covered = covered
            action = "repository.covered" if covered else "repository.lost"
            audit.record(session, at=now, actor="github", action=action, target=repository.name)
        if not covered:
            return
        pulls = select(Pull.id).where(Pull.repository_id == repository.id)
        for pull_id in session.scalars(pulls.where(Pull.state == "open")).all():
            enqueue(session, "read_pull", str(pull_id), now=now)
        waiting = pulls.join(Post, Post.pull_id == Pull.id).where(Post.state == "pending").distinct()
        for pull_id in session.scalars(waiting).all():
            enqueue(session, "publish", str(pull_id), now=now)
    services.bell.ring()
