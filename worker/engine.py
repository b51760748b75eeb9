"""An arm's OpenAI-compatible server: started, waited for, asked about itself, ended."""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from worker.arms import Arm
from worker.bundle import BundleError, parse_record
from worker.deadline import Deadline
from worker.errors import EvalError
from worker.identity import EngineIdentity, parse_identity
from worker.ledger import LedgerAnswer
from worker.processes import Child

WEIGHTS_SEED = 0
"""Seed of synthetic weights: both arms, every run, the same model."""
ENGINE_THREADS = 1
"""CPU threads of one engine: two of them run side by side on the smallest machine."""
MAX_ANSWER_BYTES = 4_000_000
_POLL_S = 0.05
_ANSWER_LIMIT_S = 30.0


def model_options(config: str) -> list[str]:
    """Options by which the engine and the bench load the same model."""
    return ["--config", config, "--seed", str(WEIGHTS_SEED), "--threads", str(ENGINE_THREADS)]


class EngineServer:
    """A server of one arm. Use as a context manager; it starts at once and is ready after `wait_ready`.

    Args:
        arm: Whose code runs.
        config: Model configuration, as the suite names it.
        folder: A scratch folder of its own.

    Raises:
        WorkerError: ``process_not_started``.
    """

    def __init__(self, arm: Arm, *, config: str, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.arm = arm
        self._port_file = folder / "port"
        command = arm.module(
            "k3_decode.engine", "serve", *model_options(config), "--decode", arm.decode,
            "--host", "127.0.0.1", "--port", "0", "--port-file", str(self._port_file),
        )  # fmt: skip
        self.child = Child(command, environment=arm.environment(folder), folder=folder, keep_output=False)
        self._client = httpx.Client(trust_env=False, timeout=_ANSWER_LIMIT_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()
        self.child.stop()

    @property
    def url(self) -> str:
        """Address of the server; known once it is ready."""
        return str(self._client.base_url).rstrip("/")

    def wait_ready(self, deadline: Deadline) -> None:
        """Wait until the server answers that it is well.

        Raises:
            EvalError: ``engine_not_ready``: it ended, or announced a port that does not answer.
            TimeLimitError: The deadline passed.
        """
        while not self._port_file.is_file():
            if not self.child.running:
                raise EvalError("engine_not_ready", f"the {self.arm.name} server ended before it was ready")
            time.sleep(deadline.remaining_s(at_most=_POLL_S))
        port = self._port_file.read_text(encoding="utf-8", errors="replace").strip()[:5]
        if not (port.isascii() and port.isdigit() and 0 < int(port) < 65_536):
            raise EvalError("engine_not_ready", f"the {self.arm.name} server announced no port")
        self._client.base_url = httpx.URL(f"http://127.0.0.1:{port}")
        try:
            self._ask("GET", "/health", deadline)
        except EvalError as error:
            raise EvalError("engine_not_ready", f"the {self.arm.name} server: {error.detail}") from error

    def identity(self, deadline: Deadline) -> EngineIdentity:
        """Ask who it is.

        Raises:
            EvalError: ``answer_invalid``, ``answer_refused``, ``answer_too_large``, ``process_ended``.
            TimeLimitError: The deadline passed.
        """
        return parse_identity(self._ask("GET", "/identity", deadline))

    def take_ledger(self, deadline: Deadline) -> LedgerAnswer:
        """Read the path ledger and start it from zero.

        Raises:
            EvalError: As `identity`.
            TimeLimitError: The deadline passed.
        """
        try:
            return parse_record(self._ask("POST", "/ledger/reset", deadline), LedgerAnswer, code="answer_invalid")
        except BundleError as error:
            raise EvalError("answer_invalid", f"ledger: {error.detail}") from error

    def counters(self, deadline: Deadline) -> Mapping[str, float]:
        """Read the server's own counters, by name with labels.

        Raises:
            EvalError: As `identity`.
            TimeLimitError: The deadline passed.
        """
        return parse_counters(self._ask("GET", "/metrics", deadline).decode("utf-8", "replace"))

    def generate(self, prompts: Sequence[str], *, output_tokens: int, deadline: Deadline) -> None:
        """Have each prompt continued, one after the other, and drop the answers: warms the server up.

        Raises:
            EvalError: As `identity`.
            TimeLimitError: The deadline passed.
        """
        for prompt in prompts:
            body = {"prompt": prompt, "max_tokens": output_tokens, "temperature": 0, "ignore_eos": True}
            self._ask("POST", "/v1/completions", deadline, body=json.dumps(body).encode())

    def complete(self, body: Mapping[str, object], deadline: Deadline) -> bytes:
        """Ask for one completion and return the answer as it came.

        Raises:
            EvalError: As `identity`.
            TimeLimitError: The deadline passed.
        """
        return self._ask("POST", "/v1/completions", deadline, body=json.dumps(body).encode())

    def _ask(self, method: str, path: str, deadline: Deadline, *, body: bytes | None = None) -> bytes:
        headers = {} if body is None else {"Content-Type": "application/json"}
        answer = bytearray()
        timeout_s = deadline.remaining_s(at_most=_ANSWER_LIMIT_S)
        try:
            with self._client.stream(method, path, content=body, headers=headers, timeout=timeout_s) as response:
                for chunk in response.iter_bytes():
                    answer += chunk
                    if len(answer) > MAX_ANSWER_BYTES:
                        raise EvalError("answer_too_large", f"{path}: more than {MAX_ANSWER_BYTES} bytes")
                    deadline.remaining_s()
        except httpx.TimeoutException as error:
            deadline.remaining_s()
            raise EvalError("answer_invalid", f"{path}: no answer within {timeout_s:g} s") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            code = "answer_invalid" if self.child.running else "process_ended"
            raise EvalError(code, f"{path}: {type(error).__name__}") from error
        if response.status_code != 200:
            raise EvalError("answer_refused", f"{path}: status {response.status_code}")
        return bytes(answer)


def parse_counters(text: str) -> Mapping[str, float]:
    """Read Prometheus text: sample name with labels to value. Lines that are no such sample are skipped."""
    found: dict[str, float] = {}
    for line in text.splitlines():
        name, _, value = line.rpartition(" ")
        if not name or line.startswith("#") or len(name) > 200 or not name.isprintable():
            continue
        try:
            number = float(value)
        except ValueError:
            continue
        if 0 <= number < float("inf"):
            found[name] = number
    return found
