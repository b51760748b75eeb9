"""Registering nodes. Whoever holds the private key of a registered node signs bundles that reach trust level 1."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from server.auth import Principal, require
from server.bodies import answer, described, json_body
from server.errors import document
from server.idempotency import IdempotentRoute
from server.nodes import service
from server.nodes.schemas import NodePost, NodeReceipt, OwnNode, OwnNodeList
from server.pagination import Cursor, Limit
from server.services import InService

router = APIRouter(prefix="/api/v1", tags=["nodes"], route_class=IdempotentRoute)

_KEY_ID = "21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9"
_PUBLIC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
_EXAMPLE = {"public_key": _PUBLIC_KEY, "owner": "octocat"}
_RECEIPT = NodeReceipt(key_id=_KEY_ID, **_EXAMPLE, project=False)
_OWN = OwnNode(**_RECEIPT.model_dump(), registered_at=datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC), revoked_at=None)
KeyId = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$", description="Id of the node's key.")]
Registrar = Annotated[Principal, Depends(require("nodes:write"))]


@router.post(
    "/nodes",
    status_code=201,
    summary="Register a node's public key",
    responses={
        200: {"model": NodeReceipt, **answer(_RECEIPT, description="The node was known already")},
        **document(
            "unsupported_media_type",
            "body_too_large",
            "json_invalid",
            "body_invalid",
            "key_invalid",
            "node_owner_invalid",
            "proof_invalid",
            "node_conflict",
            "node_revoked",
        ),
        201: answer(_RECEIPT, description="The node is new"),
    },
    openapi_extra=described(NodePost, example=_EXAMPLE),
)
def post_node(
    services: InService,
    response: Response,
    by: Registrar,
    posted: Annotated[NodePost, Depends(json_body(NodePost, limit=8192))],
) -> NodeReceipt:
    """Make bundles signed by this key count as signed by you; or, for operators, by anybody, or as the project's own.

    Registering the same key and owner again changes nothing but whether the node is the project's.
    """
    receipt, created = service.register(services, by, posted)
    response.status_code = 201 if created else 200
    return receipt


@router.post(
    "/nodes/{key_id}/revoke",
    summary="Revoke a node's key",
    responses={**document("parameter_invalid", "node_not_found"), 200: answer(_OWN)},
)
def revoke_node(services: InService, by: Registrar, key_id: KeyId) -> OwnNode:
    """Take a key out of use for good. Bundles that were submitted before keep its signature; later ones are unknown."""
    return service.revoke(services, by, key_id)


@router.get(
    "/account/nodes",
    summary="List your nodes",
    responses={
        **document("parameter_invalid", "cursor_invalid"),
        200: answer(OwnNodeList(items=(_OWN,), next_cursor=None)),
    },
)
def list_own_nodes(services: InService, by: Registrar, cursor: Cursor = None, limit: Limit = 30) -> OwnNodeList:
    """The nodes that your account registered, newest first, those that were revoked too."""
    return service.mine(services, by, cursor=cursor, limit=limit)
