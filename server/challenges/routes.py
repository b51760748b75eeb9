"""Challenges: ask for one before a run, name it in the bundle; everybody sees each one and what became of it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request

from server.addresses import address_of
from server.auth import InPrincipal, Principal, require
from server.bodies import answer, described, json_body
from server.challenges import service
from server.challenges.schemas import ChallengeGivenUp, ChallengeList, ChallengePost, ChallengeReceipt
from server.errors import document
from server.idempotency import IdempotentRoute
from server.issued import EXAMPLE, ChallengeRef
from server.pagination import Cursor, Limit
from server.pulls import EXAMPLE as PULL
from server.services import InService
from worker.suites import load

router = APIRouter(prefix="/api/v1", tags=["challenges"], route_class=IdempotentRoute)

ChallengeId = Annotated[str, Path(pattern=r"^c-[0-9a-f]{16}$", description="As it was issued.")]
_BODY = ("unsupported_media_type", "body_too_large", "json_invalid", "body_invalid")
_SUITE = load("smoke").digest
_POST = {"repository": PULL.repository, "pull_number": PULL.number, "suite_digest": _SUITE, "node_key_id": None}
_NONCE = EXAMPLE.nonce or ""
_RECEIPT = ChallengeReceipt(
    **EXAMPLE.model_dump(include={"id", "plan_digest", "head_sha", "node_key_id", "issued_at", "expires_at"}),
    nonce=_NONCE,
    repository_id=PULL.repository_id,
    repository=PULL.repository,
    pull_number=PULL.number,
    suite_digest=_SUITE,
)


@router.post(
    "/challenges",
    status_code=201,
    summary="Ask for a challenge",
    responses={
        **document(
            *_BODY,
            "suite_not_found",
            "pull_not_found",
            "pull_closed",
            "node_not_found",
            "challenges_of_pull_exhausted",
            "challenges_exhausted",
        ),
        201: answer(_RECEIPT, description="The challenge, told once"),
    },
    openapi_extra=described(ChallengePost, example=_POST),
)
def post_challenge(
    request: Request,
    services: InService,
    by: Annotated[Principal, Depends(require("challenges:write"))],
    posted: Annotated[ChallengePost, Depends(json_body(ChallengePost, limit=4096))],
) -> ChallengeReceipt:
    """Fix what a run has to follow: prompts, seeds and order through the nonce; repository, head, suite and node.

    The first bundle that names it and is bound as it should be uses it. Every challenge stays visible, used or not.
    """
    return service.issue(services, posted, requester=address_of(request, services.settings), by=by)


@router.get(
    "/challenges",
    summary="List the challenges of a pull request",
    responses={
        **document("parameter_invalid", "cursor_invalid", "pull_not_found"),
        200: answer(ChallengeList(items=(EXAMPLE,), next_cursor=None)),
    },
)
def list_challenges(
    services: InService,
    pull: Annotated[
        str,
        Query(
            pattern=r"^[A-Za-z0-9_-]{1,100}/[A-Za-z0-9_.-]{1,100}/[1-9][0-9]{0,14}$",
            description="The pull request, as `owner/name/number`.",
        ),
    ],
    cursor: Cursor = None,
    limit: Limit = 30,
) -> ChallengeList:
    """Every challenge that was issued for a pull request and what became of it, newest first."""
    repository, _, number = pull.rpartition("/")
    return service.of_pull(services, repository, int(number), cursor=cursor, limit=limit)


@router.get(
    "/challenges/{challenge_id}",
    summary="Read a challenge",
    responses={**document("parameter_invalid", "challenge_not_found"), 200: answer(EXAMPLE)},
)
def get_challenge(services: InService, challenge_id: ChallengeId) -> ChallengeRef:
    """What it is bound to, and what became of it."""
    return service.read(services, challenge_id)


@router.post(
    "/challenges/{challenge_id}/abandon",
    summary="Give a challenge up",
    responses={
        **document(*_BODY, "parameter_invalid", "challenge_not_found", "challenge_nonce_wrong", "challenge_not_open"),
        200: answer(EXAMPLE.model_copy(update={"fate": "abandoned"})),
    },
    openapi_extra=described(ChallengeGivenUp, example={"nonce": _NONCE}),
)
def abandon_challenge(
    services: InService,
    challenge_id: ChallengeId,
    by: InPrincipal,
    posted: Annotated[ChallengeGivenUp, Depends(json_body(ChallengeGivenUp, limit=1024))],
) -> ChallengeRef:
    """Say that the run ended without a bundle, so that everybody knows. Doing it again changes nothing."""
    return service.give_up(services, challenge_id, nonce=posted.nonce, by=by)
