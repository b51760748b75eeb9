"""The audit log: who changed or was refused what."""

from datetime import datetime

from sqlalchemy.orm import Session

from server.models import Audit
from server.principals import Actor

__all__ = ["Actor", "record"]


def record(session: Session, *, at: datetime, actor: Actor, action: str, target: str, detail: str = "") -> None:
    """Add one row, in the caller's transaction.

    Args:
        session: A write session.
        at: Now.
        actor: Who caused it; `Principal.actor` of a request.
        action: What happened, in the past tense: ``bundle.submitted``; ``refused`` for a refusal.
        target: What it happened to; cut at 200 characters.
        detail: More, for a person; cut at 500 characters.
    """
    session.add(Audit(at=at, actor=actor[:100], action=action, target=target[:200], detail=detail[:500]))
