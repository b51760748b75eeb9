"""The tables. Each state machine has its own column; none is derived from another.

Records that are shown as they were judged (assessments, verdicts) are stored as the JSON of the `judge` record they
are, beside the few columns that queries need.
"""

from datetime import datetime
from typing import Literal

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.dialects.sqlite import INTEGER as SQLITE_INTEGER
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from judge.lifetime import Standing
from judge.report import Conclusion
from server.db import UtcDateTime

UploadState = Literal["open", "complete", "expired"]
ValidationState = Literal["pending", "running", "valid", "invalid", "quarantined", "error"]
SignatureState = Literal["absent", "valid", "invalid", "unknown_key"]
TaskState = Literal["queued", "running", "done", "dead"]
PostState = Literal["pending", "sent", "superseded", "dead"]
PullState = Literal["open", "closed"]
Origin = Literal["measured", "imported"]
RulingKind = Literal["retracted", "invalidated", "released"]

_NAMES = {
    "ix": "ix_%(column_0_N_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
_Digest = String(64)
_State = String(16)
_Serial = BigInteger().with_variant(SQLITE_INTEGER(), "sqlite")


def _one_of(column: str, states: object) -> CheckConstraint:
    listed = ", ".join(f"'{state}'" for state in states.__args__)  # type: ignore[attr-defined]
    return CheckConstraint(f"{column} IN ({listed})", name=column)


class Table(DeclarativeBase):
    """What every table has in common: how constraints are named."""

    metadata = MetaData(naming_convention=_NAMES)


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
        _one_of("state", PullState),
    )

    id: Mapped[int] = mapped_column(_Serial, primary_key=True)
    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"))
    number: Mapped[int] = mapped_column(BigInteger)
    title: Mapped[str] = mapped_column(Text)
    body: Mapped[str] = mapped_column(Text)
    author: Mapped[str | None] = mapped_column(String(100))
    state: Mapped[PullState] = mapped_column(_State)
    merged: Mapped[bool]
    draft: Mapped[bool]
    head_sha: Mapped[str] = mapped_column(_Digest)
    base_sha: Mapped[str] = mapped_column(_Digest)
    url: Mapped[str] = mapped_column(Text)
    seen_at: Mapped[datetime] = mapped_column(UtcDateTime)
    """When GitHub last told us about it."""
    judged_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    judged_head_sha: Mapped[str | None] = mapped_column(_Digest)
    """The head that the stored verdicts are about."""


class Node(Table):
    """A contributor's machine, by its signing key."""

    __tablename__ = "node"

    key_id: Mapped[str] = mapped_column(_Digest, primary_key=True)
    public_key: Mapped[str] = mapped_column(_Digest)
    owner: Mapped[str] = mapped_column(String(200))
    registered_at: Mapped[datetime] = mapped_column(UtcDateTime)
    project: Mapped[bool] = mapped_column(server_default=false())
    """Whether the project runs it itself."""


class Bundle(Table):
    """A bundle. The manifest is never changed; a later bundle supersedes it, it is not edited."""

    __tablename__ = "bundle"
    __table_args__ = (
        Index("ix_bundle_pull", "repository_id", "pull_number"),
        Index("ix_bundle_upload", "upload_state", "progress_at"),
        Index("ix_bundle_completed", "completed_at", "id"),
        _one_of("upload_state", UploadState),
        _one_of("validation_state", ValidationState),
        _one_of("signature", SignatureState),
    )

    id: Mapped[str] = mapped_column(_Digest, primary_key=True)
    manifest: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    """Empty once the bundle was retracted."""
    envelope: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)

    repository_id: Mapped[int | None] = mapped_column(BigInteger)
    """As the manifest says; the repository need not be known here (yet)."""
    repository: Mapped[str | None] = mapped_column(String(200))
    pull_number: Mapped[int | None] = mapped_column(BigInteger)
    head_sha: Mapped[str | None] = mapped_column(_Digest)
    suite: Mapped[str | None] = mapped_column(String(100))
    """``id/version``, for lists."""
    origin: Mapped[Origin] = mapped_column(_State)
    size_bytes: Mapped[int] = mapped_column(BigInteger)

    signature: Mapped[SignatureState] = mapped_column(_State)
    node_key_id: Mapped[str | None] = mapped_column(ForeignKey("node.key_id"))
    """The registered key whose signature holds."""
    upload_state: Mapped[UploadState] = mapped_column(_State)
    validation_state: Mapped[ValidationState] = mapped_column(_State)
    validation_detail: Mapped[str] = mapped_column(Text)
    """Why validation ended in ``error`` or ``quarantined``; else empty."""
    trust_level: Mapped[int | None]
    """Among the runs of others (`judge.trust.place`); by itself it stands in the assessment. None until validated."""
    trust_reason: Mapped[str] = mapped_column(Text)
    """One sentence; empty until validated."""

    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    progress_at: Mapped[datetime] = mapped_column(UtcDateTime)
    """Last time the upload moved; expiry counts from here."""
    completed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    validated_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class Challenge(Table):
    """A challenge as it was issued: what one run of one suite has to be about and to follow; good for one bundle."""

    __tablename__ = "challenge"
    __table_args__ = (
        Index("ix_challenge_pull", "pull_id", "issued_at", "id"),
        Index("ix_challenge_requester", "requester", "expires_at"),
        Index("ix_challenge_node", "node_key_id", "expires_at"),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    nonce: Mapped[str] = mapped_column(String(86))
    """Told to whoever asked for it, and shown to others only when nobody can use it any more."""
    plan_digest: Mapped[str] = mapped_column(_Digest)
    pull_id: Mapped[int] = mapped_column(ForeignKey("pull.id"))
    head_sha: Mapped[str] = mapped_column(_Digest)
    """The pull request's head when it was issued."""
    suite_digest: Mapped[str] = mapped_column(_Digest)
    suite: Mapped[str] = mapped_column(String(100))
    """``id/version``, for lists."""
    node_key_id: Mapped[str | None] = mapped_column(ForeignKey("node.key_id"))
    """The node whose signature the bundle needs; None: any."""
    requester: Mapped[str] = mapped_column(String(64))
    """Address that asked, for the limits; never shown."""
    issued_at: Mapped[datetime] = mapped_column(UtcDateTime)
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    used_by: Mapped[str | None] = mapped_column(ForeignKey("bundle.id"))
    """The first bundle that was submitted in time and bound as it should be; written once."""
    used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    abandoned_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When whoever asked for it gave it up."""


class Blob(Table):
    """A blob some bundle lists. Visible if and only if ``stored_at`` is set."""

    __tablename__ = "blob"

    sha256: Mapped[str] = mapped_column(_Digest, primary_key=True)
    stored_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class BundleBlob(Table):
    """Which bundle lists which blob."""

    __tablename__ = "bundle_blob"

    bundle_id: Mapped[str] = mapped_column(ForeignKey("bundle.id"), primary_key=True)
    sha256: Mapped[str] = mapped_column(ForeignKey("blob.sha256"), primary_key=True, index=True)
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    """As this bundle says; a bundle that lies about a size harms itself only."""


class AssessmentRow(Table):
    """What the judge made of one bundle by itself. Rewritten when it is validated again."""

    __tablename__ = "assessment"

    bundle_id: Mapped[str] = mapped_column(ForeignKey("bundle.id"), primary_key=True)
    errors: Mapped[int]
    warnings: Mapped[int]
    notes: Mapped[int]
    """Findings of each severity, for lists."""
    edition: Mapped[str] = mapped_column(_Digest, server_default=text("''"))
    """Rules and limits it was judged by (`judge.assess.edition`); empty: by a release that kept none."""
    record: Mapped[str] = mapped_column(Text, deferred=True)
    """A `judge` Assessment."""


class Ruling(Table):
    """What an operator decided about a bundle, and why."""

    __tablename__ = "ruling"
    __table_args__ = (_one_of("kind", RulingKind),)

    bundle_id: Mapped[str] = mapped_column(ForeignKey("bundle.id"), primary_key=True)
    kind: Mapped[RulingKind] = mapped_column(_State, primary_key=True)
    """``retracted``: its contents are gone; ``invalidated``: they are shown and count for nothing; ``released``: its
    suspicions were looked at and lifted."""
    reason: Mapped[str] = mapped_column(Text)
    record: Mapped[str] = mapped_column(Text)
    """A Tombstone of a retracted bundle, the Release of a released one (`server.rulings`), else empty."""
    at: Mapped[datetime] = mapped_column(UtcDateTime)


class EvidenceRow(Table):
    """Where a bundle stands as evidence for its pull request, as of ``Pull.judged_head_sha``."""

    __tablename__ = "evidence"
    __table_args__ = (_one_of("standing", Standing),)

    bundle_id: Mapped[str] = mapped_column(ForeignKey("bundle.id"), primary_key=True)
    pull_id: Mapped[int] = mapped_column(ForeignKey("pull.id"), index=True)
    standing: Mapped[Standing] = mapped_column(_State)
    record: Mapped[str] = mapped_column(Text)
    """A `judge` Lifetime."""
    placement: Mapped[str | None] = mapped_column(Text)
    """A `judge` Placement; None: the bundle does not count, so nobody's run is held against it."""


class Outlook(Table):
    """What is left to do for a pull request, as of ``Pull.judged_head_sha``."""

    __tablename__ = "outlook"

    pull_id: Mapped[int] = mapped_column(ForeignKey("pull.id"), primary_key=True)
    rerun: Mapped[str] = mapped_column(Text)
    """A `judge` RerunPlan."""
    shortfalls: Mapped[str] = mapped_column(Text)
    """A list of `judge` Shortfalls."""


class Policy(Table):
    """What a repository asks of its evidence."""

    __tablename__ = "policy"

    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"), primary_key=True, autoincrement=False)
    record: Mapped[str] = mapped_column(Text)
    """A `judge` MergePolicy."""
    set_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Revalidation(Table):
    """A bundle that was judged again because rules or limits changed. Only ever added to."""

    __tablename__ = "revalidation"
    __table_args__ = (Index("ix_revalidation_at", "at", "id"),)

    id: Mapped[int] = mapped_column(_Serial, primary_key=True)
    bundle_id: Mapped[str] = mapped_column(ForeignKey("bundle.id"))
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    edition_before: Mapped[str] = mapped_column(_Digest)
    """Empty: judged by a release that kept no edition."""
    edition_after: Mapped[str] = mapped_column(_Digest)
    changed: Mapped[bool]
    record: Mapped[str | None] = mapped_column(Text)
    """A `judge` Rejudgement; None: what an earlier release had stored cannot be read any more."""


class VerdictRow(Table):
    """What became of one claim of a pull request, at ``Pull.judged_head_sha``."""

    __tablename__ = "verdict"

    pull_id: Mapped[int] = mapped_column(ForeignKey("pull.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    outcome: Mapped[str] = mapped_column(_State)
    record: Mapped[str] = mapped_column(Text)
    """A `judge` Verdict."""


class Post(Table):
    """The outbox: a check as it is to stand on GitHub, written in the transaction that made it true."""

    __tablename__ = "post"
    __table_args__ = (Index("ix_post_pull_state", "pull_id", "state"), _one_of("state", PostState))

    id: Mapped[int] = mapped_column(_Serial, primary_key=True)
    """Also the order in which a pull request's posts are made."""
    pull_id: Mapped[int] = mapped_column(ForeignKey("pull.id"))
    head_sha: Mapped[str] = mapped_column(_Digest)
    digest: Mapped[str] = mapped_column(_Digest)
    """Of the payload: the same words are not said twice."""
    payload: Mapped[str] = mapped_column(Text)
    """A `server.github` CheckPayload."""
    conclusion: Mapped[Conclusion] = mapped_column(_State)
    title: Mapped[str] = mapped_column(Text)
    state: Mapped[PostState] = mapped_column(_State)
    attempts: Mapped[int]
    detail: Mapped[str] = mapped_column(Text)
    """Why the last attempt failed; else empty."""
    url: Mapped[str] = mapped_column(Text)
    """Where it stands on GitHub; empty until sent."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    sent_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class Task(Table):
    """Work that must be done, whatever crashes. The brokers only carry hints about these rows."""

    __tablename__ = "task"
    __table_args__ = (
        UniqueConstraint("kind", "key"),
        Index("ix_task_state", "state", "run_after"),
        _one_of("state", TaskState),
    )

    id: Mapped[int] = mapped_column(_Serial, primary_key=True)
    kind: Mapped[str] = mapped_column(String(32))
    key: Mapped[str] = mapped_column(_Digest)
    """What the task is about: a bundle's or a pull's id."""
    state: Mapped[TaskState] = mapped_column(_State)
    wanted: Mapped[int]
    """Counts requests, so that one that comes while the task runs is not forgotten."""
    attempts: Mapped[int]
    """Attempts since the last success."""
    run_after: Mapped[datetime] = mapped_column(UtcDateTime)
    lease: Mapped[str | None] = mapped_column(String(32))
    """Names the runner that holds the task; a runner whose lease was taken over changes nothing any more."""
    lease_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    detail: Mapped[str] = mapped_column(Text)
    """Why the last attempt failed; else empty."""


class Delivery(Table):
    """A webhook delivery that was acted on."""

    __tablename__ = "delivery"

    id: Mapped[str] = mapped_column(_Digest, primary_key=True)
    event: Mapped[str] = mapped_column(_Digest)
    received_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Audit(Table):
    """One change of state, or one refusal. Only ever added to."""

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(_Serial, primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
    actor: Mapped[str] = mapped_column(String(100))
    """``admin``, ``anonymous``, ``github`` or ``service``."""
    action: Mapped[str] = mapped_column(String(64))
    target: Mapped[str] = mapped_column(String(200))
    detail: Mapped[str] = mapped_column(Text)
