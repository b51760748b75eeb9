"""Keys of pull requests: for CI and for borrowed machines, which get nothing that is good for more than one commit."""

from datetime import timedelta

from sqlalchemy import Select, select, tuple_
from sqlalchemy.orm import Session

from server import audit, credentials
from server.accounts.schemas import PullKeyItem, PullKeyList, PullKeyReceipt
from server.errors import AppError
from server.models import Account, Pull, PullKey, Repository
from server.pagination import cursor_after, read_cursor
from server.principals import Principal
from server.pulls import find_pull
from server.services import Services

_MAY_WRITE = ("admin", "maintain", "write")


def issue(services: Services, by: Principal, *, repository: str, number: int) -> PullKeyReceipt:
    """Issue a key for the present head of a pull request: to its author, and to who may write to the repository.

    Raises:
        AppError: ``pull_not_found``, ``pull_closed``, ``pull_not_yours``, ``github_failed``.
    """
    with services.database.read() as session:
        pull, known = find_pull(session, repository=repository, number=number)
    if pull.state != "open":
        raise AppError("pull_closed", f"{known.name}#{number} is closed: nothing is left to be judged.")
    if not _may_issue(services, by, pull, known.name):
        raise AppError("pull_not_yours", "Keys are for the author, and for who may write to the repository.")
    minted, now = credentials.mint(credentials.OF_PULL), services.clock()
    key = PullKey(
        id=minted.id,
        secret_hash=minted.secret_hash,
        pull_id=pull.id,
        head_sha=pull.head_sha,
        account_id=by.account_id,
        created_at=now,
        expires_at=now + timedelta(seconds=services.settings.pull_key_ttl_s),
    )
    with services.database.write() as session:
        session.add(key)
        detail = f"{known.name}#{number} at {pull.head_sha}"
        audit.record(session, at=now, actor=by.actor, action="pull_key.issued", target=key.id, detail=detail)
    return PullKeyReceipt(**_item(key, pull, known, by.login).model_dump(), key=minted.text)


def listed(
    services: Services, by: Principal, *, repository: str, number: int, cursor: str | None, limit: int
) -> PullKeyList:
    """One page of a pull request's keys: the caller's, and everybody's for administrators.

    Raises:
        AppError: ``pull_not_found``, ``cursor_invalid``.
    """
    with services.database.read() as session:
        pull, _ = find_pull(session, repository=repository, number=number)
        return _page(session, _visible(by).where(PullKey.pull_id == pull.id), cursor=cursor, limit=limit)


def mine(services: Services, by: Principal, *, cursor: str | None, limit: int) -> PullKeyList:
    """One page of the caller's keys, of every pull request.

    Raises:
        AppError: ``cursor_invalid``.
    """
    with services.database.read() as session:
        return _page(session, _rows().where(PullKey.account_id == by.account_id), cursor=cursor, limit=limit)


def revoke(services: Services, by: Principal, key_id: str) -> PullKeyItem:
    """End a key; ending it again changes nothing.

    Raises:
        AppError: ``pull_key_not_found``.
    """
    now = services.clock()
    with services.database.write() as session:
        found = session.execute(_visible(by).where(PullKey.id == key_id)).one_or_none()
        if found is None:
            raise AppError("pull_key_not_found", "You have issued no such key.")
        key, pull, repository, login = found
        if key.revoked_at is None:
            key.revoked_at = now
            audit.record(session, at=now, actor=by.actor, action="pull_key.revoked", target=key.id)
        return _item(key, pull, repository, login)


def _may_issue(services: Services, by: Principal, pull: Pull, repository: str) -> bool:
    """Whether somebody may, asked now: who could write yesterday need not be able to today."""
    if "admin" in by.scopes:
        return True
    if by.login is None:
        return False
    if pull.author is not None and pull.author.lower() == by.login.lower():
        return True
    return services.github is not None and services.github.permission(repository, by.login) in _MAY_WRITE


def _rows() -> Select[PullKey, Pull, Repository, str | None]:
    return (
        select(PullKey, Pull, Repository, Account.login)
        .join(Pull, Pull.id == PullKey.pull_id)
        .join(Repository, Repository.id == Pull.repository_id)
        .outerjoin(Account, Account.id == PullKey.account_id)
    )


def _visible(by: Principal) -> Select[PullKey, Pull, Repository, str | None]:
    return _rows() if "admin" in by.scopes else _rows().where(PullKey.account_id == by.account_id)


def _page(
    session: Session, asked: Select[PullKey, Pull, Repository, str | None], *, cursor: str | None, limit: int
) -> PullKeyList:
    if cursor is not None:
        asked = asked.where(tuple_(PullKey.created_at, PullKey.id) < read_cursor(cursor))
    asked = asked.order_by(PullKey.created_at.desc(), PullKey.id.desc()).limit(limit + 1)
    found = session.execute(asked).all()
    items = tuple(_item(*row) for row in found[:limit])
    following = cursor_after(items[-1].created_at, items[-1].id) if len(found) > limit else None
    return PullKeyList(items=items, next_cursor=following)


def _item(key: PullKey, pull: Pull, repository: Repository, login: str | None) -> PullKeyItem:
    return PullKeyItem(
        id=key.id,
        prefix=f"{credentials.OF_PULL}_{key.id}",
        repository_id=repository.id,
        repository=repository.name,
        pull_number=pull.number,
        head_sha=key.head_sha,
        issued_by=login,
        created_at=key.created_at,
        expires_at=key.expires_at,
        used_at=key.used_at,
        revoked_at=key.revoked_at,
    )
