"""How GitHub answers: noted with every call, so that all processes keep quiet together when it asks for that."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar

from sqlalchemy import update
from sqlalchemy.orm import Session

from server.db import Database, inserter
from server.github import (
    Answer,
    CheckPayload,
    GitHubClient,
    GitHubPermanentError,
    GitHubRetryableError,
    Permission,
    PublishedCheck,
    Pull,
    Rate,
)
from server.models import Contact

T = TypeVar("T")
LONGEST_QUIET_S = 3600.0
_ROW = 1


class WatchedGitHub:
    """GitHub's client, with the memory that all processes share.

    While GitHub asks for patience no call is made: each ends at once as if GitHub had refused it. When it asks again
    and again without a success between, the time doubles.

    Args:
        client: Makes the calls.
        database: Holds the memory.
        clock: Now.

    Source:
        GitHub REST documentation, "Best practices": stop calling until the time that was named, and wait exponentially
        longer if a secondary limit persists.
    """

    def __init__(self, client: GitHubClient, database: Database, clock: Callable[[], datetime]) -> None:
        self._client = client
        self._database = database
        self._clock = clock

    def close(self) -> None:
        """Close every connection."""
        self._client.close()

    def fetch_pull(self, repository: str, number: int) -> Pull:
        """See `services.GitHub`."""
        return self._watched(lambda: self._client.fetch_pull(repository, number))

    def fetch_open_pulls(self, repository: str) -> list[Pull]:
        """See `services.GitHub`."""
        return self._watched(lambda: self._client.fetch_open_pulls(repository))

    def permission(self, repository: str, login: str) -> Permission:
        """See `services.GitHub`."""
        return self._watched(lambda: self._client.permission(repository, login))

    def covers(self, repository: str) -> bool:
        """See `services.GitHub`."""
        return self._watched(lambda: self._client.covers(repository))

    def rate(self) -> Rate | None:
        """See `services.GitHub`."""
        return self._client.rate()

    def answer(self, answer: Answer) -> str:
        """See `services.GitHub`."""
        return self._watched(lambda: self._client.answer(answer))

    def publish(self, payload: CheckPayload) -> PublishedCheck:
        """See `services.GitHub`."""
        return self._watched(lambda: self._client.publish(payload))

    def _watched(self, call: Callable[[], T]) -> T:
        self._require_leave()
        try:
            found = call()
        except GitHubRetryableError as error:
            self._note_failure(error)
            raise
        except GitHubPermanentError:
            self._note_answer()
            raise
        self._note_answer()
        return found

    def _require_leave(self) -> None:
        """Stop a call that GitHub asked not to make.

        Raises:
            GitHubRetryableError: ``github_rate_limited``.
        """
        now = self._clock()
        with self._database.read() as session:
            contact = contact_of(session)
        if contact is not None and contact.quiet_until is not None and contact.quiet_until > now:
            raise GitHubRetryableError(
                f"GitHub asked not to be called before {contact.quiet_until:%H:%M:%S} UTC.",
                code="github_rate_limited",
                retry_after_s=(contact.quiet_until - now).total_seconds(),
            )

    def _note_answer(self) -> None:
        rate = self._client.rate()
        self._write(
            answered_at=self._clock(),
            failing_since=None,
            detail="",
            quiet_until=None,
            limited=0,
            rate_limit=rate.limit if rate else None,
            rate_remaining=rate.remaining if rate else None,
            rate_reset_at=rate.reset_at if rate else None,
        )

    def _note_failure(self, error: GitHubRetryableError) -> None:
        now = self._clock()
        with self._database.write() as session:
            _ensure(session)
            contact = session.get_one(Contact, _ROW, with_for_update=True)
            contact.failing_since = contact.failing_since or now
            contact.detail = str(error)[:500]
            if error.code == "github_rate_limited":
                wait_s = (error.retry_after_s or 0.0) * 2.0**contact.limited
                contact.quiet_until = now + timedelta(
                    seconds=max(error.retry_after_s or 0.0, min(wait_s, LONGEST_QUIET_S))
                )
                contact.limited = min(contact.limited + 1, 10)

    def _write(self, **values: object) -> None:
        with self._database.write() as session:
            _ensure(session)
            session.execute(update(Contact).where(Contact.id == _ROW).values(**values))


def contact_of(session: Session) -> Contact | None:
    """How GitHub has answered lately; None: it was never called."""
    return session.get(Contact, _ROW)


def _ensure(session: Session) -> None:
    session.execute(inserter(session)(Contact).values(id=_ROW, detail="", limited=0).on_conflict_do_nothing())
