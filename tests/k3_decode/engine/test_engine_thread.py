import asyncio

import pytest

from k3_decode.engine.engine_thread import EngineStoppedError, EngineThread
from k3_decode.engine.request import FinishReason, RequestError


async def collect(group) -> list:
    return [output async for _, output in group.outputs()]


@pytest.fixture
def running(make_engine, scripted):
    """A thread over an engine that spells the alphabet."""

    class Running:
        def __init__(self, **options) -> None:
            limits = {key: options.pop(key) for key in list(options) if key in ("max_running", "max_waiting")}
            script = b"abcdefghijklmnopqrstuvwxyz"
            self.thread = EngineThread(make_engine(scripted(script, **options), **limits))

        async def __aenter__(self) -> EngineThread:
            self.thread.start()
            return self.thread

        async def __aexit__(self, *_) -> None:
            await self.thread.stop()

    return Running


async def until(condition) -> None:
    while not condition():
        await asyncio.sleep(0.005)


def test_outputs_come_in_order_with_their_index(running, greedy, in_loop):
    async def work():
        async with running() as thread:
            group = thread.open([[65], [65, 66]], greedy(5))
            text = {0: "", 1: ""}
            async for index, output in group.outputs():
                text[index] += output.text
            group.close()
            return text

    assert in_loop(work()) == {0: "bcdef", 1: "cdefg"}


def test_closing_a_group_aborts_its_requests(running, greedy, in_loop):
    async def work():
        async with running() as thread:
            group = thread.open([[65]], greedy(200))
            async for _ in group.outputs():
                break
            group.close()
            await until(lambda: thread.stats.finished.get(FinishReason.ABORT) == 1)
            return thread.stats

    stats = in_loop(work())
    assert (stats.running, stats.blocks_used, stats.slots_used) == (0, 0, 0)
    assert stats.generation_tokens < 200


def test_a_group_that_cannot_all_be_taken_is_refused_whole(running, greedy, in_loop):
    async def work():
        async with running(max_running=1, max_waiting=1) as thread:
            with pytest.raises(RequestError) as full:
                thread.open([[65]] * 3, greedy(5))
            with pytest.raises(RequestError) as bad:
                thread.open([[65], []], greedy(5))
            outputs = await collect(thread.open([[65]] * 2, greedy(5)))
            return full.value, bad.value, outputs

    full, bad, outputs = in_loop(work())
    assert (full.code, full.status, bad.code) == ("queue_full", 429, "empty_prompt")
    assert sum(output.finish is not None for output in outputs) == 2


def test_logits_that_are_not_finite_reach_the_caller_as_an_error(running, greedy, in_loop):
    async def work():
        async with running(fault_at=2) as thread:
            with pytest.raises(RequestError) as fault:
                await collect(thread.open([[65]], greedy(5)))
            assert thread.failure is None
            return fault.value

    assert in_loop(work()).code == "non_finite_logits"


def test_a_step_that_raises_stops_the_engine_for_everybody(running, greedy, in_loop, caplog):
    async def work():
        async with running(crash_at=2) as thread:
            groups = [thread.open([[65]], greedy(5)) for _ in range(2)]
            for group in groups:
                with pytest.raises(EngineStoppedError, match="the device is gone"):
                    await collect(group)
            with pytest.raises(EngineStoppedError):
                thread.open([[65]], greedy(1))
            return thread.failure

    assert "the device is gone" in in_loop(work())
    assert "the engine stopped" in caplog.text


def test_stopping_ends_open_requests(running, greedy, in_loop):
    async def work():
        async with running() as thread:
            group = thread.open([[65]], greedy(200))
        with pytest.raises(EngineStoppedError, match="shutting down"):
            await collect(group)

    in_loop(work())
