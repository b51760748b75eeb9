"""What the moderation routes say and hear."""

from server.models import RulingKind, ValidationState
from server.rulings import Reason
from worker.bundle.record import Count, Record, Sha256


class RulingPost(Record):
    """Body of every decision."""

    reason: Reason
    """Shown to everybody, for good."""


class RulingReceipt(Record):
    """A decision about a bundle, and where that leaves it."""

    bundle_id: Sha256
    kind: RulingKind
    reason: str
    """Of the decision that stands: a repeated request changes nothing."""
    validation_state: ValidationState


class RevalidationReceipt(Record):
    """What was asked for."""

    outdated: Count
    """Bundles judged by other rules or limits than the present ones; each will be judged again."""
