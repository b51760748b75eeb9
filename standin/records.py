"""What the stand-in remembers. The state file is this, as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Access = Literal["read", "write"]
Permissions = dict[str, Access]

DEFAULT_PERMISSIONS: Permissions = {
    "checks": "write",
    "contents": "read",
    "issues": "write",
    "metadata": "read",
    "pull_requests": "write",
    "statuses": "write",
}
"""What a service that checks pull requests asks for."""

CheckStatus = Literal["queued", "in_progress", "completed"]
Conclusion = Literal["success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required"]
StatusState = Literal["error", "failure", "pending", "success"]


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid", validate_assignment=True)


class User(_Kept):
    """A person, an organisation or a bot."""

    id: int
    login: str
    type: Literal["User", "Organization", "Bot"] = "User"


class Repository(_Kept):
    """A repository. ``collaborators`` maps login to a role; an organisation's own roles build upon a plain one."""

    id: int
    owner: str
    name: str
    fork: bool = False
    default_branch: str = "main"
    created_at: datetime
    collaborators: dict[str, Literal["admin", "maintain", "write", "triage", "read"]] = Field(default_factory=dict)
    role_names: dict[str, str] = Field(default_factory=dict)
    """Login to the name of an organisation's own role, beside the plain one in ``collaborators``."""

    @property
    def full_name(self) -> str:
        """``owner/name``."""
        return f"{self.owner}/{self.name}"


class Commit(_Kept):
    """A commit with the whole text of its files, in each repository that has it (a fork and its parent)."""

    sha: str
    repository_ids: list[int]
    parents: list[str]
    author: str
    message: str
    created_at: datetime
    files: dict[str, str] = Field(default_factory=dict)


class Pull(_Kept):
    """A pull request. ``commits`` are those of the head since the base, oldest first."""

    id: int
    number: int
    repository_id: int
    head_repository_id: int
    title: str
    body: str
    author: str
    state: Literal["open", "closed"] = "open"
    draft: bool = False
    merged: bool = False
    head_ref: str
    head_sha: str
    base_ref: str
    base_sha: str
    commits: list[str]
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None = None


class Annotation(_Kept):
    """A remark on lines of a file."""

    path: str
    start_line: int
    end_line: int
    start_column: int | None = None
    end_column: int | None = None
    annotation_level: Literal["notice", "warning", "failure"]
    message: str
    title: str | None = None
    raw_details: str | None = None


class Action(_Kept):
    """A button on a check."""

    label: str
    description: str
    identifier: str


class CheckRun(_Kept):
    """A check run of an App."""

    id: int
    app_id: int
    repository_id: int
    head_sha: str
    name: str
    external_id: str = ""
    details_url: str | None = None
    status: CheckStatus = "queued"
    conclusion: Conclusion | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[Annotation] = Field(default_factory=list)
    actions: list[Action] = Field(default_factory=list)


class CommitStatus(_Kept):
    """One posted commit status; the newest of a context counts."""

    id: int
    repository_id: int
    sha: str
    state: StatusState
    context: str
    description: str | None
    target_url: str | None
    creator: str
    created_at: datetime


class Comment(_Kept):
    """A comment on a pull request."""

    id: int
    repository_id: int
    number: int
    author: str
    body: str
    by_app: bool
    created_at: datetime
    updated_at: datetime


class Reaction(_Kept):
    """A reaction to a comment; a user has at most one of each kind."""

    id: int
    comment_id: int
    user: str
    content: Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]
    created_at: datetime


class Installation(_Kept):
    """The App on one account, for the listed repositories."""

    id: int
    account: str
    repository_ids: list[int]
    permissions: Permissions
    created_at: datetime
    suspended_at: datetime | None = None


class State(_Kept):
    """Everything, keyed by id (commits by sha, users by login)."""

    next_id: int = 1001
    users: dict[str, User] = Field(default_factory=dict)
    repositories: dict[int, Repository] = Field(default_factory=dict)
    commits: dict[str, Commit] = Field(default_factory=dict)
    pulls: dict[int, Pull] = Field(default_factory=dict)
    check_runs: dict[int, CheckRun] = Field(default_factory=dict)
    statuses: dict[int, CommitStatus] = Field(default_factory=dict)
    comments: dict[int, Comment] = Field(default_factory=dict)
    reactions: dict[int, Reaction] = Field(default_factory=dict)
    installations: dict[int, Installation] = Field(default_factory=dict)
