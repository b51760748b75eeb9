"""Which bundles count for the present head, and what has to be measured again."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from judge import Assessment, judge, parse_claims
from judge.claims import parse_block
from judge.lifetime import Facts, Item, counted, facts, lifetimes
from judge.rerun import rerun_plan
from judge.trust import NAMES, TrustLevel

OLD, HEAD = "a" * 40, "b" * 40
NODE, OTHER = "d" * 64, "e" * 64
Read = Callable[..., Any]


@pytest.fixture
def facts_of(specimen: Any, collected: Read) -> Callable[..., Facts]:
    """Facts of the specimen after a change: a function of it, called with it."""

    def make(change: Callable[[Any], object] | None = None) -> Facts:
        if change is not None:
            change(specimen)
        return facts(collected(specimen).manifest)

    return make


@pytest.fixture
def old(fast: Assessment, facts_of: Callable[..., Facts]) -> Item:
    """A bundle of the head before."""
    return item(fast, facts_of(), "1")


def item(assessment: Assessment, known: Facts, name: str, *, head: str = OLD, level: int = 2, **more: Any) -> Item:
    trust = TrustLevel(level=level, name=NAMES[level], reason=f"as {name} says")
    changed = assessment.model_copy(update={"bundle_id": name * 64, "head_sha": head, "trust": trust})
    return replace(Item(name * 64, changed, known, NODE), **more)


def newer(old: Item, *, cells: tuple[Any, ...] = (), known: Facts | None = None, **more: Any) -> Item:
    """A bundle of the present head that measured only those cells."""
    assert old.assessment
    measured = old.assessment.model_copy(update={"cells": cells})
    assert old.facts
    return item(measured, known or old.facts, "2", head=HEAD, **{"node_key_id": OTHER, **more})


def standings(*items: Item) -> list[str]:
    return [one.standing for one in lifetimes(items, head_sha=HEAD)]


def change_ledger(specimen: Any) -> None:
    specimen.ledger("candidate", "decode-step")["kernel_digests"] = ["f" * 64]


def test_a_bundle_of_the_head_is_current_and_of_another_commit_stale(old: Item) -> None:
    assert standings(old) == ["stale"]
    assert [one.standing for one in lifetimes([old], head_sha=OLD)] == ["current"]


def test_unchanged_evals_are_inherited_and_only_they(old: Item, facts_of: Callable[..., Facts]) -> None:
    found, now = lifetimes([old, newer(old, known=facts_of(change_ledger))], head_sha=HEAD)
    assert (found.standing, found.by, now.standing) == ("inherited", "2" * 64, "current")
    assert {one.eval_id for one in found.inherited} == {"serving", "accuracy"}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("code", lambda s: s.arm("candidate")["code"].update(tree_digest="9" * 64)),
        ("baseline's code", lambda s: s.arm("baseline")["code"].update(tree_digest="9" * 64)),
        ("weights", lambda s: s.arm("candidate").update(weights_digest="9" * 64)),
        ("configuration", lambda s: s.arm("candidate")["engine_config"][1].update(value="32")),
        ("image", lambda s: s.arm("candidate").update(image_digest="9" * 64)),
        ("packages", lambda s: s.manifest["environment"]["packages"][0].update(version="2.4.1")),
        ("unknown code", lambda s: s.arm("candidate")["code"].update(tree_digest="unknown")),
        ("unknown weights", lambda s: s.arm("candidate").update(weights_digest="unknown")),
        ("unknown ledgers", lambda s: s.arm("candidate").update(ledgers="unknown")),
        ("no arm", lambda s: s.manifest["arms"].pop()),
        ("unknown machine", lambda s: s.manifest.update(environment="unknown")),
        ("no kernels", lambda s: [one.update(kernel_digests=[]) for one in s.arm("candidate")["ledgers"]]),
    ],
)
def test_a_difference_or_something_unknown_inherits_nothing(
    name: str, change: Callable[[Any], object], old: Item, facts_of: Callable[..., Facts]
) -> None:
    assert standings(old, newer(old, known=facts_of(change))) == ["stale", "current"], name


def test_two_unknowns_prove_nothing(old: Item, facts_of: Callable[..., Facts]) -> None:
    unknown = facts_of(lambda s: s.arm("candidate")["code"].update(tree_digest="unknown"))
    assert standings(replace(old, facts=unknown), newer(old, known=unknown)) == ["stale", "current"]


def test_what_was_measured_again_is_not_inherited(old: Item) -> None:
    assert old.assessment
    assert standings(old, newer(old, cells=old.assessment.cells)) == ["stale", "current"]
    cells = tuple(cell for cell in old.assessment.cells if cell.eval_id != "serving")
    found = lifetimes([old, newer(old, cells=cells)], head_sha=HEAD)[0]
    assert {one.eval_id for one in found.inherited} == {"serving"}


def test_an_invalid_bundle_neither_proves_nor_is_inherited(old: Item) -> None:
    assert old.assessment
    broken = old.assessment.model_copy(update={"validity": "invalid"})
    assert standings(replace(old, assessment=broken), newer(old)) == ["stale", "current"]
    proof = newer(old)
    assert proof.assessment
    proof = replace(proof, assessment=proof.assessment.model_copy(update={"validity": "quarantined"}))
    assert standings(old, proof) == ["stale", "current"]


def test_the_node_that_ran_the_suite_again_supersedes_its_own_bundle(old: Item) -> None:
    assert old.assessment
    assert old.facts
    again = item(old.assessment, old.facts, "2")
    found = lifetimes([old, again], head_sha=OLD)
    assert [(one.standing, one.by) for one in found] == [("superseded", "2" * 64), ("current", None)]


@pytest.mark.parametrize(
    "change",
    [
        {"node_key_id": OTHER},
        {"node_key_id": None},
        {"withdrawn": "invalidated"},
        {"head": HEAD},
        {"level": 1},
    ],
    ids=str,
)
def test_another_node_commit_or_lower_trust_supersedes_nothing(change: dict[str, Any], old: Item) -> None:
    assert old.assessment
    assert old.facts
    assert lifetimes([old, item(old.assessment, old.facts, "2", **change)], head_sha=OLD)[0].standing == "current"


def test_withdrawn_bundles_say_why_and_count_for_nothing(old: Item) -> None:
    gone = Item("3" * 64, None, None, NODE, withdrawn="retracted", reason="asked for by the owner")
    void = replace(old, withdrawn="invalidated", reason="the machine was shared")
    found = lifetimes([gone, void], head_sha=OLD)
    assert [(one.standing, one.reason) for one in found] == [
        ("retracted", "asked for by the owner"),
        ("invalidated", "the machine was shared"),
    ]
    assert counted([gone, void], found, head_sha=OLD) == ()
    assert rerun_plan([gone, void], found, claims=()).runs == ()


def test_tries_of_a_superseded_bundle_are_paid_for(old: Item) -> None:
    assert old.assessment
    assert old.facts
    items = [old, item(old.assessment, old.facts, "2"), item(old.assessment, old.facts, "3")]
    (only,) = counted(items, lifetimes(items, head_sha=OLD), head_sha=OLD)
    assert only.assessment.bundle_id == "3" * 64
    assert only.assessment.tries == 3


def test_inherited_evidence_says_so_and_is_trusted_as_its_weaker_half(old: Item) -> None:
    items = [old, newer(old, level=1)]
    found = counted(items, lifetimes(items, head_sha=HEAD), head_sha=HEAD)
    assert [one.inherited_from for one in found] == [OLD, None]
    assert found[0].assessment.trust.level == 1
    claims = parse_block('- id: c\n  metric: step_latency_us\n  relation: ">= 1.5x baseline"\n').claims
    bundles = [one.assessment for one in found]
    inherited = {one.assessment.bundle_id: one.inherited_from for one in found if one.inherited_from}
    verdict = judge(claims, bundles, head_sha=HEAD, inherited=inherited)[0]
    assert (verdict.outcome, verdict.inherited_from, verdict.trust_level) == ("supported", OLD, 1)
    assert "inherited" in verdict.reason
    measured = judge(claims, [old.assessment], head_sha=OLD)[0] if old.assessment else None
    assert measured is not None
    assert measured.inherited_from is None


def test_stale_evidence_is_named_in_the_verdict(old: Item) -> None:
    found = counted([old], lifetimes([old], head_sha=HEAD), head_sha=HEAD)
    claims = parse_claims('```byogpu-claims\n- id: c\n  metric: score\n  relation: "equal within 2%"\n```').claims
    verdict = judge(claims, [one.assessment for one in found], head_sha=HEAD)[0]
    assert verdict.outcome == "no_evidence"
    assert OLD[:12] in verdict.reason


# ------------------------------------------------------------------ the re-run plan
def test_everything_stale_is_planned_with_the_time_it_took(old: Item) -> None:
    plan = rerun_plan([old], lifetimes([old], head_sha=HEAD), claims=())
    (run,) = plan.runs
    assert (run.suite, run.hardware, run.replaces) == ("smoke", "NVIDIA H200", old.bundle_id)
    assert run.evals == ("numerics", "decode-step", "serving", "accuracy")
    assert old.facts
    known = [one.minutes for one in old.facts.evals]
    assert None not in known
    assert run.minutes == pytest.approx(sum(one or 0 for one in known), abs=0.06)
    assert plan.gpu_minutes == run.gpu_minutes == run.minutes
    assert run.sentence.startswith("Run suite smoke on NVIDIA H200 for the present head: ")


def test_inherited_and_measured_cells_are_in_no_plan(old: Item, facts_of: Callable[..., Facts]) -> None:
    items = [old, newer(old, known=facts_of(change_ledger))]
    (run,) = rerun_plan(items, lifetimes(items, head_sha=HEAD), claims=()).runs
    assert run.evals == ("numerics", "decode-step")
    assert old.assessment
    items = [old, newer(old, cells=old.assessment.cells)]
    assert rerun_plan(items, lifetimes(items, head_sha=HEAD), claims=()).runs == ()


def test_only_what_is_claimed_is_planned_and_a_part_of_an_eval_costs_its_cells(old: Item) -> None:
    claims = parse_block(
        '- id: c\n  metric: step_latency_us\n  cells: {batch: 4}\n  relation: ">= 1.5x baseline"\n'
    ).claims
    plan = rerun_plan([old], lifetimes([old], head_sha=HEAD), claims=claims)
    (run,) = plan.runs
    assert run.cells == ("decode-step.b4.c64",)
    assert old.assessment
    cell = next(one for one in old.assessment.cells if one.cell.id == "decode-step.b4.c64")
    assert run.minutes == round(sum(arm.seconds or 0 for arm in cell.arms) / 60, 1)


def test_the_newest_stale_bundle_stands_for_a_cell_of_the_same_hardware(old: Item) -> None:
    assert old.assessment
    assert old.facts
    second = item(old.assessment, old.facts, "2", node_key_id=OTHER)
    other = item(old.assessment.model_copy(update={"hardware": "NVIDIA B200"}), old.facts, "3", node_key_id=None)
    items = [old, second, other]
    plan = rerun_plan(items, lifetimes(items, head_sha=HEAD), claims=())
    assert [(run.replaces[0], run.hardware) for run in plan.runs] == [("3", "NVIDIA B200"), ("2", "NVIDIA H200")]


def test_an_unknown_duration_is_not_guessed(old: Item) -> None:
    assert old.facts
    evals = tuple(one.model_copy(update={"minutes": None}) for one in old.facts.evals)
    unknown = replace(old, facts=old.facts.model_copy(update={"evals": evals}))
    plan = rerun_plan([unknown], lifetimes([unknown], head_sha=HEAD), claims=())
    assert plan.gpu_minutes is plan.runs[0].minutes is None


def test_challenges_that_were_never_answered_are_tries(old: Item) -> None:
    now = replace(newer(old), unused=3)
    (one,) = counted([now], lifetimes([now], head_sha=HEAD), head_sha=HEAD)
    assert one.assessment.tries == 4
    again = replace(newer(old), bundle_id="3" * 64, unused=3)
    (last,) = counted([now, again], lifetimes([now, again], head_sha=HEAD), head_sha=HEAD)
    assert last.assessment.tries == 5, "the same challenges are not charged for twice"
