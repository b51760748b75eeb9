"""Claims of a pull request whose description has none, stated through the API by whoever could have edited it."""

from judge.claim import ClaimSet
from judge.claims import parse_block, parse_claims
from server import audit
from server.claimed import speaks
from server.errors import AppError
from server.models import Pull
from server.permission import may_write, name_of
from server.principals import Principal
from server.pulls import find_pull
from server.queue import enqueue
from server.services import Services


def state(services: Services, repository: str, number: int, block: str, *, by: Principal) -> ClaimSet:
    """Set the claims of a pull request, and have it judged by them.

    Args:
        services: The service.
        repository: ``owner/name``.
        number: The pull request's number.
        block: The inside of a claims block.
        by: Who states them.

    Raises:
        AppError: ``pull_not_found``, ``credential_confined``, ``permission_missing``, ``github_failed``,
            ``claims_in_description``, ``claims_invalid``.
    """
    pull = _require(services, repository, number, by=by)
    if speaks(parse_claims(pull.body)):
        raise AppError("claims_in_description", "Edit the block in the description; nothing else counts beside it.")
    claimed = parse_block(block)
    if claimed.errors:
        first = claimed.errors[0]
        wrong = [one.model_dump(mode="json") for one in claimed.errors]
        raise AppError("claims_invalid", f"Line {first.line}: {first.detail}"[:300], extra={"errors": wrong})
    _set(services, pull.id, block, "claims.stated", by=by)
    return claimed


def withdraw(services: Services, repository: str, number: int, *, by: Principal) -> None:
    """Take back what was stated here, if anything was.

    Raises:
        AppError: ``pull_not_found``, ``credential_confined``, ``permission_missing``, ``github_failed``.
    """
    _set(services, _require(services, repository, number, by=by).id, None, "claims.withdrawn", by=by)


def _require(services: Services, repository: str, number: int, *, by: Principal) -> Pull:
    with services.database.read() as session:
        pull, home = find_pull(session, repository=repository, number=number)
    by.require_inside(repository_id=home.id, pull_number=pull.number, head_sha=pull.head_sha)
    authored = by.login is not None and pull.author is not None and by.login.lower() == pull.author.lower()
    if not authored and not may_write(services, by, home.name):
        raise AppError("permission_missing", f"It takes the right to write to {home.name}, or to be the author.")
    return pull


def _set(services: Services, pull_id: int, block: str | None, action: str, *, by: Principal) -> None:
    now = services.clock()
    with services.database.write() as session:
        pull = session.get_one(Pull, pull_id, with_for_update=True)
        if pull.stated_claims == block:
            return
        pull.stated_claims = block
        audit.record(session, at=now, actor=by.actor, action=action, target=f"pull {pull_id}", detail=name_of(by))
        enqueue(session, "refresh", str(pull_id), now=now)
    services.bell.ring()
