"""How one stand-in is set up. Passed in, never read from the environment or from a global."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def __call__(self) -> datetime:
        """Return now, as an aware UTC time."""


def system_clock() -> datetime:
    """Return the machine's time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class AppIdentity:
    """The one GitHub App that the stand-in knows.

    Attributes:
        app_id: Its numeric id, which its JWTs must name as issuer.
        slug: Its address name; its comments appear as ``slug[bot]``.
        public_key_pem: RSA public key that verifies its JWTs, PEM.
    """

    app_id: int
    public_key_pem: str
    slug: str = "byogpu"


@dataclass(frozen=True)
class OAuthApp:
    """How people sign in with the App.

    Attributes:
        client_id: Its public name.
        client_secret: What it redeems codes with.
        callback_url: Beginning of the addresses that browsers may go back to.
    """

    client_id: str
    client_secret: str
    callback_url: str


@dataclass(frozen=True)
class WebhookTarget:
    """Where webhooks go.

    Attributes:
        url: Receiver.
        secret: Shared secret for ``X-Hub-Signature-256``.
        timeout_s: Seconds to wait for the receiver's answer.
    """

    url: str
    secret: str
    timeout_s: float = 10.0


@dataclass(frozen=True)
class StandinSettings:
    """Everything a stand-in needs.

    Attributes:
        app: The App, or None when only personal tokens shall work.
        tokens: Personal token → login.
        oauth: How people sign in, or None when nobody can.
        webhook: Receiver of webhooks, or None.
        state_file: JSON file that keeps the state over a restart, or None for memory only.
        api_url: Address under which clients reach the API, without a trailing slash. Answers carry it, so it must be
            the proxy's where a proxy stands in front.
        web_url: Address of the pages for people, without a trailing slash.
        device_interval_s: Seconds between two questions of a device that waits for its user.
        token_lifetime: How long an installation token works.
        clock: Source of the time.
    """

    api_url: str
    web_url: str
    app: AppIdentity | None = None
    tokens: Mapping[str, str] = field(default_factory=dict)
    oauth: OAuthApp | None = None
    webhook: WebhookTarget | None = None
    state_file: Path | None = None
    device_interval_s: int = 5
    token_lifetime: timedelta = timedelta(hours=1)
    clock: Clock = system_clock
