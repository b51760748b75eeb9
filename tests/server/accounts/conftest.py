"""A service that people sign in to, and the stand-in that says who they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

import standin

if TYPE_CHECKING:
    import httpx2

    from tests.conftest import Service

CLIENT_ID = "Iv1.0123456789abcdef"
CLIENT_SECRET = "client-secret-for-tests"
PUBLIC_URL = "http://testserver"


@dataclass
class Browser:
    """Somebody's browser: its cookies, and the word that pages of ours send along.

    Attributes:
        service: What it looks at.
        cookies: By name.
    """

    service: Service
    github: Any
    cookies: dict[str, str] = field(default_factory=dict)
    csrf: str = ""

    def ask(self, method: str, path: str, *, trusted: bool = True, **how: Any) -> httpx2.Response:
        """Send a request as a page of the service does; ``trusted``: with everything that shows it."""
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if trusted and method != "GET":
            headers |= {"Origin": PUBLIC_URL, "Sec-Fetch-Site": "same-origin", "X-CSRF-Token": self.csrf}
        headers |= how.pop("headers", {})
        answer = self.service.client.request(method, path, headers=headers, follow_redirects=False, **how)
        self.service.client.cookies.clear()  # the jar is ours: several browsers share the client
        for cookie in answer.headers.get_list("set-cookie"):
            name, _, rest = cookie.partition("=")
            value = rest.partition(";")[0].strip('"')
            self.cookies = (
                {**self.cookies, name: value} if value else {k: v for k, v in self.cookies.items() if k != name}
            )
        return answer

    def leave(self, **query: str) -> str:
        """Begin a sign-in; returns GitHub's address."""
        answer = self.ask("GET", "/api/v1/sign-in", params=query)
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"])

    def agree(self, address: str, login: str) -> str:
        """Do what a person does at GitHub; returns the address that leads back."""
        answer = self.github.get(f"{address}&as_login={login}")
        assert answer.status_code == 302, answer.text
        back = urlsplit(answer.headers["location"])
        return f"{back.path}?{back.query}"

    def sign_in(self, login: str, **query: str) -> httpx2.Response:
        """Sign in, all the way."""
        answer = self.ask("GET", self.agree(self.leave(**query), login))
        self.csrf = self.ask("GET", "/api/v1/session").json()["csrf_token"] or ""
        return answer


@dataclass
class Accounts:
    """The service, the stand-in, and people at their browsers."""

    service: Service
    hub: standin.RunningStandin
    github: Any

    def browser(self, login: str | None = None) -> Browser:
        """Open a browser; with a login: signed in."""
        browser = Browser(self.service, self.github)
        if login is not None:
            assert browser.sign_in(login).headers["location"] == "/account"
        return browser

    def make_admin(self, browser: Browser, role: str = "admin") -> None:
        number = browser.ask("GET", "/api/v1/session").json()["account"]["id"]
        answer = self.service.client.put(
            f"/api/v1/accounts/{number}/role", json={"role": role}, headers=self.service.admin
        )
        assert answer.json()["role"] == role

    def token(self, browser: Browser, *scopes: str, **more: Any) -> str:
        """Make a token."""
        body = {"name": "test", "scopes": scopes, "expires_in_days": 30, **more}
        answer = browser.ask("POST", "/api/v1/tokens", json=body)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["token"])

    def audit(self) -> list[tuple[str, str]]:
        """Actor and action of every row."""
        return [(row["actor"], row["action"]) for row in self.service.rows("audit")]


class People:
    """What GitHub says somebody may do in any repository, now."""

    def __init__(self) -> None:
        self.permissions: dict[str, str] = {}

    def permission(self, repository: str, login: str) -> str:
        return self.permissions.get(login, "read")


@pytest.fixture
def people() -> People:
    return People()


@dataclass
class Hub:
    """The stand-in of a whole module of tests; its clock is that of the test that runs.

    Attributes:
        running: It.
        clock: Tells the time.
    """

    running: standin.RunningStandin
    clock: list[Callable[[], datetime]]


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    from standin.settings import OAuthApp, StandinSettings

    port = standin.free_port()
    address = f"http://127.0.0.1:{port}"
    clock: list[Callable[[], datetime]] = []
    settings = StandinSettings(
        api_url=address,
        web_url=address,
        oauth=OAuthApp(CLIENT_ID, CLIENT_SECRET, f"{PUBLIC_URL}/api/v1/sign-in/callback"),
        clock=lambda: clock[-1](),
    )
    with standin.running(settings, port=port) as running:
        yield Hub(running, clock)


@pytest.fixture
def accounts(make_service: Callable[..., Service], people: People, hub: Hub) -> Iterator[Accounts]:
    import httpx

    service = make_service(
        github=people,
        public_url=PUBLIC_URL,
        github_url=hub.running.url,
        github_web_url=hub.running.url,
        github_oauth_client_id=CLIENT_ID,
        github_oauth_client_secret=CLIENT_SECRET,
    )
    hub.clock.append(service.clock)
    with httpx.Client() as github:
        yield Accounts(service, hub.running, github)
