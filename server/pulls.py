"""A pull request as every part of the API shows it."""

from pydantic import AwareDatetime

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
