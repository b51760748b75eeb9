"""Every kernel of a step, launched a hundred times at unsteady moments and inside a graph, gives the same bits."""

import os
import pathlib
from dataclasses import dataclass

import pytest
import torch

from k3_decode.bench.random_model import RandomWeights
from k3_decode.build.sets import VERIFIED_ROWS, VERIFIED_TOKENS
from k3_decode.config import CONFIGS
from k3_decode.kernels.library import KernelLibrary
from k3_decode.kernels.operator import Operator
from k3_decode.reference.batch import StepBatch
from k3_decode.specialized.operators import StepOperators
from k3_decode.specialized.path import KernelPath

pytestmark = pytest.mark.gpu

LAUNCHES, PAGE, CONTEXT = 100, 64, 300
INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32}


@dataclass
class Call:
    """One launch: its tensors that kernels write or may have written, as they were before and after."""

    operator: Operator
    tensors: tuple[torch.Tensor, ...]
    before: list[torch.Tensor]
    after: list[torch.Tensor]

    @property
    def mutable(self) -> list[torch.Tensor]:
        return mutable(self.operator, self.tensors)


def mutable(operator, tensors):
    return [tensor for tensor, each in zip(tensors, operator.arguments, strict=True) if not each.static]


def bits(tensor):
    return tensor.view(INTEGERS[tensor.element_size()])


class Recording:
    """Hands out a library's kernels, and notes the first launch of each while asked to."""

    def __init__(self, library):
        self.manifest, self._library = library.manifest, library
        self.calls: dict[str, Call] | None = None

    def kernel(self, operator):
        kernel = self._library.kernel(operator)

        def launch(*tensors):
            if self.calls is None or operator.name in self.calls:
                kernel(*tensors)
                return
            before = [tensor.clone() for tensor in mutable(operator, tensors)]
            kernel(*tensors)
            after = [tensor.clone() for tensor in mutable(operator, tensors)]
            self.calls[operator.name] = Call(operator, tensors, before, after)

        return launch


class Unrest:
    """Starts kernels late by a random time, while copies on another stream take multiprocessors and bandwidth."""

    def __init__(self):
        self.generator = torch.Generator().manual_seed(1)
        self.stream = torch.cuda.Stream()
        self.source, self.target = (torch.zeros(1 << 24, dtype=torch.uint8, device="cuda") for _ in range(2))

    def stir(self):
        cycles, size = torch.randint(0, 1 << 24, (2,), generator=self.generator).tolist()
        with torch.cuda.stream(self.stream):
            self.target[:size].copy_(self.source[:size])
        torch.cuda._sleep(cycles >> 10)


@pytest.fixture(scope="module")
def library():
    return KernelLibrary(pathlib.Path(os.environ["K3_DECODE_KERNELS"]), torch.device("cuda"))


@pytest.fixture(scope="module")
def unrest():
    return Unrest()


def a_step(model, rows, tokens, generator):
    """A step of requests in the middle of their texts, each with pages and a slot of its own."""
    requests, pages, device = rows // tokens, CONTEXT // PAGE + 1, model.device
    tables = (torch.randperm(requests * pages, generator=generator) + 1).view(requests, pages)
    return StepBatch(
        tokens=torch.randint(0, model.config.vocab_size, (rows,), generator=generator).to(device),
        query_starts=torch.arange(requests + 1, device=device) * tokens,
        context_lens=torch.randint(1, CONTEXT - tokens, (requests,), generator=generator).to(device),
        slots=torch.randperm(requests, generator=generator).to(device) + 1, block_tables=tables.to(device),
        logit_rows=torch.arange(rows, device=device),
    )  # fmt: skip


def fill(cache, seed):
    """Put ordinary numbers into every state and page."""
    generator = torch.Generator(device="cuda").manual_seed(seed)
    for tensors in (cache.conv, cache.recurrent, cache.latent):
        for tensor in tensors.values():
            drawn = torch.randn(tensor.shape, generator=generator, device="cuda")
            bits(tensor).copy_(bits(drawn.to(tensor.dtype)))


CASES = [
    ("k3-mini-r16", 1, 1, None),
    ("k3-mini-r16", 8, 1, None),
    ("k3-mini-r16", 64, 1, None),
    ("k3-mini-r16", 8, 1, torch.float8_e4m3fn),
    ("k3-mini-r8", 1, 1, None),
    ("k3-mini-r8", 64, 1, None),
    ("k3-small", 2, 1, None),
    ("k3-small", VERIFIED_ROWS[0], VERIFIED_TOKENS, None),
]


@pytest.mark.parametrize(("name", "rows", "tokens", "latents"), CASES)
def test_every_kernel_of_a_step_repeats_itself(library, unrest, name, rows, tokens, latents):
    model, weights = RandomWeights(CONFIGS[name], 1, torch.device("cuda")).prepared()
    requests, recording = rows // tokens, Recording(library)
    cache = model.new_cache(
        num_slots=requests + 1, num_blocks=requests * (CONTEXT // PAGE + 1) + 1, block_size=PAGE, latent_dtype=latents
    )
    fill(cache, 2)
    path = KernelPath(model, cache, recording, weights=weights, buckets=(rows,), tokens=tokens)
    accepted = None if tokens == 1 else torch.full((requests,), tokens - 1, device="cuda")
    path.forward(a_step(model, rows, tokens, torch.Generator().manual_seed(3)), cache, accepted=accepted)
    recording.calls = {}
    path.launcher(rows).launch()
    calls, recording.calls = recording.calls, None
    kind = "bf16" if latents is None else "u8"
    assert set(calls) == {each.name for each in StepOperators(model.config, rows, tokens, kind).every()}
    for called, call in calls.items():
        kernel, differing = library.kernel(call.operator), torch.zeros((), dtype=torch.int64, device="cuda")
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kernel(*call.tensors)
        for launch in range(LAUNCHES):
            for tensor, value in zip(call.mutable, call.before, strict=True):
                bits(tensor).copy_(bits(value))
            unrest.stir()
            if launch % 2:
                graph.replay()
            else:
                kernel(*call.tensors)
            for tensor, value in zip(call.mutable, call.after, strict=True):
                differing += (bits(tensor) != bits(value)).sum()
        assert int(differing) == 0, f"{called}: other bits than at first"


@pytest.mark.parametrize("rows", [5, 33])
def test_a_graph_repeats_a_step_bit_for_bit_and_equals_its_launches(library, unrest, rows):
    model, weights = RandomWeights(CONFIGS["k3-small"], 2, torch.device("cuda")).prepared()
    steps = [a_step(model, rows, 1, torch.Generator().manual_seed(seed)) for seed in range(25)]
    bucket = 8 if rows <= 8 else 64
    results = []
    for form in ("graph", "graph at unsteady moments", "launches", "poisoned"):
        cache = model.new_cache(num_slots=rows + 1, num_blocks=rows * 6 + 1, block_size=PAGE)
        fill(cache, 4)
        path = KernelPath(
            model,
            cache,
            library,
            weights=weights,
            buckets=(bucket,),
            graphs=form != "launches",
            poison=form == "poisoned",
        )
        logits = []
        for one in steps:
            if form != "graph":
                unrest.stir()
            logits.append(path.forward(one, cache))
        results.append(torch.stack(logits))
    assert results[0].isfinite().all()
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[0], results[2])
    assert torch.equal(results[0], results[3]), "a step reads what it did not write"
