"""A waiver lifts what one rule found from one commit's claims, and says so; nothing else moves."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from judge import Assessment, assess, judge, parse_claims, render
from judge.claim import Claim
from judge.evidence import Evidence
from judge.report import PullRef, ReportUrls
from judge.waiver import Waiver, holding

HEAD = "a" * 40
CLAIMS = parse_claims(
    "```byogpu-claims\n- {id: speed, metric: step_latency_us, cells: {batch: 1}, relation: '>= 1.5x baseline'}\n```"
)


def waiver(number: int = 1, **changes: Any) -> Waiver:
    fields = {"number": number, "rule_id": "E-005", "head_sha": HEAD, "reason": "The slice is the whole @GPU.",
              "by": "mona", "at": datetime(2026, 1, 1, tzinfo=UTC)}  # fmt: skip
    return Waiver(**{**fields, **changes})


@pytest.fixture
def assessed(collected: Callable[..., Evidence]) -> Callable[[Any], Assessment]:
    return lambda specimen: assess(collected(specimen))


@pytest.fixture
def blocked(specimen: Any, assessed: Callable[..., Assessment]) -> Assessment:
    """A bundle with a speed-up that E-005 blocks."""
    specimen.manifest["environment"]["gpus"][0]["mig"] = "on"
    found = assessed(specimen)
    assert {one.effect for one in found.findings if one.rule_id == "E-005"} == {"blocks"}
    return found


def verdict(bundle: Assessment, *waivers: Waiver, claims: tuple[Claim, ...] = CLAIMS.claims) -> Any:
    [found] = judge(claims, [bundle], head_sha=HEAD, waivers=waivers)
    return found


def test_without_a_waiver_the_finding_stands(blocked: Assessment) -> None:
    found = verdict(blocked)
    assert (found.outcome, found.waivers) == ("no_evidence", ())
    assert found.reason.startswith("E-005")


def test_a_waiver_lifts_it_and_the_verdict_names_it(blocked: Assessment) -> None:
    found = verdict(blocked, waiver(3))
    assert found.outcome == "supported"
    assert found.reason.endswith("; waived: E-005 (waiver 3)")
    assert found.waivers == (waiver(3),)


@pytest.mark.parametrize("other", [{"head_sha": "b" * 40}, {"rule_id": "E-003"}])
def test_a_waiver_for_another_commit_or_rule_lifts_nothing(blocked: Assessment, other: dict[str, str]) -> None:
    assert verdict(blocked, waiver(**other)) == verdict(blocked)


def test_a_waiver_of_what_was_not_found_is_not_named(assessed: Callable[..., Assessment], specimen: Any) -> None:
    assert verdict(assessed(specimen), waiver()).waivers == ()


@pytest.mark.parametrize(("rule_id", "effect"), [("B-003", "invalidates"), ("X-001", "quarantines")])
def test_no_waiver_brings_a_refused_bundle_back(blocked: Assessment, rule_id: str, effect: str) -> None:
    finding = blocked.findings[0].model_copy(update={"rule_id": rule_id, "effect": effect})
    validity = "invalid" if effect == "invalidates" else "quarantined"
    bundle = blocked.model_copy(update={"findings": (finding,), "validity": validity})
    found = verdict(bundle, waiver(rule_id=rule_id))
    assert (found.outcome, found.waivers) == ("no_evidence", ())


def test_a_waiver_does_not_make_the_path_run(specimen: Any, assessed: Callable[..., Assessment]) -> None:
    specimen.run_stock()
    bundle = assessed(specimen)
    found = verdict(bundle, *(waiver(n, rule_id=rule) for n, rule in enumerate(("P-002", "P-004", "S-010"), 1)))
    assert found.outcome == "no_evidence"
    assert "the specialized path never ran" in found.reason


def test_the_last_waiver_of_a_rule_holds() -> None:
    first, second, other = waiver(1), waiver(2, reason="Looked at again."), waiver(3, rule_id="E-003")
    assert holding([other, second, first], HEAD) == (second, other)
    assert holding([first], None) == ()


def test_the_check_names_number_rule_maintainer_and_reason(blocked: Assessment) -> None:
    verdicts = (verdict(blocked, waiver(3)),)
    report = render(
        PullRef(repository="octo/kernels", number=1, head_sha=HEAD), CLAIMS, verdicts, [blocked],
        ReportUrls(pull="https://b.example/pull", bundles=()), waivers=[waiver(3)],
    )  # fmt: skip
    assert "### Waived for this commit" in report.summary
    assert "waiver 3: findings of `E-005`, by mona: The slice is the whole" in report.summary
    assert "@GPU" not in report.summary
    assert "waiver 3" in report.text
