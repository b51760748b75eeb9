import dataclasses

import pytest
import torch
from torch.testing import assert_close

from k3_decode.config import CONFIGS
from k3_decode.errors import ArgumentError
from k3_decode.reference.exchange import InProcess
from k3_decode.reference.model import K3Model
from k3_decode.reference.sharded import ShardedModel
from k3_decode.reference.sharding import Shard
from k3_decode.reference.tensors import layer_table, tensor_table


def _run(model, conversation, prompt):
    """A prefill, a mixed step and a decode step; all logits and the latent rows."""
    talk = conversation(model)
    steps = [[(0, prompt(20))], [(0, [4]), (1, prompt(11, seed=1))], [(0, [5]), (1, [6]), (None, [7])]]
    return torch.cat([talk.step(parts) for parts in steps]), talk


@pytest.mark.parametrize("front", ["replicated", "sharded"])
@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
def test_the_sharded_sum_equals_the_unsharded_model(micro, conversation, prompt, size, front):
    """16 heads and an expert width of 64: 32 at TP 2 is exact, 16, 8 and 4 need zero padding to 32."""
    expected, _ = _run(K3Model.synthetic(micro, 3, torch.float64), conversation, prompt)
    sharded = ShardedModel.synthetic(micro, 3, torch.float64, tp_size=size, front=front)
    got, _ = _run(sharded, conversation, prompt)
    assert_close(got, expected)


@pytest.mark.parametrize("size", [2, 4, 8])
def test_k3_tiny_sharded_equals_unsharded(tiny, tiny64, conversation, prompt, size):
    expected, whole = _run(tiny64, conversation, prompt)
    got, talk = _run(ShardedModel.synthetic(tiny, 0, torch.float64, tp_size=size), conversation, prompt)
    assert_close(got, expected)
    for layer, rows in whole.cache.latent.items():
        for cache in talk.cache:  # every rank stores the whole latent cache
            assert_close(cache.latent[layer], rows)
    for layer, states in whole.cache.recurrent.items():
        assert_close(torch.cat([cache.recurrent[layer] for cache in talk.cache], dim=1), states)


@pytest.mark.parametrize("size", [2, 8])
def test_sharding_in_bfloat16_stays_near_the_unsharded_oracle(micro, conversation, prompt, size):
    expected, _ = _run(K3Model.synthetic(micro, 3, torch.float64), conversation, prompt)
    got, _ = _run(ShardedModel.synthetic(micro, 3, torch.bfloat16, tp_size=size), conversation, prompt)
    assert torch.nn.functional.cosine_similarity(got.double()[:-1], expected[:-1]).min() > 0.95


def test_mxfp8_experts_shard_exactly_where_shares_are_whole_blocks(micro, conversation, prompt):
    config = dataclasses.replace(micro, expert_act="mxfp8")
    expected, _ = _run(K3Model.synthetic(config, 3, torch.float64), conversation, prompt)
    got, _ = _run(ShardedModel.synthetic(config, 3, torch.float64, tp_size=2), conversation, prompt)
    assert_close(got, expected)


class _Recorder(InProcess):
    """Notes what ranks exchange."""

    def __init__(self) -> None:
        self.sums: list[int] = []
        self.joins: list[int] = []

    def sum(self, partials):
        self.sums.append(partials[0].shape[-1])
        return super().sum(partials)

    def join(self, parts):
        self.joins.append(sum(part.shape[-1] for part in parts))
        return super().join(parts)


@pytest.mark.parametrize(("front", "joins"), [("replicated", []), ("sharded", [16, 64, 96])])
def test_ranks_exchange_what_section_4_lists(micro, conversation, front, joins):
    """Attention partials, then per MoE layer the latent before its norm and the shared partials."""
    ranks = ShardedModel.synthetic(micro, 3, torch.float64, tp_size=2, front=front).ranks
    recorder = _Recorder()
    conversation(ShardedModel(ranks, recorder)).step([(0, [1, 2])])
    hidden, latent = micro.hidden_size, micro.latent_size
    assert recorder.sums == [hidden, hidden, hidden, *[hidden, latent, hidden] * (micro.num_layers - 1)]
    assert recorder.joins == joins * (micro.num_layers - 1) + [micro.vocab_size]


class _NormBeforeSum(InProcess):
    """Breaks the rule: each rank's latent is normalised before the ranks are added."""

    def sum(self, partials):
        if len(partials) > 1 and partials[0].shape[-1] == 64:
            partials = [p * (p.square().mean(-1, keepdim=True) + 1e-5).rsqrt() for p in partials]
        return super().sum(partials)


def test_normalising_latents_before_the_sum_would_be_wrong(micro, conversation):
    ranks = ShardedModel.synthetic(micro, 3, torch.float64, tp_size=2).ranks
    right = conversation(ShardedModel(ranks)).step([(0, [1, 2, 3])])
    wrong = conversation(ShardedModel(ranks, _NormBeforeSum())).step([(0, [1, 2, 3])])
    assert (wrong - right).norm() / right.norm() > 1e-2


@pytest.mark.parametrize(
    ("name", "tp8", "tp16"),
    [
        ("self_attn.q_proj.weight", (1536, 7168), (768, 7168)),
        ("self_attn.f_a_proj.weight", (128, 7168), (128, 7168)),
        ("self_attn.f_b_proj.weight", (1536, 128), (768, 128)),
        ("self_attn.b_proj.weight", (12, 7168), (6, 7168)),
        ("self_attn.v_conv1d.weight", (1536, 1, 4), (768, 1, 4)),
        ("self_attn.A_log", (12,), (6,)),
        ("self_attn.dt_bias", (1536,), (768,)),
        ("self_attn.o_norm.weight", (128,), (128,)),
        ("self_attn.o_proj.weight", (7168, 1536), (7168, 768)),
        ("block_sparse_moe.gate.weight", (896, 7168), (896, 7168)),
        ("block_sparse_moe.gate.e_score_correction_bias", (896,), (896,)),
        ("block_sparse_moe.routed_expert_norm.weight", (3584,), (3584,)),
        ("block_sparse_moe.shared_experts.gate_proj.weight", (768, 7168), (384, 7168)),
        ("block_sparse_moe.shared_experts.down_proj.weight", (7168, 768), (7168, 384)),
    ],
)
def test_shards_of_the_published_model(name, tp8, tp16):
    config = CONFIGS["k3"]
    spec = next(s for s in layer_table(config, 12) if s.name.endswith(f"layers.12.{name}"))
    for size, expected in ((8, tp8), (16, tp16)):
        parts = [Shard(rank, size).index(spec, config) for rank in (0, size - 1)]
        for part in parts:
            assert tuple(s.stop - s.start for s in part) == expected


def test_the_sharded_front_of_the_published_model():
    config = CONFIGS["k3"]
    specs = {s.name.split("block_sparse_moe.")[-1]: s for s in layer_table(config, 12)}
    rows = {8: (112, 448, 896), 16: (56, 224, 448)}
    names = ("gate.weight", "routed_expert_down_proj.weight", "routed_expert_up_proj.weight")
    for size, expected in rows.items():
        parts = [Shard(0, size, "sharded").index(specs[name], config)[0] for name in names]
        assert tuple(part.stop for part in parts) == expected


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_the_shards_of_a_tensor_cover_it_once(tiny, size):
    for spec in tensor_table(tiny):
        if ".experts." in spec.name or spec.split == "replicated":
            continue
        seen = torch.zeros(spec.shape, dtype=torch.int64)
        for rank in range(size):
            seen[Shard(rank, size, "sharded").index(spec, tiny)] += 1
        if spec.split == "heads":
            assert seen.tolist() == [1] * 8 + [0] * 8  # the padding belongs to nobody
        else:
            assert (seen == 1).all()


def test_expert_windows_are_whole_groups_around_each_share():
    tiny, published = CONFIGS["k3-tiny"], CONFIGS["k3"]
    windows = [Shard(rank, 4).expert_window(tiny) for rank in range(4)]
    assert [(w.live.start, w.live.stop) for w in windows] == [(0, 16), (16, 32), (32, 48), (48, 64)]
    assert [(w.width, w.offset, w.live_width) for w in windows] == [(32, 0, 16), (32, 16, 16)] * 2
    for size, width in ((8, 384), (16, 192)):
        window = Shard(size - 1, size).expert_window(published)
        assert (window.width, window.offset) == (width, 0)  # nothing is padded


def test_padded_expert_columns_are_zero(tiny):
    model = K3Model.synthetic(tiny, 0, torch.float32, tp_rank=1, tp_size=4)
    experts = model.weights.layers[1].feed_forward.experts
    w13, w2 = experts.gather(torch.arange(16), dtype=torch.float32)
    assert w13.shape == (16, 64, 64)
    assert w2.shape == (16, 64, 32)
    for half in w13.chunk(2, dim=1):
        assert (half[:, :16] == 0).all()
        assert half[:, 16:].abs().amax(-1).min() > 0
    assert (w2[..., :16] == 0).all()
    assert w2[..., 16:].abs().amax(-1).min() > 0


@pytest.mark.parametrize(
    ("rank", "size", "front", "message"),
    [
        (2, 2, "replicated", "rank: expected 0..1, got 2"),
        (-1, 2, "replicated", "rank: expected 0..1, got -1"),
        (0, 16, "replicated", "num_heads: expected a multiple of tp_size 16, got 8"),
        (0, 3, "replicated", "num_heads: expected a multiple of tp_size 3"),
    ],
)
def test_an_impossible_division_is_refused(tiny, rank, size, front, message):
    with pytest.raises(ArgumentError) as caught:
        Shard(rank, size, front).check(tiny)
    assert message in str(caught.value)


def test_a_share_that_would_split_a_packed_byte_is_refused(micro):
    config = dataclasses.replace(micro, num_heads=64, num_experts=64, expert_size=64)
    with pytest.raises(ArgumentError, match="expert_size: expected an even width per rank, got 1"):
        Shard(0, 64).check(config)
