import math

import pytest
import torch
from torch.testing import assert_close

from k3_decode.reference import moe, mxfp4, mxfp8
from k3_decode.reference.experts import DecodedExperts, PackedExperts

EXPERTS, LATENT, WIDTH = 6, 64, 32
SITU = {"beta": 4.0, "linear_beta": 25.0}


@pytest.fixture
def experts():
    generator = torch.Generator().manual_seed(5)

    def draw(low, high, *shape):
        return torch.randint(low, high, shape, dtype=torch.uint8, generator=generator)

    return PackedExperts(
        w13_packed=draw(0, 256, EXPERTS, 2 * WIDTH, LATENT // 2),
        w13_scale=draw(121, 124, EXPERTS, 2 * WIDTH, LATENT // 32),
        w2_packed=draw(0, 256, EXPERTS, LATENT, WIDTH // 2),
        w2_scale=draw(121, 124, EXPERTS, LATENT, WIDTH // 32),
    )


def _routed_by_formula(z, ids, weights, experts):
    """Section 3.5, token by token and expert by expert."""
    out = torch.zeros_like(z)
    for t in range(z.shape[0]):
        for e, w in zip(ids[t].tolist(), weights[t], strict=True):
            w13 = mxfp4.dequantize(experts.w13_packed[e], experts.w13_scale[e], dtype=torch.float64)
            w2 = mxfp4.dequantize(experts.w2_packed[e], experts.w2_scale[e], dtype=torch.float64)
            a, u = w13[:WIDTH] @ z[t], w13[WIDTH:] @ z[t]
            hidden = 4 * (a / 4).tanh() * a.sigmoid() * 25 * (u / 25).tanh()
            out[t] += w * (w2 @ hidden)
    return out


def test_routing_follows_its_formula(random):
    logits, bias = random(5, EXPERTS), random(EXPERTS)
    ids, weights = moe.route(logits, bias, top_k=3, scaling=1.5)
    for t in range(5):
        scores = [1 / (1 + math.exp(-x)) for x in logits[t].tolist()]
        best = sorted(range(EXPERTS), key=lambda e: -(scores[e] + bias[e].item()))[:3]
        assert ids[t].tolist() == best
        total = sum(scores[e] for e in best) + 1e-20
        assert weights[t].tolist() == pytest.approx([1.5 * scores[e] / total for e in best], rel=1e-12)


def test_weights_sum_to_one(random):
    _, weights = moe.route(random(50, EXPERTS), random(EXPERTS), top_k=3, scaling=1.0)
    assert_close(weights.sum(-1), torch.ones(50, dtype=torch.float64))


def test_the_bias_changes_the_choice_but_not_the_weights():
    logits, bias = torch.tensor([[3.0, 2.0, 1.0, 0.0]]), torch.zeros(4)
    plain, _ = moe.route(logits, bias, top_k=2, scaling=1.0)
    bias[3] = 10.0
    ids, weights = moe.route(logits, bias, top_k=2, scaling=1.0)
    assert plain.tolist() == [[0, 1]]
    assert ids.tolist() == [[3, 0]]
    scores = torch.tensor([[0.0, 3.0]]).sigmoid()
    assert_close(weights, scores / scores.sum())
    same_choice, same_weights = moe.route(logits, bias + 5, top_k=2, scaling=1.0)
    assert torch.equal(same_choice, ids)
    assert torch.equal(same_weights, weights)


def test_ties_go_to_the_lower_id():
    ids, weights = moe.route(torch.zeros(2, 64), torch.zeros(64), top_k=4, scaling=1.0)
    assert ids.tolist() == [[0, 1, 2, 3]] * 2
    assert_close(weights, torch.full((2, 4), 0.25))
    logits = torch.tensor([[1.0, 5.0, 1.0, 5.0, 1.0]])
    assert moe.route(logits, torch.zeros(5), top_k=3, scaling=1.0)[0].tolist() == [[1, 3, 0]]


@pytest.mark.parametrize("tokens", [1, 2, 9])
def test_routed_experts_follow_the_formula(random, experts, tokens):
    z = random(tokens, LATENT)
    ids, weights = moe.route(random(tokens, EXPERTS), torch.zeros(EXPERTS), top_k=3, scaling=1.0)
    got = moe.routed_experts(z, ids, weights, experts, **SITU, act="bf16")
    assert_close(got, _routed_by_formula(z, ids, weights, experts))


def test_decoded_experts_equal_packed_ones(random, experts):
    z = random(4, LATENT)
    for used in (EXPERTS, 2):
        ids = torch.arange(8).view(4, 2) % used
        weights = torch.full((4, 2), 0.5, dtype=torch.float64)
        packed = moe.routed_experts(z, ids, weights, experts, **SITU, act="bf16")
        decoded = moe.routed_experts(z, ids, weights, experts.decoded(torch.float64), **SITU, act="bf16")
        assert torch.equal(packed, decoded)


def test_a_small_decoding_budget_gives_the_same_result_in_rounds(random, experts):
    z, weights = random(9, LATENT), torch.full((9, 2), 0.5, dtype=torch.float64)
    ids = torch.arange(18).view(9, 2) % EXPERTS
    whole = moe.routed_experts(z, ids, weights, experts, **SITU, act="bf16")
    for budget in (1, 2 * experts.parameters_each):
        rounds = moe.routed_experts(z, ids, weights, experts, **SITU, act="bf16", decoded_elements=budget)
        assert_close(rounds, whole)


def test_mxfp8_rounds_the_input_and_the_hidden_activation(random, experts):
    z = random(3, LATENT).float()
    ids, weights = torch.tensor([[0, 1], [2, 3], [5, 4]]), torch.full((3, 2), 0.5)
    got = moe.routed_experts(z, ids, weights, experts, **SITU, act="mxfp8")
    expected = torch.zeros_like(z)
    for t in range(3):
        for e in ids[t].tolist():
            w13, w2 = experts.gather(torch.tensor([e]), dtype=torch.float32)
            a, u = (w13[0] @ mxfp8.round_trip(z[t])).chunk(2)
            hidden = 4 * (a / 4).tanh() * a.sigmoid() * 25 * (u / 25).tanh()
            expected[t] += 0.5 * w2[0] @ mxfp8.round_trip(hidden)
    assert_close(got, expected)
    plain = moe.routed_experts(z, ids, weights, experts, **SITU, act="bf16")
    assert 0 < (got - plain).norm() / plain.norm() < 0.1


@pytest.mark.parametrize("act", ["bf16", "mxfp8"])
def test_bfloat16_stays_near_the_oracle(random, experts, act):
    z = random(8, LATENT)
    ids, weights = moe.route(random(8, EXPERTS), torch.zeros(EXPERTS), top_k=3, scaling=1.0)
    exact = moe.routed_experts(z, ids, weights, experts, **SITU, act="bf16")
    got = moe.routed_experts(z.to(torch.bfloat16), ids, weights.float(), experts, **SITU, act=act)
    assert got.dtype == torch.bfloat16
    assert (got.double() - exact).norm() / exact.norm() < (0.01 if act == "bf16" else 0.06)


def test_no_tokens_give_no_rows(experts):
    decoded = DecodedExperts(*experts.gather(torch.arange(EXPERTS), dtype=torch.float64))
    z, ids = torch.zeros(0, LATENT, dtype=torch.float64), torch.zeros(0, 3, dtype=torch.int64)
    out = moe.routed_experts(z, ids, torch.zeros(0, 3, dtype=torch.float64), decoded, **SITU, act="bf16")
    assert out.shape == (0, LATENT)
