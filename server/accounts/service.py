"""Accounts and roles, tokens, and browsers that are signed in."""

import secrets
from datetime import datetime, timedelta

from sqlalchemy import delete, select, tuple_, update
from sqlalchemy.orm import Session

from server import audit, credentials
from server.accounts.github import Person
from server.accounts.schemas import AccountItem, AccountList, AccountRef, TokenItem, TokenList, TokenPost, TokenReceipt
from server.db import inserter
from server.errors import AppError
from server.models import Account, ApiToken, Node, WebSession
from server.pagination import cursor_after, read_cursor, read_numbered_cursor
from server.principals import SCOPES, SCOPES_OF, Principal, Role, Scope
from server.services import Services

DEVICE_SCOPES: tuple[Scope, ...] = ("bundles:write", "challenges:write", "jobs:work", "nodes:write")
"""What the token of `byogpu login` is good for."""


def welcome(session: Session, person: Person, *, now: datetime) -> Account:
    """Note that somebody signed in; their nodes carry the login that they have now."""
    session.execute(
        inserter(session)(Account)
        .values(id=person.id, login=person.login, role="contributor", created_at=now, seen_at=now)
        .on_conflict_do_nothing()
    )
    account = session.get_one(Account, person.id, with_for_update=True)
    if account.login != person.login:
        detail = f"{account.login} is now {person.login}"
        audit.record(session, at=now, actor="github", action="account.renamed", target=str(person.id), detail=detail)
    account.login, account.seen_at = person.login, now
    session.execute(update(Node).where(Node.account_id == account.id).values(owner=person.login))
    return account


def open_session(session: Session, account: Account, services: Services) -> str:
    """Sign a browser in; returns its cookie."""
    cookie, now = secrets.token_urlsafe(32), services.clock()
    until = now + timedelta(seconds=services.settings.session_ttl_s)
    kept = credentials.hashed(cookie)
    session.add(WebSession(id=kept, account_id=account.id, created_at=now, used_at=now, expires_at=until))
    actor = principal_of(account).actor
    audit.record(session, at=now, actor=actor, action="session.opened", target=str(account.id))
    return cookie


def close_session(services: Services, cookie: str, by: Principal) -> None:
    """Sign a browser out."""
    with services.database.write() as session:
        session.execute(delete(WebSession).where(WebSession.id == credentials.hashed(cookie)))
        target = str(by.account_id)
        audit.record(session, at=services.clock(), actor=by.actor, action="session.closed", target=target)


def make_token(session: Session, services: Services, by: Principal, posted: TokenPost) -> TokenReceipt:
    """Make a token of the caller's account.

    Raises:
        AppError: ``scope_missing``, ``token_too_long_lived``, ``node_not_found``.
    """
    account_id, now = account_of(by), services.clock()
    missing = [scope for scope in posted.scopes if scope not in by.scopes]
    if missing:
        raise AppError("scope_missing", f"You cannot give what you do not have: {', '.join(missing)}.")
    if posted.expires_in_days > services.settings.token_ttl_days:
        detail = f"A token is good for at most {services.settings.token_ttl_days} days."
        raise AppError("token_too_long_lived", detail)
    if posted.node_key_id is not None:
        _require_own_node(session, posted.node_key_id, account_id)
    minted = credentials.mint(credentials.OF_ACCOUNT)
    token = ApiToken(
        id=minted.id,
        secret_hash=minted.secret_hash,
        account_id=account_id,
        name=posted.name,
        scopes=" ".join(scope for scope in SCOPES if scope in posted.scopes),
        node_key_id=posted.node_key_id,
        created_at=now,
        expires_at=now + timedelta(days=posted.expires_in_days),
    )
    session.add(token)
    audit.record(session, at=now, actor=by.actor, action="token.made", target=token.id, detail=token.scopes)
    return TokenReceipt(**token_item(token).model_dump(), token=minted.text)


def tokens(services: Services, by: Principal, *, cursor: str | None, limit: int) -> TokenList:
    """One page of the caller's tokens.

    Raises:
        AppError: ``cursor_invalid``.
    """
    asked = select(ApiToken).where(ApiToken.account_id == account_of(by))
    if cursor is not None:
        asked = asked.where(tuple_(ApiToken.created_at, ApiToken.id) < read_cursor(cursor))
    asked = asked.order_by(ApiToken.created_at.desc(), ApiToken.id.desc()).limit(limit + 1)
    with services.database.read() as session:
        found = session.scalars(asked).all()
    shown = found[:limit]
    following = cursor_after(shown[-1].created_at, shown[-1].id) if len(found) > limit else None
    return TokenList(items=tuple(token_item(one) for one in shown), next_cursor=following)


def revoke_token(services: Services, by: Principal, token_id: str) -> TokenItem:
    """End a token; ending it again changes nothing. Administrators may end anybody's.

    Raises:
        AppError: ``token_not_found``.
    """
    now = services.clock()
    with services.database.write() as session:
        token = session.get(ApiToken, token_id, with_for_update=True)
        if token is None or not _may_end(by, token):
            raise AppError("token_not_found", "You have no such token.")
        if token.revoked_at is None:
            token.revoked_at = now
            audit.record(session, at=now, actor=by.actor, action="token.revoked", target=token.id)
    return token_item(token)


def accounts(services: Services, *, cursor: str | None, limit: int) -> AccountList:
    """One page of accounts.

    Raises:
        AppError: ``cursor_invalid``.
    """
    asked = select(Account)
    if cursor is not None:
        asked = asked.where(tuple_(Account.seen_at, Account.id) < read_numbered_cursor(cursor))
    asked = asked.order_by(Account.seen_at.desc(), Account.id.desc()).limit(limit + 1)
    with services.database.read() as session:
        found = session.scalars(asked).all()
    shown = found[:limit]
    following = cursor_after(shown[-1].seen_at, str(shown[-1].id)) if len(found) > limit else None
    return AccountList(items=tuple(_account(one) for one in shown), next_cursor=following)


def set_role(services: Services, by: Principal, account_id: int, role: Role) -> AccountItem:
    """Give an account another role. Its tokens are good for no more than the role allows, at once.

    Raises:
        AppError: ``account_not_found``.
    """
    now = services.clock()
    with services.database.write() as session:
        account = session.get(Account, account_id, with_for_update=True)
        if account is None:
            raise AppError("account_not_found", "Nobody with this number has signed in.")
        if account.role != role:
            detail = f"{account.login}: {account.role} -> {role}"
            account.role = role
            audit.record(session, at=now, actor=by.actor, action="account.role", target=str(account_id), detail=detail)
    return _account(account)


def principal_of(account: Account) -> Principal:
    """An account, acting for itself."""
    return Principal(
        kind="account",
        owner=f"account:{account.id}",
        scopes=SCOPES_OF[account.role] | {"account"},
        account_id=account.id,
        login=account.login,
        role=account.role,
    )


def account_of(by: Principal) -> int:
    """The account that acts; who has the scope ``account`` is one."""
    assert by.account_id is not None
    return by.account_id


def account_ref(account: Account) -> AccountRef:
    """An account in short."""
    return AccountRef(id=account.id, login=account.login, role=account.role)


def _account(account: Account) -> AccountItem:
    shown = account_ref(account).model_dump()
    return AccountItem(**shown, created_at=account.created_at, seen_at=account.seen_at)


def token_item(token: ApiToken) -> TokenItem:
    """A token in short."""
    return TokenItem(
        id=token.id,
        prefix=f"{credentials.OF_ACCOUNT}_{token.id}",
        name=token.name,
        scopes=tuple(scope for scope in SCOPES if scope in token.scopes.split()),
        node_key_id=token.node_key_id,
        created_at=token.created_at,
        expires_at=token.expires_at,
        used_at=token.used_at,
        revoked_at=token.revoked_at,
    )


def _may_end(by: Principal, token: ApiToken) -> bool:
    """Whoever runs the account may, administrators, and the token itself: who finds one lying about can only end it."""
    mine = "account" in by.scopes and token.account_id == by.account_id
    return mine or "admin" in by.scopes or token.id == by.credential_id


def _require_own_node(session: Session, key_id: str, account_id: int) -> None:
    node = session.get(Node, key_id)
    if node is None or node.account_id != account_id or node.revoked_at is not None:
        raise AppError("node_not_found", "You have no such node.")
