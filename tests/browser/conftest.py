"""A service full of stories (`stories.py`), and a real Chromium to look at it with."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).parents[2]
DASHBOARD = ROOT / "web" / "dist" / "index.html"
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
PATIENCE_MS = 20_000
POLL_MS = 50

SETTLED = """
document.querySelector("h1") !== null && document.querySelector(".loading") === null
  && [...document.querySelectorAll("details[open]")].every(one => one.querySelector(".fold") !== null)
  && [...document.querySelectorAll(".chart-box")].every(one => one.childElementCount > 0)
"""
WATCH_POLICY = """
document.addEventListener("securitypolicyviolation", event =>
  console.error(`policy violated: ${event.violatedDirective} by ${event.blockedURI} in ${event.sourceFile}`));
"""


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"tests_browser_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


stories = _load("stories")


@dataclass
class Visit:
    """A page and what went wrong on it.

    Attributes:
        page: The page.
        problems: Errors on its console, uncaught exceptions, violations of the content security policy.
    """

    page: Page
    problems: list[str] = field(default_factory=list)

    def go(self, url: str) -> Page:
        """Open an address and wait until everything is there."""
        self.page.goto(url)
        self.settle()
        return self.page

    def settle(self) -> None:
        """Wait until nothing is loading, what was opened is filled, and every chart is drawn."""
        self.until(SETTLED)

    def until(self, holds: str) -> None:
        """Wait until an expression is true; Playwright's own wait needs the eval that the page's policy forbids."""
        for _ in range(PATIENCE_MS // POLL_MS):
            if self.page.evaluate(holds):
                return
            self.page.wait_for_timeout(POLL_MS)
        pytest.fail(f"never true: {holds}")

    def expect_refusals(self, number: int) -> None:
        """Take the browser's own lines about refused requests off the list; there must be that many."""
        refusals = [problem for problem in self.problems if "Failed to load resource" in problem]
        assert len(refusals) == number, self.problems
        self.problems = [problem for problem in self.problems if problem not in refusals]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The running service (``stories.Site``)."""
    if not DASHBOARD.is_file():
        pytest.fail("web/dist is not built: run `make setup-dev`")
    with stories.told(tmp_path_factory.mktemp("stories")) as one:
        yield one


@pytest.fixture(scope="session")
def addresses(site: Any) -> dict[str, str]:
    """Every page of the dashboard, by what it shows."""
    return {
        "start": f"{site.url}/",
        "pulls": f"{site.url}/pulls",
        "judged pull": site.pull(site.good),
        "stale pull": site.pull(site.stale),
        "unreadable claims": site.pull(site.broken),
        "arms not comparable": site.pull(site.unlike),
        "pull without claims": site.pull(site.silent),
        "hostile pull": site.pull(site.hostile),
        "bundles": f"{site.url}/bundles",
        "bundle": site.bundle("good"),
        "bundle of a CPU": site.bundle("cpu"),
        "invalid bundle": site.bundle("invalid"),
        "quarantined bundle": site.bundle("secret"),
        "hostile bundle": site.bundle("hostile"),
        "choice of two": f"{site.url}/compare",
        "comparison": site.compare("stale", "good"),
        "comparison of the unlike": site.compare("good", "unlike"),
        "queue": f"{site.url}/queue",
        "job": f"{site.url}/queue/{site.job}",
        "nodes": f"{site.url}/nodes",
        "rules": f"{site.url}/rules",
        "suites": f"{site.url}/suites",
        "status": f"{site.url}/status",
        "no such page": f"{site.url}/nothing/here",
    }


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium from ``CHROMIUM_PATH``; a module's own, since playwright keeps an event loop running in this thread."""
    path = os.environ.get("CHROMIUM_PATH") or "/usr/bin/chromium"
    if not Path(path).is_file():
        pytest.fail(f"no Chromium at {path}: run `make test`, set CHROMIUM_PATH, or leave out with -m 'not browser'")
    with sync_playwright() as playwright:
        one = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield one
        one.close()


@pytest.fixture
def new_visit(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Open a window: ``new_visit(width=400, scheme="dark")``. Whatever goes wrong in it fails the test at its end."""
    windows: list[tuple[BrowserContext, Visit]] = []

    def new(*, width: int = 1280, scheme: Any = "light") -> Visit:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(WATCH_POLICY)
        visit = Visit(context.new_page())
        visit.page.on("pageerror", lambda error: visit.problems.append(str(error)))
        visit.page.on("dialog", lambda dialog: visit.problems.append(f"dialog: {dialog.message}"))
        visit.page.on(
            "console", lambda message: visit.problems.append(message.text) if message.type == "error" else None
        )
        windows.append((context, visit))
        return visit

    yield new
    for context, _ in windows:
        context.close()
    assert [visit.problems for _, visit in windows if visit.problems] == []


@pytest.fixture
def visit(new_visit: Callable[..., Visit]) -> Visit:
    """A window on a desk."""
    return new_visit()
