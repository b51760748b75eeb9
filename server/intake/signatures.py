"""Whose signature a bundle carries."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from server.errors import AppError
from server.models import Node, SignatureState
from worker.bundle import BundleError
from worker.bundle.signature import key_ids, verify


@dataclass(frozen=True)
class Signature:
    """What is known about an envelope.

    Attributes:
        state: ``valid`` only if a registered node signed exactly this manifest.
        key_id: That node's key; None unless valid.
    """

    state: SignatureState
    key_id: str | None


def check(session: Session, envelope: bytes | None, manifest_bytes: bytes, *, at: datetime) -> Signature:
    """Check an envelope against the nodes that were registered and not revoked at a point in time.

    Raises:
        AppError: ``envelope_invalid``: it is no envelope at all.
    """
    if envelope is None:
        return Signature("absent", None)
    try:
        claimed = key_ids(envelope)
        good = Node.key_id.in_(claimed), or_(Node.revoked_at.is_(None), Node.revoked_at > at)
        known = dict(session.execute(select(Node.key_id, Node.public_key).where(*good)).all())
        return Signature("valid", verify(envelope, manifest_bytes, known))
    except BundleError as error:
        if error.code == "envelope_invalid":
            raise AppError("envelope_invalid", error.detail) from error
        return Signature("unknown_key" if error.code == "signature_unknown_key" else "invalid", None)
