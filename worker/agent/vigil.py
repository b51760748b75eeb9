"""The heartbeat of one job: a thread of its own, so that the lease holds whatever the job does."""

import threading
from types import TracebackType
from typing import Literal, Self

from worker.agent.api import Grant
from worker.agent.client import Leases
from worker.errors import ServerError, WorkerError

Word = Literal["lost", "cancelled"]
_ENDED = ("lease_lost", "job_not_found", "node_not_found", "node_not_yours")


class Vigil:
    """Keeps a lease while the block lasts.

    Args:
        leases: A connection of its own: the job's other requests may take long.
        granted: The lease.
    """

    def __init__(self, leases: Leases, granted: Grant) -> None:
        self._leases = leases
        self._granted = granted
        self._stop = threading.Event()
        self._word: Word | None = None
        self._thread = threading.Thread(target=self._watch, name="byogpu-heartbeat", daemon=True)

    @property
    def word(self) -> Word | None:
        """What the service said: the lease is ``lost``, or the job ``cancelled``. None: go on."""
        return self._word

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(self._granted.heartbeat_s):
            try:
                heard = self._leases.heartbeat(self._granted)
            except ServerError as error:
                if error.server_code in _ENDED:
                    self._word = "lost"
                    return
            except WorkerError:
                continue  # an answer that makes no sense is as good as none; the next one may
            else:
                if heard.cancel:
                    self._word = "cancelled"
                    return
