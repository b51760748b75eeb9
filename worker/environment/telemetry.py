"""NVML samples taken in the background while an eval measures."""

import threading
import time
from types import TracebackType
from typing import Self

from worker.bundle.samples import TelemetryRow
from worker.environment.nvml import Nvml

INTERVAL_S = 0.2


class Telemetry:
    """Samples every GPU five times a second between entering and leaving; nothing at all without GPUs.

    Args:
        nvml: Where to ask.
        began_s: The eval's zero, on `time.monotonic`; rows count from it.
    """

    def __init__(self, nvml: Nvml, *, began_s: float) -> None:
        self._nvml = nvml
        self._began_s = began_s
        self._stop = threading.Event()
        self._rows: list[TelemetryRow] = []
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        if self._nvml.gpus() not in ((), "unknown"):
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    @property
    def rows(self) -> tuple[TelemetryRow, ...]:
        """What was sampled so far."""
        return tuple(self._rows)

    def _sample(self) -> None:
        while True:
            self._rows += self._nvml.telemetry(time_s=time.monotonic() - self._began_s)
            if self._stop.wait(INTERVAL_S):
                return
