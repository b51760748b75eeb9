"""What the GitHub routes answer."""

from typing import Literal

from worker.bundle.record import Record

Action = Literal["pull_updated", "heard", "check_repeated", "access_checked", "ignored", "repeated"]


class WebhookReceipt(Record):
    """What was done with a delivery."""

    delivery_id: str
    action: Action
    """``pull_updated``: the pull request is judged again; ``heard``: a command or a button, answered on GitHub;
    ``check_repeated``: the check is said once more; ``access_checked``: GitHub is asked where we are let in;
    ``ignored``: nothing here acts on it; ``repeated``: this delivery was seen before."""
