"""What can go wrong between us and GitHub, as two kinds: worth another try, or not."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

import github
import requests

RetryableCode = Literal["github_rate_limited", "github_unavailable", "github_unreachable", "github_unexpected_answer"]
PermanentCode = Literal[
    "github_bad_credentials",
    "github_forbidden",
    "github_not_found",
    "github_refused",
    "github_wrong_repository",
]

SECONDARY_LIMIT_WAIT_S = 60.0
"""GitHub's documented minimum wait after a secondary rate limit that names no time."""


class GitHubError(Exception):
    """A call to GitHub failed.

    Attributes:
        code: Stable word for the cause, one of ``RetryableCode`` or ``PermanentCode``.
        status: GitHub's HTTP status, or None when no answer arrived.
    """

    def __init__(self, detail: str, *, code: RetryableCode | PermanentCode, status: int | None = None) -> None:
        super().__init__(detail)
        self.code = code
        self.status = status


class GitHubRetryableError(GitHubError):
    """The same call may succeed later.

    Attributes:
        retry_after_s: Seconds GitHub asks us to wait, or None when it did not say.
    """

    def __init__(
        self, detail: str, *, code: RetryableCode, status: int | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(detail, code=code, status=status)
        self.retry_after_s = retry_after_s


class GitHubPermanentError(GitHubError):
    """The same call will fail again until a person or another event changes something."""

    def __init__(self, detail: str, *, code: PermanentCode, status: int | None = None) -> None:
        super().__init__(detail, code=code, status=status)


@contextmanager
def translated() -> Iterator[None]:
    """Turn every failure of PyGithub and of the network below it into a ``GitHubError``.

    Raises:
        GitHubRetryableError: Rate limits, 5xx, no connection, or an answer that PyGithub cannot read.
        GitHubPermanentError: Any other refusal.

    Note:
        PyGithub meets an answer in the wrong shape with whatever its reading of it raises, so inside this block those
        types mean "not GitHub's usual answer" (a proxy's page, half a body).
    """
    try:
        yield
    except github.GithubException as error:
        raise from_answer(error.status, _message(error), error.headers or {}) from error
    except requests.RequestException as error:
        detail = f"No answer from GitHub: {type(error).__name__}."
        raise GitHubRetryableError(detail, code="github_unreachable") from error
    except (
        github.BadAttributeException,
        AssertionError,
        AttributeError,
        KeyError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        detail = f"GitHub's answer could not be read: {type(error).__name__}."
        raise GitHubRetryableError(detail, code="github_unexpected_answer") from error


def from_answer(status: int, message: str, headers: Mapping[str, object]) -> GitHubError:
    """Judge one refusal.

    Args:
        status: HTTP status, 400 or more.
        message: GitHub's ``message``.
        headers: Answer headers, names in any case.

    Returns:
        The error to raise.

    Source:
        GitHub REST documentation, "Rate limits": 403 and 429 are rate limits when ``retry-after`` is given, when
        ``x-ratelimit-remaining`` is 0, or when the message speaks of a secondary limit.
    """
    detail = f"GitHub answered {status}: {message}"
    named = {str(name).lower(): str(value) for name, value in headers.items()}
    if status == 429 or (status == 403 and _is_rate_limit(message, named)):
        wait_s = _wait_s(named)
        return GitHubRetryableError(
            detail,
            code="github_rate_limited",
            status=status,
            retry_after_s=SECONDARY_LIMIT_WAIT_S if wait_s is None else wait_s,
        )
    if status >= 500 or status == 408:
        return GitHubRetryableError(detail, code="github_unavailable", status=status, retry_after_s=_wait_s(named))
    code: PermanentCode
    match status:
        case 401:
            code = "github_bad_credentials"
        case 403:
            code = "github_forbidden"
        case 404 | 410:
            code = "github_not_found"
        case _:
            code = "github_refused"
    return GitHubPermanentError(detail, code=code, status=status)


def _is_rate_limit(message: str, headers: Mapping[str, str]) -> bool:
    """Tell a 403 that means "slow down" from one that means "no"."""
    if "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0":
        return True
    lowered = message.lower()
    return "rate limit" in lowered or "abuse detection" in lowered


def _wait_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds GitHub asks for, from ``retry-after`` or the reset time of a used-up limit."""
    after = headers.get("retry-after", "")
    if after.isascii() and after.isdigit():
        return float(after)
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and reset.isascii() and reset.isdigit():
        return max(float(reset) - time.time(), 0.0) + 1.0  # the reset falls somewhere inside that second
    return None


def _message(error: github.GithubException) -> str:
    """Return GitHub's own words about a refusal, shortened."""
    data = error.data
    message = data.get("message") if isinstance(data, dict) else None
    reasons = data.get("errors") if isinstance(data, dict) else None
    words = f"{message or 'no message'}" + (f" {reasons}" if reasons else "")
    return words[:500]
