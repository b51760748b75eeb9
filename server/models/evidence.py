"""What the judge and the operators made of bundles.

Records that are shown as they were judged (assessments, verdicts) are stored as the JSON of the `judge` record they
are, beside the few columns that queries need.
"""

from datetime import datetime
from typing import Literal

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from judge.lifetime import Standing
from server.db import UtcDateTime
from server.models.table import DIGEST, SERIAL, STATE, Table, one_of

RulingKind = Literal["retracted", "invalidated", "released", "retired"]


class AssessmentRow(Table):
    """What the judge made of one bundle by itself. Rewritten when it is validated again."""

    __tablename__ = "assessment"

    bundle_id: Mapped[str] = mapped_column(ForeignKey("bundle.id"), primary_key=True)
    errors: Mapped[int]
    warnings: Mapped[int]
    notes: Mapped[int]
    """Findings of each severity, for lists."""
    edition: Mapped[str] = mapped_column(DIGEST, server_default=text("''"))
    """Rules and limits it was judged by (`judge.assess.edition`); empty: by a release that kept none."""
    lot: Mapped[float | None]
    """Drawn when it was first judged, 0 to 1: whether a policy's audits ask for a reproduction. None: not drawn."""
    record: Mapped[str] = mapped_column(Text, deferred=True)
    """A `judge` Assessment."""


class Answer(Table):
    """How a model answers a prompt of the hidden slice, learnt from a bundle of one of the project's own nodes."""

    __tablename__ = "answer"

    weights_digest: Mapped[str] = mapped_column(DIGEST, primary_key=True)
    prompt_sha256: Mapped[str] = mapped_column(DIGEST, primary_key=True)
    output_tokens: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    """Asked for."""
    output_sha256: Mapped[str] = mapped_column(DIGEST)
    bundle_id: Mapped[str] = mapped_column(ForeignKey("bundle.id"), index=True)
    """Where it was learnt; forgotten when that bundle is withdrawn."""


class Ruling(Table):
    """What an operator decided about a bundle, and why."""

    __tablename__ = "ruling"
    __table_args__ = (one_of("kind", RulingKind),)

    bundle_id: Mapped[str] = mapped_column(ForeignKey("bundle.id"), primary_key=True)
    kind: Mapped[RulingKind] = mapped_column(STATE, primary_key=True)
    """``retracted``: its contents are gone; ``invalidated``: they are shown and count for nothing; ``released``: its
    suspicions were looked at and lifted; ``retired``: the retention policy dropped its contents."""
    reason: Mapped[str] = mapped_column(Text)
    record: Mapped[str] = mapped_column(Text)
    """A Tombstone of a retracted or retired bundle, the Release of a released one (`server.rulings`), else empty."""
    at: Mapped[datetime] = mapped_column(UtcDateTime)


class EvidenceRow(Table):
    """Where a bundle stands as evidence for its pull request, as of ``Pull.judged_head_sha``."""

    __tablename__ = "evidence"
    __table_args__ = (one_of("standing", Standing),)

    bundle_id: Mapped[str] = mapped_column(ForeignKey("bundle.id"), primary_key=True)
    pull_id: Mapped[int] = mapped_column(ForeignKey("pull.id"), index=True)
    standing: Mapped[Standing] = mapped_column(STATE)
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
    scope: Mapped[str | None] = mapped_column(Text)
    """A `judge` ScopeMap; None: no scope is declared."""


class WaiverRow(Table):
    """What a maintainer let pass at one commit of a pull request. Only ever added to, and withdrawn."""

    __tablename__ = "waiver"

    pull_id: Mapped[int] = mapped_column(ForeignKey("pull.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """Counts within the pull request."""
    rule_id: Mapped[str] = mapped_column(String(16))
    head_sha: Mapped[str] = mapped_column(DIGEST)
    reason: Mapped[str] = mapped_column(Text)
    login: Mapped[str] = mapped_column(String(100))
    """Of the maintainer."""
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    withdrawn_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """None: it holds as long as the head is ``head_sha``."""


class Revalidation(Table):
    """A bundle that was judged again because rules or limits changed. Only ever added to."""

    __tablename__ = "revalidation"
    __table_args__ = (Index("ix_revalidation_at", "at", "id"),)

    id: Mapped[int] = mapped_column(SERIAL, primary_key=True)
    bundle_id: Mapped[str] = mapped_column(ForeignKey("bundle.id"))
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    edition_before: Mapped[str] = mapped_column(DIGEST)
    """Empty: judged by a release that kept no edition."""
    edition_after: Mapped[str] = mapped_column(DIGEST)
    changed: Mapped[bool]
    record: Mapped[str | None] = mapped_column(Text)
    """A `judge` Rejudgement; None: what an earlier release had stored cannot be read any more."""


class VerdictRow(Table):
    """What became of one claim of a pull request, at ``Pull.judged_head_sha``."""

    __tablename__ = "verdict"

    pull_id: Mapped[int] = mapped_column(ForeignKey("pull.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    outcome: Mapped[str] = mapped_column(STATE)
    record: Mapped[str] = mapped_column(Text)
    """A `judge` Verdict."""
