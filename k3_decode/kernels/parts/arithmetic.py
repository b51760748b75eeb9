"""Arithmetic on packed and single values."""

from k3_decode.kernels.parts.dsl import Address, Float32, Int64, Uint32, Value, cute

LOG2_E = 1.4426950408889634


def low_bf16(word: Value) -> Value:
    """Widen the low bfloat16 of a word to float32."""
    return cute.arch.inline_ptx("shl.b32 {$w0}, {$r0}, 16;", write_only_types=[Float32], read_only_args=[word])


def high_bf16(word: Value) -> Value:
    """Widen the high bfloat16 of a word to float32."""
    return cute.arch.inline_ptx("and.b32 {$w0}, {$r0}, 0xffff0000;", write_only_types=[Float32], read_only_args=[word])


def pack_bf16(low: Value, high: Value) -> Value:
    """Round two float32 to bfloat16 and pack them into a word."""
    return cute.arch.inline_ptx(
        "cvt.rn.bf16x2.f32 {$w0}, {$r1}, {$r0};", write_only_types=[Uint32], read_only_args=[low, high]
    )


def pack_f16(low: Value, high: Value) -> Value:
    """Round two float32 to float16 and pack them into a word."""
    return cute.arch.inline_ptx(
        "cvt.rn.f16x2.f32 {$w0}, {$r1}, {$r0};", write_only_types=[Uint32], read_only_args=[low, high]
    )


def bits(value: Value) -> Value:
    """Reinterpret a float32 as a word."""
    return cute.arch.inline_ptx("mov.b32 {$w0}, {$r0};", write_only_types=[Uint32], read_only_args=[value])


def from_bits(word: Value) -> Value:
    """Reinterpret a word as a float32."""
    return cute.arch.inline_ptx("mov.b32 {$w0}, {$r0};", write_only_types=[Float32], read_only_args=[word])


def rsqrt(x: Value) -> Value:
    """Give ``x ** -0.5``, relative error 2^-22."""
    return cute.arch.inline_ptx("rsqrt.approx.f32 {$w0}, {$r0};", write_only_types=[Float32], read_only_args=[x])


def reciprocal(x: Value) -> Value:
    """Give ``1 / x``, relative error 2^-23."""
    return cute.arch.inline_ptx("rcp.approx.f32 {$w0}, {$r0};", write_only_types=[Float32], read_only_args=[x])


def exp2(x: Value) -> Value:
    """Give ``2 ** x``, relative error 2^-22."""
    return cute.arch.inline_ptx("ex2.approx.f32 {$w0}, {$r0};", write_only_types=[Float32], read_only_args=[x])


def exp(x: Value) -> Value:
    """Give ``e ** x``; the relative error grows as ``|x| * 2^-24``."""
    return exp2(x * LOG2_E)


def sigmoid(x: Value) -> Value:
    """Give ``1 / (1 + e^-x)``; 0 and 1 for infinities."""
    return reciprocal(Float32(1.0) + exp(-x))


def silu(x: Value) -> Value:
    """Give ``x * sigmoid(x)``; not for minus infinity."""
    return x * sigmoid(x)


def tanh(x: Value) -> Value:
    """Give ``tanh(x)`` as ``x * (1 - x^2/3 + 2x^4/15 - 17x^6/315)`` near 0 and from ``e^-2|x|`` elsewhere.

    The second form cancels near 0; at the seam of 0.25 both are within 5e-6 relative.
    """
    square = x * x
    series = x * (Float32(1.0) + square * (-1 / 3 + square * (2 / 15 + square * (-17 / 315 + square * (62 / 2835)))))
    decay = exp(absolute(x) * -2.0)
    ratio = (Float32(1.0) - decay) * reciprocal(Float32(1.0) + decay)
    return select(absolute(x), 0.25, series, copy_sign(ratio, x))


def situ(gate: Value, linear: Value, *, beta: float, linear_beta: float | None) -> Value:
    """Give ``beta tanh(gate/beta) sigmoid(gate) * linear_beta tanh(linear/linear_beta)``.

    Source: k3-model.md section 3.2.
    """
    bounded = linear if linear_beta is None else tanh(linear * (1.0 / linear_beta)) * linear_beta
    return tanh(gate * (1.0 / beta)) * beta * sigmoid(gate) * bounded


def absolute(x: Value) -> Value:
    """Give ``|x|``."""
    return cute.arch.inline_ptx("abs.f32 {$w0}, {$r0};", write_only_types=[Float32], read_only_args=[x])


def copy_sign(magnitude: Value, sign: Value) -> Value:
    """Give ``magnitude`` with the sign of ``sign``."""
    return cute.arch.inline_ptx(
        "copysign.f32 {$w0}, {$r1}, {$r0};", write_only_types=[Float32], read_only_args=[magnitude, sign]
    )


def maximum(a: Value, b: Value) -> Value:
    """Give the larger of two float32."""
    return cute.arch.inline_ptx("max.f32 {$w0}, {$r0}, {$r1};", write_only_types=[Float32], read_only_args=[a, b])


def select(x: Value, threshold: float, below: Value, above: Value) -> Value:
    """Give ``below`` where ``x < threshold``, else ``above``."""
    return cute.arch.inline_ptx(
        "{ .reg .pred p; setp.lt.f32 p, {$r0}, {$r1}; selp.f32 {$w0}, {$r2}, {$r3}, p; }",
        write_only_types=[Float32], read_only_args=[x, Float32(threshold), below, above],
    )  # fmt: skip


def select_bits(condition: Value, yes: Value, no: Value) -> Value:
    """Give word ``yes`` where the word ``condition`` is not 0, else word ``no``."""
    return cute.arch.inline_ptx(
        "{ .reg .pred p; setp.ne.u32 p, {$r0}, 0; selp.b32 {$w0}, {$r1}, {$r2}, p; }",
        write_only_types=[Uint32], read_only_args=[condition, yes, no],
    )  # fmt: skip


def select_address(condition: Value, yes: Address, no: Address) -> Address:
    """Give address ``yes`` where the word ``condition`` is not 0, else ``no``, in a way the linter can follow."""
    return cute.arch.inline_ptx(
        "{ .reg .pred p; setp.ne.u32 p, {$r0}, 0; selp.b64 {$w0}, {$r1}, {$r2}, p; }",
        write_only_types=[Int64], read_only_args=[condition, yes, no],
    )  # fmt: skip


def mma_bf16(a: list[Value], b: list[Value], c: list[Value]) -> list[Value]:
    """Multiply a 16 x 16 by a 16 x 8 bfloat16 tile and add (`mma.sync.m16n8k16`, row by column)."""
    return _mma("bf16", a, b, c)


def mma_f16(a: list[Value], b: list[Value], c: list[Value]) -> list[Value]:
    """Multiply a 16 x 16 by a 16 x 8 float16 tile and add, in float32."""
    return _mma("f16", a, b, c)


def mma_e5m2_e4m3(a: list[Value], b: list[Value], c: list[Value]) -> list[Value]:
    """Multiply a 16 x 32 tile of e5m2 by a 32 x 8 tile of e4m3 and add, in float32 (`mma.sync.m16n8k32`)."""
    return list(cute.arch.inline_ptx(
        "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 "
        "{{$w0}, {$w1}, {$w2}, {$w3}}, {{$r0}, {$r1}, {$r2}, {$r3}}, {{$r4}, {$r5}}, {{$r6}, {$r7}, {$r8}, {$r9}};",
        write_only_types=[Float32] * 4, read_only_args=[*a, *b, *c],
    ))  # fmt: skip


def _mma(kind: str, a: list[Value], b: list[Value], c: list[Value]) -> list[Value]:
    return list(cute.arch.inline_ptx(
        f"mma.sync.aligned.m16n8k16.row.col.f32.{kind}.{kind}.f32 "
        "{{$w0}, {$w1}, {$w2}, {$w3}}, {{$r0}, {$r1}, {$r2}, {$r3}}, {{$r4}, {$r5}}, {{$r6}, {$r7}, {$r8}, {$r9}};",
        write_only_types=[Float32] * 4, read_only_args=[*a, *b, *c],
    ))  # fmt: skip


def log2(x: Value) -> Value:
    """Give the logarithm to base 2, absolute error 2^-22 near 1."""
    return cute.arch.inline_ptx("lg2.approx.f32 {$w0}, {$r0};", write_only_types=[Float32], read_only_args=[x])
