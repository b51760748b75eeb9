"""A path tells its kernels which rows, slots and cache places belong to a step; no GPU, no kernel runs."""

import dataclasses

import pytest
import torch

from k3_decode.bench.random_model import RandomWeights
from k3_decode.config import CONFIGS
from k3_decode.errors import ArgumentError
from k3_decode.reference.batch import StepBatch
from k3_decode.reference.model import K3Model
from k3_decode.specialized.operators import step_operators
from k3_decode.specialized.path import KernelPath
from k3_decode.specialized.weights import StepWeights

PAGE = 4
CONFIG = dataclasses.replace(
    CONFIGS["k3-small"], num_layers=2, mla_layers=(2,), num_experts=32, dense_size=512, vocab_size=512,
    attn_res_block_size=2,
)  # fmt: skip


@pytest.fixture(scope="module")
def model() -> K3Model:
    return RandomWeights(CONFIG, 1, torch.device("cpu")).model()


def step(tokens: int) -> StepBatch:
    """Two requests beside padding in the middle, at positions 6 and 3."""
    return StepBatch(
        tokens=torch.arange(3 * tokens), query_starts=torch.arange(4) * tokens, context_lens=torch.tensor([6, 0, 3]),
        slots=torch.tensor([2, 0, 1]), block_tables=torch.tensor([[5, 3, 7], [0, 0, 0], [4, 6, 0]]),
        logit_rows=torch.arange(3 * tokens),
    )  # fmt: skip


def path_of(model, library, *, buckets, tokens=1):
    cache = model.new_cache(num_slots=4, num_blocks=9, block_size=PAGE)
    return KernelPath(model, cache, library, buckets=buckets, tokens=tokens), cache


def test_one_token_a_request(model, library):
    path, cache = path_of(model, library, buckets=(8, 2))
    logits = path.forward(step(1), cache)
    inputs = path.inputs(3)
    assert (path.max_rows, path.max_tokens_per_request) == (8, 1)
    assert inputs.tokens[:3].tolist() == [0, 1, 2]
    assert inputs.slots.tolist() == [2, 0, 1, 0, 0, 0, 0, 0]
    assert inputs.context_lens.tolist() == inputs.starts.tolist() == [6, -1, 3, -1, -1, -1, -1, -1]
    assert inputs.cache_rows.tolist() == [3 * PAGE + 2, -1, 4 * PAGE + 3, -1, -1, -1, -1, -1]
    assert inputs.tables[0, :3].tolist() == [5, 3, 7]
    assert (logits[1] == 0).all()
    assert library.launched == {operator.name for operator in step_operators(CONFIG, buckets=(2, 8))}


def test_a_ranked_step_gives_the_likeliest_tokens_of_the_wanted_rows(model, library):
    path, cache = path_of(model, library, buckets=(8,))
    buffers = path.buffers(3)
    buffers.logits.zero_()
    buffers.logits[2, 5] = torch.inf
    buffers.top_ids.copy_(torch.arange(64).view(8, 8))
    ids, finite = path.ranked(dataclasses.replace(step(1), logit_rows=torch.tensor([2, 0])), cache)
    assert ids.tolist() == [list(range(16, 24)), list(range(8))]
    assert (ids.dtype, finite.tolist()) == (torch.int64, [False, True])


def test_the_elements_of_the_cache_choose_the_kernels(model, library):
    cache = model.new_cache(num_slots=4, num_blocks=9, block_size=PAGE, latent_dtype=torch.float8_e4m3fn)
    path = KernelPath(model, cache, library, buckets=(8,))
    path.forward(step(1), cache)
    values, ids = path.top(3)
    assert library.launched == {operator.name for operator in step_operators(CONFIG, buckets=(8,), cache="u8")}
    assert (values.shape, ids.shape, ids.dtype) == ((3, 8), (3, 8), torch.int64)
    wide = model.new_cache(num_slots=4, num_blocks=9, block_size=PAGE, latent_dtype=torch.float32)
    with pytest.raises(ArgumentError, match="float8_e4m3fn"):
        KernelPath(model, wide, library, buckets=(8,))


@pytest.mark.parametrize("rows", [1, 8, 16])
def test_the_activations_of_experts_choose_the_kernels(model, library, rows):
    config = dataclasses.replace(CONFIG, expert_act="mxfp8")
    rounded = K3Model(config, model.weights, model.shard)
    cache = rounded.new_cache(num_slots=4, num_blocks=9, block_size=PAGE)
    path = KernelPath(rounded, cache, library, buckets=(rows,))
    path.launcher(1).launch()
    assert library.launched == {operator.name for operator in step_operators(config, buckets=(rows,))}
    assert sum(name.endswith("_mxfp8") for name in library.launched) == (2 if rows == 1 else 3)
    plain = StepWeights.prepare(model.weights)
    with pytest.raises(ArgumentError, match="laid out for mxfp8"):
        KernelPath(rounded, cache, library, weights=plain, buckets=(rows,))


def test_a_poisoned_path_fills_its_buffers_before_a_step(model, library):
    cache = model.new_cache(num_slots=4, num_blocks=9, block_size=PAGE)
    path = KernelPath(model, cache, library, buckets=(8,), poison=True)
    buffers = path.buffers(3)
    buffers.normed.zero_()
    path.forward(step(1), cache)
    assert buffers.normed.isnan().all()
    assert (buffers.counters == 0).all(), "counters are what the launch before left"


def test_several_tokens_a_request(model, library):
    path, cache = path_of(model, library, buckets=(16,), tokens=4)
    logits = path.forward(step(4), cache, accepted=torch.tensor([4, 0, 1]))
    inputs = path.inputs(12)
    assert path.max_tokens_per_request == 4
    assert inputs.slots.tolist() == [2, 0, 1, 0]
    assert inputs.starts.tolist() == [6, -1, 3, -1]
    assert inputs.accepted.tolist()[:3] == [4, 0, 1]
    assert inputs.context_lens.tolist() == [6, 7, 8, 9, -1, -1, -1, -1, 3, 4, 5, 6, -1, -1, -1, -1]
    places = [3 * PAGE + 2, 3 * PAGE + 3, 7 * PAGE, 7 * PAGE + 1]
    assert inputs.cache_rows[:4].tolist() == places
    assert inputs.cache_rows[8:12].tolist() == [4 * PAGE + 3, 6 * PAGE, 6 * PAGE + 1, 6 * PAGE + 2]
    assert inputs.tables[8:12, :2].tolist() == [[4, 6]] * 4
    assert (logits[4:8] == 0).all()
    assert library.launched == {operator.name for operator in step_operators(CONFIG, buckets=(16,), tokens=4)}


def test_a_shorter_step_leaves_nothing_of_a_longer_one(model, library):
    path, cache = path_of(model, library, buckets=(8,))
    path.forward(step(1), cache)
    one = dataclasses.replace(
        step(1), tokens=torch.tensor([9]), query_starts=torch.arange(2), context_lens=torch.tensor([1]),
        slots=torch.tensor([3]), block_tables=torch.tensor([[8]]), logit_rows=torch.tensor([0]),
    )  # fmt: skip
    path.forward(one, cache)
    inputs = path.inputs(1)
    assert inputs.slots.tolist() == [3] + [0] * 7
    assert inputs.cache_rows.tolist() == [8 * PAGE + 1] + [-1] * 7


@pytest.mark.parametrize(
    ("tokens", "accepted", "batch_tokens", "said"),
    [(1, None, 2, "1 a request"), (1, torch.zeros(3), 1, "accepted"), (4, None, 4, "accepted"), (4, None, 1, "4 a")],
)
def test_a_step_of_another_kind_is_refused(model, library, tokens, accepted, batch_tokens, said):
    path, cache = path_of(model, library, buckets=(16,), tokens=tokens)
    with pytest.raises(ArgumentError, match=said):
        path.forward(step(batch_tokens), cache, accepted=accepted)


@pytest.mark.parametrize("tokens", [0, 3, 9])
def test_buckets_must_hold_whole_requests(model, library, tokens):
    with pytest.raises(ArgumentError, match="dividing every bucket"):
        path_of(model, library, buckets=(16,), tokens=tokens)


def test_another_cache_is_refused(model, library):
    path, _ = path_of(model, library, buckets=(8,))
    with pytest.raises(ArgumentError, match="cache"):
        path.forward(step(1), model.new_cache(num_slots=4, num_blocks=9, block_size=PAGE))
