"""What an agent says to the service, and hears."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AwareDatetime, Field

from worker.bundle.job import EvalDone, JobId, Offer
from worker.bundle.record import Amount, Label, Text
from worker.messages import Answer
from worker.service import Service

_JOBS = "/api/v1/jobs"
MAX_ENVELOPE_CHARACTERS = 64_000


class Granted(Answer):
    """A job with its lease."""

    job_id: JobId
    token: Annotated[int, Field(ge=1)]
    envelope: Annotated[str, Field(max_length=MAX_ENVELOPE_CHARACTERS)]
    heartbeat_s: Annotated[float, Field(gt=0, le=3600)]
    done: Annotated[tuple[EvalDone, ...], Field(max_length=100)]


class Hindrance(Answer):
    """Why there is no job."""

    code: Label
    jobs: Annotated[int, Field(ge=0)]
    detail: Text


class Claimed(Answer):
    """What the service has for this node."""

    job: Granted | None
    hindrances: Annotated[tuple[Hindrance, ...], Field(max_length=100)]
    ask_again_s: Amount


class Heard(Answer):
    """The answer to a heartbeat."""

    cancel: bool
    server_time: Annotated[AwareDatetime, Field(strict=False)]


class Leases:
    """The routes for agents.

    Args:
        service: The service.
        node_key_id: This node.
    """

    def __init__(self, service: Service, node_key_id: str) -> None:
        self._service = service
        self._node = node_key_id

    def claim(self, offer: Offer) -> Claimed:
        """Ask for a job.

        Raises:
            ServerError: See `Service`, as do the others.
        """
        body = {"node_key_id": self._node, "offer": offer.model_dump(mode="json"), "sent_at": _now()}
        return self._service.post(f"{_JOBS}/claim", body, Claimed)

    def heartbeat(self, granted: Granted) -> Heard:
        """Keep a lease."""
        return self._service.post(self._path(granted, "heartbeat"), self._body(granted, sent_at=_now()), Heard)

    def progress(self, granted: Granted, done: tuple[EvalDone, ...]) -> None:
        """Say which evals are done."""
        plain = [one.model_dump(mode="json") for one in done]
        self._service.post(self._path(granted, "progress"), self._body(granted, done=plain), Answer)

    def finish(self, granted: Granted, bundle_id: str) -> None:
        """Deliver a submitted bundle."""
        self._service.post(self._path(granted, "finish"), self._body(granted, bundle_id=bundle_id), Answer)

    def fail(self, granted: Granted, *, cause: str, detail: str) -> None:
        """Give a job back."""
        self._service.post(self._path(granted, "fail"), self._body(granted, cause=cause, detail=detail), Answer)

    def _body(self, granted: Granted, **more: object) -> dict[str, object]:
        return {"node_key_id": self._node, "token": granted.token, **more}

    def _path(self, granted: Granted, verb: str) -> str:
        return f"{_JOBS}/{granted.job_id}/{verb}"


def _now() -> str:
    return datetime.now(UTC).isoformat()
