"""Credentials: from a GitHub App or a personal token to a repository that can be called."""

from __future__ import annotations

from typing import Protocol

from github import Auth, Github, GithubIntegration
from github.Repository import Repository

from server.github.records import AppCredentials, GitHubSettings, TokenCredentials

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

    def own_login(self) -> str:
        """Return the login under which our comments appear."""

    def forget(self, full_name: str) -> None:
        """Drop what is kept about a repository, as its installation may be gone or its token revoked."""

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

    def forget(self, full_name: str) -> None:
        """See ``Access``: a personal token has nothing to renew."""

    def close(self) -> None:
        """See ``Access``."""
        self._github.close()


class AppAccess:
    """Access as a GitHub App.

    A repository's installation is looked up once and kept; PyGithub renews its token shortly before it expires.
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
        self._by_repository: dict[str, Github] = {}
        self._own_login: str | None = None

    def repository(self, full_name: str) -> Repository:
        """See ``Access``.

        Raises:
            github.UnknownObjectException: The App is not installed there.
        """
        if full_name not in self._by_repository:
            owner, _, name = full_name.partition("/")
            installation = self._integration.get_repo_installation(owner, name)
            auth = self._auth.get_installation_auth(installation.id)
            self._by_repository[full_name] = _new_github(self._settings, auth)
        return self._by_repository[full_name].get_repo(full_name)

    def own_login(self) -> str:
        """See ``Access``."""
        if self._own_login is None:
            self._own_login = f"{self._integration.get_app().slug}[bot]"
        return self._own_login

    def forget(self, full_name: str) -> None:
        """See ``Access``."""
        dropped = self._by_repository.pop(full_name, None)
        if dropped is not None:
            dropped.close()

    def close(self) -> None:
        """See ``Access``."""
        for full_name in list(self._by_repository):
            self.forget(full_name)
        self._integration.close()


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
