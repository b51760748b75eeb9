"""What an agent says to the service about its leases, and hears."""

from datetime import UTC, datetime
from typing import Literal

from worker.agent import api
from worker.bundle.job import EvalDone, Offer
from worker.messages import Caller

Blame = Literal["job", "node", "drained", "cancelled"]
"""Why a job is given back: see `worker.agent.api.FailPost`."""


class Leases:
    """The routes for agents, as one node.

    Args:
        service: The service.
        node_key_id: This node.
    """

    def __init__(self, service: Caller, node_key_id: str) -> None:
        self._service = service
        self._node = node_key_id

    def claim(self, offer: Offer) -> api.ClaimAnswer:
        """Ask for a job.

        Raises:
            ServerError: See `worker.service.Service`, as do the others.
        """
        asked = api.ClaimPost(node_key_id=self._node, offer=offer, sent_at=datetime.now(UTC))
        return api.claim_job(self._service, asked)

    def heartbeat(self, granted: api.Grant) -> api.HeartbeatAnswer:
        """Keep a lease."""
        said = api.HeartbeatPost(node_key_id=self._node, token=granted.token, sent_at=datetime.now(UTC))
        return api.post_heartbeat(self._service, granted.job_id, said)

    def progress(self, granted: api.Grant, done: tuple[EvalDone, ...]) -> None:
        """Say which evals are done."""
        said = api.ProgressPost(node_key_id=self._node, token=granted.token, done=done)
        api.post_progress(self._service, granted.job_id, said)

    def finish(self, granted: api.Grant, bundle_id: str) -> None:
        """Deliver a submitted bundle."""
        said = api.FinishPost(node_key_id=self._node, token=granted.token, bundle_id=bundle_id)
        api.finish_job(self._service, granted.job_id, said)

    def fail(self, granted: api.Grant, *, cause: Blame, detail: str) -> None:
        """Give a job back."""
        said = api.FailPost(node_key_id=self._node, token=granted.token, cause=cause, detail=detail)
        api.fail_job(self._service, granted.job_id, said)
