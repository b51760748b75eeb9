"""Lays MXFP4 experts out as the routed experts' kernels read them; no padding, the bytes of the checkpoint.

A tile is 32 weight rows; a lane's 16 bytes of a group of 32 columns are four words: two of the upper 16 rows, two of
the lower. A word holds columns ``4j .. 4j + 3`` of the lane's quarter of the group for two rows eight apart. Against
bfloat16 activations those are the four registers of a tensor-core fragment: both rows of the first two columns, then
both rows of the last two, the even column in the lower half of a register. Against MXFP8 they are two registers, a row
each and a byte a column. Where in the word the bits lie is said in `k3_decode.kernels.parts.mxfp4` and
`k3_decode.kernels.parts.mxfp8`.
"""

import torch
from torch import Tensor

from k3_decode.config import ExpertAct
from k3_decode.errors import ArgumentError
from k3_decode.kernels.parts.mxfp4 import MAGNITUDE_SHIFTS, SIGN_SHIFTS

TILE = 32

AT_ONCE = 1 << 26
"""Weights laid out at once: each is a word of eight bytes and some temporaries meanwhile."""


def pack_up(packed: Tensor, scale: Tensor, act: ExpertAct = "bf16") -> tuple[Tensor, Tensor]:
    """Lay out gate and linear rows so that a gate and its linear partner meet in one lane.

    Args:
        packed: ``[E, 2 * I, L / 2]`` uint8, gate rows first, low nibble first.
        scale: ``[E, 2 * I, L / 32]`` uint8.
        act: Activations that they will meet.

    Returns:
        Words ``[E, I / 16, L / 32, 32, 4]`` and exponents ``[E, I / 16, 8, L / 32]``, int32.
    """
    half = packed.shape[1] // 2
    first = torch.arange(half, device=packed.device).view(-1, 2, 1, 8)
    return _pack(packed, scale, torch.cat([first, first + half], dim=2).flatten(), act)


def pack_down(packed: Tensor, scale: Tensor, act: ExpertAct = "bf16") -> tuple[Tensor, Tensor]:
    """Lay out output rows in their own order.

    Args:
        packed: ``[E, L, I / 2]`` uint8.
        scale: ``[E, L, I / 32]`` uint8.
        act: Activations that they will meet.

    Returns:
        Words ``[E, L / 32, I / 32, 32, 4]`` and exponents ``[E, L / 32, 8, I / 32]``, int32.
    """
    return _pack(packed, scale, torch.arange(packed.shape[1], device=packed.device), act)


def _pack(packed: Tensor, scale: Tensor, order: Tensor, act: ExpertAct) -> tuple[Tensor, Tensor]:
    """Lay rows out in ``order``: of every 32, the 8 first rows of both tiles' pairs are 0..7 and 16..23."""
    rows, groups = packed.shape[1], scale.shape[2]
    if rows % TILE or packed.shape[2] != groups * 16:
        raise ArgumentError("packing", "packed", expected=f"rows by {TILE}, groups of 32", got=tuple(packed.shape))
    words = torch.empty(packed.shape[0], rows // TILE, groups, 32, 4, dtype=torch.int32, device=packed.device)
    exponents = torch.empty(packed.shape[0], rows // TILE, 8, groups, dtype=torch.int32, device=packed.device)
    at_once = max(1, AT_ONCE // (rows * groups * 32))
    for first in range(0, packed.shape[0], at_once):
        some = slice(first, first + at_once)
        words[some] = _words(packed[some][:, order].flatten(0, 1), groups, act).view_as(words[some])
        bytes_ = scale[some][:, order].view(-1, 4, 8, groups).permute(0, 2, 3, 1).contiguous()
        exponents[some] = bytes_.view(torch.int32).view_as(exponents[some])
    return words, exponents


def _places(row: int, column: int, act: ExpertAct) -> tuple[int, int]:
    """Tell where the lowest bit of a magnitude lies in a word, and where its sign."""
    if act == "mxfp8":
        return 8 * column + (4 if row else 1), 8 * column + (0 if row else 7)
    register, half = column // 2 * 2 + row, 16 * (column % 2)
    return 9 - MAGNITUDE_SHIFTS[register] + half, 15 - SIGN_SHIFTS[register] + half


def _words(packed: Tensor, groups: int, act: ExpertAct) -> Tensor:
    nibbles = torch.stack([packed & 15, packed >> 4], dim=-1).flatten(1).to(torch.int64)
    # [tile, upper or lower, first or second row, group of lanes, group of columns, quarter, word, column]
    parts = nibbles.view(-1, 2, 2, 8, groups, 4, 2, 4)
    words = torch.zeros(parts.shape[:2] + parts.shape[3:7], dtype=torch.int64, device=packed.device)
    for row in range(2):
        for column in range(4):
            code, (magnitude, sign) = parts[:, :, row, ..., column], _places(row, column, act)
            words += (code & 7) << magnitude
            words += (code >> 3) << sign
    # [tile, half, lane group, group, quarter, word] to [tile, group, lane group, quarter, half, word]
    laid = words.permute(0, 3, 2, 4, 1, 5).reshape(words.shape[0], groups, 32, 4)
    return torch.where(laid >= 2**31, laid - 2**32, laid).to(torch.int32)
