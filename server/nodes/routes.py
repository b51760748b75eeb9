"""Registering nodes. Whoever holds the private key of a registered node signs bundles that reach trust level 1."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from sqlalchemy.orm import Session

from server import audit
from server.auth import Admin
from server.bodies import answer, described, json_body
from server.db import inserter
from server.errors import AppError, document
from server.models import Node
from server.nodes.schemas import NodePost, NodeReceipt
from server.services import InService
from worker.bundle import BundleError
from worker.bundle.signature import key_id_of

router = APIRouter(prefix="/api/v1", tags=["nodes"])

_KEY_ID = "21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9"
_EXAMPLE = {"public_key": "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "owner": "octocat"}

_RECEIPT = NodeReceipt(key_id=_KEY_ID, **_EXAMPLE)


@router.post(
    "/nodes",
    status_code=201,
    dependencies=[Admin],
    summary="Register a node's public key",
    responses={
        200: {"model": NodeReceipt, **answer(_RECEIPT, description="The node was known already")},
        **document(
            "admin_disabled",
            "unauthorized",
            "unsupported_media_type",
            "body_too_large",
            "json_invalid",
            "body_invalid",
            "key_invalid",
            "node_conflict",
        ),
        201: answer(_RECEIPT, description="The node is new"),
    },
    openapi_extra=described(NodePost, example=_EXAMPLE),
)
def post_node(
    services: InService, response: Response, posted: Annotated[NodePost, Depends(json_body(NodePost, limit=4096))]
) -> NodeReceipt:
    """Make bundles signed by this key count as signed. Registering the same key and owner again changes nothing."""
    try:
        key_id = key_id_of(posted.public_key)
    except BundleError as error:
        raise AppError("key_invalid", error.detail) from error
    with services.database.write() as session:
        insert = inserter(session)(Node).values(
            key_id=key_id, public_key=posted.public_key, owner=posted.owner, registered_at=services.clock()
        )
        created = session.execute(insert.on_conflict_do_nothing().returning(Node.key_id)).one_or_none() is not None
        if created:
            audit.record(
                session,
                at=services.clock(),
                actor="admin",
                action="node.registered",
                target=key_id,
                detail=posted.owner,
            )
        owner = _owner(session, key_id)
    if owner != posted.owner:
        raise AppError("node_conflict", "The key is registered with another owner.")
    response.status_code = 201 if created else 200
    return NodeReceipt(key_id=key_id, public_key=posted.public_key, owner=owner)


def _owner(session: Session, key_id: str) -> str:
    return session.get_one(Node, key_id).owner
