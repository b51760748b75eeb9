# mypy: allow-untyped-decorators
"""MXFP4 weights against MXFP8 activations on tensor cores: e4m3 codes, a power of two for every 32 of them.

A code of MXFP4 at bits 7 and 3 to 1 of a byte is its value times 2^-14 as e5m2, subnormals included. So a word holds
the codes of two rows for four columns, a byte a column: the first row's at their places, the second row's where those
leave room, three and seven bits away (`k3_decode.kernels.packing` lays the words out so). A word is then two registers
of an A fragment with five instructions, and products of e5m2 and e4m3 are exact. The sum over a block of 32 is
multiplied by the scale of the weights and that of the activations; `k3_decode.kernels.parts.mxfp4.CODE_SCALE` is left
to the end.

The scale of a block of activations is the smallest power of two under which none exceeds 448, as
`k3_decode.reference.mxfp8` has it by its rule ``ceil``, but never less than 2^-126, which float32 still holds as an
ordinary number.
"""

from k3_decode.kernels.parts.arithmetic import (
    bits,
    from_bits,
    high_bf16,
    low_bf16,
    mma_e5m2_e4m3,
)
from k3_decode.kernels.parts.dsl import Float32, Int32, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.e4m3 import pack_e4m3
from k3_decode.kernels.parts.memory import store_shared, store_shared_f32
from k3_decode.kernels.parts.mxfp4 import row_largest, scale_values
from k3_decode.kernels.parts.sync import WARP

BLOCK = 32
"""Activations that share a scale, and columns of one product."""
_FIRST, _MAGNITUDES, _SIGNS = 0x8E8E8E8E, 0x0E0E0E0E, 0x80808080
_ABOVE = (1 << 23) - (0b110 << 20) - 1
"""What added to a float32 carries into its exponent where its mantissa is above that of 448."""
_LARGEST = 8
"""Exponent of 448, 1.75 * 2^8."""


def block_scale(largest: Value) -> tuple[Value, Value]:
    """Give what a block of this largest magnitude is multiplied by before it is rounded, and the scale it then has."""
    biased = cutlass.max(Uint32(_LARGEST + 1), (bits(largest) + Uint32(_ABOVE)) >> Uint32(23)) - Uint32(_LARGEST)
    return from_bits((Uint32(254) - biased) << Uint32(23)), from_bits(biased << Uint32(23))


def round_to_odd(value: Value) -> Value:
    """Round a float32 to bfloat16, to the odd neighbour where it is none, so that e4m3 of the result is e4m3 of it.

    To the nearest, one value in 32 would come to lie between two codes, and be rounded once more the wrong way.
    """
    word = bits(value)
    return from_bits(word & Uint32(0xFFFF0000) | cutlass.min(word & Uint32(0xFFFF), Uint32(1)) << Uint32(16))


def pack_blocks(words: list[Value]) -> tuple[list[Value], Value]:
    """Turn this lane's eight bfloat16 of a block, which four adjacent lanes hold, into two words of e4m3.

    Args:
        words: Of two bfloat16 each.

    Returns:
        The codes, and the scale of the block.
    """
    factor, scale = block_scale(cute.arch.warp_reduction_max(row_largest([words]), threads_in_group=4))
    values = [half(word) * factor for word in words for half in (low_bf16, high_bf16)]
    return [pack_e4m3(values[:4]), pack_e4m3(values[4:])], scale


@cute.jit
def stage_blocks(
    codes: Int32, scales: Int32, scale_pitch: cutlass.Constexpr, words: list[list[Value]], lane: Int32,
    width: cutlass.Constexpr,
) -> None:  # fmt: skip
    """Put one row into shared memory as codes and the scales of its blocks, by one warp.

    Args:
        codes: Shared address of the codes, aligned to 8 bytes.
        scales: Of the first block's scale.
        scale_pitch: Bytes from one block's scale to the next's.
        words: This lane's eights of the row, every 32nd, as words of two bfloat16; beyond the row anything of it.
        lane: Of the warp.
        width: Of the row, a multiple of 32.
    """
    for j in cutlass.range_constexpr(len(words)):
        packed, scale = pack_blocks(words[j])
        place = lane + j * WARP
        if place < width // 8:
            store_shared(codes + place * 8, packed)
            if lane % 4 == 0:
                store_shared_f32(scales + place // 4 * scale_pitch, scale)


def decode_bytes(word: Value) -> list[Value]:
    """Decode eight weights into two registers of an A fragment, four columns of a row each."""
    second = (word >> Uint32(3)) & Uint32(_MAGNITUDES) | (word << Uint32(7)) & Uint32(_SIGNS)
    return [word & Uint32(_FIRST), second]


def multiply_blocks(
    weights: list[Value], scale: Value, inputs: list[Value], factors: list[Value], acc: list[list[Value]]
) -> list[list[Value]]:
    """Add one block's product to the sums of both tiles.

    Args:
        weights: Four words: upper tile's two, lower tile's two.
        scale: Exponents of the rows: upper tile's two, lower tile's two.
        inputs: Two words of e4m3, eight values of one token.
        factors: Scales of the block of the two tokens whose sums this lane holds.
        acc: Two tiles of four float32.
    """
    scales, out = scale_values(scale), []
    for tile in range(2):
        rows = [register for half in range(2) for register in decode_bytes(weights[2 * tile + half])]
        product = mma_e5m2_e4m3(rows, inputs, [Float32(0.0) for _ in range(4)])
        both = [scales[2 * tile + i // 2] * factors[i % 2] for i in range(4)]
        out.append([acc[tile][i] + product[i] * both[i] for i in range(4)])
    return out
