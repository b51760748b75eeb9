import math

import pytest
import torch
from torch.testing import assert_close

from k3_decode.reference import mla

HEADS, NOPE, ROPE, LATENT, VALUE = 3, 8, 4, 10, 6
SCALE = (NOPE + ROPE) ** -0.5


@pytest.fixture
def weights(random):
    return mla.split_kv_b(random(HEADS * (NOPE + VALUE), LATENT), num_heads=HEADS, key_dim=NOPE)


def _by_formula(q, rows, w_uk, w_uv, context):
    """Section 3.4, query by query and head by head."""
    out = torch.zeros(q.shape[0], HEADS, VALUE, dtype=torch.float64)
    for t in range(q.shape[0]):
        for n in range(HEADS):
            scores, values = [], []
            for s in range(context + t + 1):
                c, k_r = rows[s, :LATENT], rows[s, LATENT:]
                scores.append((SCALE * (q[t, n, :NOPE] @ (w_uk[n] @ c) + q[t, n, NOPE:] @ k_r)).item())
                values.append(w_uv[n] @ c)
            total = sum(math.exp(x) for x in scores)
            out[t, n] = sum(math.exp(x) / total * v for x, v in zip(scores, values, strict=True))
    return out


def _absorbed(q, rows, w_uk, w_uv, context):
    mask = torch.arange(rows.shape[0]) <= (context + torch.arange(q.shape[0])).unsqueeze(1)
    query = mla.absorb_query(q, w_uk).unsqueeze(0)
    latent, _ = mla.absorbed_attention(query, rows.unsqueeze(0), mask.unsqueeze(0), latent_dim=LATENT, scale=SCALE)
    return mla.expand_value(latent[0], w_uv)


@pytest.mark.parametrize(("tokens", "context"), [(1, 0), (1, 12), (5, 0), (4, 7)])
def test_both_forms_follow_the_formula(random, weights, tokens, context):
    q, rows = random(tokens, HEADS, NOPE + ROPE), random(context + tokens, LATENT + ROPE)
    expected = _by_formula(q, rows, *weights, context)
    assert_close(mla.expanded_attention(q, rows, *weights, context=context, scale=SCALE), expected)
    assert_close(_absorbed(q, rows, *weights, context), expected)


def test_the_expanded_form_is_the_same_in_blocks_of_queries(random, weights):
    tokens = mla.QUERY_ROWS + 20
    q, rows = random(tokens, HEADS, NOPE + ROPE), random(tokens + 3, LATENT + ROPE)
    got = mla.expanded_attention(q, rows, *weights, context=3, scale=SCALE)
    assert_close(got, _absorbed(q, rows, *weights, 3))


def test_kv_b_is_head_major_with_keys_before_values(random):
    weight = random(HEADS * (NOPE + VALUE), LATENT)
    w_uk, w_uv = mla.split_kv_b(weight, num_heads=HEADS, key_dim=NOPE)
    per_head = NOPE + VALUE
    for n in range(HEADS):
        assert torch.equal(w_uk[n], weight[n * per_head : n * per_head + NOPE])
        assert torch.equal(w_uv[n], weight[n * per_head + NOPE : (n + 1) * per_head])


def test_the_log_sum_exp_is_in_base_two(random):
    query, rows = random(1, 1, 1, LATENT + ROPE), random(1, 5, LATENT + ROPE)
    mask = torch.ones(1, 1, 5, dtype=torch.bool)
    _, lse = mla.absorbed_attention(query, rows, mask, latent_dim=LATENT, scale=SCALE)
    scores = SCALE * rows[0] @ query.flatten()
    assert 2 ** lse.item() == pytest.approx(scores.exp().sum().item(), rel=1e-12)


def test_a_query_that_may_look_nowhere_gives_zero_and_minus_infinity(random):
    query, rows = random(1, 2, 2, LATENT + ROPE), random(1, 5, LATENT + ROPE)
    mask = torch.zeros(1, 2, 5, dtype=torch.bool)
    mask[0, 1] = True
    latent, lse = mla.absorbed_attention(query, rows, mask, latent_dim=LATENT, scale=SCALE)
    assert torch.equal(latent[0, 0], torch.zeros(2, LATENT, dtype=torch.float64))
    assert (lse[0, 0] == -math.inf).all()
    assert lse[0, 1].isfinite().all()


def test_large_scores_do_not_overflow(random, weights):
    q, rows = 1e4 * random(3, HEADS, NOPE + ROPE), random(3, LATENT + ROPE)
    single = mla.expanded_attention(q.float(), rows.float(), *(w.float() for w in weights), context=0, scale=SCALE)
    assert single.isfinite().all()
    assert_close(_absorbed(q, rows, *weights, 0), mla.expanded_attention(q, rows, *weights, context=0, scale=SCALE))


def test_e4m3_saturates():
    got = mla.to_e4m3(torch.tensor([1e6, -1e6, 1.0, 0.3])).float()
    assert got.tolist() == [448.0, -448.0, 1.0, 0.3125]
