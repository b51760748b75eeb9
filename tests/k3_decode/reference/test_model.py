import dataclasses

import pytest
import torch
from torch.testing import assert_close

from k3_decode.errors import ArgumentError
from k3_decode.reference.attention_residual import attention_sources, mlp_sources
from k3_decode.reference.model import K3Model


@pytest.mark.parametrize("split", [[29], [1, 28], [12, 17], [16, 13], [9, 9, 11], [3, 8, 1, 17]])
def test_a_prompt_split_anywhere_gives_the_same_logits_and_states(tiny64, conversation, prompt, split):
    tokens = prompt(29)
    whole, parts = conversation(tiny64), conversation(tiny64)
    expected = whole.step([(0, tokens)], every_row=True)
    got, done = [], 0
    for length in split:
        got.append(parts.step([(0, tokens[done : done + length])], every_row=True))
        done += length
    assert_close(torch.cat(got), expected)
    assert_close(parts.state(0), whole.state(0))
    assert_close(parts.rows(0), whole.rows(0))


def test_prefill_then_decode_equals_one_prefill(tiny64, conversation, prompt):
    tokens = prompt(40)
    whole, stepwise = conversation(tiny64), conversation(tiny64)
    expected = whole.step([(0, tokens)], every_row=True)
    stepwise.step([(0, tokens[:20])])
    got = torch.cat([stepwise.step([(0, [token])]) for token in tokens[20:]])
    assert_close(got, expected[20:])
    assert_close(stepwise.state(0), whole.state(0))
    assert_close(stepwise.rows(0), whole.rows(0))


@pytest.mark.parametrize("kda_form", ["decode", "prefill"])
@pytest.mark.parametrize("mla_form", ["decode", "prefill"])
def test_all_forms_give_the_same_logits(tiny64, conversation, prompt, kda_form, mla_form):
    expected, forced = conversation(tiny64), conversation(tiny64)
    for parts in ([(0, prompt(21)), (1, prompt(3))], [(0, [5]), (1, [6])], [(1, prompt(10))]):
        assert_close(forced.step(parts, kda_form=kda_form, mla_form=mla_form), expected.step(parts))


def test_a_mixed_batch_equals_separate_runs(tiny64, conversation, prompt):
    """Decode, a fresh prefill, a continued prefill, and padding, in one call."""
    mixed, alone = conversation(tiny64), conversation(tiny64)
    for talk in (mixed, alone):
        talk.step([(0, prompt(13))])
        talk.step([(2, prompt(6, seed=2))])
    parts = [(None, [1, 2]), (0, [17]), (None, [3]), (1, prompt(18, seed=1)), (2, prompt(11, seed=3))]
    got = mixed.step(parts)
    expected = {request: alone.step([(request, tokens)]) for request, tokens in parts if request is not None}
    for row, (request, _) in enumerate(parts):
        if request is None:
            assert torch.equal(got[row], torch.zeros(512, dtype=torch.float64))
        else:
            assert_close(got[row], expected[request][0])
            assert_close(mixed.state(request), alone.state(request))
            assert_close(mixed.rows(request), alone.rows(request))


def test_the_order_of_requests_does_not_matter(tiny64, conversation, prompt):
    one, other = conversation(tiny64), conversation(tiny64)
    parts = [(0, prompt(9)), (1, prompt(2, seed=1)), (2, prompt(12, seed=2))]
    assert_close(one.step(parts), other.step(parts[::-1]).flip(0))


def test_padding_touches_nothing(tiny64, conversation, prompt):
    talk = conversation(tiny64)
    talk.step([(0, prompt(9))])
    cache = talk.cache
    tensors = [*cache.latent.values(), *cache.conv.values(), *cache.recurrent.values()]
    before = [tensor.clone() for tensor in tensors]
    logits = talk.step([(None, [3]), (None, prompt(12)), (None, [4, 5])], every_row=True)
    assert torch.equal(logits, torch.zeros(15, 512, dtype=torch.float64))
    assert all(torch.equal(a, b) for a, b in zip(tensors, before, strict=True))


def test_only_the_slots_and_rows_of_live_requests_change(tiny64, conversation, prompt):
    """Slot 0, block 0, the other requests' states and every row not written stay as they were."""
    talk = conversation(tiny64)
    talk.step([(0, prompt(9)), (1, prompt(5)), (2, prompt(7))])
    cache = talk.cache
    states = {key: tensor.clone() for key, tensor in cache.recurrent.items()}
    windows = {key: tensor.clone() for key, tensor in cache.conv.items()}
    latents = {key: tensor.clone() for key, tensor in cache.latent.items()}
    block, offset = talk.tables[1][1].item(), 1  # position 5
    talk.step([(None, [1]), (1, [8])])
    own = talk.slots[1]
    others = [slot for slot in range(4) if slot != own]
    for key in states:
        assert torch.equal(cache.recurrent[key][others], states[key][others])
        assert torch.equal(cache.conv[key][others], windows[key][others])
        assert not torch.equal(cache.recurrent[key][own], states[key][own])
    for key in latents:
        changed = (cache.latent[key] != latents[key]).any(-1).nonzero().tolist()
        assert changed == [[block, offset]]


def test_what_a_slot_and_its_blocks_held_before_does_not_matter(tiny64, conversation, prompt):
    """Not even NaN left by an earlier request."""
    clean, dirty = conversation(tiny64), conversation(tiny64)
    cache = dirty.cache
    for tensors in (cache.conv, cache.recurrent, cache.latent):
        for tensor in tensors.values():
            tensor[1:] = torch.nan
    for parts in ([(0, prompt(10)), (1, prompt(3))], [(0, [1]), (1, [2])], [(0, prompt(9)), (1, prompt(17))]):
        assert torch.equal(dirty.step(parts), clean.step(parts))


def test_layer_zero_sees_the_raw_embedding(tiny64, conversation, prompt):
    tokens, trace = prompt(4), []
    conversation(tiny64).step([(0, tokens)], trace=trace)
    assert torch.equal(trace[0].attention_input, tiny64.weights.embed[torch.tensor(tokens)])


def test_every_layer_mixes_the_specified_number_of_sources(tiny, tiny64, conversation, prompt):
    trace = []
    conversation(tiny64).step([(0, prompt(2))], trace=trace)
    size = tiny.attn_res_block_size
    assert [entry.layer for entry in trace] == list(range(tiny.num_layers))
    assert [entry.attention_sources for entry in trace] == [attention_sources(i, size) for i in range(13)]
    assert [entry.mlp_sources for entry in trace] == [mlp_sources(i, size) for i in range(13)]


def test_the_published_depth_mixes_nine_sources_at_most(micro, conversation, prompt):
    """93 thin layers in blocks of twelve: seven full blocks, one of nine layers."""
    layers = (*range(4, 93, 4), 93)
    config = dataclasses.replace(
        micro, num_layers=93, mla_layers=layers, attn_res_block_size=12, first_dense=93, num_heads=2, dense_size=32
    )
    trace = []
    conversation(K3Model.synthetic(config, 0, torch.float32), requests=1).step([(0, prompt(2))], trace=trace)
    assert [entry.attention_sources for entry in trace] == [-(-i // 12) + 1 for i in range(93)]
    assert [entry.mlp_sources for entry in trace] == [i // 12 + 2 for i in range(93)]
    assert max(max(entry.attention_sources, entry.mlp_sources) for entry in trace) == 9


def test_zero_queries_make_every_mix_a_plain_mean(tiny, conversation, prompt):
    model = K3Model.synthetic(tiny, 0, torch.float64)
    for layer in model.weights.layers:
        layer.attention_mix.query.zero_()
        layer.mlp_mix.query.zero_()
    trace = []
    conversation(model).step([(0, prompt(3))], trace=trace)
    size = tiny.attn_res_block_size
    embedding, ends = trace[0].attention_input, [trace[i].running_sum for i in (size - 1, 2 * size - 1)]
    # Layer 11 has three finished blocks: the embedding and the sums of layers 0..4 and 5..9; p is layer 10's sum.
    assert_close(trace[11].attention_input, (embedding + ends[0] + ends[1] + trace[10].running_sum) / 4)
    # A block start mixes the sum once, as the block it is about to become.
    assert_close(trace[5].attention_input, (embedding + ends[0]) / 2)


def test_float32_stays_near_the_oracle(tiny, tiny64, conversation, prompt):
    model = K3Model.synthetic(tiny, 0, torch.float32)
    exact, single = conversation(tiny64), conversation(model)
    for parts in ([(0, prompt(30)), (1, prompt(5))], [(0, [1]), (1, [2])]):
        logits = single.step(parts)
        assert logits.dtype == torch.float32
        assert_close(logits.double(), exact.step(parts), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dequantize", [False, True])
@pytest.mark.parametrize("act", ["bf16", "mxfp8"])
def test_bfloat16_stays_near_the_oracle(tiny, tiny64, conversation, prompt, dequantize, act):
    config = dataclasses.replace(tiny, expert_act=act)
    model = K3Model.synthetic(config, 0, torch.bfloat16, dequantize_experts=dequantize)
    exact, rounded = conversation(tiny64), conversation(model)
    parts = [(0, prompt(60)), (1, prompt(20, seed=1))]
    expected, logits = exact.step(parts, every_row=True), rounded.step(parts, every_row=True)
    assert logits.dtype == torch.float32
    cosine = torch.nn.functional.cosine_similarity(logits.double(), expected)
    assert cosine.median() > (0.99 if act == "bf16" else 0.96)  # near-tied experts flip now and then
    assert rounded.state(0)[1].dtype == torch.float32
    assert rounded.rows(0).dtype == torch.bfloat16


def test_an_e4m3_cache_stays_near_the_model_dtype(tiny, conversation, prompt):
    model = K3Model.synthetic(tiny, 0, torch.float32)
    plain, rounded = conversation(model), conversation(model)
    rounded.cache = model.new_cache(
        num_slots=4, num_blocks=plain.cache.num_blocks, block_size=4, latent_dtype=torch.float8_e4m3fn
    )
    for parts in ([(0, prompt(30)), (1, prompt(5))], [(0, [1]), (1, [2])]):
        expected, got = plain.step(parts), rounded.step(parts)
        assert 1e-6 < (got - expected).norm() / expected.norm() < 0.3
    first = next(iter(rounded.cache.latent.values()))
    assert first.dtype == torch.float8_e4m3fn
    assert first[rounded.tables[0][0]].float().abs().max() > 0


def test_logits_come_for_the_rows_asked_in_their_order(tiny64, conversation, prompt):
    one, other = conversation(tiny64), conversation(tiny64)
    every = one.step([(0, prompt(12))], every_row=True)
    batch = dataclasses.replace(other.batch([(0, prompt(12))]), logit_rows=torch.tensor([7, 0, 7]))
    assert_close(tiny64.forward(batch, other.cache), every[[7, 0, 7]])
    none = dataclasses.replace(other.batch([(0, prompt(12))]), logit_rows=torch.tensor([], dtype=torch.int64))
    assert tiny64.forward(none, other.cache).shape == (0, 512)


def test_activations_of_a_synthetic_model_are_of_order_one(tiny64, conversation, prompt):
    trace = []
    logits = conversation(tiny64).step([(0, prompt(60))], trace=trace)
    for entry in trace:
        assert 0.1 < entry.attention_input.square().mean().sqrt() < 10
        assert 0.1 < entry.running_sum.square().mean().sqrt() < 10
    assert 0.5 < logits.std() < 5


def test_one_rank_of_several_needs_its_peers(tiny, conversation):
    rank = K3Model.synthetic(tiny, 0, torch.float32, tp_rank=1, tp_size=2)
    talk = conversation(rank)
    with pytest.raises(ArgumentError, match="exchange: expected collectives of 2 ranks"):
        talk.step([(0, [1])])


def test_other_dtypes_are_refused(tiny):
    with pytest.raises(ArgumentError, match=r"dtype: expected float32, bfloat16 or float64, got torch\.float16"):
        K3Model.synthetic(tiny, 0, torch.float16)
