"""Acting on a verified webhook delivery, once."""

import re

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from server import audit
from server.checks import pulls
from server.checks.schemas import Action, WebhookReceipt
from server.db import inserter
from server.github import (
    CheckRunEvent,
    InstallationEvent,
    InstallationRepositoriesEvent,
    IssueCommentEvent,
    PullRequestEvent,
    WebhookDelivery,
)
from server.heard import hear_comment, hear_press
from server.models import Delivery, Post, Pull, Repository
from server.queue import enqueue
from server.seen import from_event
from server.services import Services

_EXTERNAL_ID = re.compile(r"byogpu:(?P<repository_id>[0-9]{1,18}):(?P<number>[0-9]{1,18}):(?P<head_sha>[0-9a-f]{40})")


def handle(services: Services, delivery: WebhookDelivery) -> WebhookReceipt:
    """Note the delivery and what it says, in one transaction.

    A delivery id that was seen before changes nothing. With credentials everything is read again from the API
    afterwards, so deliveries may come late and in any order.
    """
    with services.database.write() as session:
        row = inserter(session)(Delivery).values(
            id=delivery.delivery_id, event=delivery.name, received_at=services.clock()
        )
        if session.execute(row.on_conflict_do_nothing().returning(Delivery.id)).one_or_none() is None:
            return WebhookReceipt(delivery_id=delivery.delivery_id, action="repeated")
        acted = _act(session, services, delivery)
    services.bell.ring()
    return WebhookReceipt(delivery_id=delivery.delivery_id, action=acted)


def _act(session: Session, services: Services, delivery: WebhookDelivery) -> Action:
    match delivery.event:
        case PullRequestEvent() as event:
            pull_id = pulls.store(session, services, from_event(event), actor="github")
            if services.github is not None:
                enqueue(session, "read_pull", str(pull_id), now=services.clock())
            return "pull_updated"
        case IssueCommentEvent() as event if services.github is not None:
            now = services.clock()
            heard = hear_comment(session, event, now=now, since=services.settings.events_since(now))
            return "heard" if heard else "ignored"
        case CheckRunEvent() as event:
            return _pressed(session, services, event)
        case InstallationEvent(account=account) | InstallationRepositoriesEvent(account=account):
            return _installation_changed(session, services, account)
        case _:
            return "ignored"


def _pressed(session: Session, services: Services, event: CheckRunEvent) -> Action:
    """Act on a button of our check, or have the check said once more; other Apps' checks are none of our business."""
    named = _EXTERNAL_ID.fullmatch(event.external_id)
    if named is None or event.app_id != services.settings.github_app_id:
        return "ignored"
    if (int(named["repository_id"]), named["head_sha"]) != (event.repository_id, event.head_sha):
        return "ignored"
    number, now = int(named["number"]), services.clock()
    if event.action == "requested_action":
        heard = services.github is not None and hear_press(session, event, pull_number=number, now=now)
        return "heard" if heard else "ignored"
    pull = session.scalar(select(Pull).where(Pull.repository_id == event.repository_id, Pull.number == number))
    if pull is None or pull.head_sha != event.head_sha:
        return "ignored"  # the check of an older commit says what was true of that commit
    # What was said before no longer counts as said, so that judging again says it again.
    said = (Post.pull_id == pull.id, Post.head_sha == event.head_sha, Post.state == "sent")
    session.execute(update(Post).where(*said).values(state="superseded"))
    enqueue(session, "read_pull" if services.github is not None else "refresh", str(pull.id), now=now)
    audit.record(
        session,
        at=now,
        actor="github",
        action="check.rerequested",
        target=f"{event.repository}#{number}",
        detail=f"by {event.sender}",
    )
    return "check_repeated"


def _installation_changed(session: Session, services: Services, account: str) -> Action:
    """Ask GitHub which of an account's repositories it lets us into: events may come late and in any order."""
    owned = func.lower(Repository.name).startswith(f"{account.lower()}/", autoescape=True)
    for repository_id in session.scalars(select(Repository.id).where(owned)):
        enqueue(session, "check_access", str(repository_id), now=services.clock())
    return "access_checked"
