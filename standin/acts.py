"""Requests to the forge: what a person does there, as data. The stand-in's own routes take the same as JSON."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

FullName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+/[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*$")]
Login = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+$")]
Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
Role = Literal["admin", "maintain", "write", "triage", "read"]


class _Request(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NewRepository(_Request):
    """A repository to create; its owner becomes an admin. ``installed``: the App is installed on it."""

    repository: FullName
    collaborators: dict[Login, Role] = Field(default_factory=dict)
    installed: bool = True


class NewPull(_Request):
    """A pull request to open. Its repository is created if it does not exist.

    Attributes:
        head_repository: The fork it comes from, if not the repository itself; created if it does not exist.
        base_files: Path → text before.
        files: Path → text after; None removes a file.
        base_sha: The base commit's sha; by default made from the content. ``head_sha`` likewise.
    """

    repository: FullName
    title: str = Field(min_length=1)
    body: str = ""
    author: Login
    head_repository: FullName | None = None
    head_ref: str = Field(default="change", min_length=1)
    base_ref: str = Field(default="main", min_length=1)
    base_files: dict[str, str] = Field(default_factory=dict)
    files: dict[str, str | None] = Field(default_factory=dict)
    base_sha: Sha | None = None
    head_sha: Sha | None = None
    draft: bool = False


class Push(_Request):
    """A new commit on a pull request's branch."""

    repository: FullName
    number: int
    author: Login | None = None
    files: dict[str, str | None] = Field(default_factory=dict)
    message: str = "Change more"
    head_sha: Sha | None = None


class Edit(_Request):
    """Another title, body or state; None leaves a thing as it is."""

    repository: FullName
    number: int
    author: Login | None = None
    title: str | None = None
    body: str | None = None
    state: Literal["open", "closed"] | None = None
    merged: bool = False


class NewComment(_Request):
    """A person's comment on a pull request."""

    repository: FullName
    number: int
    author: Login
    body: str = Field(min_length=1)


class CommentEdit(_Request):
    """Another text for a comment."""

    comment_id: int
    author: Login
    body: str = Field(min_length=1)


class Press(_Request):
    """A person presses "Re-run" on a check, or one of its buttons."""

    check_run_id: int
    author: Login
    identifier: str | None = None
