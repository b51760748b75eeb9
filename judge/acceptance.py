"""Acceptance lengths from the server's own counters: what speculation did, not what was asked of it.

One step verifies the drafts of a request and yields one token more than it accepts, so the acceptance length is
1 + accepted / drafts, both counted over all blocks of a cell.
"""

from dataclasses import dataclass

from judge.evidence import Evidence
from worker.bundle.schema import ArmName

_DRAFTS = "spec_decode_num_drafts"
_ACCEPTED = "spec_decode_num_accepted_tokens_total"


@dataclass(frozen=True)
class Acceptance:
    """What the counters of one cell and arm say.

    Attributes:
        drafts: Steps that verified drafts, requests counted apart.
        accepted: Draft tokens that were accepted.
    """

    drafts: float
    accepted: float

    @property
    def length(self) -> float:
        """Tokens for each step and request."""
        return 1 + self.accepted / self.drafts

    @property
    def tokens(self) -> float:
        """Tokens that these steps yielded."""
        return self.drafts + self.accepted


def acceptance(evidence: Evidence, cell: str, arm: ArmName) -> Acceptance | None:
    """Add up the counters of a cell; None: the server has no such counters, or nothing was drafted."""
    rows = [row for row in evidence.counters if (row.cell, row.arm) == (cell, arm)]
    before = {(row.block, row.name): row.value for row in rows if row.moment == "before"}
    risen = {_DRAFTS: 0.0, _ACCEPTED: 0.0}
    for row in rows:
        for part in risen:
            # "num_drafts" must not match "num_draft_tokens", and per-position counters would count accepted ones twice.
            if row.moment == "after" and part in row.name and (row.block, row.name) in before:
                risen[part] += row.value - before[row.block, row.name]
    return Acceptance(risen[_DRAFTS], risen[_ACCEPTED]) if risen[_DRAFTS] > 0 else None
