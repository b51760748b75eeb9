"""Signing in and out in a real browser, and what other sites can do with its cookie: nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from sqlalchemy import text

import standin
from server.app import create_app
from server.settings import Settings
from standin.settings import OAuthApp, StandinSettings

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
ATTACK = """
async ([url, id]) => {
  const how = { method: "POST", mode: "no-cors", credentials: "include" };
  await fetch(`${url}/api/v1/tokens/${id}/revoke`, how).catch(() => null);
  await fetch(`${url}/api/v1/session`, { method: "DELETE", credentials: "include" }).catch(() => null);
}
"""


@dataclass
class Home:
    """The service, and everything else that a browser may meet."""

    url: str
    github: str
    elsewhere: str
    database: Any

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self.database.read() as session:
            return [tuple(row) for row in session.execute(text(query))]


class _Blank(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<!doctype html><title>elsewhere</title><h1>elsewhere</h1>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    hub_port, port = standin.free_port(), standin.free_port()
    hub, url = f"http://127.0.0.1:{hub_port}", f"http://127.0.0.1:{port}"
    oauth = OAuthApp("client", "client-secret-for-tests", f"{url}/api/v1/sign-in/callback")
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("account"),
        port=port,
        github_url=hub,
        github_web_url=hub,
        github_oauth_client_id="client",
        github_oauth_client_secret="client-secret-for-tests",  # type: ignore[arg-type]
    )
    app = create_app(settings)
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error"))
    blank = ThreadingHTTPServer(("127.0.0.1", 0), _Blank)
    threads = [threading.Thread(target=server.run), threading.Thread(target=blank.serve_forever)]
    people = StandinSettings(api_url=hub, web_url=hub, oauth=oauth, tokens={"personal-token-of-octocat": "octocat"})
    with standin.running(people, port=hub_port):
        for thread in threads:
            thread.start()
        limit = time.monotonic() + 30
        while not server.started and threads[0].is_alive() and time.monotonic() < limit:
            time.sleep(0.01)
        yield Home(url, hub, f"http://127.0.0.1:{blank.server_port}", app.state.services.database)
        server.should_exit = True
        blank.shutdown()
        for thread in threads:
            thread.join()
        blank.server_close()


def sign_in(visit: Any, home: Home) -> Any:
    """Sign in from the start page, at GitHub, and back."""
    page = visit.go(f"{home.url}/")
    visit.until("document.querySelector('.who') !== null")
    page.click(".who")
    visit.settle()
    page.click("main a")
    page.wait_for_url(f"{home.github}/**")
    page.click("text=Authorize as octocat")
    page.wait_for_url(f"{home.url}/account")
    visit.settle()
    visit.until("document.querySelector('#tokens') !== null")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_somebody_signs_in_makes_a_token_revokes_it_and_signs_out(new_visit: Any, home: Home, scheme: str) -> None:
    visit = new_visit(scheme=scheme)
    page = sign_in(visit, home)
    (cookie,) = [one for one in page.context.cookies() if one["name"] == "byogpu_session"]
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Lax")
    assert page.evaluate("document.cookie") == ""
    page.fill("form[aria-label='Make a token'] input[type=text]", f"desk-{scheme}")
    page.click("text=Make a token")
    visit.until("document.querySelector('[role=status] code') !== null")
    assert page.inner_text("[role=status] code").startswith("byo_t_")
    visit.settle()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    violations = page.evaluate("async () => (await axe.run()).violations")
    assert [one["id"] for one in violations if one["impact"] in ("serious", "critical")] == []
    page.click(f"button[aria-label='Revoke desk-{scheme}']")
    visit.until(f"document.querySelector(\"button[aria-label='Revoke desk-{scheme}']\") === null")
    page.click("text=Sign out")
    visit.until("document.querySelector('main').textContent.includes('You are signed out')")
    assert page.context.cookies() == []
    assert home.rows("SELECT id FROM web_session") == []


def test_another_site_changes_nothing_with_the_cookie_that_the_browser_sends(new_visit: Any, home: Home) -> None:
    visit = new_visit()
    page = sign_in(visit, home)
    page.fill("form[aria-label='Make a token'] input[type=text]", "kept")
    page.click("text=Make a token")
    visit.until("document.querySelector('[role=status] code') !== null")
    (number,) = home.rows("SELECT id FROM api_token WHERE name = 'kept'")[0]
    refused = "SELECT count(*) FROM audit WHERE action = 'refused' AND detail LIKE 'csrf_refused%'"
    (before,) = home.rows(refused)[0]
    # The same host on another port is the same site: the cookie goes along. By another name it is another site.
    for elsewhere in (home.elsewhere, home.elsewhere.replace("127.0.0.1", "localhost")):
        page.goto(elsewhere)
        page.evaluate(ATTACK, [home.url, number])
    assert home.rows(f"SELECT revoked_at FROM api_token WHERE id = '{number}'") == [(None,)]
    assert len(home.rows("SELECT id FROM web_session")) == 1
    (after,) = home.rows(refused)[0]
    assert after > before
    visit.problems = [one for one in visit.problems if "CORS" not in one and "Failed to load resource" not in one]
