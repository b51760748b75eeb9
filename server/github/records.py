"""What we read from GitHub and what we publish there, as frozen records."""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, SecretStr, StringConstraints, model_validator

RepositoryName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+/[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*$", max_length=200)
]
"""``owner/name``. Display and address only: identity is the numeric id, which a rename or a look-alike keeps apart."""

Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
"""A full commit id, lower case."""

Permission = Literal["admin", "maintain", "write", "triage", "read", "none"]
"""What somebody may do in a repository, the most first."""

CheckStatus = Literal["queued", "in_progress", "completed"]
CheckConclusion = Literal["success", "failure", "neutral", "cancelled", "timed_out", "action_required", "skipped"]
AnnotationLevel = Literal["notice", "warning", "failure"]
Reaction = Literal["+1", "-1", "confused", "eyes", "rocket"]

ANNOTATION_MARK = "#"
"""Stands between our external id and the annotation digest in what GitHub stores."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AppCredentials(_Record):
    """A GitHub App.

    Attributes:
        app_id: The App's numeric id.
        private_key_pem: Its RSA private key, PEM.
    """

    app_id: int = Field(gt=0)
    private_key_pem: SecretStr


class TokenCredentials(_Record):
    """A personal access token. It cannot create check runs, so checks become a status and a comment."""

    token: SecretStr


class GitHubSettings(_Record):
    """How to reach GitHub.

    Attributes:
        credentials: A GitHub App or a personal token.
        base_url: Root of the REST API, without a trailing slash.
        timeout_s: Seconds to wait for one answer.
    """

    credentials: AppCredentials | TokenCredentials
    base_url: str = Field(default="https://api.github.com", pattern=r"^https?://[^\s/]+(/[^\s]*[^\s/])?$")
    timeout_s: int = Field(default=15, ge=1, le=120)


class Pull(_Record):
    """A pull request, read at one moment.

    Attributes:
        head_repository_id: None when the fork it came from was deleted.
        author: Login of who opened it; None when that account was deleted.
        updated_at: When anything about it last changed, by GitHub's clock.
    """

    repository_id: int
    repository: RepositoryName
    number: int = Field(ge=1)
    title: str
    body: str
    state: Literal["open", "closed"]
    merged: bool
    draft: bool
    author: str | None
    author_id: int | None
    head_sha: Sha
    head_ref: str
    head_repository_id: int | None
    base_sha: Sha
    base_ref: str
    url: str
    updated_at: AwareDatetime | None = None


class CheckAnnotation(_Record):
    """One remark on lines of a file of the pull request. Plain text, not Markdown."""

    path: str = Field(min_length=1)
    start_line: int = Field(ge=1)
    end_line: int = Field(ge=1)
    level: AnnotationLevel
    title: str
    message: str = Field(min_length=1)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end_line < self.start_line:
            raise ValueError("end_line is before start_line")
        return self


class CheckAction(_Record):
    """A button on the check; pressing it sends ``check_run.requested_action`` with the identifier."""

    label: str = Field(min_length=1, max_length=20)
    description: str = Field(min_length=1, max_length=40)
    identifier: str = Field(min_length=1, max_length=20)


class CheckPayload(_Record):
    """Everything one check shall say. The same payload may be published any number of times.

    Attributes:
        repository_id: The repository that is meant; publishing stops when ``repository`` now names another one.
        external_id: Ours, one per check that shall exist on GitHub: publishing with a known one updates that check.
        name: Name of the check, and the status context of the fallback.
        conclusion: Set if and only if the status is ``completed``.
        title: One plain line.
        summary: Markdown, with everything untrusted escaped (``judge.markdown``).
        text: Markdown, longer; may be empty.
        details_url: Where the evidence is.
    """

    repository: RepositoryName
    repository_id: int
    pull_number: int = Field(ge=1)
    head_sha: Sha
    external_id: str = Field(min_length=1, max_length=200, pattern=r"^[^#\s]+$")
    name: str = Field(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._/()-]*$")
    status: CheckStatus
    conclusion: CheckConclusion | None = None
    title: str = Field(min_length=1)
    summary: str = Field(min_length=1)
    text: str = ""
    details_url: str = Field(pattern=r"^https?://[^\s]+$")
    annotations: tuple[CheckAnnotation, ...] = ()
    actions: tuple[CheckAction, ...] = Field(default=(), max_length=3)

    @model_validator(mode="after")
    def _concluded_if_completed(self) -> Self:
        if (self.status == "completed") != (self.conclusion is not None):
            raise ValueError("a conclusion belongs to status completed, and only there")
        return self

    @property
    def stored_external_id(self) -> str:
        """External id as GitHub stores it: ours, and a digest of the annotations if there are any.

        GitHub can only append annotations. With the digest in the id, a run is reused exactly while its annotations
        are still the right ones, and how many arrived before a crash is their count.
        """
        if not self.annotations:
            return self.external_id
        lines = "\n".join(annotation.model_dump_json() for annotation in self.annotations)
        return f"{self.external_id}{ANNOTATION_MARK}{hashlib.sha256(lines.encode()).hexdigest()[:16]}"


class Answer(_Record):
    """What we say to somebody's comment, or to a pressed button. The same answer may be given any number of times.

    Attributes:
        repository_id: The repository that is meant; answering stops when ``repository`` now names another one.
        key: Ours, one per question: a comment of ours that carries it is the answer and is not written again.
        asked_at: When the question was asked; our answer is not older.
        comment_id: The comment to react to; None: a button was pressed.
        reaction: Shown at the comment; None: none.
        body: Markdown, with everything untrusted escaped; empty: the reaction is the answer.
    """

    repository: RepositoryName
    repository_id: int
    pull_number: int = Field(ge=1)
    key: str = Field(pattern=r"^[A-Za-z0-9:-]{1,100}$")
    asked_at: AwareDatetime
    comment_id: int | None = None
    reaction: Reaction | None = None
    body: str = ""


class Rate(_Record):
    """How many calls GitHub still lets us make.

    Attributes:
        reset_at: When the count begins anew.
    """

    limit: int
    remaining: int
    reset_at: AwareDatetime


class PublishedCheck(_Record):
    """Where a published check can be seen.

    Attributes:
        kind: ``check_run``, or ``status`` for the fallback (commit status and one comment).
        id: GitHub's id of the check run, or of the commit status.
        url: Page for people.
    """

    kind: Literal["check_run", "status"]
    id: int
    url: str
