"""Signed webhooks, one at a time, each kept so that it can be looked at and sent again."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import uuid
from collections import deque
from collections.abc import Mapping

import httpx
from pydantic import BaseModel, ConfigDict

from standin.settings import WebhookTarget

KEPT = 200


class Delivery(BaseModel):
    """One attempt to deliver an event.

    Attributes:
        id: ``X-GitHub-Delivery``; a redelivery has the id of the first attempt.
        status: The receiver's HTTP status, or None when it did not answer.
        error: Why it did not answer.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    event: str
    action: str | None
    body: bytes
    status: int | None
    error: str | None


class Hooks:
    """Sends events to the target and waits for its answer. Without a target nothing is sent or kept.

    Args:
        target: Where to.
    """

    def __init__(self, target: WebhookTarget | None) -> None:
        self._target = target
        self._lock = threading.Lock()
        self._deliveries: deque[Delivery] = deque(maxlen=KEPT)

    def send(self, event: str, payload: Mapping[str, object]) -> Delivery | None:
        """Send one event; a receiver that fails is recorded, never raised."""
        if self._target is None:
            return None
        action = payload.get("action")
        body = json.dumps(payload, ensure_ascii=False).encode()
        return self._attempt(str(uuid.uuid4()), event, str(action) if action is not None else None, body, self._target)

    def redeliver(self, delivery_id: str) -> Delivery | None:
        """Send a kept event again under the same id; None when there is no such event."""
        first = next((delivery for delivery in self.deliveries() if delivery.id == delivery_id), None)
        if first is None or self._target is None:
            return None
        return self._attempt(first.id, first.event, first.action, first.body, self._target)

    def deliveries(self) -> list[Delivery]:
        """Return the latest attempts, oldest first."""
        with self._lock:
            return list(self._deliveries)

    def _attempt(
        self, delivery_id: str, event: str, action: str | None, body: bytes, target: WebhookTarget
    ) -> Delivery:
        signature = hmac.new(target.secret.encode(), body, hashlib.sha256).hexdigest()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/standin",
            "X-GitHub-Delivery": delivery_id,
            "X-GitHub-Event": event,
            "X-Hub-Signature-256": f"sha256={signature}",
        }
        status, error = None, None
        try:
            with httpx.Client(timeout=target.timeout_s, trust_env=False) as client:
                status = client.post(target.url, content=body, headers=headers).status_code
        except httpx.HTTPError as failure:
            error = f"{type(failure).__name__}: {failure}"
        delivery = Delivery(id=delivery_id, event=event, action=action, body=body, status=status, error=error)
        with self._lock:
            self._deliveries.append(delivery)
        return delivery
