"""Pull requests as they were last seen: read from GitHub's API, or heard of through a webhook."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import case
from sqlalchemy.orm import Session

from server import audit, orders
from server.db import inserter
from server.github import Pull as GitHubPull
from server.github import PullRequestEvent
from server.models import Pull, PullState, Repository
from server.queue import enqueue


@dataclass(frozen=True)
class Seen:
    """What was learnt about a pull request.

    Attributes:
        author: None: not learnt; what is known stays.
        merged: None: not learnt.
        draft: None: not learnt.
        url: None: not learnt.
        updated_at: When it last changed, by GitHub's clock; None: not learnt.
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
    updated_at: datetime | None = None


def note(session: Session, seen: Seen, *, actor: audit.Actor, now: datetime) -> int:
    """Write what was learnt, and ask for the verdicts. Orders for a head that has passed end here.

    Args:
        session: A write session.
        seen: What was learnt.
        actor: Who told.
        now: Now.

    Returns:
        The pull request's row id.
    """
    # By the later clock: a head that seems older than it is could be taken for one that somebody has looked at.
    head_seen_at = now if seen.updated_at is None else max(now, seen.updated_at)
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
        "head_seen_at": head_seen_at,
        **learnt,
    }
    same_head = case((Pull.head_sha == seen.head_sha, Pull.head_seen_at), else_=head_seen_at)
    pull = insert(Pull).values(repository_id=seen.repository_id, number=seen.number, **first)
    pull_id: int = session.scalars(
        pull.on_conflict_do_update(
            index_elements=["repository_id", "number"], set_={**learnt, "head_seen_at": same_head}
        ).returning(Pull.id)
    ).one()
    orders.make_stale(session, now=now, pull_id=pull_id)
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
        updated_at=pull.updated_at,
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
        updated_at=event.updated_at,
    )
