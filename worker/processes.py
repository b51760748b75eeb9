"""Programs that an eval drives: started in a clean environment, bounded in what they may write, always ended.

A program of an arm is somebody else's code. It gets its own process group and an environment made of an allow-list
(`worker.variables`), so no upload token, node key or home folder is named in it. That keeps honest code honest; code
that means harm runs as the same user here, and belongs into the container (`containers/eval-smoke`).
"""

import os
import queue
import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from worker.deadline import Deadline
from worker.errors import EvalError, TimeLimitError, WorkerError

MAX_LINE_BYTES = 32_000_000
MAX_OUTPUT_BYTES = 256_000_000
LOG_TAIL_BYTES = 64_000
GRACE_S = 5.0
LAST_WORDS_S = 2.0
_MARK = "BYOGPU_PROCESS_MARK"
_CHUNK_BYTES = 1 << 16


class Tail:
    """The last `LOG_TAIL_BYTES` of a stream, however much comes."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._lock = threading.Lock()

    def pump(self, stream: IO[bytes]) -> None:
        """Read a stream to its end."""
        while chunk := os.read(stream.fileno(), _CHUNK_BYTES):
            with self._lock:
                self._bytes += chunk
                del self._bytes[:-LOG_TAIL_BYTES]

    def text(self) -> str:
        """What is held, as text; bytes that are not UTF-8 become U+FFFD."""
        with self._lock:
            return self._bytes.decode("utf-8", "replace")


class Child:
    """A running program. Use as a context manager: leaving it ends the program and all it started.

    Args:
        command: Program and arguments.
        environment: All of its environment, see `clean_environment`.
        folder: Its working folder.
        keep_output: Collect what it writes to standard output, for `read_line`; False sends that to the log as well.

    Raises:
        WorkerError: ``process_not_started``.
    """

    def __init__(
        self, command: Sequence[str | Path], *, environment: Mapping[str, str], folder: Path, keep_output: bool = True
    ) -> None:
        self._mark = secrets.token_hex(16)
        self._log = Tail()
        self._lines: queue.SimpleQueue[bytes | WorkerError] = queue.SimpleQueue()
        try:
            self._process = subprocess.Popen(
                [str(part) for part in command],
                env={**environment, _MARK: self._mark},
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if keep_output else subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise WorkerError("process_not_started", f"{Path(command[0]).name}: {error.strerror}") from error
        assert self._process.stdout is not None
        jobs = [(self._log.pump, self._process.stderr or self._process.stdout)]
        if keep_output:
            jobs.append((self._collect, self._process.stdout))
        self._threads = [threading.Thread(target=job, args=(stream,), daemon=True) for job, stream in jobs]
        self._reader_of_log = self._threads[0]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def log(self) -> str:
        """The end of what the program wrote to its log (standard error); all of it, once the program has ended."""
        if not self.running:
            self._reader_of_log.join(LAST_WORDS_S)  # bounded: what the program started may hold its log open
        return self._log.text()

    @property
    def running(self) -> bool:
        """Whether the program has not ended; leaves it unreaped, so that its process group stays ours."""
        return (
            self._process.returncode is None
            and os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None
        )

    def write_line(self, line: bytes) -> None:
        """Send a line to standard input.

        Raises:
            EvalError: ``process_ended``.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise EvalError("process_ended", self._how_it_ended()) from error

    def read_line(self, deadline: Deadline) -> bytes:
        """Wait for the next line of standard output, without its end.

        Raises:
            EvalError: ``process_ended`` before a whole line, ``answer_too_large``.
            TimeLimitError: The deadline passed.
        """
        line = self._next(deadline)
        if not line.endswith(b"\n"):
            raise EvalError("process_ended", self._how_it_ended())
        return line[:-1]

    def read_all(self, deadline: Deadline, *, accepted: Sequence[int] = (0,)) -> bytes:
        """Wait for the program's end and return its standard output.

        Raises:
            EvalError: ``answer_too_large``, and as `wait`.
            TimeLimitError: The deadline passed.
        """
        output = b"".join(iter(lambda: self._next(deadline), b""))
        self.wait(deadline, accepted=accepted)
        return output

    def wait(self, deadline: Deadline, *, accepted: Sequence[int] = (0,)) -> None:
        """Wait for the program's end.

        Args:
            deadline: When to give up.
            accepted: Exit statuses that are fine.

        Raises:
            EvalError: ``process_ended`` with another status.
            TimeLimitError: The deadline passed.
        """
        try:
            status = self._process.wait(deadline.remaining_s())
        except subprocess.TimeoutExpired as error:
            raise TimeLimitError(deadline.limit_s) from error
        if status not in accepted:
            raise EvalError("process_ended", self._how_it_ended())

    def stop(self, *, grace_s: float = GRACE_S) -> None:
        """End the program and all it started: SIGTERM, then after ``grace_s`` seconds SIGKILL. Safe to repeat."""
        if self._process.returncode is None:
            self._signal_group(signal.SIGTERM)
            ends_at_s = time.monotonic() + grace_s
            while self.running and time.monotonic() < ends_at_s:
                time.sleep(0.02)
            self._signal_group(signal.SIGKILL)
            self._process.wait()
        _kill_marked(self._mark)
        for thread in self._threads:
            thread.join(GRACE_S)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _next(self, deadline: Deadline) -> bytes:
        """The next line with its end, ``b""`` once nothing more comes; the last line may lack its end."""
        try:
            line = self._lines.get(timeout=deadline.remaining_s())
        except queue.Empty as error:
            raise TimeLimitError(deadline.limit_s) from error
        if isinstance(line, WorkerError):
            self._lines.put(line)
            raise line
        if not line:
            self._lines.put(line)
        return line

    def _signal_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def _how_it_ended(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            status = self._process.wait(GRACE_S)
            return f"ended with signal {-status}" if status < 0 else f"ended with status {status}"
        return "closed its output and went on running"

    def _collect(self, stream: IO[bytes]) -> None:
        """Queue whole lines, then an empty one for the end; what is beyond the limits is read and dropped."""
        total = 0
        while line := stream.readline(MAX_LINE_BYTES + 1):
            total += len(line)
            if len(line) > MAX_LINE_BYTES or total > MAX_OUTPUT_BYTES:
                self._lines.put(EvalError("answer_too_large", f"wrote more than {min(total, MAX_OUTPUT_BYTES)} bytes"))
                while stream.read(_CHUNK_BYTES):
                    pass
                return
            self._lines.put(line)
        self._lines.put(b"")


@dataclass(frozen=True)
class Finished:
    """A program that ran to its end.

    Attributes:
        output: Its standard output.
        log: The end of its standard error.
    """

    output: bytes
    log: str


def run(command: Sequence[str | Path], *, environment: Mapping[str, str], folder: Path, deadline: Deadline) -> Finished:
    """Run a program to its end.

    Raises:
        WorkerError: ``process_not_started``.
        EvalError: ``process_ended`` with another status than 0, ``answer_too_large``.
        TimeLimitError: The deadline passed.
    """
    with Child(command, environment=environment, folder=folder) as child:
        return Finished(child.read_all(deadline), child.log)


def _marked(mark: str) -> Iterable[int]:
    wanted = f"{_MARK}={mark}".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                yield int(entry.name)


def _kill_marked(mark: str) -> None:
    """Kill what left the process group but still carries the mark; repeated, since it may be forking."""
    for _ in range(10):
        found = [pid for pid in _marked(mark) if pid != os.getpid()]
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            return
        time.sleep(0.02)
