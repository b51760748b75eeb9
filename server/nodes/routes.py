"""Registering nodes. Whoever holds the private key of a registered node signs bundles that reach trust level 1."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from server import audit
from server.auth import Admin
from server.bodies import answer, described, json_body
from server.db import inserter
from server.errors import AppError, document
from server.models import Bundle, Node, Pull
from server.nodes.schemas import NodePost, NodeReceipt
from server.queue import enqueue
from server.services import InService, Services
from worker.bundle import BundleError
from worker.bundle.signature import key_id_of

router = APIRouter(prefix="/api/v1", tags=["nodes"])

_KEY_ID = "21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9"
_EXAMPLE = {"public_key": "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "owner": "octocat"}

_RECEIPT = NodeReceipt(key_id=_KEY_ID, **_EXAMPLE, project=False)


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
    """Make bundles signed by this key count as signed, or as the project's own.

    Registering the same key and owner again changes nothing but whether the node is the project's.
    """
    try:
        key_id = key_id_of(posted.public_key)
    except BundleError as error:
        raise AppError("key_invalid", error.detail) from error
    with services.database.write() as session:
        insert = inserter(session)(Node).values(
            key_id=key_id,
            public_key=posted.public_key,
            owner=posted.owner,
            project=posted.project,
            registered_at=services.clock(),
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
        node = session.get_one(Node, key_id, with_for_update=True)
        if node.owner != posted.owner:
            raise AppError("node_conflict", "The key is registered with another owner.")
        if node.project != posted.project:
            _set_project(session, services, node, posted.project)
    services.bell.ring()
    response.status_code = 201 if created else 200
    return NodeReceipt(key_id=key_id, public_key=posted.public_key, owner=node.owner, project=node.project)


def _set_project(session: Session, services: Services, node: Node, project: bool) -> None:
    """Note that a node is the project's, or is no longer; pull requests with its bundles are judged again."""
    now = services.clock()
    node.project = project
    action = "node.made_project" if project else "node.no_longer_project"
    audit.record(session, at=now, actor="admin", action=action, target=node.key_id, detail=node.owner)
    pulls = (
        select(Pull.id)
        .join(Bundle, (Bundle.repository_id == Pull.repository_id) & (Bundle.pull_number == Pull.number))
        .where(Bundle.node_key_id == node.key_id)
        .distinct()
    )
    for pull_id in session.scalars(pulls):
        enqueue(session, "refresh", str(pull_id), now=now)
