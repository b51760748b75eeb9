"""Where GitHub talks to us, and where an operator tells us to look at GitHub."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request
from fastapi.concurrency import run_in_threadpool

from judge.policy import MergePolicy, Need
from server.auth import Admin
from server.bodies import answer, described, json_body, raw
from server.checks import policies, pulls, webhooks
from server.checks.schemas import WebhookReceipt
from server.errors import AppError, document
from server.github import WebhookError, receive
from server.github.webhooks import MAX_BODY_BYTES
from server.models import Pull, Repository
from server.pulls import EXAMPLE, PullRef, pull_ref
from server.services import InService

router = APIRouter(prefix="/api/v1", tags=["GitHub"])

_DELIVERY = {"action": "opened", "number": 7, "pull_request": {}, "repository": {}, "sender": {}}

_RECEIVED = answer(WebhookReceipt(delivery_id="72d3162e-cc78-11e3-81ab-4c9367dc0958", action="pull_updated"))
_SYNCED = answer(EXAMPLE)


@router.post(
    "/github/webhooks",
    summary="Receive a webhook delivery",
    responses={
        200: _RECEIVED,
        **document(
            "body_too_large",
            "unsupported_media_type",
            "webhook_disabled",
            "webhook_too_large",
            "webhook_media_type",
            "webhook_signature_missing",
            "webhook_signature_invalid",
            "webhook_delivery_missing",
            "webhook_event_missing",
            "webhook_malformed",
        ),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": {"type": "object"}, "examples": {"opened": {"value": _DELIVERY}}}
            },
        },
        "parameters": [
            {"name": name, "in": "header", "required": True, "schema": {"type": "string"}, "description": description}
            for name, description in (
                ("X-Hub-Signature-256", "`sha256=` and the HMAC of the raw body."),
                ("X-GitHub-Delivery", "Id of the delivery; a repeated one changes nothing."),
                ("X-GitHub-Event", "Name of the event."),
            )
        ],
    },
)
async def receive_webhook(request: Request, services: InService) -> WebhookReceipt:
    """Verify a delivery and act on it once. GitHub's events that nothing here needs are answered and ignored."""
    secret = services.settings.github_webhook_secret
    if secret is None:
        raise AppError("webhook_disabled", "Set BYOGPU_GITHUB_WEBHOOK_SECRET to receive webhooks.")
    body = await raw(request, limit=MAX_BODY_BYTES)
    try:
        delivery = receive(request.headers, body, secret=secret.get_secret_value())
    except WebhookError as error:
        raise AppError(error.code, str(error)) from error
    return await run_in_threadpool(webhooks.handle, services, delivery)


@router.post(
    "/pulls/{owner}/{name}/{number}/sync",
    dependencies=[Admin],
    summary="Read a pull request from GitHub now",
    responses={
        200: _SYNCED,
        **document(
            "parameter_invalid",
            "admin_disabled",
            "unauthorized",
            "github_not_configured",
            "github_not_found",
            "github_failed",
        ),
    },
)
def sync_pull(
    services: InService,
    owner: Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,100}$")],
    name: Annotated[str, Path(pattern=r"^[A-Za-z0-9_.-]{1,100}$")],
    number: Annotated[int, Path(ge=1, le=2**53 - 1)],
) -> PullRef:
    """Make a pull request known, or bring it up to date, and judge its claims. For installations without webhooks."""
    pull_id = pulls.sync(services, f"{owner}/{name}", number)
    with services.database.read() as session:
        pull = session.get_one(Pull, pull_id)
        return pull_ref(pull, session.get_one(Repository, pull.repository_id), public_url=services.settings.public_url)


_POLICY = MergePolicy(
    version=1,
    needs=(
        Need(kind="speed", trust=3, evidence_from="others", inherited=True),
        Need(kind="accuracy", trust=2, evidence_from="anyone", inherited=False),
    ),
    holes=0,
)
_Owner = Annotated[str, Path(max_length=100)]
_Name = Annotated[str, Path(max_length=100)]


@router.get(
    "/repositories/{owner}/{name}/policy",
    summary="Read a merge policy",
    responses={**document("parameter_invalid", "repository_not_found"), 200: answer(_POLICY)},
)
def get_policy(services: InService, owner: _Owner, name: _Name) -> MergePolicy:
    """What a repository asks of its evidence before the check succeeds; empty: a supported claim is enough."""
    return policies.read(services, f"{owner}/{name}")


@router.put(
    "/repositories/{owner}/{name}/policy",
    dependencies=[Admin],
    summary="Set a merge policy",
    responses={
        **document(
            "parameter_invalid",
            "admin_disabled",
            "unauthorized",
            "unsupported_media_type",
            "body_too_large",
            "json_invalid",
            "body_invalid",
            "policy_repeated",
            "repository_not_found",
        ),
        200: answer(_POLICY),
    },
    openapi_extra=described(MergePolicy, example=_POLICY.model_dump(mode="json")),
)
def put_policy(
    services: InService,
    owner: _Owner,
    name: _Name,
    posted: Annotated[MergePolicy, Depends(json_body(MergePolicy, limit=4096))],
) -> MergePolicy:
    """Replace a repository's policy. Its open pull requests are judged by the new one."""
    return policies.put(services, f"{owner}/{name}", posted)
