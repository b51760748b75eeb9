"""Webhooks: is this body from GitHub, and what does it say. Pure: no database, no network.

A webhook is a hint, never a fact to judge by: deliveries come twice, late and in any order. The receiver drops known
delivery ids, ignores a head SHA that is no longer the pull request's, and reads the present state from the API.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AliasPath, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from server.github.records import ANNOTATION_MARK, RepositoryName, Sha

MAX_BODY_BYTES = 2 * 1024 * 1024
"""Far above a real delivery of the events we know (the largest example has 26 kB), far below GitHub's 25 MB."""

WebhookCode = Literal[
    "webhook_too_large",
    "webhook_media_type",
    "webhook_signature_missing",
    "webhook_signature_invalid",
    "webhook_delivery_missing",
    "webhook_event_missing",
    "webhook_malformed",
]

_STATUS: dict[WebhookCode, int] = {
    "webhook_too_large": 413,
    "webhook_media_type": 415,
    "webhook_signature_missing": 401,
    "webhook_signature_invalid": 401,
    "webhook_delivery_missing": 400,
    "webhook_event_missing": 400,
    "webhook_malformed": 422,
}


class WebhookError(Exception):
    """A delivery is refused.

    Attributes:
        code: Stable word for the reason.
        status: HTTP status to answer with.
    """

    def __init__(self, code: WebhookCode, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.status = _STATUS[code]


def _without_annotation_digest(value: object) -> object:
    """Give back the external id as we chose it (``CheckPayload.stored_external_id`` adds to it)."""
    return value.partition(ANNOTATION_MARK)[0] if isinstance(value, str) else value


def _empty_if_none(value: object) -> object:
    """GitHub sends null for an empty body."""
    return "" if value is None else value


class _Event(BaseModel):
    """Fields are picked out of GitHub's nested JSON; the rest of a payload, and what GitHub adds later, is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_by_name=True, validate_by_alias=True)


class PullRequestEvent(_Event):
    """A pull request changed."""

    action: Literal["opened", "reopened", "synchronize", "edited", "closed", "ready_for_review", "converted_to_draft"]
    repository_id: int = Field(validation_alias=AliasPath("repository", "id"))
    repository: RepositoryName = Field(validation_alias=AliasPath("repository", "full_name"))
    number: int = Field(validation_alias=AliasPath("pull_request", "number"))
    title: str = Field(validation_alias=AliasPath("pull_request", "title"))
    body: Annotated[str, BeforeValidator(_empty_if_none)] = Field(validation_alias=AliasPath("pull_request", "body"))
    state: Literal["open", "closed"] = Field(validation_alias=AliasPath("pull_request", "state"))
    head_sha: Sha = Field(validation_alias=AliasPath("pull_request", "head", "sha"))
    base_sha: Sha = Field(validation_alias=AliasPath("pull_request", "base", "sha"))
    updated_at: AwareDatetime | None = Field(default=None, validation_alias=AliasPath("pull_request", "updated_at"))
    sender: str = Field(validation_alias=AliasPath("sender", "login"))
    sender_id: int = Field(validation_alias=AliasPath("sender", "id"))
    installation_id: int | None = Field(default=None, validation_alias=AliasPath("installation", "id"))


class CheckRunEvent(_Event):
    """Somebody pressed "Re-run" or one of our buttons on a check.

    Attributes:
        external_id: The id under which we published it; empty for a check of another App.
        app_id: The App that the check belongs to; act only on our own.
        requested_action: Identifier of the button, for ``requested_action``.
    """

    action: Literal["rerequested", "requested_action"]
    repository_id: int = Field(validation_alias=AliasPath("repository", "id"))
    repository: RepositoryName = Field(validation_alias=AliasPath("repository", "full_name"))
    check_run_id: int = Field(validation_alias=AliasPath("check_run", "id"))
    name: str = Field(validation_alias=AliasPath("check_run", "name"))
    external_id: Annotated[str, BeforeValidator(_empty_if_none), BeforeValidator(_without_annotation_digest)] = Field(
        validation_alias=AliasPath("check_run", "external_id")
    )
    head_sha: Sha = Field(validation_alias=AliasPath("check_run", "head_sha"))
    app_id: int = Field(validation_alias=AliasPath("check_run", "app", "id"))
    requested_action: str | None = Field(default=None, validation_alias=AliasPath("requested_action", "identifier"))
    sender: str = Field(validation_alias=AliasPath("sender", "login"))
    sender_id: int = Field(validation_alias=AliasPath("sender", "id"))
    installation_id: int | None = Field(default=None, validation_alias=AliasPath("installation", "id"))


class IssueCommentEvent(_Event):
    """A comment on an issue or a pull request.

    Attributes:
        number: Number of the issue or pull request.
        pull_url: API address of the pull request; None for a plain issue.
        created_at: When it was written, by GitHub's clock.
        author_id: Who wrote it. On an edited comment that need not be the sender.
        sender_type: ``Bot`` for Apps, our own included: never obey those.
        written_by_app: An App wrote it, be it in a person's name.
    """

    action: Literal["created", "edited", "deleted"]
    repository_id: int = Field(validation_alias=AliasPath("repository", "id"))
    repository: RepositoryName = Field(validation_alias=AliasPath("repository", "full_name"))
    number: int = Field(validation_alias=AliasPath("issue", "number"))
    pull_url: str | None = Field(default=None, validation_alias=AliasPath("issue", "pull_request", "url"))
    comment_id: int = Field(validation_alias=AliasPath("comment", "id"))
    body: Annotated[str, BeforeValidator(_empty_if_none)] = Field(validation_alias=AliasPath("comment", "body"))
    created_at: AwareDatetime = Field(validation_alias=AliasPath("comment", "created_at"))
    author_id: int | None = Field(default=None, validation_alias=AliasPath("comment", "user", "id"))
    written_by_app: Annotated[bool, BeforeValidator(bool)] = Field(
        default=False, validation_alias=AliasPath("comment", "performed_via_github_app")
    )
    sender: str = Field(validation_alias=AliasPath("sender", "login"))
    sender_id: int = Field(validation_alias=AliasPath("sender", "id"))
    sender_type: str = Field(validation_alias=AliasPath("sender", "type"))
    installation_id: int | None = Field(default=None, validation_alias=AliasPath("installation", "id"))

    @property
    def is_on_pull(self) -> bool:
        """Whether the comment stands on a pull request."""
        return self.pull_url is not None


class InstallationEvent(_Event):
    """The App was installed, removed, suspended or given other permissions.

    Attributes:
        account: Whose repositories it is about.
    """

    action: Literal["created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"]
    installation_id: int = Field(validation_alias=AliasPath("installation", "id"))
    account: str = Field(validation_alias=AliasPath("installation", "account", "login"))
    account_id: int = Field(validation_alias=AliasPath("installation", "account", "id"))
    sender: str = Field(validation_alias=AliasPath("sender", "login"))
    sender_id: int = Field(validation_alias=AliasPath("sender", "id"))


class InstallationRepositoriesEvent(_Event):
    """Repositories were added to an installation of the App, or taken out of it."""

    action: Literal["added", "removed"]
    installation_id: int = Field(validation_alias=AliasPath("installation", "id"))
    account: str = Field(validation_alias=AliasPath("installation", "account", "login"))
    account_id: int = Field(validation_alias=AliasPath("installation", "account", "id"))
    sender: str = Field(validation_alias=AliasPath("sender", "login"))
    sender_id: int = Field(validation_alias=AliasPath("sender", "id"))


class PingEvent(_Event):
    """GitHub's greeting after the webhook was set up."""

    zen: str
    hook_id: int


class IgnoredEvent(_Event):
    """An event, or an action of a known event, that nothing here acts on."""

    event: str
    action: str | None = None


KnownEvent = (
    PullRequestEvent | CheckRunEvent | IssueCommentEvent | InstallationEvent | InstallationRepositoriesEvent | PingEvent
)
WebhookEvent = KnownEvent | IgnoredEvent

_EVENTS: dict[str, type[KnownEvent]] = {
    "pull_request": PullRequestEvent,
    "check_run": CheckRunEvent,
    "issue_comment": IssueCommentEvent,
    "installation": InstallationEvent,
    "installation_repositories": InstallationRepositoriesEvent,
    "ping": PingEvent,
}


class WebhookDelivery(BaseModel):
    """One verified delivery.

    Attributes:
        delivery_id: GitHub's id. A repeated one is the same event again.
        name: GitHub's event name.
    """

    model_config = ConfigDict(frozen=True)

    delivery_id: str
    name: str
    event: WebhookEvent


class _Action(BaseModel):
    action: str | None = None


def signature(body: bytes, secret: str) -> str:
    """Return the ``X-Hub-Signature-256`` value that belongs to ``body``."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def receive(
    headers: Mapping[str, str], body: bytes, *, secret: str, max_body_bytes: int = MAX_BODY_BYTES
) -> WebhookDelivery:
    """Verify one request and read its event.

    Args:
        headers: Request headers, names in any case.
        body: The raw body, not parsed and serialised again.
        secret: The webhook secret; must not be empty.
        max_body_bytes: Longest body accepted.

    Raises:
        WebhookError: Too large, not JSON, unsigned, wrongly signed, or not in the event's shape. Nothing of the body
            is looked at before its signature has been verified.
    """
    named = {name.lower(): value for name, value in headers.items()}
    if len(body) > max_body_bytes:
        raise WebhookError(
            "webhook_too_large", f"A delivery may have {max_body_bytes} bytes, this one has {len(body)}."
        )
    _verify(named.get("x-hub-signature-256"), body, secret)
    if named.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise WebhookError("webhook_media_type", "Set the webhook's content type to application/json.")
    delivery_id = named.get("x-github-delivery", "")
    if not re.fullmatch(r"[0-9A-Za-z-]{1,64}", delivery_id):
        raise WebhookError("webhook_delivery_missing", "X-GitHub-Delivery is missing or is not an id.")
    name = named.get("x-github-event", "")
    if not re.fullmatch(r"[a-z_]{1,64}", name):
        raise WebhookError("webhook_event_missing", "X-GitHub-Event is missing or is not an event name.")
    return WebhookDelivery(delivery_id=delivery_id, name=name, event=_parse(name, body))


def _verify(header: str | None, body: bytes, secret: str) -> None:
    if not secret:
        raise ValueError("the webhook secret is empty")
    if header is None:
        raise WebhookError("webhook_signature_missing", "X-Hub-Signature-256 is missing; SHA-1 is not accepted.")
    if not hmac.compare_digest(header.encode(errors="replace"), signature(body, secret).encode()):
        raise WebhookError("webhook_signature_invalid", "X-Hub-Signature-256 does not belong to this body.")


def _parse(name: str, body: bytes) -> WebhookEvent:
    """Read the event; an action that the event's record does not know makes it an ignored one."""
    try:
        action = _Action.model_validate_json(body).action
        record = _EVENTS.get(name)
        if record is None or not _knows(record, action):
            return IgnoredEvent(event=name, action=action)
        return record.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise WebhookError("webhook_malformed", f"Not a {name} event: {where}: {first['msg']}") from error


def _knows(record: type[BaseModel], action: str | None) -> bool:
    field = record.model_fields.get("action")
    return field is None or action in getattr(field.annotation, "__args__", ())
