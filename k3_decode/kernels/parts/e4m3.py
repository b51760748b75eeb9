"""Bytes of type e4m3: four in a word, rounded to nearest and saturating at 448, as the reference's cache holds them.

Every e4m3 value is a float16 value, so products of decoded values are exact.
"""

from k3_decode.kernels.parts.dsl import Uint32, Value, cute


def pack_e4m3(values: list[Value]) -> Value:
    """Round four float32 and pack them into a word, the first lowest."""
    return cute.arch.inline_ptx(
        "{ .reg .b16 l, h; cvt.rn.satfinite.e4m3x2.f32 l, {$r1}, {$r0}; "
        "cvt.rn.satfinite.e4m3x2.f32 h, {$r3}, {$r2}; mov.b32 {$w0}, {l, h}; }",
        write_only_types=[Uint32], read_only_args=values,
    )  # fmt: skip


def store_e4m3(address: Value, value: Value) -> None:
    """Round one float32 and write it to global memory."""
    cute.arch.inline_ptx(
        "{ .reg .b16 h; .reg .f32 z; mov.f32 z, 0f00000000; cvt.rn.satfinite.e4m3x2.f32 h, z, {$r1}; "
        "st.global.b8 [{$r0}], h; }",
        read_only_args=[address, value],
    )  # fmt: skip


def unpack_e4m3(word: Value) -> list[Value]:
    """Decode a word into two words of two float16 each, the lowest first."""
    return list(cute.arch.inline_ptx(
        "{ .reg .b16 l, h; mov.b32 {l, h}, {$r0}; cvt.rn.f16x2.e4m3x2 {$w0}, l; cvt.rn.f16x2.e4m3x2 {$w1}, h; }",
        write_only_types=[Uint32] * 2, read_only_args=[word],
    ))  # fmt: skip


def unpack_columns(word: Value) -> list[Value]:
    """Decode a word of two rows by two columns, rows outermost, into one word of two rows for each column."""
    return list(cute.arch.inline_ptx(
        "{ .reg .b16 l, h; .reg .b32 t; prmt.b32 t, {$r0}, 0, 0x3120; mov.b32 {l, h}, t; "
        "cvt.rn.f16x2.e4m3x2 {$w0}, l; cvt.rn.f16x2.e4m3x2 {$w1}, h; }",
        write_only_types=[Uint32] * 2, read_only_args=[word],
    ))  # fmt: skip
