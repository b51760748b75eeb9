"""A maintainer lets a finding pass: numbered, with a reason, seen everywhere, and over with the next push."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.server.conversation.conftest import World

SPECIMEN = Path(__file__).parents[2] / "judge" / "specimen.py"


@pytest.fixture
def blocked(world: World, tmp_path: Path) -> World:
    """The pull request with a speed-up that E-005 blocks: measured on a slice of a GPU."""
    spec = importlib.util.spec_from_file_location("waiver_specimen", SPECIMEN)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    made: Any = module.build()
    made.manifest["challenge"] = None
    made.manifest["environment"]["gpus"][0]["mig"] = "on"
    made.manifest["subject"].update(
        repository_id=world.pull.repository_id, repository="octo/hello", pull_number=world.pull.number,
        head_sha=world.pull.head_sha,
    )  # fmt: skip
    world.service.upload(replace(made.write(tmp_path / "bundle"), envelope=None))
    world.work()
    return world


def page(world: World) -> dict[str, Any]:
    return world.service.client.get(f"/api/v1/pulls/octo/hello/{world.pull.number}").json()


def outcome(world: World) -> str:
    [verdict] = page(world)["verdicts"]
    return verdict["outcome"]


def test_a_waiver_is_seen_everywhere_and_ends_with_a_push(blocked: World) -> None:
    assert outcome(blocked) == "no_evidence"
    said = blocked.ask("/byogpu waive E-005 because the slice is the *whole* GPU")
    assert said.startswith("+1: ")
    assert f"Waiver 1: findings of `E-005` at `{blocked.pull.head_sha}`" in said
    shown = page(blocked)
    assert [(one["number"], one["rule_id"], one["by"], one["reason"]) for one in shown["waivers"]] == [
        (1, "E-005", "marta", "the slice is the *whole* GPU")
    ]
    [verdict] = shown["verdicts"]
    assert (verdict["outcome"], [one["number"] for one in verdict["waivers"]]) == ("supported", [1])
    assert verdict["reason"].endswith("; waived: E-005 (waiver 1)")
    run = blocked.runs()[-1]
    assert run.conclusion == "success"
    assert "Waived for this commit" in run.summary
    assert "*whole*" not in run.summary
    [noted] = [row for row in blocked.service.rows("audit") if row["action"] == "waiver.granted"]
    assert (noted["actor"], noted["detail"]) == (
        "github:marta",
        f"E-005 at {blocked.pull.head_sha}: the slice is the *whole* GPU",
    )
    blocked.push()
    blocked.work()
    assert page(blocked)["waivers"] == []
    assert outcome(blocked) == "no_evidence"


def test_a_waiver_is_taken_back(blocked: World) -> None:
    blocked.ask("/byogpu waive E-005 because I was hasty")
    assert "Withdrawn: waiver 1." in blocked.ask("/byogpu unwaive E-005", author="mina")
    assert (page(blocked)["waivers"], outcome(blocked)) == ([], "no_evidence")
    assert "No waiver of `E-005` holds" in blocked.ask("/byogpu unwaive E-005")
    assert "Waiver 2:" in blocked.ask("/byogpu waive E-005 because I was not")
    assert [row["action"] for row in blocked.service.rows("audit") if row["action"].startswith("waiver.")] == [
        "waiver.granted", "waiver.withdrawn", "waiver.granted"
    ]  # fmt: skip


@pytest.mark.parametrize("author", ["rita", "tom", "kim"])
def test_who_may_not_write_may_neither_waive_nor_take_back(world: World, author: str) -> None:
    for command in ("waive E-005 because I want it", "unwaive E-005"):
        assert "this needs write permission" in world.ask(f"/byogpu {command}", author=author)
    assert world.service.rows("waiver") == []


@pytest.mark.parametrize(
    ("rule", "why"),
    [("Q-001", "there is no rule Q-001"), ("X-001", "what X-001 finds quarantines"), ("X-002", "notes")],
)
def test_only_what_blocks_or_limits_can_be_waived(world: World, rule: str, why: str) -> None:
    assert why in world.ask(f"/byogpu waive {rule} because it bothers me").replace("&#45;", "-")
    assert world.service.rows("waiver") == []


@pytest.mark.parametrize("happens", ["push is heard of", "push is not heard of"])
def test_a_push_after_the_comment_is_not_waived_by_it(world: World, happens: str) -> None:
    world.say("/byogpu waive E-005 because I looked at it")
    evil = world.push() if happens == "push is heard of" else world.push_unheard()
    world.work()
    assert world.service.rows("waiver") == []
    assert evil in world.answers()[-1]
