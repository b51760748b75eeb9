"""Making a challenge, and a challenge as every part of the API shows it."""

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Literal

from pydantic import AwareDatetime
from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from server import audit
from server.models import Bundle, Challenge, Pull, Repository
from server.settings import Settings
from worker.bundle.record import CommitSha, Count, Identifier, Label, Record, Sha256
from worker.suites import Suite
from worker.suites.plan import plan_run

Fate = Literal["open", "used", "abandoned", "expired"]


class ChallengeRef(Record):
    """An issued challenge and what became of it."""

    id: Identifier
    fate: Fate
    """``open``: a bundle may still use it; ``used``: by ``bundle_id``; ``abandoned``: given up by whoever asked for it;
    ``expired``: no bundle came in time."""
    bundle_id: Sha256 | None
    """The bundle that used it."""
    suite: Label
    """``id/version``."""
    head_sha: CommitSha
    """The commit that the run has to be about."""
    node_key_id: Sha256 | None
    """The node it was issued to; null: any."""
    plan_digest: Sha256
    nonce: str | None
    """What prompts and seeds are made from. Null while open: whoever knows it could use the challenge."""
    issued_at: AwareDatetime
    expires_at: AwareDatetime


def new_challenge(
    session: Session,
    settings: Settings,
    *,
    pull: Pull,
    repository: Repository,
    suite: Suite,
    node_key_id: str | None,
    requester: str,
    actor: audit.Actor,
    now: datetime,
) -> Challenge:
    """Issue a challenge for the present head of a pull request. The limits are the caller's.

    Args:
        session: A write session.
        settings: For its lifetime.
        pull: The pull request, open.
        repository: Its repository.
        suite: The suite to run.
        node_key_id: The node whose signature the bundle needs; None: any.
        requester: Who is counted for it.
        actor: Who asked for it.
        now: Now.
    """
    nonce = secrets.token_urlsafe(32)
    challenge = Challenge(
        id=f"c-{secrets.token_hex(8)}",
        nonce=nonce,
        plan_digest=plan_run(suite, nonce).digest,
        pull_id=pull.id,
        head_sha=pull.head_sha,
        suite_digest=suite.digest,
        suite=f"{suite.id}/{suite.version}",
        node_key_id=node_key_id,
        requester=requester,
        issued_at=now,
        expires_at=now + timedelta(seconds=settings.challenge_ttl_s),
    )
    session.add(challenge)
    session.flush()
    audit.record(
        session,
        at=now,
        actor=actor,
        action="challenge.issued",
        target=challenge.id,
        detail=f"{repository.name}#{pull.number} at {pull.head_sha}, {challenge.suite}",
    )
    return challenge


def fate(challenge: Challenge, *, at: datetime) -> Fate:
    """What has become of a challenge at a point in time after it was issued, as far as is known now."""
    if challenge.used_by is not None:
        return "used"
    if challenge.abandoned_at is not None and challenge.abandoned_at <= at:
        return "abandoned"
    return "expired" if challenge.expires_at <= at else "open"


def challenge_ref(challenge: Challenge, *, now: datetime) -> ChallengeRef:
    """A challenge in short."""
    became = fate(challenge, at=now)
    return ChallengeRef(
        id=challenge.id,
        fate=became,
        bundle_id=challenge.used_by,
        suite=challenge.suite,
        head_sha=challenge.head_sha,
        node_key_id=challenge.node_key_id,
        plan_digest=challenge.plan_digest,
        nonce=None if became == "open" else challenge.nonce,
        issued_at=challenge.issued_at,
        expires_at=challenge.expires_at,
    )


def challenges_of(pull_id: int) -> Select[Challenge]:
    """Every challenge of a pull request, newest first."""
    return (
        select(Challenge).where(Challenge.pull_id == pull_id).order_by(Challenge.issued_at.desc(), Challenge.id.desc())
    )


class ChallengeTally(Record):
    """What became of all challenges of a pull request. Those that ended without a bundle count as tries."""

    issued: Count
    open: Count
    used: Count
    abandoned: Count
    expired: Count


def tally(session: Session, pull_id: int, *, now: datetime) -> ChallengeTally:
    """Count a pull request's challenges by what became of them."""
    found = Counter(fate(one, at=now) for one in session.scalars(challenges_of(pull_id)))
    return ChallengeTally(
        issued=found.total(),
        open=found["open"],
        used=found["used"],
        abandoned=found["abandoned"],
        expired=found["expired"],
    )


def unanswered(
    challenges: Iterable[Challenge], owners: Mapping[str, str], bundle: Bundle, suite_digest: str, *, now: datetime
) -> int:
    """How many challenges count as further tries of a bundle: those that ended without one.

    Of the same commit and suite, and issued to a node of the same owner. One that was issued to no node in particular
    counts too, unless the bundle used a challenge that named its node: who names it answers for that node alone, so
    nobody can burden it with challenges of his own.

    Args:
        challenges: Of the bundle's pull request.
        owners: Owner of each registered node, by key id.
        bundle: The bundle.
        suite_digest: Of the suite that it ran.
        now: The time.
    """
    known = tuple(challenges)
    named = any(one.used_by == bundle.id and one.node_key_id is not None for one in known)
    owner = owners.get(bundle.node_key_id or "")

    def charged(one: Challenge) -> bool:
        if one.node_key_id is None:
            return not named
        return one.node_key_id == bundle.node_key_id or (owner is not None and owners.get(one.node_key_id) == owner)

    return sum(
        (one.head_sha, one.suite_digest) == (bundle.head_sha, suite_digest)
        and fate(one, at=now) in ("abandoned", "expired")
        and charged(one)
        for one in known
    )


EXAMPLE = ChallengeRef(
    id="c-5b2f0c9d7e614a83",
    fate="expired",
    bundle_id=None,
    suite="smoke/1",
    head_sha="a94a8fe5ccb19ba61c4c0873d391e987982fbbd3",
    node_key_id=None,
    plan_digest="77af778b51abd4a3c51c5ddd97204a9c3ae614ebccb75a606c3b6865aed6744e",
    nonce="Xw5vXn7nB0mLZ7o0o2W6r8Yk3m1sJq4uGd9hTfPzRcE",
    issued_at=datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC),
    expires_at=datetime(2026, 3, 15, 9, 26, 53, tzinfo=UTC),
)
