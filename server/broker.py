"""The Celery application, as far as whoever only sends messages needs it."""

import logging

from celery import Celery
from kombu.exceptions import OperationalError

from server.respite import Respite
from server.settings import Settings

_log = logging.getLogger(__name__)

RUN_NEXT = "byogpu.run_next"
SWEEP = "byogpu.sweep"
_ANSWER_S = 1.0
"""How long whoever rings waits for the broker."""
_SOFT = 0.9
"""Of the lease, after which a task is told to stop."""


def create_celery(settings: Settings, *, answer_s: float = 5) -> Celery:
    """Configure Celery. Messages are hints about rows of the task table, so losing or repeating one is harmless.

    Args:
        settings: Of the service.
        answer_s: How long to wait for one answer of the broker.

    Raises:
        ValueError: No broker is configured.
    """
    if settings.redis_url is None:
        raise ValueError("Celery needs BYOGPU_REDIS_URL; without it the server runs tasks itself")
    app = Celery("byogpu", broker=settings.redis_url.get_secret_value())
    app.conf.update(
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_ignore_result=True,
        task_soft_time_limit=max(1, int(settings.task_lease_s * _SOFT)),  # fails, and says so in its row
        task_time_limit=settings.task_lease_s,  # is killed
        task_default_queue="byogpu",
        worker_prefetch_multiplier=1,
        worker_max_memory_per_child=2_000_000,  # kB
        worker_hijack_root_logger=False,
        broker_connection_retry_on_startup=True,
        broker_transport_options={
            "visibility_timeout": settings.task_lease_s,
            "socket_timeout": answer_s,
            "socket_connect_timeout": 1,  # a request that rings must not wait for a broker that is gone
            "max_retries": 1,
            "interval_start": 0,
            "interval_step": 0.1,
            "interval_max": 0.1,
        },
        beat_schedule={"sweep": {"task": SWEEP, "schedule": settings.sweep_interval_s}},
        beat_schedule_filename=str(settings.data_dir / "celerybeat-schedule"),
        timezone="UTC",
    )
    return app


class CeleryBell:
    """Rings by sending a message; a lost message is made up for by the sweep.

    Args:
        settings: Of the service.
        respite: For a broker that does not answer.
    """

    def __init__(self, settings: Settings, respite: Respite | None = None) -> None:
        self._app = create_celery(settings, answer_s=_ANSWER_S)
        self._respite = respite or Respite()

    def ring(self) -> None:
        """See `queue.Bell`."""
        if self._respite.resting:
            return
        try:
            with self._respite.watch():
                self._app.send_task(RUN_NEXT, retry=False)
        except OperationalError:
            _log.warning("the broker cannot be reached; the next sweep will find the work")

    def alive(self) -> bool:
        """See `queue.Bell`."""
        try:
            with self._app.connection_for_write() as connection:
                connection.ensure_connection(max_retries=1, timeout=2, interval_start=0, interval_step=0)
        except OperationalError:
            return False
        return True
