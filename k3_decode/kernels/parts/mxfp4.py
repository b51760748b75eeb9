"""MXFP4 weights against float16 activations on tensor cores.

A nibble becomes a float16 by table look-up: the eight magnitudes differ in their high byte only, so one byte
permutation decodes four of them, and the sign bits lie where one shift puts them on top of the bytes
(`k3_decode.kernels.packing` lays the words out so). Scales multiply the float32 sums of a group of 32.
"""

from k3_decode.kernels.parts.arithmetic import bits, from_bits, mma_f16
from k3_decode.kernels.parts.dsl import Address, Float32, Uint32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import load_static

_MAGNITUDES_LOW, _MAGNITUDES_HIGH = 0x3E3C3800, 0x46444240
"""High bytes of 0, 0.5, 1, 1.5 and of 2, 3, 4, 6 in float16, lowest first; the low bytes are 0."""
_TOP_EXPONENT = 127 + 14
"""Exponent of the largest magnitude of a scaled row: 2^14 leaves a factor of 2 to the largest float16."""


def decode(word: Value) -> tuple[list[Value], list[Value]]:
    """Decode eight weights: two words of float16 of the upper row, two of the lower."""
    chosen = word & Uint32(0x77777777)
    halves = [
        _permute(Uint32(_MAGNITUDES_LOW), Uint32(_MAGNITUDES_HIGH), chosen) | (word & Uint32(0x80808080)),
        _permute(Uint32(_MAGNITUDES_LOW), Uint32(_MAGNITUDES_HIGH), chosen >> Uint32(16))
        | ((word << Uint32(4)) & Uint32(0x80808080)),
    ]
    upper, lower = ([_permute(h, Uint32(0), Uint32(s)) for s in (0x1404, 0x3424)] for h in halves)
    return upper, lower


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


def _permute(a: Value, b: Value, selector: Value) -> Value:
    return cute.arch.inline_ptx(
        "prmt.b32 {$w0}, {$r0}, {$r1}, {$r2};", write_only_types=[Uint32], read_only_args=[a, b, selector]
    )


def load_scales(address: Address, groups: int) -> list[Value]:
    """Load one scale word a group, in the widest loads that keep a slice of ``groups`` words aligned."""
    width = next(w for w in (4, 2, 1) if groups % w == 0)
    return [word for i in range(groups // width) for word in load_static(address + i * width * 4, words=width)]


def multiply(weights: list[Value], scale: Value, inputs: list[Value], acc: list[list[Value]]) -> list[list[Value]]:
    """Add one group's product to the sums of both tiles.

    Args:
        weights: Four words: upper tile's two, lower tile's two.
        scale: Exponents of the rows: upper tile's two, lower tile's two.
        inputs: Four words of float16, eight values of one token.
        acc: Two tiles of four float32.
    """
    scales, out = scale_values(scale), []
    for tile in range(2):
        product = [Float32(0.0) for _ in range(4)]
        for half in range(2):
            upper, lower = decode(weights[2 * tile + half])
            product = mma_f16([upper[0], lower[0], upper[1], lower[1]], inputs[2 * half : 2 * half + 2], product)
        out.append([acc[tile][i] + product[i] * scales[2 * tile + i // 2] for i in range(4)])
    return out
