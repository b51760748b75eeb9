"""Runs an engine in a thread of its own and hands its outputs to coroutines.

The event loop never touches the engine: requests and aborts travel to the thread through one queue, outputs travel
back once a step. If a step raises, the engine stops for good and every open and later request is told so; carrying
on with a cache in an unknown state would give wrong answers.
"""

import asyncio
import itertools
import logging
import queue
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TypeVar

from k3_decode.engine.core import Engine
from k3_decode.engine.request import FinishReason, Output, RequestError, SamplingParams
from k3_decode.engine.stats import Stats

_LOG = logging.getLogger(__name__)

_Add = tuple[str, tuple[int, ...], SamplingParams]
_T = TypeVar("_T")


class EngineStoppedError(RequestError):
    """The engine has stopped and answers nothing more."""

    def __init__(self, detail: str) -> None:
        super().__init__("engine_stopped", detail, status=503)


class EngineThread:
    """The engine's front door for one event loop.

    Args:
        engine: An engine that nothing else uses.

    Attributes:
        engine: Read its configuration and ledger; everything else belongs to the thread.
        stats: The latest reading, replaced whole after every step.
        failure: What stopped the engine, or None while it is well.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.stats: Stats = engine.stats()
        self.failure: str | None = None
        self._commands: queue.SimpleQueue[_Add | str | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._groups: dict[str, RequestGroup] = {}
        self._names = itertools.count()

    def start(self) -> None:
        """Start the thread; outputs go to the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    async def stop(self) -> None:
        """End the thread after its current step, and every open request with an error; twice is fine."""
        self._commands.put(None)
        await asyncio.to_thread(self._thread.join)
        self._fail("the engine is shutting down")

    def open(self, prompts: Sequence[Sequence[int]], params: SamplingParams) -> "RequestGroup":
        """Queue one request for each prompt; all or none.

        Returns:
            Their outputs. Close it when done.

        Raises:
            RequestError: What `Engine.check` refuses; ``queue_full``.
            EngineStoppedError: The engine has stopped.
        """
        if self.failure is not None:
            raise EngineStoppedError(self.failure)
        for prompt in prompts:
            self.engine.check(prompt, params)
        limit = self.engine.config.max_running + self.engine.config.max_waiting
        if len(self._groups) + len(prompts) > limit:
            raise RequestError("queue_full", f"at most {limit} requests may be open", status=429)
        names = [f"request-{next(self._names)}" for _ in prompts]
        group = RequestGroup(self, names)
        for name, prompt in zip(names, prompts, strict=True):
            self._groups[name] = group
            self._commands.put((name, tuple(prompt), params))
        return group

    def abort(self, request_id: str) -> None:
        """Abort a request unless it has ended."""
        if self._groups.pop(request_id, None) is not None:
            self._commands.put(request_id)

    def _run(self) -> None:
        try:
            while self._obey():
                outputs = self.engine.step()
                self.stats = self.engine.stats()
                if outputs:
                    self._post(self._deliver, outputs)
        except Exception as error:
            _LOG.exception("the engine stopped")
            self._post(self._fail, f"a step failed: {error}")

    def _obey(self) -> bool:
        """Take all waiting commands, sleeping for one if there is nothing to run; return whether to go on."""
        block = self.engine.idle
        while True:
            try:
                command = self._commands.get(block=block)
            except queue.Empty:
                return True
            block = False
            match command:
                case None:
                    return False
                case str():
                    self.engine.abort(command)
                case (request_id, prompt, params):
                    self.engine.add(request_id, prompt, params)

    def _post(self, call: Callable[[_T], None], argument: _T) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(call, argument)

    def _deliver(self, outputs: Sequence[Output]) -> None:
        for output in outputs:
            # An aborted request may still have had an output under way.
            if (group := self._groups.get(output.request_id)) is not None:
                group.put(output)
                if output.finish is not None:
                    del self._groups[output.request_id]

    def _fail(self, detail: str) -> None:
        self.failure = self.failure or detail
        for group in set(self._groups.values()):
            group.put(EngineStoppedError(detail))
        self._groups.clear()


class RequestGroup:
    """The outputs of the requests of one call, for one coroutine."""

    def __init__(self, thread: EngineThread, names: Sequence[str]) -> None:
        self._thread = thread
        self._index = {name: index for index, name in enumerate(names)}
        self._outputs: asyncio.Queue[Output | RequestError] = asyncio.Queue()

    def put(self, output: Output | RequestError) -> None:
        """Add an output; called on the event loop."""
        self._outputs.put_nowait(output)

    async def outputs(self) -> AsyncIterator[tuple[int, Output]]:
        """Yield outputs with the index of their prompt, in order for each prompt, until all have finished.

        Raises:
            RequestError: The engine could not finish one of them.
        """
        open_requests = len(self._index)
        while open_requests:
            output = await self._outputs.get()
            if isinstance(output, RequestError):
                raise output
            if output.finish is FinishReason.ERROR:
                raise RequestError("non_finite_logits", output.error or "the request failed", status=500)
            if output.finish is not None:
                open_requests -= 1
            yield self._index[output.request_id], output

    def close(self) -> None:
        """Abort the requests that have not ended."""
        for name in self._index:
            self._thread.abort(name)
