"""The audit log: who changed or was refused what."""

from datetime import datetime
from typing import Literal

from sqlalchemy.orm import Session

from server.models import Audit

Actor = Literal["anonymous", "admin", "github", "service"]


def record(session: Session, *, at: datetime, actor: Actor, action: str, target: str, detail: str = "") -> None:
    """Add one row, in the caller's transaction.

    Args:
        session: A write session.
        at: Now.
        actor: Who caused it.
        action: What happened, in the past tense: ``bundle.submitted``; ``refused`` for a refusal.
        target: What it happened to; cut at 200 characters.
        detail: More, for a person; cut at 500 characters.
    """
    session.add(Audit(at=at, actor=actor, action=action, target=target[:200], detail=detail[:500]))
