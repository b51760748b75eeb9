"""Every page, light and dark: axe finds nothing serious; the keyboard reaches everything and shows where it is."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
OPEN_ALL = "() => document.querySelectorAll('details').forEach(one => { one.open = true; })"
FOCUS = """
() => {
  const one = document.activeElement;
  const box = one.getBoundingClientRect();
  return {
    name: (one.getAttribute("aria-label") ?? one.textContent).trim(),
    tag: one.tagName,
    outline: getComputedStyle(one).outlineStyle,
    inside: box.bottom > 0 && box.top < innerHeight && box.width > 0,
  };
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_any_page(
    new_visit: Callable[..., Any], addresses: dict[str, str], scheme: str
) -> None:
    axe, found = AXE.read_text(encoding="utf-8"), {}
    visit = new_visit(scheme=scheme)
    for name, address in addresses.items():
        page = visit.go(address)
        page.evaluate(OPEN_ALL)
        visit.settle()
        page.evaluate(axe)
        violations = page.evaluate("async () => (await axe.run()).violations")
        bad = [one for one in violations if one["impact"] in ("serious", "critical")]
        if bad:
            found[name] = [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in bad]
    assert found == {}


def test_axe_sees_a_fault_when_there_is_one(visit: Any, site: Any) -> None:
    page = visit.go(f"{site.url}/pulls")
    page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    violations = page.evaluate("async () => (await axe.run()).violations.map(one => one.id)")
    assert "button-name" in violations


def test_the_keyboard_walks_from_the_list_into_a_pull_request(visit: Any, site: Any) -> None:
    page = visit.go(f"{site.url}/pulls")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUS)["name"] == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        assert focus["outline"] != "none", focus
        assert focus["inside"], focus
        seen.append(focus["name"])
        if focus["name"] == "Decode K3 with specialized kernels":
            break
    assert seen[-1] == "Decode K3 with specialized kernels"
    page.keyboard.press("Enter")
    visit.settle()
    visit.until("document.activeElement.tagName === 'H1'")
    assert page.title() == "Decode K3 with specialized kernels · byogpu"


def test_every_control_of_a_pull_request_is_reached_in_the_order_of_the_page(visit: Any, site: Any) -> None:
    page = visit.go(site.pull(site.good))
    expected = page.evaluate(
        """() => [...document.querySelectorAll("a[href], summary, button, input, [tabindex='0']")]
             .map((one, index) => { one.dataset.order = String(index); return String(index); })"""
    )
    reached = []
    for _ in expected:
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.dataset.order"))
        assert page.evaluate(FOCUS)["outline"] != "none"
    assert reached == expected


def test_a_fold_opens_by_key(visit: Any, site: Any) -> None:
    page = visit.go(site.pull(site.good))
    page.locator(".claim summary").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".claim table")


def test_a_table_that_is_too_wide_scrolls_by_key(new_visit: Callable[..., Any], site: Any) -> None:
    visit = new_visit(width=400)
    page = visit.go(site.bundle("good"))
    page.wait_for_selector("#cells .scroll[tabindex='0']")
    page.locator("#cells .scroll").focus()
    page.keyboard.press("ArrowRight")
    visit.until("document.querySelector('#cells .scroll').scrollLeft > 0")
    assert page.evaluate(FOCUS)["name"] == "Cells"


def test_pages_have_landmarks_and_headings_in_order(visit: Any, addresses: dict[str, str]) -> None:
    for name, address in addresses.items():
        page = visit.go(address)
        assert page.locator("main").count() == page.locator("header").first.count() == 1, name
        assert page.locator("h1").count() == 1, name
        levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(one => Number(one.tagName[1]))")
        assert all(after - before <= 1 for before, after in pairwise(levels)), (name, levels)
