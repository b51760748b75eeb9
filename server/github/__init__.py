"""GitHub: read pull requests, publish checks, receive webhooks. The only importer of PyGithub."""

from server.github.client import GitHubClient
from server.github.errors import GitHubError, GitHubPermanentError, GitHubRetryableError
from server.github.records import (
    AppCredentials,
    CheckAction,
    CheckAnnotation,
    CheckPayload,
    GitHubSettings,
    Permission,
    PublishedCheck,
    Pull,
    TokenCredentials,
)
from server.github.webhooks import (
    CheckRunEvent,
    IgnoredEvent,
    InstallationEvent,
    IssueCommentEvent,
    PingEvent,
    PullRequestEvent,
    WebhookDelivery,
    WebhookError,
    WebhookEvent,
    receive,
)

__all__ = [
    "AppCredentials",
    "CheckAction",
    "CheckAnnotation",
    "CheckPayload",
    "CheckRunEvent",
    "GitHubClient",
    "GitHubError",
    "GitHubPermanentError",
    "GitHubRetryableError",
    "GitHubSettings",
    "IgnoredEvent",
    "InstallationEvent",
    "IssueCommentEvent",
    "Permission",
    "PingEvent",
    "PublishedCheck",
    "Pull",
    "PullRequestEvent",
    "TokenCredentials",
    "WebhookDelivery",
    "WebhookError",
    "WebhookEvent",
    "receive",
]
