"""How much one owner, and one address, may bring."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from server.errors import AppError
from server.models import Bundle
from server.settings import Settings

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class _Account:
    """Whom bundles are counted for, and how many bundles and bytes they may have; 0: any number."""

    name: str
    theirs: ColumnElement[bool]
    bundles: int
    open_bytes: int
    stored_bytes: int


def require_room(
    session: Session, settings: Settings, *, owner: str, address: str, size_bytes: int, now: datetime
) -> None:
    """Let a new bundle pass if there is room for it.

    Args:
        session: The transaction that registers it: on PostgreSQL, others of the same owner or address wait for it.
        settings: The limits.
        owner: Who posts it.
        address: From where.
        size_bytes: Of all its blobs.
        now: The time.

    Raises:
        AppError: ``quota_bundles``, ``quota_open_bytes``, ``quota_stored_bytes``.
    """
    accounts = {
        f"owner {owner}": _Account(
            "You have",
            Bundle.owner == owner,
            settings.bundles_per_owner,
            settings.open_bytes_per_owner,
            settings.stored_bytes_per_owner,
        ),
        f"address {address}": _Account(
            "Your address has",
            Bundle.address == address,
            settings.bundles_per_address,
            settings.open_bytes_per_address,
            settings.stored_bytes_per_address,
        ),
    }
    _wait_in_line(session, accounts)
    for account in accounts.values():
        _require(session, account, size_bytes, now)


def _require(session: Session, account: _Account, size_bytes: int, now: datetime) -> None:
    if account.bundles:
        today = select(func.count()).select_from(Bundle).where(account.theirs, Bundle.created_at > now - _DAY)
        if (count := session.scalar(today) or 0) >= account.bundles:
            detail = f"{account.name} posted {count} new bundles in 24 hours; {account.bundles} are allowed."
            raise AppError("quota_bundles", detail)
    if account.open_bytes:
        listed = _bytes(session, account, Bundle.upload_state == "open")
        if listed + size_bytes > account.open_bytes:
            detail = f"{account.name} {listed} bytes in open uploads; {account.open_bytes} are allowed."
            raise AppError("quota_open_bytes", detail)
    if account.stored_bytes:
        kept = _bytes(session, account, Bundle.upload_state == "complete")
        if kept + size_bytes > account.stored_bytes:
            detail = f"{account.name} {kept} bytes stored; {account.stored_bytes} are allowed."
            raise AppError("quota_stored_bytes", detail)


def _bytes(session: Session, account: _Account, which: ColumnElement[bool]) -> int:
    """Bytes of an account's bundles whose contents are here; a shared blob counts for each of them."""
    kept = func.length(Bundle.manifest) > 0
    return int(session.scalar(select(func.sum(Bundle.size_bytes)).where(account.theirs, which, kept)) or 0)


def _wait_in_line(session: Session, accounts: Mapping[str, _Account]) -> None:
    """Let one registration of an owner or address pass at a time. SQLite has one writer anyway."""
    if session.get_bind().dialect.name == "postgresql":
        for name in sorted(accounts):
            session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(name, 0))))
