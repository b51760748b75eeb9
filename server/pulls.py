"""A pull request as every part of the API shows it."""

from datetime import UTC, datetime

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
