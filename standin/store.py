"""The state, its lock, and the file that keeps it."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Literal

from standin.errors import invalid, not_found
from standin.records import Comment, Commit, Installation, Pull, Repository, State, User
from standin.settings import Clock


class Store:
    """One state, changed by one thread at a time and written to the file after each change.

    Args:
        state_file: Where to keep it, or None for memory only. An existing file is read.
        clock: Source of the time.
    """

    def __init__(self, *, state_file: Path | None, clock: Clock) -> None:
        self._file = state_file
        self._clock = clock
        self._lock = threading.RLock()
        kept = state_file is not None and state_file.exists()
        self._state = State.model_validate_json(state_file.read_bytes()) if kept and state_file else State()

    @contextmanager
    def reading(self) -> Iterator[State]:
        """Hold the state still."""
        with self._lock:
            yield self._state

    @contextmanager
    def changing(self) -> Iterator[State]:
        """Hold the state, and write it to the file when the block ends without an error."""
        with self._lock:
            yield self._state
            if self._file is not None:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                unfinished = self._file.with_name(self._file.name + ".new")
                unfinished.write_text(self._state.model_dump_json())
                os.replace(unfinished, self._file)

    def now(self) -> datetime:
        """Return the time, in whole seconds as GitHub shows it."""
        return self._clock().replace(microsecond=0)


def new_id(state: State) -> int:
    """Return an id that nothing else has."""
    state.next_id += 1
    return state.next_id - 1


def ensure_user(state: State, login: str, *, kind: Literal["User", "Organization", "Bot"] = "User") -> User:
    """Return the user, created if unknown."""
    if login not in state.users:
        state.users[login] = User(id=new_id(state), login=login, type=kind)
    return state.users[login]


def find_repository(state: State, full_name: str) -> Repository:
    """Return the repository by ``owner/name``, upper and lower case alike.

    Raises:
        ApiError: 404.
    """
    for repository in state.repositories.values():
        if repository.full_name.lower() == full_name.lower():
            return repository
    raise not_found()


def find_pull(state: State, repository: Repository, number: int) -> Pull:
    """Return the pull request.

    Raises:
        ApiError: 404.
    """
    for pull in state.pulls.values():
        if pull.repository_id == repository.id and pull.number == number:
            return pull
    raise not_found()


def find_commit(state: State, repository: Repository, reference: str) -> Commit:
    """Return a commit by full or shortened sha, or the newest of a branch.

    Raises:
        ApiError: 422, as GitHub says for a reference it does not know.
    """
    branches = {pull.head_ref: pull.head_sha for pull in pulls_of(state, repository)}
    branches |= {pull.base_ref: pull.base_sha for pull in pulls_of(state, repository)}
    wanted = branches.get(reference, reference)
    for commit in state.commits.values():
        if repository.id in commit.repository_ids and len(wanted) >= 7 and commit.sha.startswith(wanted):
            return commit
    raise invalid("Commit", "sha", f"No commit found for SHA: {reference}")


def pulls_of(state: State, repository: Repository) -> list[Pull]:
    """Return the repository's pull requests, newest first."""
    return sorted((p for p in state.pulls.values() if p.repository_id == repository.id), key=lambda p: -p.number)


def comments_of(state: State, pull: Pull) -> list[Comment]:
    """Return the comments on a pull request, oldest first."""
    ours = (c for c in state.comments.values() if (c.repository_id, c.number) == (pull.repository_id, pull.number))
    return sorted(ours, key=lambda comment: comment.id)


def installation_of(state: State, repository: Repository) -> Installation | None:
    """Return the installation that covers the repository."""
    return next((i for i in state.installations.values() if repository.id in i.repository_ids), None)


def add_commit(
    state: State,
    repositories: Iterable[Repository],
    *,
    files: dict[str, str],
    parents: list[str],
    author: str,
    message: str,
    at: datetime,
    sha: str | None = None,
) -> Commit:
    """Add a commit, or return the one with this sha.

    Args:
        state: The state to change.
        repositories: Those that shall have it.
        files: Path → whole text.
        parents: Parent shas.
        author: Login.
        message: Commit message.
        at: Commit time.
        sha: The sha it shall have, 40 lower-case hex digits; by default made from the content.
    """
    made = hashlib.sha1(repr((sorted(files.items()), parents, author, message)).encode(), usedforsecurity=False)
    name = sha or made.hexdigest()
    commit = state.commits.setdefault(
        name,
        Commit(
            sha=name, repository_ids=[], parents=parents, author=author, message=message, created_at=at, files=files
        ),
    )
    commit.repository_ids = sorted({*commit.repository_ids, *(repository.id for repository in repositories)})
    return commit
