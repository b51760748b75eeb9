"""What the service knows of GitHub: repositories, pull requests, deliveries, and what is to be posted."""

from datetime import datetime
from typing import Literal

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text, UniqueConstraint, true
from sqlalchemy.orm import Mapped, mapped_column

from judge.report import Conclusion
from server.db import UtcDateTime
from server.models.table import DIGEST, SERIAL, STATE, Table, one_of

PostState = Literal["pending", "sent", "superseded", "dead"]
PullState = Literal["open", "closed"]
CommandState = Literal["heard", "decided", "answered", "ignored", "dead"]


class Repository(Table):
    """A GitHub repository, by its numeric id: names move, ids do not."""

    __tablename__ = "repository"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(String(200), index=True)
    """``owner/name`` as last seen; another repository may have had it before."""
    seen_at: Mapped[datetime] = mapped_column(UtcDateTime)
    covered: Mapped[bool] = mapped_column(server_default=true())
    """Whether GitHub lets us in, as last asked. While it does not, posts wait."""


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
    stated_claims: Mapped[str | None] = mapped_column(Text)
    """The inside of a claims block that was stated through the API; it counts while ``body`` has none."""
    head_sha: Mapped[str] = mapped_column(DIGEST)
    base_sha: Mapped[str] = mapped_column(DIGEST)
    url: Mapped[str] = mapped_column(Text)
    seen_at: Mapped[datetime] = mapped_column(UtcDateTime)
    """When GitHub last told us about it."""
    head_seen_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When its head was first heard of, by our clock or GitHub's, whichever is later; None: that was not noted."""
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
    __table_args__ = (
        Index("ix_post_pull_state", "pull_id", "state"),
        Index("ix_post_created", "created_at"),
        one_of("state", PostState),
    )

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
    received_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)


class Command(Table):
    """What somebody asked of the service on GitHub, in a comment or with a button, and what it answers."""

    __tablename__ = "command"
    __table_args__ = (
        Index("ix_command_pull", "repository_id", "pull_number", "state"),
        Index("ix_command_heard", "heard_at"),
        one_of("state", CommandState),
    )

    id: Mapped[int] = mapped_column(SERIAL, primary_key=True)
    """Also the order in which the commands of a pull request are obeyed."""
    key: Mapped[str] = mapped_column(String(100), unique=True)
    """``comment:ID`` or ``button:CHECK_RUN:IDENTIFIER``: the same question, delivered again, is not another one."""
    repository_id: Mapped[int] = mapped_column(BigInteger)
    repository: Mapped[str] = mapped_column(String(200))
    pull_number: Mapped[int] = mapped_column(BigInteger)
    """The pull request need not be known here yet."""
    comment_id: Mapped[int | None] = mapped_column(BigInteger)
    """None: a button."""
    head_sha: Mapped[str | None] = mapped_column(DIGEST)
    """The commit whose check had the button; None: a comment."""
    login: Mapped[str] = mapped_column(String(100))
    """Who asks. What they may do is asked of GitHub when it is needed."""
    words: Mapped[str] = mapped_column(Text)
    asked_at: Mapped[datetime] = mapped_column(UtcDateTime)
    """When the comment was written, by GitHub's clock; of a button, when we heard of it."""
    heard_at: Mapped[datetime] = mapped_column(UtcDateTime)
    state: Mapped[CommandState] = mapped_column(STATE)
    answer: Mapped[str | None] = mapped_column(Text)
    """A `server.github` Answer, written in the transaction that did what was asked."""
    attempts: Mapped[int]
    detail: Mapped[str] = mapped_column(Text)
    """Why the last attempt failed, or why nothing is answered; else empty."""
    url: Mapped[str] = mapped_column(Text)
    """Where the answer stands; empty until sent."""


class Contact(Table):
    """How GitHub has answered lately, as all processes of the service see it. One row."""

    __tablename__ = "contact"

    id: Mapped[int] = mapped_column(SERIAL, primary_key=True)
    answered_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When it last gave an answer, be it a refusal."""
    failing_since: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Since when it has given none; None: the last call was answered."""
    detail: Mapped[str] = mapped_column(Text)
    """How the last call failed; else empty."""
    quiet_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Until when it asked not to be called."""
    limited: Mapped[int]
    """How often in a row it asked for that."""
    rate_limit: Mapped[int | None]
    rate_remaining: Mapped[int | None]
    rate_reset_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
