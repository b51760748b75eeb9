"""Waivers of a pull request: granted by a maintainer for one rule and one commit, withdrawn, read.

Whether somebody may is for the caller to find out, at the time of use.
"""

from datetime import datetime

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from judge.rules import Rule
from judge.waiver import Waiver
from server import audit
from server.models import Pull, WaiverRow
from server.principals import Account
from server.queue import enqueue


def grant(session: Session, pull: Pull, rule: Rule, *, reason: str, login: str, now: datetime) -> Waiver:
    """Let what a rule found pass at the present head, and have the pull request judged again.

    Args:
        session: A write session.
        pull: The pull request.
        rule: The rule.
        reason: In the maintainer's words.
        login: The maintainer.
        now: Now.
    """
    last = session.scalar(select(func.max(WaiverRow.number)).where(WaiverRow.pull_id == pull.id))
    row = WaiverRow(
        pull_id=pull.id,
        number=(last or 0) + 1,
        rule_id=rule.id,
        head_sha=pull.head_sha,
        reason=reason,
        login=login,
        at=now,
        withdrawn_at=None,
    )
    session.add(row)
    _note(session, pull, row, "granted", login=login, now=now)
    return _waiver(row)


def withdraw(session: Session, pull: Pull, rule_id: str, *, login: str, now: datetime) -> tuple[int, ...]:
    """Take back every waiver of a rule that holds at the present head; returns their numbers."""
    rows = session.scalars(_of(pull).where(WaiverRow.rule_id == rule_id)).all()
    for row in rows:
        row.withdrawn_at = now
        _note(session, pull, row, "withdrawn", login=login, now=now)
    return tuple(row.number for row in rows)


def holding(session: Session, pull: Pull) -> tuple[Waiver, ...]:
    """Waivers that hold at the present head, by number."""
    return tuple(map(_waiver, session.scalars(_of(pull))))


def _of(pull: Pull) -> Select[WaiverRow]:
    return (
        select(WaiverRow)
        .where(WaiverRow.pull_id == pull.id, WaiverRow.head_sha == pull.head_sha, WaiverRow.withdrawn_at.is_(None))
        .order_by(WaiverRow.number)
    )


def _waiver(row: WaiverRow) -> Waiver:
    return Waiver(
        number=row.number, rule_id=row.rule_id, head_sha=row.head_sha, reason=row.reason, by=row.login, at=row.at
    )


def _note(session: Session, pull: Pull, row: WaiverRow, what: str, *, login: str, now: datetime) -> None:
    audit.record(
        session,
        at=now,
        actor=Account(f"github:{login}"),
        action=f"waiver.{what}",
        target=f"pull {pull.id} waiver {row.number}",
        detail=f"{row.rule_id} at {row.head_sha}: {row.reason}",
    )
    enqueue(session, "refresh", str(pull.id), now=now)
