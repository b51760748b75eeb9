"""Who may decide about a repository: whoever may write to it, as GitHub says at the time of use."""

from server import orders
from server.errors import AppError
from server.github import GitHubPermanentError, GitHubRetryableError
from server.principals import Principal
from server.services import Services

_MAY_WRITE = ("admin", "maintain", "write")


def may_write(services: Services, by: Principal, repository: str) -> bool:
    """Whether somebody may write to a repository: GitHub is asked now.

    Without a connection to GitHub maintainers of the service decide.

    Raises:
        AppError: ``github_failed``.
    """
    if by.kind == "operator" or by.role == "admin":
        return True
    if by.kind not in ("account", "node") or by.login is None:
        return False
    if services.github is None:
        return by.role == "maintainer"
    try:
        return services.github.permission(repository, by.login) in _MAY_WRITE
    except (GitHubPermanentError, GitHubRetryableError) as error:
        raise AppError("github_failed", str(error)[:300]) from error


def name_of(by: Principal) -> str:
    """Under which name somebody decides: a login, or what can be none."""
    return by.login or (orders.OPERATOR if by.kind == "operator" else f"the owner {by.owner}")
