import math

import pytest
import torch

from k3_decode.reference.situ import situ


def test_situ_follows_its_formula():
    a, u = 1.5, -30.0
    expected = 4 * math.tanh(a / 4) / (1 + math.exp(-a)) * 25 * math.tanh(u / 25)
    got = situ(torch.tensor(a, dtype=torch.float64), torch.tensor(u, dtype=torch.float64), beta=4.0, linear_beta=25.0)
    assert got.item() == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_the_result_never_exceeds_the_product_of_the_bounds(dtype):
    values = torch.tensor([-1e30, -500.0, -3.0, 0.0, 0.1, 7.0, 500.0, 1e30], dtype=dtype)
    gate, linear = torch.meshgrid(values, values, indexing="ij")
    out = situ(gate, linear, beta=4.0, linear_beta=25.0)
    assert out.dtype == dtype
    assert out.abs().max() <= 100
    assert out.isfinite().all()


def test_moderate_inputs_stay_strictly_inside_the_bounds(random):
    out = situ(random(1000) * 10, random(1000) * 100, beta=4.0, linear_beta=25.0)
    assert out.abs().max() < 100


def test_without_a_linear_bound_the_linear_half_passes_unchanged(random):
    a, u = random(50), random(50) * 100
    expected = 4 * torch.tanh(a / 4) * torch.sigmoid(a) * u
    torch.testing.assert_close(situ(a, u, beta=4.0, linear_beta=None), expected)
