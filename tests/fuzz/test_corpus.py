"""Every input that fuzzing found once, and a few random ones, end in one of the documented ways.

The whole campaign, guided by coverage: ``make fuzz MINUTES=30`` (tests/fuzz/campaign.py).
"""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

CORPUS = Path(__file__).with_name("corpus")
KEPT = sorted(CORPUS.glob("*/*.hex"))
Targets = dict[str, Callable[[bytes], None]]


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_kept_input_ends_well(path: Path, targets: Targets) -> None:
    targets[path.parent.name](bytes.fromhex(path.read_text(encoding="ascii")))


@pytest.mark.parametrize(
    ("name", "count"), [("manifest", 60), ("blobs", 60), ("claims", 400), ("export", 200), ("parts", 100)]
)
def test_random_inputs_end_well(name: str, count: int, targets: Targets) -> None:
    numbers = random.Random(f"byogpu {name}")
    for length in range(count):
        targets[name](numbers.randbytes(length % 64))


def test_every_target_has_kept_inputs(targets: Targets) -> None:
    assert {path.parent.name for path in KEPT} == set(targets)


def test_a_target_can_fail(targets: Targets, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong comes out of a target as an exception: nothing swallows it."""
    claims = targets["claims"]
    monkeypatch.setitem(claims.__globals__, "parse_claims", lambda body: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        claims(b"- id: a")
