"""A whole step through the kernels against the reference, and 256 greedy tokens of a small model."""

import dataclasses
import os
import pathlib

import pytest
import torch

from k3_decode.bench.random_model import RandomWeights
from k3_decode.build.sets import VERIFIED_ROWS, VERIFIED_TOKENS
from k3_decode.config import CONFIGS
from k3_decode.decoder import Decoder, Specialization
from k3_decode.errors import ArgumentError
from k3_decode.kernels.library import KernelLibrary
from k3_decode.ledger import Path, StepShape
from k3_decode.numerics import tolerance
from k3_decode.reference.batch import StepBatch
from k3_decode.reference.model import K3Model
from k3_decode.reference.weights import MoeWeights
from k3_decode.specialized.operators import StepOperators
from k3_decode.specialized.path import KernelPath

pytestmark = pytest.mark.gpu

PAGE, STEPS = 64, 4


@pytest.fixture(scope="module")
def library():
    return KernelLibrary(pathlib.Path(os.environ["K3_DECODE_KERNELS"]), torch.device("cuda"))


def batch(tokens, context, slots, tables):
    rows = len(tokens)
    device = torch.device("cuda")

    def i64(values):
        return torch.as_tensor(values, dtype=torch.int64, device=device)

    return StepBatch(
        tokens=i64(tokens), query_starts=torch.arange(rows + 1, device=device), context_lens=i64(context),
        slots=i64(slots), block_tables=tables, logit_rows=torch.arange(rows, device=device),
    )  # fmt: skip


def requests_of(rows, pages):
    """Slots and tables of live requests; the second of more than two is padding."""
    slots = [i + 1 for i in range(rows)]
    tables = (torch.arange(rows * pages, device="cuda") + 1).view(rows, pages)
    if rows > 2:
        slots[1] = 0
        tables[1] = 0
    return slots, tables


def decided(model):
    """Spread the routers' bias, so that no rounding changes an expert: each token has the same, certain choice."""
    generator = torch.Generator().manual_seed(11)
    for layer in model.weights.layers:
        if isinstance(layer.feed_forward, MoeWeights):
            order = torch.randperm(model.config.num_experts, generator=generator).to(layer.feed_forward.bias)
            layer.feed_forward.bias.copy_(4.0 * order)
    return model


def error(logits, oracle):
    """Root mean square error over the largest expected logit, padding left out."""
    live = oracle.abs().sum(-1) > 0
    return float((logits.double() - oracle)[live].square().mean().sqrt() / oracle[live].abs().max())


def wide(model):
    """The same weights in float64: the oracle."""

    def convert(value):
        if isinstance(value, torch.Tensor):
            return value.double() if value.is_floating_point() else value
        if isinstance(value, tuple):
            return tuple(convert(each) for each in value)
        if hasattr(value, "__dataclass_fields__"):
            return type(value)(**{name: convert(getattr(value, name)) for name in value.__dataclass_fields__})
        return value

    return K3Model(model.config, convert(model.weights), model.shard)


E4M3 = torch.float8_e4m3fn


@pytest.mark.parametrize(
    ("name", "counts", "latents", "act", "row"),
    [
        ("k3-small", (2, 5), None, "bf16", "kernel.step"),
        ("k3-small", (2, 5), None, "mxfp8", "kernel.step.mxfp8"),
        ("k3-small", (2, 5), E4M3, "bf16", "kernel.step.e4m3"),
        ("k3-mini-r16", (1, 33), None, "bf16", "kernel.step"),
        ("k3-mini-r16", (5,), E4M3, "bf16", "kernel.step.e4m3"),
        ("k3-mini-r8", (1, 5), None, "bf16", "kernel.step"),
    ],
)
def test_steps_are_as_close_to_float64_as_the_reference(library, name, counts, latents, act, row):
    config = dataclasses.replace(CONFIGS[name], expert_act=act)
    model = decided(RandomWeights(config, 1, torch.device("cuda")).model())
    oracle = wide(model)
    generator = torch.Generator().manual_seed(5)
    for rows in counts:
        pages = 2
        slots, tables = requests_of(rows, pages)
        caches = [
            m.new_cache(num_slots=rows + 1, num_blocks=rows * pages + 1, block_size=PAGE, latent_dtype=latents)
            for m in (model, model, oracle)
        ]
        path = KernelPath(model, caches[0], library, buckets=(next(b for b in (1, 2, 8, 64) if rows <= b),))
        decoder = Decoder(model, caches[0], mode="specialized", specialization=Specialization(Fixed(path)))
        shape = StepShape(phase="decode", rows=rows, tokens_per_request=1)
        mine, theirs = [], []
        for step in range(STEPS):
            tokens = torch.randint(0, model.config.vocab_size, (rows,), generator=generator).tolist()
            one = batch(tokens, [step] * rows, slots, tables)
            got = decoder.forward(one, shape)
            truth = oracle.forward(one, caches[2])
            mine.append(error(got, truth))
            theirs.append(error(model.forward(one, caches[1]), truth))
            assert rows <= 2 or (got[1] == 0).all(), "padding has logits"
        kind = "bfloat16" if latents is None else "e4m3"
        print(f"{name} rows {rows} {kind} {act}: errors {max(mine):.2e}, the reference in bfloat16 {max(theirs):.2e}")
        assert max(mine) <= tolerance(row, "normal").max_rel_error
        assert max(mine) <= 1.5 * max(theirs), "the reference in bfloat16 is closer"
        assert decoder.plan(shape).path is Path.SPECIALIZED
        assert decoder.ledger.snapshot()["buckets"][0]["specialized_steps"] == STEPS
        operators = StepOperators(model.config, path.max_rows, cache="bf16" if latents is None else "u8").every()
        assert len(decoder.ledger.snapshot()["kernel_digests"]) == len({each.name for each in operators})
        del path, decoder, caches
        torch.cuda.empty_cache()


class Fixed:
    """Hands out one path, whatever the cache."""

    def __init__(self, path):
        self.path = path

    def for_cache(self, cache):
        return self.path


def test_256_greedy_tokens_are_those_of_float64_where_it_is_decided(library):
    model = decided(RandomWeights(CONFIGS["k3-small"], 2, torch.device("cuda")).model())
    oracle = wide(model)
    rows, pages = 2, 5
    slots, tables = requests_of(rows, pages)
    caches = [m.new_cache(num_slots=rows + 1, num_blocks=rows * pages + 1, block_size=PAGE) for m in (model, oracle)]
    path = KernelPath(model, caches[0], library, buckets=(rows,))
    tokens, close_calls, differing = [3, 4], 0, []
    for position in range(256):
        one = batch(tokens, [position] * rows, slots, tables)
        got, truth = path.forward(one, caches[0]), oracle.forward(one, caches[1])
        top = truth.topk(2, dim=-1)
        values, ids = path.top(rows)
        assert torch.equal(ids[:, 0], got.argmax(-1)), "the head names another token than its logits"
        assert torch.equal(values, got.gather(1, ids))
        bound = tolerance("kernel.step.gap", "normal").max_rel_error * float(truth.abs().max())
        for row in range(rows):
            gap = float(top.values[row, 0] - top.values[row, 1])
            same = int(got[row].argmax()) == int(top.indices[row, 0])
            close_calls += gap <= bound
            if not same:
                print(f"position {position} row {row}: another token, gap {gap:.3e}, bound {bound:.3e}")
                if gap > bound:
                    differing.append((position, row))
        tokens = top.indices[:, 0].tolist()
    print(f"{close_calls} of {256 * rows} choices are closer than the bound of the error")
    assert not differing


def test_verified_tokens_are_kept_or_leave_no_trace(library):
    """Two requests verify four tokens a step and keep some; logits stay as close to float64 as the reference's."""
    tokens, requests, pages = VERIFIED_TOKENS, 2, 2
    model = decided(RandomWeights(CONFIGS["k3-small"], 6, torch.device("cuda")).model())
    oracle = wide(model)
    slots, tables = requests_of(requests, pages)
    caches = [
        m.new_cache(num_slots=requests + 1, num_blocks=requests * pages + 1, block_size=PAGE)
        for m in (model, model, oracle)
    ]
    path = KernelPath(model, caches[0], library, buckets=VERIFIED_ROWS, tokens=tokens)
    generator = torch.Generator().manual_seed(8)
    context = torch.zeros(requests, dtype=torch.int64)
    accepted = torch.zeros(requests, dtype=torch.int64)
    mine, theirs = [], []
    for _ in range(6):
        drafts = torch.randint(0, model.config.vocab_size, (requests, tokens), generator=generator)
        one = verification(drafts, context, slots, tables)
        got = path.forward(one, caches[0], accepted=accepted.cuda())
        live = torch.tensor(slots, device="cuda")
        results = []
        for other, cache in ((model, caches[1]), (oracle, caches[2])):
            before = cache.snapshot(live)
            results.append(other.forward(one, cache))
            cache.restore(before)
        mine.append(error(got, results[1]))
        theirs.append(error(results[0], results[1]))
        accepted = torch.randint(1, tokens + 1, (requests,), generator=generator)
        for other, cache in ((model, caches[1]), (oracle, caches[2])):
            for row in range(requests):  # the reference reads the accepted tokens again
                place = slice(row, row + 1)
                kept = verification(drafts[place, : accepted[row]], context[place], slots[place], tables[place])
                other.forward(kept, cache)
        context = context + accepted
    print(f"verification: errors {max(mine):.2e}, of the reference in bfloat16 {max(theirs):.2e}")
    assert max(mine) <= tolerance("kernel.step", "normal").max_rel_error
    assert max(mine) <= 1.5 * max(theirs), "the reference in bfloat16 is closer"


def verification(drafts, context, slots, tables):
    """Lay out a step of several tokens a request."""
    requests, tokens = drafts.shape
    device = torch.device("cuda")
    return StepBatch(
        tokens=drafts.flatten().to(device), query_starts=torch.arange(requests + 1, device=device) * tokens,
        context_lens=context.to(device), slots=torch.as_tensor(slots, device=device), block_tables=tables,
        logit_rows=torch.arange(requests * tokens, device=device),
    )  # fmt: skip


def test_what_was_accepted_must_be_said_exactly_where_requests_have_several_tokens(library):
    model = RandomWeights(CONFIGS["k3-small"], 2, torch.device("cuda")).model()
    cache = model.new_cache(num_slots=3, num_blocks=5, block_size=PAGE)
    slots, tables = requests_of(2, 2)
    plain = KernelPath(model, cache, library, buckets=(2,))
    with pytest.raises(ArgumentError, match="accepted"):
        plain.forward(batch([1, 2], [0, 0], slots, tables), cache, accepted=torch.zeros(2, device="cuda"))
    several = KernelPath(model, cache, library, buckets=VERIFIED_ROWS, tokens=VERIFIED_TOKENS)
    drafts = torch.zeros(2, VERIFIED_TOKENS, dtype=torch.int64)
    with pytest.raises(ArgumentError, match="accepted"):
        several.forward(verification(drafts, torch.zeros(2, dtype=torch.int64), slots, tables), cache)
    with pytest.raises(ArgumentError, match="4 a request"):
        several.forward(batch([1, 2], [0, 0], slots, tables), cache, accepted=torch.zeros(2, device="cuda"))
