"""How often a decision is wrong when nothing changed, and how often it is made when something did: by simulation.

A part of what ``python -m judge.calibration`` does; docs/judging.md shows the whole.
"""

import json
import subprocess
import sys

import numpy as np
import pytest

from judge.calibration import AT_LEAST, CASES, MACHINES, NO_REGRESSION, PLANS, session, table, tally

SESSIONS = 60
DRAWS = 1_000


@pytest.mark.parametrize("machine", sorted(MACHINES))
def test_no_change_is_hardly_ever_taken_for_one(machine: str) -> None:
    found = tally("standard", machine, 1.0, AT_LEAST, sessions=SESSIONS, draws=DRAWS)
    # With an error of 1 %, four wrong of sixty happen once in three hundred.
    assert found.supported + found.contradicted <= 3
    assert found.covered >= 0.9 * SESSIONS
    assert found.on_the_bound


@pytest.mark.parametrize("machine", ["usual", "bursts", "drifting"])
def test_a_change_of_three_per_cent_is_seen(machine: str) -> None:
    found = tally("standard", machine, 1.03, AT_LEAST, sessions=SESSIONS, draws=DRAWS)
    assert found.supported >= 0.9 * SESSIONS
    assert found.contradicted == 0
    assert not found.on_the_bound


def test_a_regression_is_seen() -> None:
    found = tally("standard", "usual", 0.93, NO_REGRESSION, sessions=20, draws=DRAWS)
    assert (found.supported, found.contradicted) == (0, 20)


def test_noise_larger_than_the_change_leaves_it_open() -> None:
    found = tally("least", "wandering", 1.03, AT_LEAST, sessions=SESSIONS, draws=DRAWS)
    assert found.supported <= 0.2 * SESSIONS


def test_a_drifting_machine_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MACHINES, "hot", MACHINES["usual"].__class__(drift=0.2))
    found = tally("standard", "hot", 1.5, AT_LEAST, sessions=10, draws=DRAWS)
    assert (found.supported, found.contradicted) == (0, 0)


def test_sessions_are_what_the_plan_says_and_repeat() -> None:
    blocks, samples = PLANS["smoke"]
    first, second = (
        session(np.random.default_rng(3), MACHINES["bursts"], blocks=blocks, samples=samples, truth=1.03)
        for _ in range(2)
    )
    for ours, theirs in zip(first, second, strict=True):
        assert [len(block) for block in ours] == [samples] * blocks
        assert np.array_equal(np.concatenate(ours), np.concatenate(theirs))
    medians = [float(np.median(np.concatenate(arm))) for arm in first]
    assert medians[0] / medians[1] == pytest.approx(1.03, abs=0.02)


def test_the_command_prints_every_case() -> None:
    command = [sys.executable, "-m", "judge.calibration", "--sessions", "1", "--draws", "100", "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(ended.stdout)
    assert [(one["plan"], one["machine"], one["truth"], one["claim"]) for one in found] == list(map(tuple, CASES))


def test_the_table_counts_what_is_wrong() -> None:
    wrong = tally("least", "usual", 1.0, AT_LEAST, sessions=4, draws=100).model_copy(update={"supported": 1})
    right = wrong.model_copy(update={"truth": 1.03, "supported": 4})
    text = table([wrong, right])
    assert "| least (4 × 8) | usual | 1.000x | `>= 1.0x` | 25.0 % | 0.0 % |" in text
    assert text.endswith("False decisions: 1 of 4 (25.00 %).")
