import math

import pytest
import torch
from torch.testing import assert_close

from k3_decode.reference import dcp, mla

LATENT, ROPE, HEADS = 10, 4, 3


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
@pytest.mark.parametrize("interleave", [1, 2, 5])
def test_the_length_formula_counts_the_owned_tokens(ranks, interleave):
    for total in range(41):
        owned = [[] for _ in range(ranks)]
        for position in range(total):
            rank = dcp.owner(position, ranks=ranks, interleave=interleave)
            index = dcp.local_index(position, ranks=ranks, interleave=interleave)
            assert index == len(owned[rank])  # rows of a rank are dense and in order
            owned[rank].append(position)
        lengths = [dcp.local_length(total, rank=r, ranks=ranks, interleave=interleave) for r in range(ranks)]
        assert lengths == [len(positions) for positions in owned]


def _attend(query, rows, mask):
    return mla.absorbed_attention(query, rows, mask, latent_dim=LATENT, scale=0.3)


@pytest.mark.parametrize("ranks", [1, 2, 4, 8])
@pytest.mark.parametrize("interleave", [1, 3])
@pytest.mark.parametrize(("total", "tokens"), [(5, 1), (17, 1), (17, 4)])
def test_merged_shards_equal_a_single_rank(random, ranks, interleave, total, tokens):
    """Also with several query tokens, masked in global positions, and with ranks that hold nothing."""
    query, rows = random(1, tokens, HEADS, LATENT + ROPE), random(total, LATENT + ROPE)
    positions = torch.arange(total)
    causal = positions <= torch.arange(total - tokens, total).unsqueeze(1)
    expected, expected_lse = _attend(query, rows.unsqueeze(0), causal.unsqueeze(0))
    outputs, lses = [], []
    for rank in range(ranks):
        owned = [p for p in range(total) if dcp.owner(p, ranks=ranks, interleave=interleave) == rank]
        out, lse = _attend(query, rows[owned].unsqueeze(0), causal[:, owned].unsqueeze(0))
        outputs.append(out)
        lses.append(lse)
    lse = torch.stack(lses)
    assert_close(dcp.merge(torch.stack(outputs), lse), expected)
    assert_close(torch.exp2(lse).sum(0), torch.exp2(expected_lse))


def test_empty_parts_count_for_nothing(random):
    out = random(2, 3, LATENT)
    lse = torch.tensor([[0.5] * 3, [-math.inf] * 3], dtype=torch.float64)
    assert torch.equal(dcp.merge(out, lse), out[0])


def test_all_parts_empty_give_zero():
    out = dcp.merge(torch.zeros(2, 3, 4), torch.full((2, 3), -math.inf))
    assert torch.equal(out, torch.zeros(3, 4))
