"""Counting tries: every try at a run leaves a line before it begins, so that an abandoned one is known too.

The file belongs to the contributor, who can edit it; what it is good for is that an honest one cannot forget.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from worker.bundle import BundleError, canonical, digest, parse_record
from worker.bundle.blobs import write_atomically
from worker.bundle.record import Positive, Record, Sha256
from worker.bundle.schema import Attempt, Subject
from worker.errors import WorkerError

MAX_LISTED = 200
"""Attempts that a bundle lists, the newest; their numbers tell how many there were."""


class _Entry(Record):
    run: Sha256
    attempt: Attempt


class _State(Record):
    entries: tuple[_Entry, ...]


@dataclass(frozen=True)
class Attempts:
    """The attempts on this machine.

    Attributes:
        path: The file that holds them; made when needed.
    """

    path: Path

    def begin(self, run: Sha256, *, now: datetime) -> tuple[int, tuple[Attempt, ...]]:
        """Note that a try begins; until `finish` it counts as abandoned.

        Args:
            run: What is tried, see `run_key`.
            now: Wall-clock time.

        Returns:
            The try's number, and the earlier ones.

        Raises:
            WorkerError: ``state_invalid``, ``work_folder_unusable``.
        """
        with self._locked() as state:
            earlier = tuple(entry.attempt for entry in state.entries if entry.run == run)
            number = max((attempt.number for attempt in earlier), default=0) + 1
            attempt = Attempt(number=number, started_at=now, outcome="abandoned", detail="it did not end by itself")
            self._write(_State(entries=(*state.entries, _Entry(run=run, attempt=attempt))))
        return number, earlier[-MAX_LISTED:]

    def finish(self, run: Sha256, number: Positive, *, outcome: Literal["completed", "failed"], detail: str) -> None:
        """Say how a try ended.

        Raises:
            WorkerError: ``state_invalid``, ``work_folder_unusable``.
        """
        with self._locked() as state:
            self._write(_State(entries=tuple(_ended(entry, run, number, outcome, detail) for entry in state.entries)))

    @contextmanager
    def _locked(self) -> Iterator[_State]:
        """Hold the file against other runs and read it."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.with_suffix(".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield self._read()
        except OSError as error:
            raise WorkerError("work_folder_unusable", f"{self.path.parent}: {error.strerror}") from error

    def _read(self) -> _State:
        if not self.path.exists():
            return _State(entries=())
        try:
            return parse_record(self.path.read_bytes(), _State, code="state_invalid")
        except BundleError as error:
            raise WorkerError("state_invalid", f"{self.path}: {error.detail}; move it away to start anew") from error

    def _write(self, state: _State) -> None:
        write_atomically(self.path, canonical(state))


def run_key(subject: Subject, *, candidate_tree: str) -> Sha256:
    """What makes two tries tries at the same run: suite, pull request, commit, and the candidate's source."""
    facts = {
        "suite": subject.suite.digest if subject.suite is not None else None,
        "repository_id": subject.repository_id,
        "pull_number": subject.pull_number,
        "head_sha": subject.head_sha,
        "candidate_tree": candidate_tree,
    }
    return digest(canonical(facts))


def _ended(entry: _Entry, run: str, number: int, outcome: Literal["completed", "failed"], detail: str) -> _Entry:
    if (entry.run, entry.attempt.number) != (run, number):
        return entry
    return _Entry(run=run, attempt=entry.attempt.model_copy(update={"outcome": outcome, "detail": detail}))
