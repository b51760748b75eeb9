"""Credentials: how they are made, and whose a given one is.

A credential has a public part, by which its row is found, and a secret part of 256 random bits, of which the database
holds the SHA-256. A digest that is slow to compute would add nothing: such a secret cannot be guessed.
"""

import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal, cast

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from server.models import Account, ApiToken, Node, Pull, PullKey, WebSession
from server.principals import SCOPES_OF, Confines, Power, Principal

Prefix = Literal["byo_t", "byo_k"]
OF_ACCOUNT: Prefix = "byo_t"
"""How an account's token begins."""
OF_PULL: Prefix = "byo_k"
"""How a pull request's key begins."""
_USED_EVERY = timedelta(minutes=1)
_PUBLIC_CHARACTERS = 12


@dataclass(frozen=True)
class Minted:
    """A new credential.

    Attributes:
        id: Its public part; names its row.
        text: The whole, told once.
        secret_hash: What is kept.
    """

    id: str
    text: str
    secret_hash: str


@dataclass(frozen=True)
class Found:
    """Whose a credential is.

    Attributes:
        principal: What it allows now.
        stale: Whether its use has to be noted.
    """

    principal: Principal
    stale: bool


def mint(prefix: Prefix) -> Minted:
    """Make a credential."""
    public, secret = secrets.token_hex(_PUBLIC_CHARACTERS // 2), secrets.token_urlsafe(32)
    return Minted(public, f"{prefix}_{public}_{secret}", hashed(secret))


def hashed(secret: str) -> str:
    """What is kept of a secret."""
    return sha256(secret.encode()).hexdigest()


def find(session: Session, text: str, *, now: datetime) -> Found | None:
    """Look a token or a pull request's key up; None: it is none, or not good any more."""
    for prefix, look_up in ((OF_ACCOUNT, _token), (OF_PULL, _pull_key)):
        if text.startswith(f"{prefix}_"):
            public, _, secret = text[len(prefix) + 1 :].partition("_")
            return look_up(session, public, secret, now)
    return None


def find_session(session: Session, cookie: str, *, now: datetime, idle: timedelta) -> Found | None:
    """Look a browser's session up; None: there is none, or it ended."""
    row = session.execute(
        select(WebSession, Account).join(Account).where(WebSession.id == hashed(cookie))
    ).one_or_none()
    if row is None:
        return None
    web, account = row
    if web.expires_at <= now or web.used_at + idle <= now:
        return None
    principal = _principal(account, SCOPES_OF[account.role] | {"account"})
    return Found(principal, now - web.used_at >= _USED_EVERY)


def note_use(session: Session, text: str, *, now: datetime) -> None:
    """Write down that a token, a key or a session's cookie was used."""
    public = text.split("_")[2] if text.startswith((f"{OF_ACCOUNT}_", f"{OF_PULL}_")) else ""
    if text.startswith(f"{OF_ACCOUNT}_"):
        session.execute(update(ApiToken).where(ApiToken.id == public).values(used_at=now))
    elif text.startswith(f"{OF_PULL}_"):
        session.execute(update(PullKey).where(PullKey.id == public).values(used_at=now))
    else:
        session.execute(update(WebSession).where(WebSession.id == hashed(text)).values(used_at=now))


def csrf_token(cookie: str) -> str:
    """The word that a page of ours sends along with what changes something, and that no other site can know."""
    return hmac.new(cookie.encode(), b"csrf", "sha256").hexdigest()


def _token(session: Session, public: str, secret: str, now: datetime) -> Found | None:
    row = session.execute(
        select(ApiToken, Account, Node)
        .join(Account, Account.id == ApiToken.account_id)
        .outerjoin(Node, Node.key_id == ApiToken.node_key_id)
        .where(ApiToken.id == public)
    ).one_or_none()
    kept = row[0].secret_hash if row is not None else hashed("")
    if not hmac.compare_digest(hashed(secret), kept) or row is None:
        return None
    token, account, node = row
    if not _is_good(token, now) or (node is not None and node.revoked_at is not None):
        return None
    scopes = cast(frozenset[Power], frozenset(token.scopes.split())) & SCOPES_OF[account.role]
    principal = _principal(account, scopes, token=token)
    return Found(principal, _is_stale(token, now))


def _pull_key(session: Session, public: str, secret: str, now: datetime) -> Found | None:
    row = session.execute(
        select(PullKey, Pull, Account)
        .join(Pull, Pull.id == PullKey.pull_id)
        .outerjoin(Account, Account.id == PullKey.account_id)
        .where(PullKey.id == public)
    ).one_or_none()
    kept = row[0].secret_hash if row is not None else hashed("")
    if not hmac.compare_digest(hashed(secret), kept) or row is None:
        return None
    key, pull, account = row
    if not _is_good(key, now):
        return None
    principal = Principal(
        kind="pull_key",
        owner=f"account:{account.id}" if account is not None else "operator",
        scopes=frozenset({"bundles:write"}),
        account_id=account.id if account is not None else None,
        login=account.login if account is not None else None,
        credential_id=key.id,
        confines=Confines(pull.repository_id, pull.number, key.head_sha),
    )
    return Found(principal, _is_stale(key, now))


def _is_good(row: ApiToken | PullKey, now: datetime) -> bool:
    return row.revoked_at is None and row.expires_at > now


def _is_stale(row: ApiToken | PullKey, now: datetime) -> bool:
    return row.used_at is None or now - row.used_at >= _USED_EVERY


def _principal(account: Account, scopes: frozenset[Power], *, token: ApiToken | None = None) -> Principal:
    return Principal(
        kind="account" if token is None or token.node_key_id is None else "node",
        owner=f"account:{account.id}",
        scopes=scopes,
        account_id=account.id,
        login=account.login,
        role=account.role,
        node_key_id=None if token is None else token.node_key_id,
        credential_id=None if token is None else token.id,
    )
