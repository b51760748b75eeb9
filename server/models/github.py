"""What the service knows of GitHub: repositories, pull requests, deliveries, and what is to be posted."""

from datetime import datetime
from typing import Literal

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from judge.report import Conclusion
from server.db import UtcDateTime
from server.models.table import DIGEST, SERIAL, STATE, Table, one_of

PostState = Literal["pending", "sent", "superseded", "dead"]
PullState = Literal["open", "closed"]


class Repository(Table):
    """A GitHub repository, by its numeric id: names move, ids do not."""

    __tablename__ = "repository"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(String(200), index=True)
    """``owner/name`` as last seen; another repository may have had it before."""
    seen_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Pull(Table):
    """A pull request as last read from GitHub."""

    __tablename__ = "pull"
    __table_args__ = (
        UniqueConstraint("repository_id", "number"),
        Index("ix_pull_seen", "seen_at", "id"),
        one_of("state", PullState),
    )

    id: Mapped[int] = mapped_column(SERIAL, primary_key=True)
    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"))
    number: Mapped[int] = mapped_column(BigInteger)
    title: Mapped[str] = mapped_column(Text)
    body: Mapped[str] = mapped_column(Text)
    author: Mapped[str | None] = mapped_column(String(100))
    state: Mapped[PullState] = mapped_column(STATE)
    merged: Mapped[bool]
    draft: Mapped[bool]
    head_sha: Mapped[str] = mapped_column(DIGEST)
    base_sha: Mapped[str] = mapped_column(DIGEST)
    url: Mapped[str] = mapped_column(Text)
    seen_at: Mapped[datetime] = mapped_column(UtcDateTime)
    """When GitHub last told us about it."""
    judged_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    judged_head_sha: Mapped[str | None] = mapped_column(DIGEST)
    """The head that the stored verdicts are about."""


class Policy(Table):
    """What a repository asks of its evidence."""

    __tablename__ = "policy"

    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"), primary_key=True, autoincrement=False)
    record: Mapped[str] = mapped_column(Text)
    """A `judge` MergePolicy."""
    set_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Post(Table):
    """The outbox: a check as it is to stand on GitHub, written in the transaction that made it true."""

    __tablename__ = "post"
    __table_args__ = (Index("ix_post_pull_state", "pull_id", "state"), one_of("state", PostState))

    id: Mapped[int] = mapped_column(SERIAL, primary_key=True)
    """Also the order in which a pull request's posts are made."""
    pull_id: Mapped[int] = mapped_column(ForeignKey("pull.id"))
    head_sha: Mapped[str] = mapped_column(DIGEST)
    digest: Mapped[str] = mapped_column(DIGEST)
    """Of the payload: the same words are not said twice."""
    payload: Mapped[str] = mapped_column(Text)
    """A `server.github` CheckPayload."""
    conclusion: Mapped[Conclusion] = mapped_column(STATE)
    title: Mapped[str] = mapped_column(Text)
    state: Mapped[PostState] = mapped_column(STATE)
    attempts: Mapped[int]
    detail: Mapped[str] = mapped_column(Text)
    """Why the last attempt failed; else empty."""
    url: Mapped[str] = mapped_column(Text)
    """Where it stands on GitHub; empty until sent."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    sent_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class Delivery(Table):
    """A webhook delivery that was acted on."""

    __tablename__ = "delivery"

    id: Mapped[str] = mapped_column(DIGEST, primary_key=True)
    event: Mapped[str] = mapped_column(DIGEST)
    received_at: Mapped[datetime] = mapped_column(UtcDateTime)
