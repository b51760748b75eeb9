"""The check's text: golden renders, GitHub's limits, and nothing hostile that gets out of its cell."""

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from judge import Assessment, judge, parse_claims, render
from judge.markdown import SUMMARY_MAX_BYTES, TITLE_MAX_CHARS
from judge.reconciliation import Reconciliation
from judge.report import BundleUrl, PullRef, ReportUrls, conclude
from judge.scope import scope_map

GOLDEN = Path(__file__).with_name("golden")
PULL = PullRef(repository="octo/kernels", number=1, head_sha="a" * 40)
HOSTILE = (
    "x | y <script>alert(1)</script> @octocat #12 `code` [a](http://evil.example) ![i](//evil.example/i.png) *b* \u202e"
)


def _golden() -> Any:
    spec = importlib.util.spec_from_file_location("golden_make", GOLDEN / "make.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


golden = _golden()


def body(*claims: str) -> str:
    return "```byogpu-claims\n" + "\n".join(claims) + "\n```"


def urls(*bundles: Assessment) -> ReportUrls:
    pages = tuple(BundleUrl(bundle_id=one.bundle_id, url=f"https://b.example/{one.bundle_id}") for one in bundles)
    return ReportUrls(pull="https://b.example/pull", bundles=pages)


@pytest.mark.parametrize("name", golden.BODIES)
def test_the_check_reads_as_it_did(name: str) -> None:
    assert golden.text(golden.report(name)) == (GOLDEN / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "conclusion"),
    [
        ("supported", "success"),
        ("mixed", "failure"),
        ("cpu", "action_required"),
        ("broken", "action_required"),
        ("nothing", "neutral"),
    ],
)
def test_what_is_not_settled_does_not_pass(name: str, conclusion: str) -> None:
    assert golden.report(name).conclusion == conclusion


def test_claims_without_verdicts_do_not_pass() -> None:
    claims = parse_claims(body("- {id: a, metric: e2e_ms, relation: '>= 2x baseline'}"))
    assert conclude(claims, []) == "action_required"
    assert conclude(claims, judge(claims.claims, [])) == "action_required"


def test_the_title_is_one_short_line(fast: Assessment) -> None:
    for name in golden.BODIES:
        report = golden.report(name)
        assert len(report.title) <= TITLE_MAX_CHARS
        assert report.title.isprintable()


def test_hostile_text_stays_in_its_cell(specimen: Any, collected: Any) -> None:
    from judge import assess

    specimen.arm("candidate")["model"] = HOSTILE[:190]
    specimen.results["candidate"]["config"]["limit"] = 3.0
    specimen.ledger("candidate", "decode-step")["buckets"][0].update(
        specialized_steps=0, stock_steps=500, reasons=[{"reason": HOSTILE[:190], "steps": 500}]
    )
    bundle = assess(collected(specimen))
    claims = parse_claims(body("- {id: a, metric: step_latency_us, relation: '>= 1.5x baseline'}"))
    report = render(PULL, claims, judge(claims.claims, [bundle]), [bundle], urls(bundle))
    for text in (report.summary, report.text):
        assert "alert" in text or text is report.summary
        assert "<script" not in text
        assert "](http://evil" not in text
        assert "](//evil" not in text
        assert not re.search(r"@octocat|#12\b", text)
        assert "\u202e" not in text
        for line in text.splitlines():
            if line.startswith("|"):
                assert line.count("|") in (4, 5, 7), line


def test_the_scope_stands_in_the_check_with_its_holes_first(fast: Assessment) -> None:
    claims = parse_claims(body("- {id: a, metric: step_latency_us, relation: '>= 1.5x baseline'}",
                               "- scope: {batch: [4, 64], tp: 1, features: [byogpu_copy, tools]}"))  # fmt: skip
    assert claims.scope is not None
    filled = scope_map(claims.scope, [fast], head_sha="a" * 40)
    report = render(PULL, claims, judge(claims.claims, [fast]), [fast], urls(fast), scope=filled)
    assert "Of the declared scope 1 of 2 cells are whole, 1 of 2 features are shown; 4 holes." in report.summary
    rows = [line for line in report.text.splitlines() if line.startswith(("| 64 | 1 |", "| 4 | 1 |"))]
    assert [row.split("|")[1].strip() for row in rows] == ["64", "4"]
    assert rows[0].count("**missing**") == 3
    assert rows[1].count("**shown**") == 3
    assert "| Batch | TP | Performance | Correctness | Path | Headroom |" in report.text
    assert "`tools` | **missing**" in report.text
    alone = render(PULL, claims, judge(claims.claims, [fast]), [fast], urls(fast))
    assert "declared scope" not in alone.summary + alone.text


def test_a_scope_of_very_many_cells_is_cut_and_says_so(fast: Assessment) -> None:
    claims = parse_claims(body(f"- scope: {{batch: {list(range(1, 65))}, tp: [1, 2, 4, 8]}}"))
    assert claims.scope is not None
    filled = scope_map(claims.scope, [fast], head_sha="a" * 40)
    text = render(PULL, claims, [], [fast], urls(fast), scope=filled).text
    assert "216 more cells stand on the page of the pull request." in text


def test_a_verdict_says_how_many_tries_stand_behind_it(fast: Assessment) -> None:
    claims = parse_claims(body("- {id: a, metric: step_latency_us, relation: '>= 1.5x baseline'}"))
    tried = fast.model_copy(update={"tries": 4})
    assert "over 4 tries." in render(PULL, claims, judge(claims.claims, [tried]), [tried], urls(tried)).text


def test_a_very_long_report_is_cut_and_says_so(fast: Assessment) -> None:
    finding = next(iter(golden.Assessment.model_validate_json((GOLDEN / "stock.json").read_text()).findings))
    loud = fast.model_copy(update={"findings": (finding.model_copy(update={"detail": "é" * 1000}),) * 200})
    report = render(PULL, parse_claims(""), [], [loud], urls(loud))
    assert len(report.text.encode()) <= SUMMARY_MAX_BYTES
    assert "Cut here" in report.text


def test_the_check_says_what_kernels_leave_unexplained(fast: Assessment) -> None:
    whole = Reconciliation(
        step_us=200.0, kernels_us=180.0, gaps_us=16.0, residual_us=4.0, residual_share=0.02, explained=True
    )
    apart = whole.model_copy(update={"residual_us": -30.0, "residual_share": -0.15, "explained": False})
    [cell] = [one for one in fast.cells if one.cell.id == "decode-step.b4.c64"]
    arms = [
        arm.model_copy(update={"reconciliation": found}) for arm, found in zip(cell.arms, (whole, apart), strict=True)
    ]
    timed = fast.model_copy(update={"cells": (cell.model_copy(update={"arms": tuple(arms)}),)})
    text = render(PULL, parse_claims(""), [], [timed], urls(timed)).text
    assert "explain 1 of 2 timed steps; the largest residual is -30.0 µs of 200.0 µs, -15.0%" in text
    assert "b4.c64, candidate" in text
    bare = fast.model_copy(update={"cells": tuple(one for one in fast.cells if one.eval_id != "decode-step")})
    assert "residual" not in render(PULL, parse_claims(""), [], [bare], urls(bare)).text


def test_an_unknown_page_is_named_without_a_link(fast: Assessment) -> None:
    report = render(PULL, parse_claims(""), [], [fast], ReportUrls(pull="https://b.example/pull", bundles=()))
    assert f"`{fast.bundle_id[:12]}`" in report.text
    assert "](" not in report.text


def test_addresses_must_be_addresses(fast: Assessment) -> None:
    with pytest.raises(ValueError, match="address"):
        render(PULL, parse_claims(""), [], [], ReportUrls(pull="javascript:alert(1)", bundles=()))
