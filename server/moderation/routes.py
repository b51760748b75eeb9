"""Where an operator decides about bundles, and has them judged again."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path

from judge.assess import edition
from server import audit
from server.auth import Admin
from server.bodies import answer, described, json_body
from server.errors import document
from server.moderation import service
from server.moderation.schemas import RevalidationReceipt, RulingPost, RulingReceipt
from server.queue import enqueue
from server.services import InService
from server.stored import count_outdated

router = APIRouter(prefix="/api/v1", tags=["moderation"], dependencies=[Admin])

Digest = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$", description="SHA-256 in lower-case hexadecimal.")]
Posted = Annotated[RulingPost, Depends(json_body(RulingPost, limit=4096))]
_BODY = ("unsupported_media_type", "body_too_large", "json_invalid", "body_invalid")
_ADMIN = ("parameter_invalid", "admin_disabled", "unauthorized")
_BUNDLE = ("bundle_not_found", "bundle_not_validated", "bundle_retracted", "bundle_retired")
_REASON = {"reason": "The owner asked for it."}
_RECEIPT = RulingReceipt(
    bundle_id="3f0a6ce0c1b7e2a4c69a7e1b3a5b4d7cf2f0d8f6f3f4c2a1908f7e6d5c4b3a29",
    kind="retracted",
    reason=_REASON["reason"],
    validation_state="valid",
)


def _described(kind: str, state: str, *codes: str) -> dict[str, Any]:
    example = _RECEIPT.model_copy(update={"kind": kind, "validation_state": state})
    return {
        "responses": {**document(*_BODY, *_ADMIN, *_BUNDLE, *codes), 200: answer(example)},
        "openapi_extra": described(RulingPost, example=_REASON),
    }


@router.post("/bundles/{bundle_id}/retract", summary="Retract a bundle", **_described("retracted", "valid"))
def retract_bundle(services: InService, bundle_id: Digest, posted: Posted) -> RulingReceipt:
    """Drop a bundle's contents for good. Its addresses answer with a tombstone: digests, verdict and the reason."""
    return service.withdraw(services, bundle_id, kind="retracted", reason=posted.reason)


@router.post("/bundles/{bundle_id}/invalidate", summary="Invalidate a bundle", **_described("invalidated", "valid"))
def invalidate_bundle(services: InService, bundle_id: Digest, posted: Posted) -> RulingReceipt:
    """Make a bundle count for nothing. Its contents stay, with the reason beside them."""
    return service.withdraw(services, bundle_id, kind="invalidated", reason=posted.reason)


@router.post(
    "/bundles/{bundle_id}/reinstate",
    summary="Take an invalidation back",
    **_described("invalidated", "valid", "bundle_not_invalidated"),
)
def reinstate_bundle(services: InService, bundle_id: Digest, posted: Posted) -> RulingReceipt:
    """Let an invalidated bundle count again. The invalidation stays visible, with the reason why it was taken back."""
    return service.reinstate(services, bundle_id, reason=posted.reason)


@router.post(
    "/bundles/{bundle_id}/quarantine-release",
    summary="Release a bundle from quarantine",
    **_described("released", "pending", "bundle_not_quarantined"),
)
def release_bundle(services: InService, bundle_id: Digest, posted: Posted) -> RulingReceipt:
    """Lift the suspicions that are known now and validate again. A rule that finds something else quarantines anew."""
    return service.release(services, bundle_id, reason=posted.reason)


@router.post(
    "/revalidations",
    status_code=202,
    summary="Judge outdated bundles again",
    responses={
        **document("admin_disabled", "unauthorized"),
        202: answer(RevalidationReceipt(outdated=12), description="They will be judged again"),
    },
)
def post_revalidations(services: InService) -> RevalidationReceipt:
    """Judge every bundle again that other rules or limits judged. A server that starts asks for the same."""
    with services.database.write() as session:
        outdated = count_outdated(session)
        now = services.clock()
        enqueue(session, "find_outdated", "all", now=now)
        audit.record(
            session, at=now, actor="admin", action="revalidation.asked", target=edition(), detail=f"{outdated} outdated"
        )
    services.bell.ring()
    return RevalidationReceipt(outdated=outdated)
