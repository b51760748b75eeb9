"""Merge policies: what is asked for beyond a supported claim, and what the check makes of it."""

from typing import Any

import pytest
from pydantic import ValidationError

from judge import Assessment, Verdict, judge, render
from judge.claims import parse_claims
from judge.policy import OPEN_POLICY, Audits, MergePolicy, Provenance, shortfalls
from judge.report import PullRef, ReportUrls
from judge.trust import NAMES, TrustLevel

BODY = """```byogpu-claims
- id: speed
  metric: step_latency_us
  relation: ">= 1.5x baseline"
- id: score
  metric: score
  relation: "no regression within 20%"
```"""
CLAIMS = parse_claims(BODY)


def verdicts(assessment: Assessment, level: int = 1) -> tuple[Verdict, ...]:
    trust = TrustLevel(level=level, name=NAMES[level], reason="as the test says")
    return judge(CLAIMS.claims, [assessment.model_copy(update={"trust": trust})])


def policy(holes: int | None = None, **need: Any) -> MergePolicy:
    asked = {"kind": "speed", "trust": 0, "evidence_from": "anyone", "inherited": True, **need}
    return MergePolicy.model_validate({"version": 1, "needs": (asked,), "holes": holes})


def lacks(asked: MergePolicy, found: tuple[Verdict, ...], **more: Any) -> list[tuple[str | None, str]]:
    usual: dict[str, Any] = {"holes": (), "provenance": {}, "author": "kim"}
    return [(one.claim_id, one.sentence) for one in shortfalls(asked, found, **{**usual, **more})]


def test_without_a_policy_nothing_is_asked_for(fast: Assessment) -> None:
    assert lacks(OPEN_POLICY, verdicts(fast, 0), holes=("batch 8",)) == []


@pytest.mark.parametrize(("needed", "short"), [(0, False), (1, False), (2, True), (4, True)])
def test_trust_is_asked_for_by_kind(needed: int, short: bool, fast: Assessment) -> None:
    found = lacks(policy(trust=needed), verdicts(fast, 1))
    assert [claim for claim, _ in found] == (["speed"] if short else [])


def test_only_supported_claims_fall_short(fast: Assessment, slower: Assessment) -> None:
    assert verdicts(slower)[0].outcome == "contradicted"
    assert lacks(policy(trust=4), verdicts(slower)) == []


@pytest.mark.parametrize(
    ("whose", "owner", "project", "author", "short"),
    [
        ("anyone", None, False, None, False),
        ("others", "ann", False, "kim", False),
        ("others", "Kim", False, "kim", True),
        ("others", None, False, "kim", True),
        ("others", "ann", False, None, True),
        ("project", "ann", False, "kim", True),
        ("project", "ann", True, "kim", False),
    ],
)
def test_whose_evidence_counts(
    whose: str, owner: str | None, project: bool, author: str | None, short: bool, fast: Assessment
) -> None:
    provenance = {fast.bundle_id: Provenance(owner=owner, project=project)}
    found = lacks(policy(evidence_from=whose), verdicts(fast), provenance=provenance, author=author)
    assert bool(found) == short


def test_nobody_known_behind_a_bundle_is_nobody(fast: Assessment) -> None:
    assert len(lacks(policy(evidence_from="project"), verdicts(fast))) == 1


def test_inherited_evidence_can_be_refused(fast: Assessment) -> None:
    found = judge(CLAIMS.claims, [fast], inherited={fast.bundle_id: "c" * 40})
    assert lacks(policy(inherited=True), found) == []
    assert [claim for claim, _ in lacks(policy(inherited=False), found)] == ["speed"]


@pytest.mark.parametrize(("allowed", "short"), [(None, False), (7, False), (6, True), (0, True)])
def test_holes(allowed: int | None, short: bool, fast: Assessment) -> None:
    holes = tuple(f"batch {n}" for n in range(7))
    found = lacks(policy(holes=allowed), verdicts(fast), holes=holes)
    assert bool(found) == short
    if short:
        assert found == [
            (None, f"The declared scope has 7 holes, {allowed} are allowed: {', '.join(holes[:5])} and 2 more.")
        ]


def test_a_policy_is_strict_data() -> None:
    with pytest.raises(ValidationError):
        policy(trust=5)
    with pytest.raises(ValidationError):
        MergePolicy.model_validate({"version": 2, "needs": (), "holes": None})


def test_the_check_asks_for_action_where_the_policy_does(fast: Assessment) -> None:
    pull = PullRef(repository="octo/kernels", number=1, head_sha="a" * 40)
    urls = ReportUrls(pull="https://byogpu.example/pulls/octo/kernels/1", bundles=())
    found = verdicts(fast)
    assert render(pull, CLAIMS, found, [fast], urls).conclusion == "success"
    short = shortfalls(policy(trust=3), found, holes=(), provenance={}, author=None)
    report = render(pull, CLAIMS, found, [fast], urls, shortfalls=short)
    assert report.conclusion == "action_required"
    assert report.title == "2 claims: 2 supported; the merge policy asks for more"
    assert "need trust level 3; this one rests on level 1" in report.summary


def audited(share: float, from_factor: float | None = None) -> MergePolicy:
    return OPEN_POLICY.model_copy(update={"audits": Audits(share=share, from_factor=from_factor)})


@pytest.mark.parametrize(
    ("share", "lot", "level", "short"),
    [(0.1, 0.05, 2, True), (0.1, 0.1, 2, False), (0.1, 0.05, 3, False), (0.1, 0.05, 4, False), (0.0, 0.0, 2, False)],
)
def test_who_is_drawn_has_to_be_reproduced(share: float, lot: float, level: int, short: bool, fast: Assessment) -> None:
    found = lacks(audited(share), verdicts(fast, level), lots={fast.bundle_id: lot})
    assert [claim for claim, _ in found] == (["speed", "score"] if short else [])


def test_without_a_lot_a_bundle_is_drawn(fast: Assessment) -> None:
    assert len(lacks(audited(0.01), verdicts(fast, 2))) == 2


def test_what_would_matter_most_is_always_audited(fast: Assessment) -> None:
    lots = {fast.bundle_id: 0.9}
    assert lacks(audited(0.0, 1.7), verdicts(fast, 2), lots=lots) == []
    ((claim, sentence),) = lacks(audited(0.0, 1.5), verdicts(fast, 2), lots=lots)
    assert (claim, "from 1.5x is audited" in sentence) == ("speed", True)


def test_a_policy_of_an_earlier_release_is_still_read() -> None:
    assert MergePolicy.model_validate_json('{"version": 1, "needs": [], "holes": null}') == OPEN_POLICY
