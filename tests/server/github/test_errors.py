from __future__ import annotations

import time

import github
import pytest
import requests

from server.github import GitHubPermanentError, GitHubRetryableError
from server.github.errors import from_answer, translated


@pytest.mark.parametrize(
    ("status", "message", "headers", "kind", "code", "retry_after_s"),
    [
        (401, "Bad credentials", {}, GitHubPermanentError, "github_bad_credentials", None),
        (403, "Resource not accessible by integration", {}, GitHubPermanentError, "github_forbidden", None),
        (403, "Forbidden", {"Retry-After": "12"}, GitHubRetryableError, "github_rate_limited", 12),
        (403, "You have triggered an abuse detection mechanism", {}, GitHubRetryableError, "github_rate_limited", 60),
        (403, "You have exceeded a secondary rate limit", {}, GitHubRetryableError, "github_rate_limited", 60),
        (403, "Forbidden", {"x-ratelimit-remaining": "17"}, GitHubPermanentError, "github_forbidden", None),
        (404, "Not Found", {}, GitHubPermanentError, "github_not_found", None),
        (408, "Timeout", {}, GitHubRetryableError, "github_unavailable", None),
        (409, "Conflict", {}, GitHubPermanentError, "github_refused", None),
        (410, "Gone", {}, GitHubPermanentError, "github_not_found", None),
        (422, "Validation Failed", {}, GitHubPermanentError, "github_refused", None),
        (429, "Too many", {"retry-after": "soon"}, GitHubRetryableError, "github_rate_limited", 60),
        (500, "Oops", {}, GitHubRetryableError, "github_unavailable", None),
        (503, "Busy", {"RETRY-AFTER": "5"}, GitHubRetryableError, "github_unavailable", 5),
    ],
)
def test_each_refusal_is_retryable_or_permanent(status, message, headers, kind, code, retry_after_s):
    error = from_answer(status, message, headers)
    assert type(error) is kind
    assert (error.code, error.status) == (code, status)
    assert getattr(error, "retry_after_s", None) == retry_after_s


@pytest.mark.parametrize(("ahead_s", "least", "most"), [(40, 38, 41), (-500, 1, 1)])
def test_a_used_up_limit_waits_until_just_after_its_reset(ahead_s, least, most):
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(time.time()) + ahead_s)}
    error = from_answer(403, "API rate limit exceeded", headers)
    assert least <= error.retry_after_s <= most


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (requests.ConnectionError("refused"), "github_unreachable"),
        (requests.Timeout("slow"), "github_unreachable"),
        (github.BadAttributeException("x", (str, int), None), "github_unexpected_answer"),
        (AssertionError("other host"), "github_unexpected_answer"),
        (ValueError("not JSON"), "github_unexpected_answer"),
    ],
)
def test_what_is_no_answer_of_githubs_is_retryable(raised, code):
    with pytest.raises(GitHubRetryableError) as caught, translated():
        raise raised
    assert (caught.value.code, caught.value.status) == (code, None)
    assert caught.value.__cause__ is raised


def test_githubs_words_are_kept_but_not_at_any_length():
    data = {"message": "Validation Failed", "errors": [{"field": "x" * 5000}]}
    with pytest.raises(GitHubPermanentError, match="Validation Failed") as caught, translated():
        raise github.GithubException(422, data, {})
    assert len(str(caught.value)) < 600


def test_an_interrupt_is_not_swallowed():
    with pytest.raises(KeyboardInterrupt), translated():
        raise KeyboardInterrupt
