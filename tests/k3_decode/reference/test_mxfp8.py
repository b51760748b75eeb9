import math

import pytest
import torch

from k3_decode.errors import ArgumentError
from k3_decode.reference.mxfp8 import block_exponent, round_trip


def _smallest_exponent(amax: float) -> int:
    return next(s for s in range(255) if amax <= 448 * 2.0 ** (s - 127))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_scale_is_the_smallest_that_does_not_saturate(dtype):
    above = torch.nextafter(torch.tensor(448.0, dtype=dtype), torch.tensor(1e9, dtype=dtype)).item()
    below = torch.nextafter(torch.tensor(448.0, dtype=dtype), torch.tensor(0.0, dtype=dtype)).item()
    values = [1.0, 447.9, below, 448.0, above, 256.0, 896.0, 0.875, 1e-10, 3e4, 2.0**-118, 2.0**100 * 448]
    got = block_exponent(torch.tensor(values, dtype=dtype)).tolist()
    assert got == [_smallest_exponent(torch.tensor(v, dtype=dtype).item()) for v in values]
    assert got[3] == 127
    assert got[4] == 128


def test_zero_and_subnormal_blocks_have_exponent_zero():
    assert block_exponent(torch.tensor([0.0, 1e-40, 2.0**-126])).tolist() == [0, 0, 0]


def test_the_floor_rule_takes_the_exponent_of_the_largest_magnitude():
    values = [1.0, 1.9, 448.0, 500.0, 511.0, 512.0]
    expected = [math.floor(math.log2(v)) - 8 + 127 for v in values]
    assert block_exponent(torch.tensor(values), rule="floor").tolist() == expected


def test_the_floor_rule_saturates_where_the_other_does_not():
    x = torch.zeros(32)
    x[0] = 500.0
    assert round_trip(x, rule="floor")[0] == 448.0
    assert round_trip(x)[0] == 512.0  # scaled by 2: 250 lies between 240 and 256, nearest e4m3 is 256


def test_values_with_three_mantissa_bits_survive():
    x = torch.tensor([(-1) ** i * (1 + i % 8 / 8) * 2.0 ** (i % 4) for i in range(64)], dtype=torch.float32)
    assert torch.equal(round_trip(x), x)


def test_each_block_of_32_is_scaled_alone(random):
    x = random(3, 64).float()
    x[:, 32:] *= 1e6
    got = round_trip(x)
    assert torch.equal(got[:, :32], round_trip(x[:, :32]))
    assert ((got - x).abs() <= x.abs() / 16 + 1e-2).all()


def test_a_ragged_block_is_refused():
    with pytest.raises(ArgumentError, match="divisible by 32, got 40"):
        round_trip(torch.zeros(2, 40))
