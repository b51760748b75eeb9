"""MXFP4 weights against float16 activations on tensor cores.

A code of MXFP4 is a sign, two exponent bits and a mantissa bit. At bits 15 and 11 to 9 of a float16 it is its value
times 2^-14, subnormals included, which tensor cores take exactly. So decoding is moving bits: a word holds the codes of
four registers, each a shift and a mask away (`k3_decode.kernels.packing` lays the words out so), with no table and no
byte permutation. Scales multiply the float32 sums of a group of 32; `CODE_SCALE` is left to the end.
"""

from k3_decode.kernels.parts.arithmetic import bits, from_bits, high_bf16, low_bf16, maximum, mma_f16, pack_f16
from k3_decode.kernels.parts.dsl import Address, Float32, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import load_static

CODE_SCALE = 2.0**14
"""What a sum of products of decoded weights must still be multiplied by."""
MAGNITUDE_SHIFTS = (0, 3, 6, 9)
"""How far a register's magnitudes lie below bits 11 to 9 of both halves of the word."""
SIGN_SHIFTS = (0, 3, 1, 2)
"""How far its signs lie below bit 15."""
_MAGNITUDES, _SIGNS = 0x0E000E00, 0x80008000
_TOP_EXPONENT = 127 + 14
"""Exponent of the largest magnitude of a scaled row: 2^14 leaves a factor of 2 to the largest float16."""


def decode(word: Value, *, shifts: bool = False) -> list[Value]:
    """Decode eight weights into the four registers of an A fragment.

    Where sign and magnitude lie differently far from their places, one product moves both: their bits are alone in the
    word then, and meet neither each other nor a place of the pattern but their own.

    Args:
        word: Eight codes.
        shifts: Move them by a shift each instead, which takes two instructions more and fewer registers.
    """
    found = []
    for magnitude, sign in zip(MAGNITUDE_SHIFTS, SIGN_SHIFTS, strict=True):
        if magnitude == sign:
            found.append(_left(word, magnitude) & Uint32(_MAGNITUDES | _SIGNS))
        elif shifts:
            found.append(_left(word, magnitude) & Uint32(_MAGNITUDES) | _left(word, sign) & Uint32(_SIGNS))
        else:
            alone = word & Uint32(_MAGNITUDES >> magnitude | _SIGNS >> sign)
            found.append(alone * Uint32(1 << magnitude | 1 << sign) & Uint32(_MAGNITUDES | _SIGNS))
    return found


def _left(word: Value, places: int) -> Value:
    return word << Uint32(places) if places else word


def scale_values(word: Value) -> list[Value]:
    """Turn four biased exponents into the powers of two they stand for; 0 becomes 0."""
    mask = Uint32(0x7F800000)
    shifted = [word << Uint32(23), word << Uint32(15), word << Uint32(7), word >> Uint32(1)]
    return [from_bits(value & mask) for value in shifted]


def row_scale(largest: Value) -> tuple[Value, Value]:
    """Give the power of two that brings a row's largest magnitude to 2^14, and its inverse.

    Exponents below 2^-112 are treated as 2^-112, so that both powers are ordinary numbers.
    """
    exponent = cutlass.max(Uint32(15), bits(largest) >> Uint32(23))
    scale = from_bits((Uint32(127 + _TOP_EXPONENT) - exponent) << Uint32(23))
    return scale, from_bits((exponent - Uint32(_TOP_EXPONENT - 127)) << Uint32(23))


def row_largest(words: list[list[Value]]) -> Value:
    """Give the largest magnitude of words of two bfloat16 each, as float32; NaN counts as more than infinity."""
    every = [word & Uint32(0x7FFF7FFF) for four in words for word in four]
    largest = every[0]
    for word in every[1:]:
        largest = cute.arch.inline_ptx(
            "max.u16x2 {$w0}, {$r0}, {$r1};", write_only_types=[Uint32], read_only_args=[largest, word]
        )
    return maximum(low_bf16(largest), high_bf16(largest))


def pack_row(words: list[Value], scale: Value) -> list[Value]:
    """Turn words of two bfloat16 into words of two float16, times a power of two."""
    return [pack_f16(low_bf16(word) * scale, high_bf16(word) * scale) for word in words]


def load_scales(address: Address, groups: int, width: int | None = None) -> list[Value]:
    """Load one scale word a group.

    Args:
        address: Of the first, aligned to ``width`` words.
        groups: How many.
        width: Words of a load; the widest that keeps a slice of ``groups`` words aligned if None.
    """
    words = next(w for w in (4, 2, 1) if groups % w == 0) if width is None else width
    return [word for i in range(groups // words) for word in load_static(address + i * words * 4, words=words)]


def multiply(
    weights: list[Value], scale: Value, inputs: list[Value], acc: list[list[Value]], *, shifts: bool = False
) -> list[list[Value]]:
    """Add one group's product to the sums of both tiles.

    Args:
        weights: Four words: upper tile's two, lower tile's two.
        scale: Exponents of the rows: upper tile's two, lower tile's two.
        inputs: Four words of float16, eight values of one token.
        acc: Two tiles of four float32.
        shifts: How to decode.
    """
    scales, out = scale_values(scale), []
    for tile in range(2):
        product = [Float32(0.0) for _ in range(4)]
        for half in range(2):
            product = mma_f16(decode(weights[2 * tile + half], shifts=shifts), inputs[2 * half : 2 * half + 2], product)
        out.append([acc[tile][i] + product[i] * scales[2 * tile + i // 2] for i in range(4)])
    return out
