"""Issuing challenges, giving them up, and telling what became of each. Bundles use them in `server.intake.binding`."""

import hmac
from datetime import datetime

from sqlalchemy import ColumnElement, func, select, tuple_, update
from sqlalchemy.orm import Session

from server import audit
from server.challenges.schemas import ChallengeList, ChallengePost, ChallengeReceipt
from server.errors import AppError
from server.issued import ChallengeRef, challenge_ref, challenges_of, new_challenge
from server.models import Challenge, Node, Pull, Repository
from server.pagination import cursor_after, read_cursor
from server.principals import Principal
from server.pulls import find_pull
from server.queue import enqueue
from server.services import Services
from worker.suites import Suite, UnknownSuiteError, by_digest


def issue(services: Services, posted: ChallengePost, *, requester: str, by: Principal) -> ChallengeReceipt:
    """Issue a challenge for the present head of an open pull request.

    Args:
        services: The service.
        posted: What is asked for.
        requester: Address that asks, as it is counted.
        by: Who asks.

    Raises:
        AppError: ``suite_not_found``, ``pull_not_found``, ``pull_closed``, ``node_not_found``,
            ``challenges_of_pull_exhausted``, ``challenges_exhausted``, ``credential_confined``.
    """
    suite, now = _suite(posted.suite_digest), services.clock()
    with services.database.write() as session:
        pull, repository = _open_pull(session, posted)
        by.require_inside(repository_id=repository.id, pull_number=pull.number, head_sha=pull.head_sha)
        _require_node(session, posted.node_key_id)
        _require_room(session, services, pull, posted.node_key_id, requester, now)
        challenge = new_challenge(
            session,
            services.settings,
            pull=pull,
            repository=repository,
            suite=suite,
            node_key_id=posted.node_key_id,
            requester=requester,
            actor=by.actor,
            now=now,
        )
    return _receipt(challenge, pull, repository)


def give_up(services: Services, challenge_id: str, *, nonce: str, by: Principal) -> ChallengeRef:
    """Note that a run was given up; doing it again changes nothing.

    Raises:
        AppError: ``challenge_not_found``, ``challenge_nonce_wrong``, ``challenge_not_open``.
    """
    now = services.clock()
    with services.database.write() as session:
        challenge = _find(session, challenge_id)
        if not hmac.compare_digest(challenge.nonce.encode(), nonce.encode()):
            raise AppError("challenge_nonce_wrong", "Only who was told the nonce can give the challenge up.")
        moved = session.execute(
            update(Challenge)
            .where(Challenge.id == challenge_id, _usable(now))
            .values(abandoned_at=now)
            .returning(Challenge.id)
        ).one_or_none()
        session.refresh(challenge)
        if moved is not None:
            audit.record(session, at=now, actor=by.actor, action="challenge.abandoned", target=challenge_id)
            enqueue(session, "refresh", str(challenge.pull_id), now=now)  # it counts as a try from now on
        shown = challenge_ref(challenge, now=now)
    if shown.fate != "abandoned":
        raise AppError("challenge_not_open", f"The challenge is {shown.fate}.")
    return shown


def read(services: Services, challenge_id: str) -> ChallengeRef:
    """Say what became of a challenge.

    Raises:
        AppError: ``challenge_not_found``.
    """
    with services.database.read() as session:
        return challenge_ref(_find(session, challenge_id), now=services.clock())


def of_pull(services: Services, repository: str, number: int, *, cursor: str | None, limit: int) -> ChallengeList:
    """One page of the challenges that were issued for a pull request, newest first.

    Raises:
        AppError: ``pull_not_found``, ``cursor_invalid``.
    """
    now = services.clock()
    with services.database.read() as session:
        pull, _ = find_pull(session, repository=repository, number=number)
        query = challenges_of(pull.id)
        if cursor is not None:
            query = query.where(tuple_(Challenge.issued_at, Challenge.id) < read_cursor(cursor))
        rows = session.scalars(query.limit(limit + 1)).all()
    shown = rows[:limit]
    more = cursor_after(shown[-1].issued_at, shown[-1].id) if len(rows) > limit else None
    return ChallengeList(items=tuple(challenge_ref(one, now=now) for one in shown), next_cursor=more)


# ------------------------------------------------------------------ steps of issue
def _suite(digest: str) -> Suite:
    try:
        return by_digest(digest)
    except UnknownSuiteError as error:
        raise AppError("suite_not_found", f"{error}.") from error


def _open_pull(session: Session, posted: ChallengePost) -> tuple[Pull, Repository]:
    """The pull request, held until the transaction ends: challenges of one are issued one after the other."""
    pull, repository = find_pull(session, repository=posted.repository, number=posted.pull_number)
    session.refresh(pull, with_for_update=True)
    if pull.state != "open":
        raise AppError("pull_closed", f"{repository.name}#{pull.number} is closed: nothing is left to be judged.")
    return pull, repository


def _require_node(session: Session, key_id: str | None) -> None:
    node = None if key_id is None else session.get(Node, key_id)
    if key_id is not None and (node is None or node.revoked_at is not None):
        raise AppError("node_not_found", f"No node with key {key_id} is registered.")


def _require_room(
    session: Session, services: Services, pull: Pull, node_key_id: str | None, requester: str, now: datetime
) -> None:
    """Refuse whoever has enough unused ones.

    One that was given up counts until its time is over: drawing until a nonce pleases is not to be had for free.
    """
    settings = services.settings
    if _unused(session, Challenge.pull_id == pull.id, now) >= settings.challenges_per_pull:
        detail = f"The pull request has {settings.challenges_per_pull} unused challenges; each counts until it expires."
        raise AppError("challenges_of_pull_exhausted", detail)
    counted = {"This address": Challenge.requester == requester}
    if node_key_id is not None:
        counted["The node"] = Challenge.node_key_id == node_key_id
    for name, theirs in counted.items():
        if _unused(session, theirs, now) >= settings.challenges_per_requester:
            detail = f"{name} has {settings.challenges_per_requester} unused challenges; each counts until it expires."
            raise AppError("challenges_exhausted", detail)


def _unused(session: Session, theirs: ColumnElement[bool], now: datetime) -> int:
    counted = select(func.count()).where(theirs, Challenge.used_by.is_(None), Challenge.expires_at > now)
    return session.scalar(counted) or 0


def _receipt(challenge: Challenge, pull: Pull, repository: Repository) -> ChallengeReceipt:
    return ChallengeReceipt(
        id=challenge.id,
        nonce=challenge.nonce,
        plan_digest=challenge.plan_digest,
        repository_id=repository.id,
        repository=repository.name,
        pull_number=pull.number,
        head_sha=challenge.head_sha,
        suite_digest=challenge.suite_digest,
        node_key_id=challenge.node_key_id,
        issued_at=challenge.issued_at,
        expires_at=challenge.expires_at,
    )


def _usable(now: datetime) -> ColumnElement[bool]:
    return Challenge.used_by.is_(None) & Challenge.abandoned_at.is_(None) & (Challenge.expires_at > now)


def _find(session: Session, challenge_id: str) -> Challenge:
    challenge = session.get(Challenge, challenge_id)
    if challenge is None:
        raise AppError("challenge_not_found", f"There is no challenge {challenge_id}.")
    return challenge
