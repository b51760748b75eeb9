"""Ranking by integers in place of floats: a total order, in which the lower id wins a tie."""

from k3_decode.kernels.parts.arithmetic import bits
from k3_decode.kernels.parts.dsl import Int32, Uint32, Value, cute
from k3_decode.kernels.parts.memory import load_shared


def key(score: Value) -> Value:
    """Map a score to an integer of the same order: -0 with +0, NaN at 1, and 0 left for one that was taken."""
    word = bits(score + 0.0)
    return cute.arch.inline_ptx(
        "{ .reg .pred n, p; .reg .b32 a, b; setp.nan.f32 n, {$r1}, {$r1}; setp.lt.s32 p, {$r0}, 0; "
        "not.b32 a, {$r0}; or.b32 b, {$r0}, 0x80000000; selp.b32 a, a, b, p; selp.b32 {$w0}, 1, a, n; }",
        write_only_types=[Uint32], read_only_args=[word, score],
    )  # fmt: skip


def draw(keys: list[Value], ids: list[Value]) -> tuple[Value, Value]:
    """Give the warp's largest key and the lowest id that has it."""
    largest = cute.arch.warp_redux_sync(_reduce("max", keys), "umax")
    holders = [
        cute.arch.inline_ptx(
            "{ .reg .pred p; setp.eq.u32 p, {$r0}, {$r1}; selp.b32 {$w0}, {$r2}, 0xffffffff, p; }",
            write_only_types=[Uint32], read_only_args=[each, largest, name],
        )
        for each, name in zip(keys, ids, strict=True)
    ]  # fmt: skip
    return largest, Int32(cute.arch.warp_redux_sync(_reduce("min", holders), "umin"))


def _reduce(operation: str, values: list[Value]) -> Value:
    """Reduce words in a tree, whose branches do not wait for one another."""
    while len(values) > 1:
        paired = [
            cute.arch.inline_ptx(
                operation + ".u32 {$w0}, {$r0}, {$r1};", write_only_types=[Uint32], read_only_args=values[i : i + 2]
            )
            for i in range(0, len(values) - 1, 2)
        ]
        values = paired + values[len(values) // 2 * 2 :]
    return values[0]


def ranked(key: Value, name: Value) -> list[Value]:
    """Make a pair of words that is the larger, the earlier its holder ranks."""
    return [~Uint32(name), key]


def named(pair: list[Value]) -> Value:
    """Give the id of a pair."""
    return ~pair[0]


def precedes(a: list[Value], b: list[Value]) -> Value:
    """Give 1 where pair ``a`` ranks before pair ``b``, else 0."""
    return cute.arch.inline_ptx(
        "{ .reg .pred p; .reg .b64 a, b; mov.b64 a, {{$r0}, {$r1}}; mov.b64 b, {{$r2}, {$r3}}; "
        "setp.gt.u64 p, a, b; selp.u32 {$w0}, 1, 0, p; }",
        write_only_types=[Uint32], read_only_args=[*a, *b],
    )  # fmt: skip


def count_before(address: Value, count: int, pair: list[Value]) -> Value:
    """Count the pairs in shared memory that rank before one; behind an odd number of them may lie anything."""
    total = Uint32(0)
    for i in range(0, count, 2):
        four = load_shared(address + i * 8)
        total = total + precedes(four[:2], pair)
        if i + 1 < count:
            total = total + precedes(four[2:], pair)
    return Int32(total)
