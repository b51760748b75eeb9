"""Credentials: from a GitHub App or a personal token to a repository that can be called."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol

from github import Auth, Github, GithubIntegration, UnknownObjectException
from github.Repository import Repository

from server.github.records import AppCredentials, GitHubSettings, Rate, TokenCredentials

USER_AGENT = "byogpu"
PAGE_SIZE = 100


class Access(Protocol):
    """Opens repositories with the right token. Not thread-safe: the client holds a lock.

    Attributes:
        app_id: Id of our App, or None with a personal token.
    """

    app_id: int | None

    def repository(self, full_name: str) -> Repository:
        """Return the repository ``owner/name``, without asking for it yet."""

    def covers(self, full_name: str) -> bool:
        """Ask whether we have been let into the repository."""

    def own_login(self) -> str:
        """Return the login under which our comments appear."""

    def forget(self, full_name: str) -> bool:
        """Drop what is kept about a repository, as its installation may be gone or its token revoked.

        Returns:
            Whether there was anything, so that another attempt may fare better.
        """

    def rate(self, full_name: str) -> Rate | None:
        """Return what the last answer about a repository said of our limit."""

    def close(self) -> None:
        """Close every connection."""


def open_access(settings: GitHubSettings) -> Access:
    """Return access with the credentials that the settings hold."""
    match settings.credentials:
        case AppCredentials():
            return AppAccess(settings, settings.credentials)
        case TokenCredentials():
            return TokenAccess(settings, settings.credentials)


class TokenAccess:
    """Access with one personal token."""

    def __init__(self, settings: GitHubSettings, credentials: TokenCredentials) -> None:
        self.app_id: int | None = None
        self._github = _new_github(settings, Auth.Token(credentials.token.get_secret_value()))
        self._own_login: str | None = None

    def repository(self, full_name: str) -> Repository:
        """See ``Access``."""
        return self._github.get_repo(full_name)

    def own_login(self) -> str:
        """See ``Access``."""
        if self._own_login is None:
            self._own_login = self._github.get_user().login
        return self._own_login

    def covers(self, full_name: str) -> bool:  # noqa: ARG002
        """See ``Access``: a personal token is let in wherever its owner is."""
        return True

    def forget(self, full_name: str) -> bool:  # noqa: ARG002
        """See ``Access``: a personal token has nothing to renew."""
        return False

    def rate(self, full_name: str) -> Rate | None:  # noqa: ARG002
        """See ``Access``."""
        return _rate(self._github)

    def close(self) -> None:
        """See ``Access``."""
        self._github.close()


class AppAccess:
    """Access as a GitHub App.

    A repository's installation is looked up once and kept. All repositories of an installation share its token, which
    PyGithub renews before it expires.
    """

    def __init__(self, settings: GitHubSettings, credentials: AppCredentials) -> None:
        self.app_id: int | None = credentials.app_id
        self._settings = settings
        self._auth = Auth.AppAuth(credentials.app_id, credentials.private_key_pem.get_secret_value())
        self._integration = GithubIntegration(
            auth=self._auth,
            base_url=settings.base_url,
            timeout=settings.timeout_s,
            user_agent=USER_AGENT,
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
        )
        self._installations: dict[str, int] = {}
        self._githubs: dict[int, Github] = {}
        self._own_login: str | None = None

    def repository(self, full_name: str) -> Repository:
        """See ``Access``.

        Raises:
            github.UnknownObjectException: The App is not installed there.
        """
        if full_name not in self._installations:
            self._installations[full_name] = self._integration.get_repo_installation(*full_name.split("/")).id
        installation = self._installations[full_name]
        if installation not in self._githubs:
            auth = self._auth.get_installation_auth(installation)
            self._githubs[installation] = _new_github(self._settings, auth)
        return self._githubs[installation].get_repo(full_name)

    def covers(self, full_name: str) -> bool:
        """See ``Access``."""
        try:
            found = self._integration.get_repo_installation(*full_name.split("/"))
        except UnknownObjectException:
            return False
        return found.suspended_at is None

    def own_login(self) -> str:
        """See ``Access``."""
        if self._own_login is None:
            self._own_login = f"{self._integration.get_app().slug}[bot]"
        return self._own_login

    def forget(self, full_name: str) -> bool:
        """See ``Access``."""
        installation = self._installations.pop(full_name, None)
        if installation is None:
            return False
        dropped = self._githubs.pop(installation, None)
        if dropped is not None:
            dropped.close()
        return True

    def rate(self, full_name: str) -> Rate | None:
        """See ``Access``."""
        found = self._githubs.get(self._installations.get(full_name, 0))
        return None if found is None else _rate(found)

    def close(self) -> None:
        """See ``Access``."""
        for full_name in list(self._installations):
            self.forget(full_name)
        self._integration.close()


def _rate(github: Github) -> Rate | None:
    """What the last answer's headers said; asks nothing."""
    requester = github.requester
    remaining, limit = requester.rate_limiting
    if limit < 0:
        return None
    return Rate(
        limit=limit, remaining=remaining, reset_at=datetime.fromtimestamp(requester.rate_limiting_resettime, tz=UTC)
    )


def _new_github(settings: GitHubSettings, auth: Auth.Auth) -> Github:
    # No pauses and no retries inside a call: the outbox decides when to try again. Lazy: a repository or commit that
    # is only a step on the way to another address costs no request.
    return Github(
        auth=auth,
        base_url=settings.base_url,
        timeout=settings.timeout_s,
        user_agent=USER_AGENT,
        per_page=PAGE_SIZE,
        retry=None,
        seconds_between_requests=None,
        seconds_between_writes=None,
        lazy=True,
    )
