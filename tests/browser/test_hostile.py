"""Markup and disguised text in everything that others write: shown as what it is, run nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

pytestmark = pytest.mark.browser

ATTACK = "<img src=x onerror="
PAGES = ("start", "hostile pull", "hostile bundle", "bundles", "unreadable claims", "queue", "job", "nodes")


@pytest.mark.parametrize("name", PAGES)
def test_nothing_that_others_wrote_runs(visit: Any, addresses: dict[str, str], name: str) -> None:
    page = visit.go(addresses[name])
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    visit.settle()
    page.wait_for_timeout(200)
    assert page.evaluate("document.querySelectorAll('main img, main script, main iframe, main object').length") == 0
    assert not page.title().startswith("attacked")
    assert page.evaluate("[...document.links].every(one => /^https?:/.test(one.href))")


@pytest.mark.parametrize("name", ["start", "hostile pull", "hostile bundle", "unreadable claims", "job"])
def test_markup_is_shown_as_it_was_written(visit: Any, addresses: dict[str, str], name: str) -> None:
    assert ATTACK in visit.go(addresses[name]).locator("main").inner_text()


def test_every_field_of_a_bundle_that_people_write_is_text(visit: Any, site: Any) -> None:
    page = visit.go(site.bundle("hostile"))
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    for part in ("#ledger", "#arms", "#environment", "#receipts", "#files"):
        assert ATTACK in page.locator(part).inner_text(), part
    page = visit.go(site.compare("good", "hostile"))
    assert ATTACK in page.locator("#settings").inner_text()


def test_text_cannot_change_its_direction(visit: Any, site: Any) -> None:
    heading = visit.go(site.pull(site.hostile)).locator("h1").inner_text()
    assert "safe\ufffdgnp.exe" in heading
    assert "\u202e" not in visit.page.content()


def test_a_hostile_file_is_saved_and_never_shown(visit: Any, site: Any) -> None:
    page = visit.go(site.bundle("hostile"))
    row = page.locator("#files tbody tr", has_text=ATTACK)
    address = site.url + (row.get_by_role("link").get_attribute("href") or "")
    answer = httpx.get(address)
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-type"] == "application/octet-stream"
    assert "sandbox" in answer.headers["content-security-policy"]
    with page.expect_download() as saved:
        row.get_by_role("link").click()
    assert "attacked" in Path(saved.value.path()).read_text(encoding="utf-8")
    assert page.url == site.bundle("hostile")
