"""Lies that volunteers and further accounts help along: a part of what ``python -m judge.collusion`` does."""

import json
import subprocess
import sys

import pytest

from judge.collusion import SETTINGS, Setting, rate, table

TRIALS = 150


def shares(setting: Setting) -> tuple[float, float]:
    found = rate(setting, trials=TRIALS)
    return found.lies / TRIALS, found.truths / TRIALS


def test_without_colluders_no_lie_is_reproduced_and_every_truth_is() -> None:
    assert shares(Setting(0.0, 1)) == (0.0, 1.0)
    assert shares(Setting(1.0, 1)) == (1.0, 0.0)


def test_nobody_reproduces_himself() -> None:
    assert shares(Setting(0.0, 0)) == (0.0, 0.0)
    assert shares(Setting(0.0, 0, accounts=8, one_machine=True)) == (0.0, 0.0)


def test_accounts_on_machines_of_their_own_are_stopped_by_volunteers_alone() -> None:
    assert shares(Setting(0.0, 0, accounts=1, one_machine=False))[0] == 1.0
    lies, truths = shares(Setting(0.0, 2, accounts=2, one_machine=False))
    assert lies == 0.0
    assert truths > 0.95, "once in a while two honest runs lie more than 5 % apart"


def test_more_volunteers_let_fewer_lies_pass() -> None:
    few, many = (shares(Setting(0.1, count))[0] for count in (1, 5))
    assert many < few
    assert few == pytest.approx(0.1, abs=0.1)


def test_accounts_on_one_machine_are_worth_nothing() -> None:
    alone, helped = (shares(Setting(0.1, 3, accounts=count))[0] for count in (0, 5))
    assert abs(alone - helped) < 0.05


def test_the_command_prints_every_setting() -> None:
    command = [sys.executable, "-m", "judge.collusion", "--trials", "1", "--json"]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert len(found) == len(SETTINGS)
    assert {one["machines"] for one in found} == {"none", "one", "each its own"}


def test_the_table_counts() -> None:
    one = rate(Setting(0.0, 1), trials=4).model_copy(update={"lies": 1})
    assert table([one]).endswith("| 0% | 1 | none | 25.0 % | 100.0 % |")
