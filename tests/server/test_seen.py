"""When a head was first heard of: what approvals in comments rest on."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from server.models import Pull
from server.seen import Seen, note

if TYPE_CHECKING:
    from tests.conftest import Service

HEADS = {"A": "a" * 40, "B": "b" * 40}


def hear(service: Service, head: str, *, ahead_s: float | None = None) -> float:
    """Note a head, GitHub's clock so far ahead of ours; seconds from now to when it counts as heard of."""
    now = service.clock()
    seen = Seen(
        repository_id=1, repository="octo/kernels", number=1, title="t", body="", state="open", head_sha=HEADS[head],
        base_sha="c" * 40, updated_at=None if ahead_s is None else now + timedelta(seconds=ahead_s),
    )  # fmt: skip
    with service.services.database.write() as session:
        pull = session.get_one(Pull, note(session, seen, actor="github", now=now))
        assert pull.head_seen_at is not None
        return (pull.head_seen_at - now).total_seconds()


@pytest.mark.parametrize(("ahead_s", "seen_s"), [(None, 0), (-40, 0), (40, 40)])
def test_the_later_clock_counts(service: Service, ahead_s: float | None, seen_s: float) -> None:
    assert hear(service, "A", ahead_s=ahead_s) == seen_s


def test_hearing_of_it_again_does_not_make_it_newer(service: Service) -> None:
    hear(service, "A")
    service.clock.advance(100)
    assert hear(service, "A", ahead_s=50) == pytest.approx(-100, abs=1)


def test_a_head_that_comes_back_is_new_again(service: Service) -> None:
    hear(service, "A")
    service.clock.advance(100)
    hear(service, "B")
    service.clock.advance(100)
    assert hear(service, "A") == 0
