import math

import torch

from k3_decode.reference.norm import l2_norm, rms_norm


def test_rms_norm_follows_its_formula():
    x, weight = torch.tensor([[3.0, -4.0]], dtype=torch.float64), torch.tensor([2.0, 0.5], dtype=torch.float64)
    scale = 1 / math.sqrt((9 + 16) / 2 + 1e-5)
    torch.testing.assert_close(rms_norm(x, weight, eps=1e-5), torch.tensor([[6.0, -2.0]], dtype=torch.float64) * scale)


def test_rms_norm_takes_statistics_in_float32_and_rounds_once(random):
    x, weight = random(4, 64).to(torch.bfloat16) * 200, random(64).float()
    exact = rms_norm(x.double(), weight.double(), eps=1e-5)
    assert torch.equal(rms_norm(x, weight, eps=1e-5), exact.to(torch.bfloat16))


def test_zero_rows_stay_zero():
    assert torch.equal(rms_norm(torch.zeros(2, 8), torch.ones(8), eps=1e-5), torch.zeros(2, 8))
    assert torch.equal(l2_norm(torch.zeros(2, 8)), torch.zeros(2, 8))


def test_l2_norm_adds_epsilon_under_the_root():
    x = torch.tensor([3e-4, 4e-4], dtype=torch.float64)
    torch.testing.assert_close(l2_norm(x), x / math.sqrt(25e-8 + 1e-6))
