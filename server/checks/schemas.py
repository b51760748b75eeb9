"""What the GitHub routes answer."""

from typing import Literal

from worker.bundle.record import Record


class WebhookReceipt(Record):
    """What was done with a delivery."""

    delivery_id: str
    action: Literal["pull_updated", "ignored", "repeated"]
