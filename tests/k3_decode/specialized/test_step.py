"""A whole step through the kernels against the reference, and 256 greedy tokens of a small model."""

import os
import pathlib

import pytest
import torch

from k3_decode.bench.random_model import RandomWeights
from k3_decode.config import CONFIGS
from k3_decode.decoder import Decoder
from k3_decode.kernels.library import KernelLibrary
from k3_decode.ledger import Path, StepShape
from k3_decode.numerics import tolerance
from k3_decode.reference.batch import StepBatch
from k3_decode.reference.model import K3Model
from k3_decode.specialized.path import KernelPath

pytestmark = pytest.mark.gpu

PAGE = 64


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


def requests(rows, pages):
    """Slots and tables of live requests; the second of more than two is padding."""
    slots = [i + 1 for i in range(rows)]
    tables = (torch.arange(rows * pages, device="cuda") + 1).view(rows, pages)
    if rows > 2:
        slots[1] = 0
        tables[1] = 0
    return slots, tables


def agree(got, stock, oracle, config):
    """The kernels are as close to the oracle as the reference in the same precision is; returns both errors."""
    live = oracle.abs().sum(-1) > 0
    scale = oracle[live].abs().max()
    mine = (got.double() - oracle)[live].square().mean().sqrt() / scale
    theirs = (stock.double() - oracle)[live].square().mean().sqrt() / scale
    print(f"{config}: rms error of logits {mine:.2e}, of the reference in bfloat16 {theirs:.2e}")
    return float(mine), float(theirs)


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


@pytest.mark.parametrize("name", ["k3-small", "k3-mini-r16"])
def test_steps_equal_the_reference(library, name):
    config = CONFIGS[name]
    model = RandomWeights(config, 1, torch.device("cuda")).model()
    oracle = wide(model)
    generator = torch.Generator().manual_seed(5)
    for rows in (1, 2, 5, 33):
        pages = 3
        slots, tables = requests(rows, pages)
        caches = [m.new_cache(num_slots=rows + 1, num_blocks=rows * pages + 1, block_size=PAGE) for m in
                  (model, model, oracle)]  # fmt: skip
        path = KernelPath(model, caches[0], library, buckets=(next(b for b in (1, 2, 8, 64) if rows <= b),))
        decoder = Decoder(model, caches[0], mode="specialized", specialized=path)
        worst = []
        for step in range(4):
            tokens = torch.randint(0, config.vocab_size, (rows,), generator=generator).tolist()
            context = [step * 40 if slot else 0 for slot in slots]
            if step:  # the requests have lived: give the caches something to attend to
                context = [step] * rows
            one = batch(tokens, context, slots, tables)
            shape = StepShape(phase="decode", rows=rows, tokens_per_request=1)
            got = decoder.forward(one, shape)
            stock, truth = model.forward(one, caches[1]), oracle.forward(one, caches[2])
            if rows > 2:
                assert (got[1] == 0).all()
            worst.append(agree(got, stock, truth, f"{name} rows {rows} step {step}"))
        mine = max(error for error, _ in worst)
        theirs = max(error for _, error in worst)
        assert mine <= theirs * tolerance("kernel.step", "normal").max_rel_error, (rows, mine, theirs)
        assert decoder.ledger.snapshot()["buckets"][0]["specialized_steps"] == 4
        assert len(decoder.ledger.snapshot()["kernel_digests"]) > 10
        assert decoder.plan(shape).path is Path.SPECIALIZED
        del path, decoder, caches
        torch.cuda.empty_cache()


def test_256_greedy_tokens_are_the_reference_s_where_it_is_decided(library):
    config = CONFIGS["k3-small"]
    model = K3Model.synthetic(config, 0, torch.bfloat16, device="cuda")
    oracle = wide(model)
    rows, pages = 2, 5
    slots, tables = requests(rows, pages)
    caches = [m.new_cache(num_slots=rows + 1, num_blocks=rows * pages + 1, block_size=PAGE) for m in (model, oracle)]
    path = KernelPath(model, caches[0], library, buckets=(rows,))
    tokens, undecided, differing = [3, 4], 0, []
    for position in range(256):
        one = batch(tokens, [position] * rows, slots, tables)
        got, truth = path.forward(one, caches[0]), oracle.forward(one, caches[1])
        top = truth.topk(2, dim=-1)
        gap = (top.values[:, 0] - top.values[:, 1]).tolist()
        error = float((got.double() - truth).abs().max())
        for row in range(rows):
            same = int(got[row].argmax()) == int(top.indices[row, 0])
            if gap[row] <= 2 * error:
                undecided += 1
            elif not same:
                differing.append((position, row, gap[row], error))
            if not same:
                print(f"position {position} row {row}: gap {gap[row]:.3e}, largest logit error {error:.3e}")
        tokens = top.indices[:, 0].tolist()
    print(f"{undecided} of {256 * rows} choices are closer than the errors of their logits")
    assert not differing
