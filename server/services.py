"""What the parts of a running service share, built once from the settings and passed down."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from threading import Event
from typing import Annotated, Protocol

from fastapi import Depends, Request

from server.actions import ActionsIssuer
from server.db import Database
from server.github import Answer, CheckPayload, Permission, PublishedCheck, Pull, Rate
from server.limits import Limiter, MemoryLimiter
from server.queue import Bell
from server.settings import Settings
from server.storage import BlobStore
from server.tracing import NoTracer, Tracer
from server.transfers import Transfers


class GitHub(Protocol):
    """What the service asks of GitHub; `server.github.GitHubClient` is it."""

    def fetch_pull(self, repository: str, number: int) -> Pull:
        """Read a pull request as it is now."""
        ...

    def fetch_open_pulls(self, repository: str) -> list[Pull]:
        """Read every open pull request."""
        ...

    def permission(self, repository: str, login: str) -> Permission:
        """Read what somebody may do in a repository now; ask at the time of use, never before."""
        ...

    def covers(self, repository: str) -> bool:
        """Say whether GitHub lets us into a repository at all."""
        ...

    def rate(self) -> Rate | None:
        """Tell what GitHub last said of our limit."""
        ...

    def answer(self, answer: Answer) -> str:
        """Answer a comment or a pressed button; may be repeated. Returns the answer's page."""
        ...

    def publish(self, payload: CheckPayload) -> PublishedCheck:
        """Make a check stand on GitHub; may be repeated."""
        ...


@dataclass(frozen=True)
class Services:
    """One service.

    Attributes:
        settings: As read at the start.
        database: The truth.
        store: The blobs.
        github: None: no credentials are configured.
        bell: Wakes the task runners.
        clock: Now, aware.
        limiter: Counts requests.
        draining: Set once the process was told to stop.
        tracer: Makes spans.
    """

    settings: Settings
    database: Database
    store: BlobStore
    github: GitHub | None
    bell: Bell
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    limiter: Limiter = field(default_factory=MemoryLimiter)
    draining: Event = field(default_factory=Event)
    tracer: Tracer = field(default_factory=NoTracer)

    @cached_property
    def transfers(self) -> Transfers:
        """Threads for work on blobs."""
        return Transfers(self.settings.transfer_threads)

    @cached_property
    def actions(self) -> ActionsIssuer:
        """Checks identities of GitHub Actions."""
        settings = self.settings
        return ActionsIssuer(settings.actions_issuer, audience=settings.public_url, clock=self.clock)


async def of_request(request: Request) -> Services:
    """The services of the application that a request came to; a coroutine, so that no thread is asked for it."""
    found: Services = request.app.state.services
    return found


InService = Annotated[Services, Depends(of_request)]
