"""Attention residual against float64."""

import pytest
import torch

from k3_decode.bench.inputs import DISTRIBUTIONS, draw
from k3_decode.kernels.attention_residual import AttentionResidual
from k3_decode.reference.attention_residual import mix
from k3_decode.reference.norm import rms_norm

pytestmark = pytest.mark.gpu

FORMS = [(0, "keep"), (1, "restart"), (1, "add"), (2, "restart"), (7, "add"), (8, "add")]


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 8, 13, 16, 31, 32, 33, 63, 64])
@pytest.mark.parametrize(("blocks", "update"), FORMS)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_equals_float64(library, close, seeded, rows, blocks, update, distribution):
    hidden, generator = 7168, seeded(rows * 10 + blocks)
    stored = draw(distribution, 9, rows, hidden, generator=generator).bfloat16()
    stored[blocks:] = float("nan")
    running = draw(distribution, rows, hidden, generator=generator).bfloat16()
    delta = draw(distribution, rows, hidden, generator=generator).bfloat16()
    query = draw("normal", hidden, generator=generator).mul(hidden**-0.5)
    weight = draw("normal", hidden, generator=generator).add(1.0)
    expected_sum = {"add": running + delta, "restart": delta, "keep": running}[update]
    summed, normed = torch.full_like(running, float("nan")), torch.full_like(running, float("nan"))
    library.kernel(AttentionResidual(hidden, blocks, update))(stored, running, delta, query, weight, summed, normed)
    if update == "keep":
        assert summed.isnan().all(), "keep writes no sum"
    else:
        assert torch.equal(summed, expected_sum)
    sources = [*stored[:blocks].double(), expected_sum.double()]
    mixed = mix(sources, gamma=torch.ones_like(query).double(), query=query.double(), eps=1e-5)
    close("kernel.attention_residual", normed, rms_norm(mixed, weight.double(), eps=1e-5), distribution)


def test_the_sum_may_replace_its_source_or_become_a_block(library, seeded):
    generator = seeded(1)
    stored = draw("normal", 3, 5, 7168, generator=generator).bfloat16()
    running, delta = (draw("normal", 5, 7168, generator=generator).bfloat16() for _ in range(2))
    query, weight = (draw("normal", 7168, generator=generator) for _ in range(2))
    kernel = library.kernel(AttentionResidual(7168, 1, "add"))
    apart, first = torch.empty_like(running), torch.empty_like(running)
    kernel(stored, running, delta, query, weight, apart, first)
    in_place, second = running.clone(), torch.empty_like(running)
    kernel(stored, in_place, delta, query, weight, in_place, second)
    block, third = stored.clone(), torch.empty_like(running)
    kernel(block, running, delta, query, weight, block[1], third)
    assert torch.equal(in_place, apart)
    assert torch.equal(block[1], apart)
    assert torch.equal(second, first)
    assert torch.equal(third, first)
