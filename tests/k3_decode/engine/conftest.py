import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field

import pytest
import torch

from k3_decode.config import CONFIGS
from k3_decode.decoder import NOT_BUILT
from k3_decode.engine.config import EngineConfig
from k3_decode.engine.core import Engine
from k3_decode.engine.request import Output, SamplingParams
from k3_decode.reference.model import K3Model

SMALL = {"max_running": 8, "max_model_len": 256, "num_blocks": 128, "max_step_tokens": 64}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def model64() -> K3Model:
    """In float64 the order of sums cannot change a greedy token, so outputs can be compared exactly."""
    return K3Model.synthetic(CONFIGS["k3-tiny"], 0, torch.float64, dequantize_experts=True)


class ScriptedModel:
    """Stands in for a model: after the token at position p it wants ``script[p + 1]``, whatever the tokens are."""

    def __init__(self, script: Sequence[int], *, fault_at: int | None = None, crash_at: int | None = None) -> None:
        self.config = CONFIGS["k3-tiny"]
        self.device = torch.device("cpu")
        self.dtype = torch.float32
        self._script = list(script)
        self._fault_at = fault_at
        self._crash_at = crash_at

    def new_cache(self, **sizes: int) -> None:
        return None

    def forward(self, batch, cache) -> torch.Tensor:
        positions = torch.cat(
            [
                context + torch.arange(stop - start)
                for context, start, stop in zip(
                    batch.context_lens.tolist(),
                    batch.query_starts[:-1].tolist(),
                    batch.query_starts[1:].tolist(),
                    strict=True,
                )
            ]
        )[batch.logit_rows]
        logits = torch.zeros(len(positions), self.config.vocab_size)
        for row, position in enumerate(positions.tolist()):
            if position == self._crash_at:
                raise RuntimeError("the device is gone")
            logits[row, self._script[(position + 1) % len(self._script)]] = 10.0
            if position == self._fault_at:
                logits[row, 7] = torch.nan
        return logits


@dataclass
class Answer:
    """Everything the engine said about one request."""

    tokens: list[int] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def last(self) -> Output:
        return self.outputs[-1]


class Driver:
    """Steps an engine and gathers its outputs."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.answers: dict[str, Answer] = {}
        self.steps = 0

    def step(self) -> None:
        outputs = self.engine.step()
        self.steps += 1
        for output in outputs:
            answer = self.answers.setdefault(output.request_id, Answer())
            assert not answer.outputs or answer.last.finish is None, "an output after the last"
            answer.tokens += output.tokens
            answer.pieces.append(output.text)
            answer.outputs.append(output)

    def drain(self) -> dict[str, Answer]:
        while not self.engine.idle:
            self.step()
            assert self.steps < 5000, "the engine does not come to an end"
        return self.answers


@pytest.fixture
def make_engine(model64: K3Model) -> Callable[..., Engine]:
    def make(model=model64, *, mode="stock", specialization=NOT_BUILT, **limits: int) -> Engine:
        return Engine(model, config=EngineConfig(**(SMALL | limits)), mode=mode, specialization=specialization)

    return make


@pytest.fixture
def drive() -> type[Driver]:
    return Driver


@pytest.fixture
def scripted() -> type[ScriptedModel]:
    return ScriptedModel


@pytest.fixture
def greedy() -> Callable[..., SamplingParams]:
    def make(max_tokens: int = 8, **others) -> SamplingParams:
        return SamplingParams(max_tokens=max_tokens, seed=0, temperature=0.0, **others)

    return make


@pytest.fixture
def in_loop() -> Callable[[Coroutine], object]:
    def run(work):
        return asyncio.run(asyncio.wait_for(work, timeout=60))

    return run
