"""Getting checks onto GitHub: in order for each pull request, until they stand there, and each of them once."""

from collections.abc import Sequence

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from server import audit
from server.github import CheckPayload, GitHubPermanentError, GitHubRetryableError, PublishedCheck
from server.models import Post, Pull, Repository
from server.queue import PostponeError
from server.services import Services


def waiting(session: Session) -> Sequence[int]:
    """Pull requests with posts that do not stand on GitHub yet, and could."""
    pending = (
        select(Post.pull_id).join(Pull, Pull.id == Post.pull_id).join(Repository, Repository.id == Pull.repository_id)
    )
    return session.scalars(pending.where(Post.state == "pending", Repository.covered).distinct()).all()


def publish(services: Services, key: str) -> None:
    """Post what waits for one pull request, oldest first.

    A crash between the answer of GitHub and our note of it repeats the call; the external id makes the repetition an
    update of the same check to the same content.

    Args:
        services: The service.
        key: The pull request's row id.

    Raises:
        PostponeError: GitHub cannot be reached, or asks for patience.
    """
    if services.github is None:
        return
    while (post := _next(services, int(key))) is not None:
        try:
            published = services.github.publish(CheckPayload.model_validate_json(post.payload))
        except GitHubRetryableError as error:
            _note_failure(services, post, str(error))
            raise PostponeError(str(error)[:300], after_s=error.retry_after_s) from error
        except GitHubPermanentError as error:
            _bury(services, post, str(error))
        else:
            _note_success(services, post, published)


def give_up(session: Session, services: Services, key: str, detail: str) -> None:
    """Stop trying: every waiting post of the pull request is dead. A later change makes a new one."""
    session.execute(
        update(Post).where(Post.pull_id == int(key), Post.state == "pending").values(state="dead", detail=detail)
    )
    audit.record(
        session, at=services.clock(), actor="service", action="check.dead", target=f"pull {key}", detail=detail
    )


def revive(session: Session, key: str) -> None:
    """Let the newest dead post about each commit of a pull request be tried once more."""
    dead = session.scalars(select(Post).where(Post.pull_id == int(key), Post.state == "dead").order_by(Post.id)).all()
    for post in {one.head_sha: one for one in dead}.values():
        post.state = "pending"


def _next(services: Services, pull_id: int) -> Post | None:
    """The oldest waiting post, after dropping those that a newer one about the same commit replaces.

    Posts to a repository that GitHub does not let us into wait until it does (`server.checks.access`).
    """
    with services.database.write() as session:
        if not session.get_one(Repository, session.get_one(Pull, pull_id).repository_id).covered:
            return None
        posts = session.scalars(
            select(Post).where(Post.pull_id == pull_id, Post.state == "pending").order_by(Post.id)
        ).all()
        newest = {post.head_sha: post.id for post in posts}
        for post in posts:
            if post.id != newest[post.head_sha]:
                post.state = "superseded"
        return next((post for post in posts if post.state == "pending"), None)


def _note_failure(services: Services, post: Post, detail: str) -> None:
    with services.database.write() as session:
        session.execute(update(Post).where(Post.id == post.id).values(attempts=Post.attempts + 1, detail=detail[:500]))


def _bury(services: Services, post: Post, detail: str) -> None:
    with services.database.write() as session:
        session.execute(
            update(Post).where(Post.id == post.id).values(state="dead", attempts=Post.attempts + 1, detail=detail[:500])
        )
        audit.record(
            session, at=services.clock(), actor="service", action="check.dead", target=f"post {post.id}", detail=detail
        )


def _note_success(services: Services, post: Post, published: PublishedCheck) -> None:
    with services.database.write() as session:
        session.execute(
            update(Post)
            .where(Post.id == post.id)
            .values(state="sent", sent_at=services.clock(), attempts=Post.attempts + 1, detail="", url=published.url)
        )
        audit.record(
            session,
            at=services.clock(),
            actor="service",
            action="check.sent",
            target=f"post {post.id}",
            detail=f"{published.kind} {published.id}",
        )
