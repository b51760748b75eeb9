"""The experts' layout, decoded again the way the kernels decode it."""

import pytest
import torch

from k3_decode.errors import ArgumentError
from k3_decode.kernels.catalog import ACTS
from k3_decode.kernels.packing import pack_down, pack_up
from k3_decode.kernels.parts.mxfp4 import CODE_SCALE, MAGNITUDE_SHIFTS, SIGN_SHIFTS
from k3_decode.reference import mxfp4


def decode(words: torch.Tensor, exponents: torch.Tensor) -> torch.Tensor:
    """Undo the layout as the kernels do: shift, mask, and take the halves for float16.

    Rows of each tile come in the order (half, first or second, lane group).
    """
    experts, tiles, groups = words.shape[:3]
    unsigned = words.to(torch.int64) & 0xFFFFFFFF
    lanes = unsigned.view(experts, tiles, groups, 8, 4, 2, 2)  # lane group, quarter, half, word
    out = torch.zeros(experts, tiles, 2, 2, 8, groups, 4, 2, 4)
    for register, (magnitude, sign) in enumerate(zip(MAGNITUDE_SHIFTS, SIGN_SHIFTS, strict=True)):
        bits = (lanes << magnitude) & 0x0E000E00 | (lanes << sign) & 0x80008000
        row, pair = register % 2, register // 2
        for half in range(2):
            patterns = ((bits >> (16 * half)) & 0xFFFF).to(torch.uint16).view(torch.float16)
            values = patterns.float() * CODE_SCALE
            out[:, :, :, row, :, :, :, :, 2 * pair + half] = values.permute(0, 1, 5, 3, 2, 4, 6)
    bytes_ = exponents.contiguous().view(torch.uint8).view(experts, tiles, 8, groups, 4)
    powers = torch.exp2(bytes_.float() - 127.0).view(experts, tiles, 8, groups, 2, 2).permute(0, 1, 4, 5, 2, 3)
    return (out * powers[..., None, None, None]).reshape(experts, tiles * 32, groups * 32)


def decode_bytes(words: torch.Tensor, exponents: torch.Tensor) -> torch.Tensor:
    """Undo the layout for MXFP8 activations likewise: two registers of a byte a column, taken for e5m2."""
    experts, tiles, groups = words.shape[:3]
    unsigned = words.to(torch.int64) & 0xFFFFFFFF
    lanes = unsigned.view(experts, tiles, groups, 8, 4, 2, 2)  # lane group, quarter, half, word
    second = (lanes >> 3) & 0x0E0E0E0E | (lanes << 7) & 0x80808080
    registers = torch.stack([lanes & 0x8E8E8E8E, second])  # of both rows
    bytes_ = torch.stack([(registers >> (8 * column)) & 0xFF for column in range(4)], dim=-1).to(torch.uint8)
    out = bytes_.view(torch.float8_e5m2).float() * CODE_SCALE
    # [row, expert, tile, group, lane group, quarter, half, word, column]
    values = out.permute(1, 2, 6, 0, 4, 3, 5, 7, 8)
    scales = exponents.contiguous().view(torch.uint8).view(experts, tiles, 8, groups, 2, 2).permute(0, 1, 4, 5, 2, 3)
    powers = torch.exp2(scales.float() - 127.0)
    return (values * powers[..., None, None, None]).reshape(experts, tiles * 32, groups * 32)


DECODERS = {"bf16": decode, "mxfp8": decode_bytes}


def codes(*shape: int, low: int = 0, high: int = 256) -> torch.Tensor:
    return torch.randint(low, high, shape, dtype=torch.uint8, generator=torch.Generator().manual_seed(sum(shape)))


@pytest.mark.parametrize("act", ACTS)
def test_down_rows_keep_their_order(act):
    packed, scale = codes(3, 64, 48), codes(3, 64, 3, low=120, high=130)
    found = DECODERS[act](*pack_down(packed, scale, act))
    assert torch.equal(found, mxfp4.dequantize(packed, scale, dtype=torch.float32))


@pytest.mark.parametrize("act", ACTS)
def test_gate_and_linear_rows_meet_eight_apart(act):
    packed, scale = codes(2, 96, 64), codes(2, 96, 4, low=120, high=130)
    weights = mxfp4.dequantize(packed, scale, dtype=torch.float32)
    found = DECODERS[act](*pack_up(packed, scale, act)).view(2, 6, 2, 8, 128)
    assert torch.equal(found[:, :, 0].reshape(2, 48, 128), weights[:, :48])
    assert torch.equal(found[:, :, 1].reshape(2, 48, 128), weights[:, 48:])


@pytest.mark.parametrize("act", ACTS)
def test_nothing_is_padded(act):
    packed, scale = codes(2, 64, 96), codes(2, 64, 6)
    words, exponents = pack_down(packed, scale, act)
    assert words.nbytes == packed.nbytes
    assert exponents.nbytes == scale.nbytes


def test_rows_that_fill_no_tile_are_refused():
    with pytest.raises(ArgumentError, match="rows by 32"):
        pack_down(codes(1, 40, 48), codes(1, 40, 3))
