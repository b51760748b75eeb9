"""The dashboard as people use it: pages load clean, say what the service says, keep their state, and stay small."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

pytestmark = pytest.mark.browser

FIRST_LOAD_BYTES = 60_000


OPEN_ALL = "document.querySelectorAll('details').forEach(one => { one.open = true; })"
TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.mark.parametrize("width", [1280, 400])
def test_every_page_loads_without_an_error_within_its_policy_and_fits(
    new_visit: Callable[..., Any], addresses: dict[str, str], width: int
) -> None:
    visit, wide = new_visit(width=width), []
    for name, address in addresses.items():
        page = visit.go(address)
        assert page.title().endswith(" · byogpu"), name
        page.evaluate(OPEN_ALL)
        visit.settle()
        if page.evaluate(TOO_WIDE):
            wide.append(name)
    assert (wide, visit.problems) == ([], [])


def test_the_policy_is_strict_and_would_be_heard(visit: Any, site: Any) -> None:
    response = visit.page.goto(f"{site.url}/pulls")
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    visit.page.evaluate("document.head.append(Object.assign(document.createElement('style'), {textContent: 'a{}'}))")
    visit.page.wait_for_timeout(200)
    assert any("style" in problem for problem in visit.problems)
    visit.problems.clear()


def test_the_declared_scope_is_a_grid_with_a_table_behind_it(visit: Any, site: Any) -> None:
    page = visit.go(site.pull(site.good))
    scope = page.locator("#scope")
    assert "0 of 3 cells have performance, correctness and path evidence" in scope.inner_text()
    heads = scope.locator("table").first.locator("thead th").all_inner_texts()
    assert heads == ["where", "batch 1", "batch 4", "batch 64"]
    squares = scope.locator("table").first.locator("tbody td").all_inner_texts()
    assert [text.count("shown") for text in squares] == [1, 2, 0]
    assert [text.count("path against") for text in squares] == [1, 1, 0], "99 % of the steps are asked for"
    assert "headroom" in squares[1]
    assert "missing" in scope.locator("table").nth(1).inner_text(), "no task shows the feature logprobs"
    scope.locator("summary").press("Enter")
    visit.settle()
    behind = scope.locator("table").last.inner_text()
    assert "decode-step.b4.c64" in behind
    assert "limited by arithmetic" in behind


def test_a_pull_request_opens_with_its_claims_and_what_became_of_them(visit: Any, site: Any) -> None:
    page = visit.go(site.pull(site.good))
    claims = {one.locator("h3").inner_text(): one for one in page.locator(".claim").all()}
    outcomes = {name: one.locator(".state-strong").inner_text() for name, one in claims.items()}
    assert outcomes == {
        "decode-faster": "supported",
        "decode-twice-as-fast": "contradicted",
        "first-token-no-slower": "supported",
        "operators-exact": "supported",
        "answers-unchanged": "supported",
        "large-batch": "no evidence",
    }
    said = site.api(f"/pulls/octo/kernels/{site.good}")
    for verdict in said["verdicts"]:
        card = claims[verdict["claim_id"]].inner_text()
        assert verdict["reason"] in card
        if verdict["estimate"] and verdict["estimate"]["kind"] == "ratio":
            assert f"{verdict['ratio']:.3f}×" in card
            assert "{:.3f} to {:.3f}".format(*verdict["interval"]) in card
    assert "What would settle it" in claims["large-batch"].inner_text()


def test_a_verdict_is_drawn_with_its_claim(visit: Any, site: Any) -> None:
    page = visit.go(site.pull(site.good))
    page.wait_for_selector("svg.plot")
    first = page.locator(".claim").first.locator("svg.plot")
    assert first.get_attribute("role") == "img"
    assert "Claimed: 1.400×" in (first.get_attribute("aria-label") or "")
    assert first.locator("circle").count() == 2
    assert page.locator("svg.plot style").count() == 0


def test_arms_that_cannot_be_compared_have_no_ratio_and_name_the_field(visit: Any, site: Any) -> None:
    page = visit.go(site.pull(site.unlike))
    card = page.locator(".claim", has_text="first-token-no-slower")
    assert "not comparable" in card.inner_text()
    assert "achieved_concurrency" in card.inner_text()
    assert card.locator("svg.plot").count() == 0


def test_stale_evidence_and_unreadable_claims_are_said(visit: Any, site: Any) -> None:
    page = visit.go(site.pull(site.stale))
    assert "Every bundle here is about another commit" in page.locator("#evidence").inner_text()
    page = visit.go(site.pull(site.broken))
    assert "line 6" in page.locator(".note").inner_text()


def test_a_bundle_shows_its_standing_and_what_it_holds(visit: Any, site: Any) -> None:
    page = visit.go(site.bundle("good"))
    text = page.locator("main").inner_text()
    for part in (
        "signature holds",
        "trust 1, signed",
        "C-006",
        "NVIDIA H200",
        "abandoned",
        "home_folder",
        "steps.jsonl",
    ):
        assert part in text
    page = visit.go(site.bundle("cpu"))
    assert "not signed" in page.locator(".standing").inner_text()
    assert "unknown: NVML could not be asked" in page.locator("#environment").inner_text()
    page = visit.go(site.bundle("secret"))
    assert "quarantined" in page.locator(".standing").inner_text()
    assert page.locator("#files").count() == 0


def test_files_are_saved_byte_for_byte(visit: Any, site: Any) -> None:
    page = visit.go(site.bundle("good"))
    with page.expect_download() as manifest:
        page.get_by_role("link", name="manifest", exact=True).click()
    data = Path(manifest.value.path()).read_bytes()
    assert hashlib.sha256(data).hexdigest() == site.bundles["good"]
    row = page.locator("#files tbody tr", has_text="run.log")
    with page.expect_download() as log:
        row.get_by_role("link").click()
    data = Path(log.value.path()).read_bytes()
    assert hashlib.sha256(data).hexdigest() in row.inner_text()


def test_two_bundles_are_chosen_from_the_list_and_compared(visit: Any, site: Any) -> None:
    page = visit.go(f"{site.url}/compare")
    row = page.locator("tbody tr", has_text=site.bundles["good"][:12])
    row.get_by_role("button", name="as A").click()
    other = page.locator("tbody tr", has_text=site.bundles["unlike"][:12])
    other.get_by_role("button", name="as B").click()
    visit.settle()
    assert page.url == site.compare("good", "unlike")
    note = page.locator(".note").inner_text()
    assert "achieved_concurrency" in note
    page.get_by_role("button", name="Swap").click()
    visit.settle()
    assert page.url == site.compare("unlike", "good")


def test_the_address_is_the_state(visit: Any, site: Any) -> None:
    page = visit.go(site.compare("stale", "good"))
    page.get_by_label("also show what is the same").check()
    visit.until("location.search.includes('all=1')")
    page.reload()
    visit.settle()
    assert page.get_by_label("also show what is the same").is_checked()
    assert page.get_by_label("Bundle A").input_value() == site.bundles["stale"]
    page.goto(f"{site.url}/rules#X-001")
    visit.settle()
    assert page.locator("#X-001").evaluate("one => one.getBoundingClientRect().top < innerHeight && scrollY > 0")


def test_the_list_is_paged_and_back_goes_back(visit: Any, site: Any) -> None:
    page = visit.go(f"{site.url}/pulls")
    first = page.locator(".pulls li").all_inner_texts()
    page.get_by_role("link", name="Next page").click()
    visit.settle()
    visit.until("location.search.includes('cursor=')")
    second = page.locator(".pulls li").all_inner_texts()
    assert second
    assert not set(first) & set(second)
    page.reload()
    visit.settle()
    assert page.locator(".pulls li").all_inner_texts() == second
    page.go_back()
    visit.until("location.search === ''")
    visit.settle()
    assert page.locator(".pulls li").all_inner_texts() == first


def test_the_list_is_filtered_and_the_address_remembers_it(visit: Any, site: Any) -> None:
    page = visit.go(f"{site.url}/pulls")
    page.get_by_label("Outcome").select_option("contradicted")
    visit.until("location.search === '?outcome=contradicted'")
    page.get_by_label("Repository").fill("octo/kernels")
    page.keyboard.press("Enter")
    visit.until("location.search.includes('repository=')")
    visit.settle()
    shown = page.locator(".pulls h2").all_inner_texts()
    assert len(shown) == 2
    assert "Decode K3 with specialized kernels" in shown
    page.reload()
    visit.settle()
    assert page.locator(".pulls h2").all_inner_texts() == shown
    assert page.get_by_label("Outcome").input_value() == "contradicted"
    page.get_by_role("link", name="Show all").click()
    visit.until("document.querySelectorAll('.pulls li').length === 30")


def test_a_failure_says_what_to_do_and_can_be_tried_again(visit: Any, site: Any) -> None:
    page = visit.page
    page.route("**/api/v1/pulls", lambda route: route.abort())
    visit.go(f"{site.url}/pulls")
    assert "The service did not answer" in page.get_by_role("alert").inner_text()
    page.unroute("**/api/v1/pulls")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_selector(".pulls li")
    visit.expect_refusals(1)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/pulls/octo/nothing/1", "pull_not_found"),
        ("/pulls/octo/kernels/0", "parameter_invalid"),
        ("/bundles/" + "0" * 64, "bundle_not_found"),
        ("/bundles/short", "parameter_invalid"),
        ("/pulls?cursor=forged", "cursor_invalid"),
        ("/compare?a=x&b=y", "parameter_invalid"),
    ],
)
def test_a_refusal_is_shown_with_its_code(visit: Any, site: Any, path: str, code: str) -> None:
    page = visit.go(f"{site.url}{path}")
    assert code in page.get_by_role("alert").inner_text()
    assert page.get_by_role("button", name="Try again").is_visible()
    visit.problems = [problem for problem in visit.problems if "Failed to load resource" not in problem]


def test_the_first_load_is_small_and_charts_come_later(visit: Any, site: Any) -> None:
    loaded: dict[str, bytes] = {}
    visit.page.on("response", lambda answer: loaded.__setitem__(urlsplit(answer.url).path, answer.body()))
    visit.go(f"{site.url}/pulls")
    own = {path: len(gzip.compress(body)) for path, body in loaded.items() if not path.startswith("/api/")}
    assert any(path.endswith(".css") for path in own)
    assert sum(own.values()) <= FIRST_LOAD_BYTES, own
    before = set(loaded)
    visit.go(site.pull(site.good))
    visit.page.wait_for_selector("svg.plot")
    assert any(path.startswith("/assets/draw") for path in set(loaded) - before)
