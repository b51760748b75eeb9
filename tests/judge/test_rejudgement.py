"""What a second judgement of a bundle changed, and what a release from quarantine does to the first."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from judge import Assessment, Context, assess
from judge.assess import edition
from judge.rejudgement import Judged, Mark, judged, read_judged, rejudgement

TOKEN = "token=" + "ghp_" + "a" * 36


def mark(rule_id: str, version: int = 1, where: str = "manifest") -> Mark:
    return Mark(rule_id=rule_id, rule_version=version, effect="notes", title="t", where=where)


def one(*marks: Mark, **changes: Any) -> Judged:
    return Judged.model_validate(
        {"thresholds_version": 1, "validity": "valid", "trust_level": 1, "marks": marks, **changes}
    )


def test_what_appeared_and_what_is_gone() -> None:
    found = rejudgement("1" * 64, one(mark("B-001"), mark("B-002")), one(mark("B-002", 2), mark("B-002", 2, "files/1")))
    assert [(m.rule_id, m.where) for m in found.gone] == [("B-001", "manifest")]
    assert [(m.rule_id, m.where) for m in found.appeared] == [("B-002", "files/1")]
    assert found.changed


@pytest.mark.parametrize(
    ("change", "changed"),
    [({}, False), ({"thresholds_version": 2}, False), ({"validity": "invalid"}, True), ({"trust_level": 0}, True)],
)
def test_only_what_matters_is_a_change(change: dict[str, Any], changed: bool) -> None:
    assert rejudgement("1" * 64, one(mark("B-001")), one(mark("B-001", 2), **change)).changed == changed


def test_an_assessment_in_short_has_no_words_of_the_bundle(fast: Assessment, stock: Assessment) -> None:
    short = judged(stock)
    assert len(short.marks) == len(stock.findings) > 0
    assert not any(finding.detail in short.model_dump_json() for finding in stock.findings)
    assert not rejudgement(fast.bundle_id, judged(fast), judged(fast)).changed


def test_a_record_of_another_release_is_read_if_it_has_the_core(fast: Assessment) -> None:
    older = fast.model_dump_json().replace('"rules_applied"', '"rules_of_old"')
    assert read_judged(older) == judged(fast)
    with pytest.raises(ValidationError):
        read_judged("{}")


def test_the_edition_names_this_code() -> None:
    assert edition() == edition()
    assert len(edition()) == 64


def test_a_released_suspicion_is_still_found_and_no_longer_weighs(
    specimen: Any, collected: Callable[..., Any], server_context: Callable[..., Context]
) -> None:
    specimen.extra.append(("run.log", "log", None, None, TOKEN.encode()))
    evidence = collected(specimen, context=server_context(specimen))
    aside = assess(evidence)
    rules = {one.rule_id for one in aside.findings if one.effect == "quarantines"}
    assert (aside.validity, aside.trust.level) == ("quarantined", 0)
    assert rules
    lifted = assess(evidence, released=rules)
    assert (lifted.validity, lifted.trust.level) == ("valid", 2)
    assert lifted.findings == aside.findings
    assert assess(evidence, released={"E-999"}).validity == "quarantined"
