"""What the GitHub routes answer."""

from typing import Annotated, Literal

from pydantic import Field

from judge.claim import MAX_BLOCK_BYTES
from worker.bundle.record import Record

Action = Literal["pull_updated", "heard", "check_repeated", "access_checked", "ignored", "repeated"]


class ClaimsPut(Record):
    """Claims, as they would stand in the description."""

    block: Annotated[str, Field(min_length=1, max_length=MAX_BLOCK_BYTES)]
    """The inside of a `byogpu-claims` block, without the fences."""


class WebhookReceipt(Record):
    """What was done with a delivery."""

    delivery_id: str
    action: Action
    """``pull_updated``: the pull request is judged again; ``heard``: a command or a button, answered on GitHub;
    ``check_repeated``: the check is said once more; ``access_checked``: GitHub is asked where we are let in;
    ``ignored``: nothing here acts on it; ``repeated``: this delivery was seen before."""
