"""Waivers: a maintainer's word that what a rule found shall not stand in the way of one commit.

A waiver lifts findings that block or limit claims, and nothing else: a bundle that is invalid or quarantined, arms that
cannot be compared, a path that did not run and an interval that is too wide stay what they are.
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from judge.rules.record import Effect
from worker.bundle.record import CommitSha, Label, Positive, Record, Time

WAIVABLE: tuple[Effect, ...] = ("blocks", "limits")


class Waiver(Record):
    """One waiver."""

    number: Positive
    """Counts within the pull request; never used again."""
    rule_id: Label
    head_sha: CommitSha
    """The only commit it holds for."""
    reason: Annotated[str, Field(min_length=1, max_length=500)]
    """In the maintainer's words: escape before showing."""
    by: Label
    """Login of the maintainer."""
    at: Time


def holding(waivers: Sequence[Waiver], head_sha: CommitSha | None) -> tuple[Waiver, ...]:
    """Those that hold for a commit, by number; of several for one rule the last."""
    found = {one.rule_id: one for one in sorted(waivers, key=lambda one: one.number) if one.head_sha == head_sha}
    return tuple(sorted(found.values(), key=lambda one: one.number))
