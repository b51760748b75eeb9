"""Registering nodes, revoking their keys, and what follows for pull requests with their bundles."""

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from server import audit
from server.db import inserter
from server.errors import AppError
from server.models import Bundle, Node, Pull
from server.nodes.schemas import NodePost, NodeReceipt, OwnNode, OwnNodeList
from server.pagination import cursor_after, read_cursor
from server.principals import Principal
from server.queue import enqueue
from server.services import Services
from worker.bundle import BundleError
from worker.bundle.registration import check_proof
from worker.bundle.signature import key_id_of


def register(services: Services, by: Principal, posted: NodePost) -> tuple[NodeReceipt, bool]:
    """Register a node, or recognise it; returns whether it is new.

    Raises:
        AppError: ``key_invalid``, ``node_conflict``, ``node_revoked``, ``node_owner_invalid``, ``proof_invalid``,
            ``scope_missing``.
    """
    key_id, owner, account_id = _key_id(posted), posted.owner, None
    if posted.owner is not None or posted.project or by.account_id is None:
        by.require("admin")
    if owner is None:
        owner, account_id = _own(by, posted)
    now = services.clock()
    with services.database.write() as session:
        insert = inserter(session)(Node).values(
            key_id=key_id,
            public_key=posted.public_key,
            owner=owner,
            project=posted.project,
            registered_at=now,
            account_id=account_id,
        )
        created = session.execute(insert.on_conflict_do_nothing().returning(Node.key_id)).one_or_none() is not None
        if created:
            audit.record(session, at=now, actor=by.actor, action="node.registered", target=key_id, detail=owner)
        node = session.get_one(Node, key_id, with_for_update=True)
        if (node.owner, node.account_id) != (owner, account_id):
            raise AppError("node_conflict", "The key is registered with another owner.")
        if node.revoked_at is not None:
            raise AppError("node_revoked", "The key was revoked for good; make a new one.")
        if node.project != posted.project and "admin" in by.scopes:
            _set_project(session, services, node, posted.project, by)
    services.bell.ring()
    return _receipt(node), created


def revoke(services: Services, by: Principal, key_id: str) -> OwnNode:
    """Revoke a node's key: what is submitted from now on does not have its signature. Again changes nothing.

    Raises:
        AppError: ``node_not_found``.
    """
    now = services.clock()
    with services.database.write() as session:
        node = session.get(Node, key_id, with_for_update=True)
        mine = node is not None and node.account_id is not None and node.account_id == by.account_id
        if node is None or not (mine or "admin" in by.scopes):
            raise AppError("node_not_found", "You have no such node.")
        if node.revoked_at is None:
            node.revoked_at = now
            audit.record(session, at=now, actor=by.actor, action="node.revoked", target=key_id, detail=node.owner)
    return _own_node(node)


def mine(services: Services, by: Principal, *, cursor: str | None, limit: int) -> OwnNodeList:
    """One page of the caller's nodes.

    Raises:
        AppError: ``cursor_invalid``.
    """
    asked = select(Node).where(Node.account_id == by.account_id, Node.account_id.is_not(None))
    if cursor is not None:
        asked = asked.where(tuple_(Node.registered_at, Node.key_id) < read_cursor(cursor))
    asked = asked.order_by(Node.registered_at.desc(), Node.key_id.desc()).limit(limit + 1)
    with services.database.read() as session:
        found = session.scalars(asked).all()
    shown = found[:limit]
    following = cursor_after(shown[-1].registered_at, shown[-1].key_id) if len(found) > limit else None
    return OwnNodeList(items=tuple(_own_node(one) for one in shown), next_cursor=following)


def _key_id(posted: NodePost) -> str:
    try:
        return key_id_of(posted.public_key)
    except BundleError as error:
        raise AppError("key_invalid", error.detail) from error


def _own(by: Principal, posted: NodePost) -> tuple[str, int]:
    """Owner and account of a node that somebody registers for themselves."""
    if by.account_id is None or by.login is None:
        raise AppError("node_owner_invalid", "An operator says whose node it is.")
    if posted.proof is None:
        raise AppError("proof_invalid", "Prove that you hold the key: `byogpu node register` does.")
    try:
        check_proof(posted.proof.encode(), public_key=posted.public_key, account_id=by.account_id)
    except BundleError as error:
        raise AppError("proof_invalid", error.detail) from error
    return by.login, by.account_id


def _set_project(session: Session, services: Services, node: Node, project: bool, by: Principal) -> None:
    """Note that a node is the project's, or is no longer; pull requests with its bundles are judged again."""
    now = services.clock()
    node.project = project
    action = "node.made_project" if project else "node.no_longer_project"
    audit.record(session, at=now, actor=by.actor, action=action, target=node.key_id, detail=node.owner)
    pulls = (
        select(Pull.id)
        .join(Bundle, (Bundle.repository_id == Pull.repository_id) & (Bundle.pull_number == Pull.number))
        .where(Bundle.node_key_id == node.key_id)
        .distinct()
    )
    for pull_id in session.scalars(pulls):
        enqueue(session, "refresh", str(pull_id), now=now)


def _receipt(node: Node) -> NodeReceipt:
    return NodeReceipt(key_id=node.key_id, public_key=node.public_key, owner=node.owner, project=node.project)


def _own_node(node: Node) -> OwnNode:
    shown = _receipt(node).model_dump()
    return OwnNode(**shown, registered_at=node.registered_at, revoked_at=node.revoked_at)
