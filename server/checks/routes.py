"""Where GitHub talks to us, and where an operator tells us to look at GitHub."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request
from fastapi.concurrency import run_in_threadpool

from judge.claim import ClaimSet
from judge.claims import parse_block
from judge.policy import MergePolicy, Need
from server.auth import Admin, Principal, require
from server.bodies import answer, described, json_body, raw
from server.checks import claims, policies, pulls, webhooks
from server.checks.schemas import ClaimsPut, WebhookReceipt
from server.errors import AppError, document
from server.github import WebhookError, receive
from server.github.webhooks import MAX_BODY_BYTES
from server.models import Pull, Repository
from server.pulls import EXAMPLE, PullRef, pull_ref
from server.services import InService

router = APIRouter(prefix="/api/v1", tags=["GitHub"])

_PullOwner = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,100}$")]
_PullName = Annotated[str, Path(pattern=r"^[A-Za-z0-9_.-]{1,100}$")]
_Number = Annotated[int, Path(ge=1, le=2**53 - 1)]
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
    owner: _PullOwner,
    name: _PullName,
    number: _Number,
) -> PullRef:
    """Make a pull request known, or bring it up to date, and judge its claims. For installations without webhooks."""
    pull_id = pulls.sync(services, f"{owner}/{name}", number)
    with services.database.read() as session:
        pull = session.get_one(Pull, pull_id)
        return pull_ref(pull, session.get_one(Repository, pull.repository_id), public_url=services.settings.public_url)


_BLOCK = '- {id: decode-speed, metric: step_latency_us, cells: {batch: [1, 4]}, relation: ">= 1.2x baseline"}'
_Stating = Annotated[Principal, Depends(require("challenges:write"))]
_STATING = (
    "parameter_invalid",
    "unauthorized",
    "scope_missing",
    "credential_confined",
    "permission_missing",
    "github_failed",
    "pull_not_found",
)


@router.put(
    "/pulls/{owner}/{name}/{number}/claims",
    summary="State claims",
    responses={
        **document(
            *_STATING,
            "unsupported_media_type",
            "body_too_large",
            "json_invalid",
            "body_invalid",
            "claims_in_description",
            "claims_invalid",
        ),
        200: answer(parse_block(_BLOCK)),
    },
    openapi_extra=described(ClaimsPut, example={"block": _BLOCK}),
)
def put_claims(
    services: InService,
    by: _Stating,
    owner: _PullOwner,
    name: _PullName,
    number: _Number,
    posted: Annotated[ClaimsPut, Depends(json_body(ClaimsPut, limit=65_536))],
) -> ClaimSet:
    """Claim something for a pull request whose description does not.

    Its author may, and whoever may write to the repository. The claims replace earlier ones of this kind, and are
    judged as if the description said them. A block there, right or wrong, is all that counts.
    """
    return claims.state(services, f"{owner}/{name}", number, posted.block, by=by)


@router.delete(
    "/pulls/{owner}/{name}/{number}/claims",
    summary="Take back stated claims",
    status_code=204,
    responses={**document(*_STATING), 204: {"description": "Nothing is stated here any more"}},
)
def delete_claims(services: InService, by: _Stating, owner: _PullOwner, name: _PullName, number: _Number) -> None:
    """Take back what was stated here. What the description says stays."""
    claims.withdraw(services, f"{owner}/{name}", number, by=by)


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
