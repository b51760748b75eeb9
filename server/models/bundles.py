"""Bundles, their files, who signed them, and the challenges they answer."""

from datetime import datetime
from typing import Literal

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String, Text, false, text, true
from sqlalchemy.orm import Mapped, mapped_column

from server.db import UtcDateTime
from server.models.table import DIGEST, STATE, Table, one_of

UploadState = Literal["open", "complete", "expired"]
ValidationState = Literal["pending", "running", "valid", "invalid", "quarantined", "error"]
SignatureState = Literal["absent", "valid", "invalid", "unknown_key"]
Origin = Literal["measured", "imported"]


class Node(Table):
    """A contributor's machine, by its signing key."""

    __tablename__ = "node"
    __table_args__ = (Index("ix_node_account", "account_id", "registered_at", "key_id"),)

    key_id: Mapped[str] = mapped_column(DIGEST, primary_key=True)
    public_key: Mapped[str] = mapped_column(DIGEST)
    owner: Mapped[str] = mapped_column(String(200))
    registered_at: Mapped[datetime] = mapped_column(UtcDateTime)
    project: Mapped[bool] = mapped_column(server_default=false())
    """Whether the project runs it itself."""
    account_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    """Whose it is; None: an operator registered it."""
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Bundles that were submitted before keep its signature, later ones do not have it."""


class Bundle(Table):
    """A bundle. The manifest is never changed; a later bundle supersedes it, it is not edited."""

    __tablename__ = "bundle"
    __table_args__ = (
        Index("ix_bundle_pull", "repository_id", "pull_number"),
        Index("ix_bundle_upload", "upload_state", "progress_at"),
        Index("ix_bundle_completed", "completed_at", "id"),
        Index("ix_bundle_owner", "owner", "created_at"),
        Index("ix_bundle_address", "address", "created_at"),
        one_of("upload_state", UploadState),
        one_of("validation_state", ValidationState),
        one_of("signature", SignatureState),
    )

    id: Mapped[str] = mapped_column(DIGEST, primary_key=True)
    manifest: Mapped[bytes] = mapped_column(LargeBinary, deferred=True)
    """Empty once the bundle was retracted."""
    envelope: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)

    repository_id: Mapped[int | None] = mapped_column(BigInteger)
    """As the manifest says; the repository need not be known here (yet)."""
    repository: Mapped[str | None] = mapped_column(String(200))
    pull_number: Mapped[int | None] = mapped_column(BigInteger)
    head_sha: Mapped[str | None] = mapped_column(DIGEST)
    suite: Mapped[str | None] = mapped_column(String(100))
    """``id/version``, for lists."""
    origin: Mapped[Origin] = mapped_column(STATE)
    size_bytes: Mapped[int] = mapped_column(BigInteger)

    signature: Mapped[SignatureState] = mapped_column(STATE)
    node_key_id: Mapped[str | None] = mapped_column(ForeignKey("node.key_id"))
    """The registered key whose signature holds."""
    upload_state: Mapped[UploadState] = mapped_column(STATE)
    validation_state: Mapped[ValidationState] = mapped_column(STATE)
    validation_detail: Mapped[str] = mapped_column(Text)
    """Why validation ended in ``error`` or ``quarantined``; else empty."""
    trust_level: Mapped[int | None]
    """Among the runs of others (`judge.trust.place`); by itself it stands in the assessment. None until validated."""
    trust_reason: Mapped[str] = mapped_column(Text)
    """One sentence; empty until validated."""

    owner: Mapped[str | None] = mapped_column(String(200))
    """Whom it is counted for (`server.principals`); None: taken in by a release that did not count."""
    address: Mapped[str | None] = mapped_column(String(64))
    """Where it came from, for the limits; never shown."""
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
    plan_digest: Mapped[str] = mapped_column(DIGEST)
    pull_id: Mapped[int] = mapped_column(ForeignKey("pull.id"))
    head_sha: Mapped[str] = mapped_column(DIGEST)
    """The pull request's head when it was issued."""
    suite_digest: Mapped[str] = mapped_column(DIGEST)
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
    __table_args__ = (Index("ix_blob_loose", "sha256", postgresql_where=text("loose"), sqlite_where=text("loose")),)

    sha256: Mapped[str] = mapped_column(DIGEST, primary_key=True)
    stored_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    loose: Mapped[bool] = mapped_column(default=False, server_default=true())
    """Whether it has to be looked at: a bundle that listed it does so no more. The next sweep removes it, or sees that
    another bundle lists it."""


class AnnouncedPart(Table):
    """A part of a blob that is not stored yet, as its sender announced it last."""

    __tablename__ = "part"

    sha256: Mapped[str] = mapped_column(ForeignKey("blob.sha256"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    digest: Mapped[str] = mapped_column(DIGEST)
    """SHA-256 of the part."""


class BundleBlob(Table):
    """Which bundle lists which blob."""

    __tablename__ = "bundle_blob"

    bundle_id: Mapped[str] = mapped_column(ForeignKey("bundle.id"), primary_key=True)
    sha256: Mapped[str] = mapped_column(ForeignKey("blob.sha256"), primary_key=True, index=True)
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    """As this bundle says; a bundle that lies about a size harms itself only."""
