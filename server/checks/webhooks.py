"""Acting on a verified webhook delivery, once."""

from server.checks import pulls
from server.checks.schemas import WebhookReceipt
from server.db import inserter
from server.github import PullRequestEvent, WebhookDelivery
from server.models import Delivery
from server.queue import enqueue
from server.services import Services


def handle(services: Services, delivery: WebhookDelivery) -> WebhookReceipt:
    """Note the delivery and what it says about a pull request, in one transaction.

    A delivery id that was seen before changes nothing. With credentials the pull request is read again from the API
    afterwards, so deliveries may come late and in any order.
    """
    now = services.clock()
    with services.database.write() as session:
        row = inserter(session)(Delivery).values(id=delivery.delivery_id, event=delivery.name, received_at=now)
        if session.execute(row.on_conflict_do_nothing().returning(Delivery.id)).one_or_none() is None:
            return WebhookReceipt(delivery_id=delivery.delivery_id, action="repeated")
        if not isinstance(delivery.event, PullRequestEvent):
            return WebhookReceipt(delivery_id=delivery.delivery_id, action="ignored")
        pull_id = pulls.store(session, services, pulls.from_event(delivery.event), actor="github")
        if services.github is not None:
            enqueue(session, "read_pull", str(pull_id), now=now)
    services.bell.ring()
    return WebhookReceipt(delivery_id=delivery.delivery_id, action="pull_updated")
