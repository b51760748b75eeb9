"""People, and the credentials they hold. Of a credential only its digest is kept."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from server.db import UtcDateTime
from server.models.table import DIGEST, STATE, Table, one_of
from server.principals import Role

_PUBLIC_ID = String(16)
"""The part of a credential that may be shown."""


class Account(Table):
    """Somebody who signed in with GitHub, by the numeric id: logins move, ids do not."""

    __tablename__ = "account"
    __table_args__ = (Index("ix_account_seen", "seen_at", "id"), one_of("role", Role))

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    login: Mapped[str] = mapped_column(String(100))
    """As last seen; another account may have had it before."""
    role: Mapped[Role] = mapped_column(STATE)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    seen_at: Mapped[datetime] = mapped_column(UtcDateTime)
    """When they last signed in."""


class ApiToken(Table):
    """A token of an account, for programs."""

    __tablename__ = "api_token"
    __table_args__ = (Index("ix_api_token_account", "account_id", "created_at", "id"),)

    id: Mapped[str] = mapped_column(_PUBLIC_ID, primary_key=True)
    secret_hash: Mapped[str] = mapped_column(DIGEST)
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"))
    name: Mapped[str] = mapped_column(String(200))
    scopes: Mapped[str] = mapped_column(Text)
    """With spaces between them; never more than the account's role allows when it is used."""
    node_key_id: Mapped[str | None] = mapped_column(ForeignKey("node.key_id"))
    """The node that it speaks for."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """To the minute."""
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class PullKey(Table):
    """A key that uploads bundles about one commit of one pull request, and does nothing else."""

    __tablename__ = "pull_key"
    __table_args__ = (Index("ix_pull_key_pull", "pull_id", "created_at", "id"),)

    id: Mapped[str] = mapped_column(_PUBLIC_ID, primary_key=True)
    secret_hash: Mapped[str] = mapped_column(DIGEST)
    pull_id: Mapped[int] = mapped_column(ForeignKey("pull.id"))
    head_sha: Mapped[str] = mapped_column(DIGEST)
    """The pull request's head when the key was issued."""
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"), index=True)
    """Who asked for it; None: the operator."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """To the minute."""
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class WebSession(Table):
    """A browser that is signed in."""

    __tablename__ = "web_session"

    id: Mapped[str] = mapped_column(DIGEST, primary_key=True)
    """Digest of the cookie."""
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), index=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    used_at: Mapped[datetime] = mapped_column(UtcDateTime)
    """To the minute; an idle session ends."""
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
    """However busy it is."""


class SignIn(Table):
    """A browser that was sent to GitHub and is not back yet. Taken away by its first return."""

    __tablename__ = "sign_in"

    id: Mapped[str] = mapped_column(DIGEST, primary_key=True)
    """Digest of the ``state`` that goes through GitHub."""
    browser: Mapped[str] = mapped_column(DIGEST)
    """Digest of the cookie that only the browser which began can bring back."""
    verifier: Mapped[str] = mapped_column(String(128))
    """PKCE: proves to GitHub that who redeems the code is who asked for it."""
    return_to: Mapped[str] = mapped_column(Text)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)


class KeptAnswer(Table):
    """What a request with an ``Idempotency-Key`` was answered."""

    __tablename__ = "kept_answer"

    owner: Mapped[str] = mapped_column(String(100), primary_key=True)
    """Whose request it was; keys of different owners never meet."""
    key: Mapped[str] = mapped_column(DIGEST, primary_key=True)
    """Digest of the client's key."""
    request: Mapped[str] = mapped_column(DIGEST)
    """Digest of method, address and body."""
    status: Mapped[int | None]
    """None: it is being answered."""
    body: Mapped[bytes | None] = mapped_column(LargeBinary)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
