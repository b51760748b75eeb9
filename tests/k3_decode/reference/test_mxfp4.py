import math

import pytest
import torch

from k3_decode.errors import ArgumentError
from k3_decode.reference.mxfp4 import dequantize, exponent_value

VALUES = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0]


def _naive(packed: list[int], scales: list[int]) -> list[float]:
    out = []
    for position in range(2 * len(packed)):
        byte = packed[position // 2]
        nibble = byte // 16 if position % 2 else byte % 16
        out.append(VALUES[nibble] * 2.0 ** (scales[position // 32] - 127))
    return out


def test_the_low_nibble_comes_first():
    packed = torch.zeros(1, 16, dtype=torch.uint8)
    packed[0, 0] = 0x21  # low nibble 1 is 0.5, high nibble 2 is 1.0
    got = dequantize(packed, torch.tensor([[127]], dtype=torch.uint8), dtype=torch.float32)
    assert got[0, :3].tolist() == [0.5, 1.0, 0.0]


def test_every_nibble_decodes_to_its_e2m1_value():
    packed = torch.tensor([[code | code << 4 for code in range(16)]], dtype=torch.uint8)
    got = dequantize(packed, torch.tensor([[127]], dtype=torch.uint8), dtype=torch.float32)[0, ::2]
    assert got.tolist() == VALUES
    assert [math.copysign(1, v) for v in got.tolist()] == [1.0] * 8 + [-1.0] * 8


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_random_weights_decode_exactly_as_by_hand(dtype):
    generator = torch.Generator().manual_seed(3)
    packed = torch.randint(0, 256, (2, 5, 48), dtype=torch.uint8, generator=generator)
    scale = torch.randint(100, 140, (2, 5, 3), dtype=torch.uint8, generator=generator)
    got = dequantize(packed, scale, dtype=dtype)
    for expert in range(2):
        for row in range(5):
            by_hand = _naive(packed[expert, row].tolist(), scale[expert, row].tolist())
            assert got[expert, row].tolist() == by_hand


def test_scales_are_powers_of_two_and_255_is_nan():
    scale = torch.tensor([0, 126, 127, 128, 254, 255], dtype=torch.uint8)
    values = exponent_value(scale, dtype=torch.float64).tolist()
    assert values[:5] == [2.0**-127, 0.5, 1.0, 2.0, 2.0**127]
    assert math.isnan(values[5])


def test_each_group_of_32_inputs_has_its_own_scale():
    packed = torch.full((1, 32), 0x22, dtype=torch.uint8)
    got = dequantize(packed, torch.tensor([[127, 130]], dtype=torch.uint8), dtype=torch.float32)
    assert got[0].tolist() == [1.0] * 32 + [8.0] * 32


@pytest.mark.parametrize(
    ("packed", "scale"),
    [
        (torch.zeros(2, 16, dtype=torch.int8), torch.zeros(2, 1, dtype=torch.uint8)),
        (torch.zeros(2, 16, dtype=torch.uint8), torch.zeros(2, 2, dtype=torch.uint8)),
        (torch.zeros(2, 8, dtype=torch.uint8), torch.zeros(2, 0, dtype=torch.uint8)),
        (torch.zeros(2, 16, dtype=torch.uint8), torch.zeros(3, 1, dtype=torch.uint8)),
    ],
)
def test_unlike_shapes_and_types_are_refused(packed, scale):
    with pytest.raises(ArgumentError, match=r"mxfp4\.dequantize"):
        dequantize(packed, scale, dtype=torch.float32)
