"""The one door to GitHub's API."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from github import GithubException
from github.PullRequest import PullRequest
from github.Repository import Repository

from server.github.access import open_access
from server.github.answers import give
from server.github.checks import publish_check_run
from server.github.errors import GitHubPermanentError, translated
from server.github.fallback import publish_status
from server.github.records import Answer, CheckPayload, GitHubSettings, Permission, PublishedCheck, Pull, Rate

T = TypeVar("T")

_ROLES: dict[str, Permission] = {
    "admin": "admin", "maintain": "maintain", "write": "write", "triage": "triage", "read": "read", "none": "none",
}  # fmt: skip
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]*)(?:\[bot\])?")


class GitHubClient:
    """Reads pull requests and publishes checks.

    Safe to share between threads: calls run one after the other, which is also what GitHub asks of integrators. No
    call sleeps or repeats itself, except that what was kept of an installation and is refused is looked up once more.

    Every method raises ``GitHubRetryableError`` or ``GitHubPermanentError``, nothing else.
    """

    def __init__(self, settings: GitHubSettings) -> None:
        self._access = open_access(settings)
        self._lock = threading.Lock()
        self._rate: Rate | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._access.close()

    def fetch_pull(self, repository: str, number: int) -> Pull:
        """Return the pull request as it is now.

        Args:
            repository: ``owner/name``.
            number: Its number.
        """
        return self._call(repository, lambda there: _pull(there.get_pull(number)))

    def fetch_open_pulls(self, repository: str) -> list[Pull]:
        """Return every open pull request, newest first, with a request for each hundred."""
        return self._call(
            repository, lambda there: [_pull(pull, merged=False) for pull in there.get_pulls(state="open")]
        )

    def permission(self, repository: str, login: str) -> Permission:
        """Return what a user may do now. Somebody unknown to the repository may do ``none``.

        An organisation's own role counts as the plain permission it builds upon.

        Args:
            repository: ``owner/name``.
            login: The user's login.
        """
        if not _LOGIN.fullmatch(login):
            return "none"

        def ask(there: Repository) -> Permission:
            try:
                role = _ROLES.get(there.get_collaborator_role_name(login))
                return _ROLES[there.get_collaborator_permission(login)] if role is None else role
            except GithubException as error:
                if error.status == 404:
                    return "none"
                raise

        return self._call(repository, ask)

    def publish(self, payload: CheckPayload) -> PublishedCheck:
        """Make GitHub show the payload, once, however often it is published.

        An App gets a check run. A personal token, or an App without the permission, gets a commit status and one
        comment.

        Raises:
            GitHubPermanentError: ``github_wrong_repository`` when the name now belongs to another repository.
        """

        def work(there: Repository) -> PublishedCheck:
            _require_identity(there, payload.repository_id)
            if self._access.app_id is not None:
                try:
                    return publish_check_run(there, payload, app_id=self._access.app_id)
                except GithubException as error:
                    if not _checks_not_permitted(error):
                        raise
            return publish_status(there, payload, own_login=self._access.own_login())

        return self._call(payload.repository, work)

    def answer(self, answer: Answer) -> str:
        """Give an answer on a pull request, once, however often it is given; return its page.

        Raises:
            GitHubPermanentError: ``github_wrong_repository`` when the name now belongs to another repository.
        """

        def work(there: Repository) -> str:
            _require_identity(there, answer.repository_id)
            return give(there, answer, own_login=self._access.own_login())

        return self._call(answer.repository, work)

    def covers(self, repository: str) -> bool:
        """Say whether GitHub lets us into a repository at all: is the App installed there, and not suspended?"""
        with self._lock, translated():
            return self._access.covers(repository)

    def rate(self) -> Rate | None:
        """Return what GitHub last said of our limit; None: nothing yet. Asks nothing."""
        return self._rate

    def _call(self, full_name: str, work: Callable[[Repository], T]) -> T:
        """Run ``work`` on a repository; if what was kept of its installation may be to blame, once more without it."""
        with self._lock:
            try:
                return self._attempt(full_name, work)
            except GitHubPermanentError as error:
                kept = self._access.forget(full_name)
                if not kept or error.code not in ("github_bad_credentials", "github_not_found"):
                    raise
            return self._attempt(full_name, work)

    def _attempt(self, full_name: str, work: Callable[[Repository], T]) -> T:
        try:
            with translated():
                return work(self._access.repository(full_name))
        finally:
            self._rate = self._access.rate(full_name) or self._rate


def _pull(pull: PullRequest, *, merged: bool | None = None) -> Pull:
    """Read what was answered; a list does not say whether one is merged, and asking would be a request for each."""
    return Pull(
        repository_id=pull.base.repo.id,
        repository=pull.base.repo.full_name,
        number=pull.number,
        title=pull.title,
        body=pull.body or "",
        state="open" if pull.state == "open" else "closed",
        merged=pull.merged if merged is None else merged,
        draft=bool(pull.draft),
        author=pull.user.login if pull.user else None,
        author_id=pull.user.id if pull.user else None,
        head_sha=pull.head.sha,
        head_ref=pull.head.ref,
        head_repository_id=pull.head.repo.id if pull.head.repo else None,
        base_sha=pull.base.sha,
        base_ref=pull.base.ref,
        url=pull.html_url,
        updated_at=pull.updated_at,
    )


def _require_identity(repository: Repository, repository_id: int) -> None:
    """Stop when a name has come to mean another repository (renamed, transferred, re-created)."""
    if repository.id != repository_id:
        raise GitHubPermanentError(
            f"{repository.full_name} has id {repository.id}, expected {repository_id}.", code="github_wrong_repository"
        )


def _checks_not_permitted(error: GithubException) -> bool:
    data = error.data
    message = data.get("message") if isinstance(data, dict) else None
    return error.status == 403 and isinstance(message, str) and "not accessible by integration" in message.lower()
