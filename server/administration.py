"""What an operator does beside the API, on the database itself: work that was given up, bundles that are suspect, keys.

Everything leaves a row of the audit log under ``operator``, beside those that the service writes for what follows.
"""

from collections.abc import Callable, Mapping, Sequence

from pydantic import AwareDatetime
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from server import audit
from server.accounts import service as accounts
from server.accounts.schemas import TokenItem, TokenPost, TokenReceipt
from server.checks import outbox
from server.conversation import obedience
from server.errors import AppError
from server.intake import validation
from server.models import Account, ApiToken, Bundle, Pull, Task, TaskState
from server.principals import SCOPES, Principal
from server.queue import TaskKind, enqueue
from server.rulings import require_kept
from server.services import Services
from server.stored import SET_ASIDE, outdated
from worker.bundle.record import Count, Record

OPERATOR = Principal(kind="operator", owner="operator", scopes=frozenset(SCOPES))
_REVIVE: Mapping[str, Callable[[Session, str], None]] = {
    "validate": validation.revive,
    "publish": outbox.revive,
    "obey": obedience.revive,
}
"""What a task's death ended beside the task, and how that is taken back."""


class TaskItem(Record):
    """A row of the task table."""

    id: Count
    kind: str
    key: str
    state: TaskState
    attempts: Count
    run_after: AwareDatetime
    detail: str
    """Why the last attempt failed; else empty."""


def note(services: Services, action: str, target: str, detail: str = "") -> None:
    """Write down what the operator did."""
    with services.database.write() as session:
        _note(session, services, action, target, detail)


def tasks(services: Services, *, state: TaskState | None, limit: int) -> tuple[TaskItem, ...]:
    """Tasks, the longest waiting first."""
    asked = select(Task).order_by(Task.run_after, Task.id).limit(limit)
    if state is not None:
        asked = asked.where(Task.state == state)
    with services.database.read() as session:
        return tuple(TaskItem.model_validate(row, from_attributes=True) for row in session.scalars(asked))


def requeue(services: Services, *, task_id: int | None = None, kind: TaskKind | None = None) -> tuple[TaskItem, ...]:
    """Put dead tasks back in line, their attempts at zero, with whatever died with them.

    Args:
        services: The service.
        task_id: That one; None: all.
        kind: Only those of a kind.

    Returns:
        Those that were put back.

    Raises:
        AppError: ``task_not_dead``.
    """
    asked = select(Task).where(Task.state == "dead").order_by(Task.id).with_for_update()
    if task_id is not None:
        asked = asked.where(Task.id == task_id)
    if kind is not None:
        asked = asked.where(Task.kind == kind)
    with services.database.write() as session:
        found = session.scalars(asked).all()
        if task_id is not None and not found:
            raise AppError("task_not_dead", f"There is no dead task {task_id}.")
        now = services.clock()
        for task in found:
            if (revive := _REVIVE.get(task.kind)) is not None:
                revive(session, task.key)
            task.state, task.attempts, task.run_after, task.detail = "queued", 0, now, ""
            _note(session, services, "task.requeued", f"{task.kind} {task.key}")
        session.flush()
        back = tuple(TaskItem.model_validate(task, from_attributes=True) for task in found)
    services.bell.ring()
    return back


def quarantine(services: Services, bundle_id: str, *, reason: str) -> None:
    """Set a bundle aside: its contents are hidden, and it counts for nothing until it is released.

    It stays so when rules change and bundles are judged again.

    Raises:
        AppError: ``bundle_not_found``, ``bundle_not_validated``, ``bundle_retracted``, ``bundle_retired``.
    """
    with services.database.write() as session:
        bundle = session.get(Bundle, bundle_id, with_for_update=True)
        if bundle is None:
            raise AppError("bundle_not_found", f"There is no bundle {bundle_id}.")
        if bundle.validation_state not in ("valid", "invalid", "quarantined"):
            raise AppError("bundle_not_validated", "Decide once validation has ended.")
        require_kept(session, bundle_id)
        bundle.validation_state, bundle.validation_detail = "quarantined", f"{SET_ASIDE}{reason}"
        _note(session, services, "bundle.quarantined", bundle_id, reason)
        pull = select(Pull.id).where(Pull.repository_id == bundle.repository_id, Pull.number == bundle.pull_number)
        if (pull_id := session.scalar(pull)) is not None:
            enqueue(session, "refresh", str(pull_id), now=services.clock())
    services.bell.ring()


def revalidate(services: Services, bundle_id: str | None) -> int:
    """Judge a bundle again from the beginning, or all that other rules or limits judged.

    Returns:
        How many.

    Raises:
        AppError: ``bundle_not_found``, ``bundle_incomplete``, ``bundle_retracted``, ``bundle_retired``.
    """
    now = services.clock()
    with services.database.write() as session:
        if bundle_id is None:
            count = session.scalar(select(func.count()).select_from(outdated().subquery())) or 0
            enqueue(session, "find_outdated", "all", now=now)
            _note(session, services, "revalidation.asked", "all", f"{count} outdated")
        else:
            bundle = session.get(Bundle, bundle_id, with_for_update=True)
            if bundle is None:
                raise AppError("bundle_not_found", f"There is no bundle {bundle_id}.")
            if bundle.upload_state != "complete":
                raise AppError("bundle_incomplete", "It has not been uploaded completely.")
            require_kept(session, bundle_id)
            session.execute(update(Bundle).where(Bundle.id == bundle_id).values(validation_state="pending"))
            enqueue(session, "validate", bundle_id, now=now)
            _note(session, services, "revalidation.asked", bundle_id)
            count = 1
    services.bell.ring()
    return count


def issue_key(services: Services, login: str, posted: TokenPost) -> TokenReceipt:
    """Make a token for an account, good for no more than the account's role allows.

    Raises:
        AppError: ``account_not_found``, ``scope_missing``, ``token_too_long_lived``, ``node_not_found``.
    """
    with services.database.write() as session:
        account = _account(session, login)
        receipt = accounts.make_token(session, services, accounts.principal_of(account), posted)
        _note(session, services, "token.issued", receipt.id, f"for {account.login}: {' '.join(posted.scopes)}")
    return receipt


def keys(services: Services, login: str | None, *, limit: int) -> Sequence[tuple[str, TokenItem]]:
    """Tokens with their accounts' logins, newest first."""
    asked = select(ApiToken, Account.login).join(Account, Account.id == ApiToken.account_id)
    if login is not None:
        asked = asked.where(func.lower(Account.login) == login.lower())
    with services.database.read() as session:
        rows = session.execute(asked.order_by(ApiToken.created_at.desc(), ApiToken.id).limit(limit)).all()
        return [(owner, accounts.token_item(token)) for token, owner in rows]


def revoke_key(services: Services, token_id: str) -> TokenItem:
    """End a token at once.

    Raises:
        AppError: ``token_not_found``.
    """
    ended = accounts.revoke_token(services, OPERATOR, token_id)
    note(services, "token.revoked", token_id)
    return ended


def _account(session: Session, login: str) -> Account:
    found = session.scalar(select(Account).where(func.lower(Account.login) == login.lower()))
    if found is None:
        raise AppError("account_not_found", f"Nobody called {login[:100]} has signed in.")
    return found


def _note(session: Session, services: Services, action: str, target: str, detail: str = "") -> None:
    audit.record(session, at=services.clock(), actor="operator", action=action, target=target, detail=detail)
