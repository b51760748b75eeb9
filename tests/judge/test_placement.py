"""Levels 3 and 4: who reproduced a bundle, and how many of them it takes."""

from dataclasses import replace
from typing import Any, Literal

import pytest

from judge import Assessment, Finding
from judge.trust import NAMES, Run, TrustLevel, place, project_trust


def run(assessment: Assessment, name: str, *, owner: str | None, gpu: str, level: int = 2, **more: Any) -> Run:
    own = TrustLevel(level=level, name=NAMES[level], reason="by itself")
    made = Run(name * 64, own, (), assessment.cells, ("a" * 40, "s" * 64), owner, False, (gpu * 64,))
    return replace(made, **more)


@pytest.fixture
def first(fast: Assessment) -> Run:
    return run(fast, "1", owner="ann", gpu="1")


@pytest.fixture
def second(fast: Assessment) -> Run:
    return run(fast, "2", owner="bob", gpu="2")


def suspicion(rule_id: str, effect: Literal["quarantines", "notes"] = "quarantines") -> Finding:
    return Finding(
        rule_id=rule_id, rule_version=1, severity="error", effect=effect, title="t", detail="d", hint="h", where="w",
        eval_id=None, cell=None, arm=None, bears_on=("speed",),
    )  # fmt: skip


def test_alone_a_run_keeps_its_own_level(first: Run) -> None:
    (alone,) = place([first])
    assert (alone.trust, alone.quorum, alone.reproduced, alone.witnesses) == (first.own, 1, 0, ())


def test_another_owner_on_another_machine_reproduces(first: Run, second: Run) -> None:
    both = place([first, second])
    assert [one.trust.level for one in both] == [3, 3]
    assert both[0].trust.reason == "reproduced by 1 independent party on the same class of hardware"
    assert [(one.bundle_id, one.owner, one.outcome) for one in both[0].witnesses] == [("2" * 64, "bob", "reproduced")]


@pytest.mark.parametrize(
    "change",
    [
        {"owner": "ann"},
        {"owner": " ANN "},
        {"owner": None},
        {"gpus": ("1" * 64,)},
        {"gpus": ("2" * 64, "1" * 64)},
        {"gpus": ()},
        {"gpus": "unknown"},
        {"binding": ("b" * 40, "s" * 64)},
        {"binding": None},
        {"own": TrustLevel(level=1, name="signed", reason="chose its own prompts")},
    ],
    ids=str,
)
def test_what_does_not_reproduce(change: dict[str, Any], first: Run, second: Run) -> None:
    assert place([first, replace(second, **change)])[0].trust.level == 2


def test_accounts_that_share_a_machine_are_one_party_however_they_are_connected(
    first: Run, second: Run, fast: Assessment
) -> None:
    """Bob's second machine was Ann's once: what Bob runs anywhere is not independent of Ann."""
    link = run(fast, "3", owner="bob", gpu="1")
    assert [one.trust.level for one in place([first, second, link])] == [2, 2, 2]


def test_other_hardware_reproduces_nothing(first: Run, second: Run, stock: Assessment) -> None:
    placed = place([first, replace(second, cells=stock.cells)])[0]
    assert (placed.trust.level, placed.witnesses[0].outcome) == (2, "undecided")


def test_a_run_that_differs_has_to_be_outvoted(first: Run, second: Run, fast: Assessment, slower: Assessment) -> None:
    doubter = run(slower, "3", owner="eve", gpu="3")
    placed = place([first, doubter])[0]
    assert (placed.trust.level, placed.quorum) == (2, 2)
    assert "1 independent party measured something else" in placed.trust.reason
    assert place([first, doubter, second])[0].trust.level == 2
    third = run(fast, "4", owner="dan", gpu="4")
    found = place([first, doubter, second, third])
    assert [one.trust.level for one in found] == [3, 2, 3, 3]
    assert found[1].quorum == 4


def test_a_party_that_says_both_says_no(first: Run, second: Run, slower: Assessment) -> None:
    again = run(slower, "3", owner="bob", gpu="2")
    placed = place([first, second, again])[0]
    assert (placed.trust.level, placed.reproduced, placed.quorum) == (2, 0, 2)


@pytest.mark.parametrize(("rules", "quorum"), [((), 1), (("E-010",), 2), (("E-010", "X-001", "E-010"), 3)])
def test_suspicion_raises_the_quorum(rules: tuple[str, ...], quorum: int, first: Run, fast: Assessment) -> None:
    doubtful = replace(first, findings=(suspicion("C-001", "notes"), *(suspicion(rule) for rule in rules)))
    others = [run(fast, str(n), owner=f"owner {n}", gpu=str(n)) for n in range(2, 6)]
    for count in range(1, 5):
        placed = place([doubtful, *others[:count]])[0]
        assert placed.quorum == quorum
        assert (placed.trust.level == 3) == (count >= quorum)


def test_suspicion_alone_never_asks_for_more_than_four(first: Run) -> None:
    doubtful = replace(first, findings=tuple(suspicion(f"E-{n:03}") for n in range(1, 9)))
    assert place([doubtful])[0].quorum == 4


def test_a_node_of_the_project_is_level_four_and_an_independent_witness(first: Run, second: Run) -> None:
    ours = replace(second, project=True, own=TrustLevel(level=1, name="signed", reason="by itself"))
    assert [one.trust.level for one in place([first, ours])] == [3, 4]


def test_a_bundle_that_is_set_aside_stays_so_whoever_ran_it(first: Run, second: Run) -> None:
    aside = TrustLevel(level=0, name="unsigned", reason="set aside")
    assert project_trust(aside, project=True) == aside
    assert project_trust(first.own, project=False) == first.own
    assert place([replace(first, own=aside, project=True), second])[0].trust == aside


def test_level_one_is_not_lifted_past_the_challenge(first: Run, second: Run) -> None:
    signed = TrustLevel(level=1, name="signed", reason="by itself")
    assert place([replace(first, own=signed), second])[0].trust == signed


def test_a_run_faster_than_physics_needs_three_who_agree(first: Run, fast: Assessment) -> None:
    """Once a person has released it: while it is in quarantine it is at level 0 and counts for nothing."""
    impossible = replace(first, findings=(suspicion("E-016"),))
    others = [run(fast, str(n), owner=f"owner {n}", gpu=str(n)) for n in range(2, 5)]
    assert [place([impossible, *others[:count]])[0].trust.level for count in range(4)] == [2, 2, 2, 3]
    assert place([impossible])[0].quorum == 3


@pytest.mark.parametrize(("unused", "quorum"), [(0, 1), (2, 1), (3, 2), (40, 2)])
def test_many_challenges_that_were_never_answered_raise_the_quorum(unused: int, quorum: int, first: Run) -> None:
    placed = place([replace(first, unused=unused)])[0]
    assert placed.quorum == quorum
    assert ("challenges that were never answered" in placed.trust.reason) == (quorum > 1)
