"""What the routes around challenges say and hear."""

from typing import Annotated

from pydantic import AwareDatetime, Field

from server.issued import ChallengeRef
from worker.bundle.record import CommitSha, Identifier, Positive, Record, RepositoryName, Sha256
from worker.bundle.schema import Nonce


class ChallengePost(Record):
    """Body of ``POST /api/v1/challenges``."""

    repository: RepositoryName
    pull_number: Positive
    suite_digest: Sha256
    """Of a published suite; `GET /api/v1/suites` lists them."""
    node_key_id: Sha256 | None = None
    """A registered node: only a bundle with its signature can use the challenge. Null: any that knows the nonce."""


class ChallengeReceipt(Record):
    """A challenge, told once to whoever asked for it."""

    id: Identifier
    nonce: Nonce
    """Everything that a run could choose is derived from it. Keep it to yourself until the bundle is submitted."""
    plan_digest: Sha256
    """SHA-256 of the plan that nonce and suite imply."""
    repository_id: Positive
    repository: RepositoryName
    pull_number: Positive
    head_sha: CommitSha
    """The commit that the run has to be about."""
    suite_digest: Sha256
    node_key_id: Sha256 | None
    issued_at: AwareDatetime
    expires_at: AwareDatetime
    """The bundle has to be submitted before."""


class ChallengeGivenUp(Record):
    """Body of ``POST /api/v1/challenges/{challenge_id}/abandon``."""

    nonce: Annotated[str, Field(min_length=1, max_length=86)]
    """Proves that it is yours."""


class ChallengeList(Record):
    """One page of the challenges that were issued for a pull request, newest first."""

    items: tuple[ChallengeRef, ...]
    next_cursor: str | None
    """Null: this is the last page."""
