"""A pull request as every part of the API shows it."""

from datetime import UTC, datetime

from pydantic import AwareDatetime
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.errors import AppError
from server.models import Pull, PullState, Repository
from worker.bundle.record import CommitSha, Positive, Record


class PullRef(Record):
    """A pull request in short."""

    repository_id: Positive
    repository: str
    number: Positive
    title: str
    author: str | None
    """Null: the account is gone."""
    state: PullState
    merged: bool
    draft: bool
    head_sha: CommitSha
    base_sha: CommitSha
    github_url: str
    url: str
    """Its page here."""
    seen_at: AwareDatetime
    """When GitHub last told about it."""


def find_pull(session: Session, *, repository: str, number: int) -> tuple[Pull, Repository]:
    """A pull request by name; of two repositories that had the name, the one seen with it last.

    Raises:
        AppError: ``pull_not_found``.
    """
    row = session.execute(
        select(Pull, Repository)
        .join(Repository)
        .where(func.lower(Repository.name) == repository.lower(), Pull.number == number)
        .order_by(Repository.seen_at.desc())
        .limit(1)
    ).one_or_none()
    if row is None:
        raise AppError("pull_not_found", f"No pull request {number} of {repository} is known here.")
    return row[0], row[1]


def pull_ref(pull: Pull, repository: Repository, *, public_url: str) -> PullRef:
    """A pull request in short."""
    return PullRef(
        repository_id=repository.id,
        repository=repository.name,
        number=pull.number,
        title=pull.title,
        author=pull.author,
        state=pull.state,
        merged=pull.merged,
        draft=pull.draft,
        head_sha=pull.head_sha,
        base_sha=pull.base_sha,
        github_url=pull.url,
        url=f"{public_url}/pulls/{repository.name}/{pull.number}",
        seen_at=pull.seen_at,
    )


EXAMPLE = PullRef(
    repository_id=599_547_518,
    repository="octo/kernels",
    number=7,
    title="Decode faster",
    author="octocat",
    state="open",
    merged=False,
    draft=False,
    head_sha="a94a8fe5ccb19ba61c4c0873d391e987982fbbd3",
    base_sha="356a192b7913b04c54574d18c28d46e6395428ab",
    github_url="https://github.com/octo/kernels/pull/7",
    url="https://byogpu.example/pulls/octo/kernels/7",
    seen_at=datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC),
)
"""For OpenAPI."""
