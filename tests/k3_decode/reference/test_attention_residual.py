import pytest
import torch

from k3_decode.config import CONFIGS
from k3_decode.reference.attention_residual import attention_sources, mix, mlp_sources


def test_mix_follows_its_formula_token_by_token(random):
    sources, gamma, query = [random(3, 6) for _ in range(4)], random(6), random(6)
    expected = torch.empty(3, 6, dtype=torch.float64)
    for token in range(3):
        vectors = [source[token] for source in sources]
        scores = [(v * gamma * query).sum() / ((v * v).mean() + 1e-5).sqrt() for v in vectors]
        weights = torch.stack(scores).exp() / torch.stack(scores).exp().sum()
        expected[token] = sum(w * v for w, v in zip(weights, vectors, strict=True))
    torch.testing.assert_close(mix(sources, gamma=gamma, query=query, eps=1e-5), expected)


@pytest.mark.parametrize("count", range(1, 10))
def test_a_zero_query_gives_the_plain_mean(random, count):
    sources = [random(3, 8) for _ in range(count)]
    got = mix(sources, gamma=random(8), query=torch.zeros(8, dtype=torch.float64), eps=1e-5)
    torch.testing.assert_close(got, torch.stack(sources).mean(0))


def test_one_source_comes_back_exactly(random):
    source = random(3, 8).to(torch.bfloat16)
    assert torch.equal(mix([source], gamma=random(8), query=random(8), eps=1e-5), source)


def test_the_averaged_vectors_are_not_normalised(random):
    """Scaling one source leaves the weights alone and scales its share of the result."""
    a, b, gamma, query = random(2, 8), random(2, 8), random(8), random(8)
    plain = mix([a, b], gamma=gamma, query=query, eps=0.0)
    scaled = mix([10 * a, b], gamma=gamma, query=query, eps=0.0)
    share = (scaled - plain) / 9
    torch.testing.assert_close(plain - share, scaled - 10 * share)
    torch.testing.assert_close(share / a, (share / a)[:, :1].expand(2, 8))


def test_source_counts_of_the_published_model():
    size = CONFIGS["k3"].attn_res_block_size
    attention = [attention_sources(layer, size) for layer in range(93)]
    mlp = [mlp_sources(layer, size) for layer in range(93)]
    assert attention[:2] == [1, 2]
    assert attention == [-(-layer // 12) + 1 for layer in range(93)]
    assert mlp == [layer // 12 + 2 for layer in range(93)]
    assert max(attention + mlp) == 9
