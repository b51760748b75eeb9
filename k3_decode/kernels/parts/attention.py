"""Products of attention over staged cache rows: scores of 16 heads, and shares times values.

Rows of e4m3 are multiplied as float16. The order of the columns inside a score does not matter as long as both sides
agree, so a lane's four bytes of a row, decoded, are the two fragments of 16 columns as they came.
"""

from k3_decode.kernels.parts.arithmetic import mma_bf16, mma_f16, pack_bf16, pack_f16
from k3_decode.kernels.parts.dsl import Float32, Tensor, Value
from k3_decode.kernels.parts.e4m3 import unpack_columns, unpack_e4m3
from k3_decode.kernels.parts.memory import load_matrices


def bf16_scores(queries: Value, keys: Value, lane: Value, *, pitch: int, columns: int) -> list[list[Value]]:
    """Multiply 16 rows of bfloat16 by 16.

    Args:
        queries: Shared address of the 16 rows.
        keys: Shared address of the other 16 rows.
        lane: Of the warp.
        pitch: Bytes between rows.
        columns: Columns, a multiple of 32.

    Returns:
        The tile of the first 8 of the other rows, and that of the last 8.
    """
    acc = [[[Float32(0.0) for _ in range(4)] for _ in range(2)] for _ in range(2)]
    a_place, b_place = _fragments(queries, keys, lane, pitch)
    for step in range(columns // 16):
        a, b = load_matrices(a_place + step * 32), load_matrices(b_place + step * 32)
        for tile in range(2):
            acc[step % 2][tile] = mma_bf16(a, b[2 * tile : 2 * tile + 2], acc[step % 2][tile])
    return _added(acc)


def e4m3_scores(queries: Value, keys: Value, lane: Value, *, pitch: int, columns: int) -> list[list[Value]]:
    """Multiply 16 rows of e4m3 by 16; arguments and result as of `bf16_scores`."""
    acc = [[[Float32(0.0) for _ in range(4)] for _ in range(2)] for _ in range(2)]
    a_place, b_place = _fragments(queries, keys, lane, pitch)
    for step in range(columns // 32):
        a, b = load_matrices(a_place + step * 32), load_matrices(b_place + step * 32)
        for chunk in range(2):
            upper, lower = unpack_e4m3(a[2 * chunk]), unpack_e4m3(a[2 * chunk + 1])
            fragment = [upper[0], lower[0], upper[1], lower[1]]
            for tile in range(2):
                acc[chunk][tile] = mma_f16(fragment, unpack_e4m3(b[2 * tile + chunk]), acc[chunk][tile])
    return _added(acc)


def _fragments(queries: Value, keys: Value, lane: Value, pitch: int) -> tuple[Value, Value]:
    """Give the places of this lane's 16 bytes of the first 32 bytes of both sides."""
    own = lane // 16 * 8 + lane % 8
    return queries + (lane % 16) * pitch + lane // 16 * 16, keys + own * pitch + lane // 8 % 2 * 16


def _added(acc: list[list[list[Value]]]) -> list[list[Value]]:
    """Join the two sums of each tile, which were kept apart so that fewer products wait for one another."""
    return [[acc[0][tile][i] + acc[1][tile][i] for i in range(4)] for tile in range(2)]


def pack_shares(low: Value, high: Value, cache: str) -> Value:
    """Round two shares to the type that a cache's values are multiplied in."""
    return pack_bf16(low, high) if cache == "bf16" else pack_f16(low, high)


def bf16_outputs(
    shares: Value, values: Value, acc: Tensor, lane: Value, *, pitch: int, share_pitch: int, keys: int, columns: int
) -> None:
    """Add shares times values of bfloat16; tile ``i`` of ``acc`` holds columns ``8 i`` to ``8 i + 7``.

    Args:
        shares: Shared address of 16 rows of shares.
        values: Shared address of the first of the columns in the first of the rows.
        acc: Four float32 a tile.
        lane: Of the warp.
        pitch: Bytes between rows of values.
        share_pitch: Bytes between rows of shares.
        keys: Rows of values, a multiple of 16.
        columns: Columns, a multiple of 16.
    """
    for step in range(keys // 16):
        a = load_matrices(shares + (lane % 16) * share_pitch + step * 32 + lane // 16 * 16)
        for pair in range(columns // 16):
            b = load_matrices(values + (step * 16 + lane % 16) * pitch + pair * 32 + lane // 16 * 16, transposed=True)
            for tile in range(2):
                at = (2 * pair + tile) * 4
                added = mma_bf16(a, b[2 * tile : 2 * tile + 2], [acc[at + i] for i in range(4)])
                for i in range(4):
                    acc[at + i] = added[i]


def e4m3_outputs(
    shares: Value, values: Value, acc: Tensor, lane: Value, *, pitch: int, share_pitch: int, keys: int, columns: int
) -> None:
    """Add shares times values of e4m3; arguments as of `bf16_outputs`, ``columns`` a multiple of 32.

    Tile ``2 i`` of ``acc`` holds the even ones of columns ``16 i`` to ``16 i + 15``, tile ``2 i + 1`` the odd ones: a
    transposed load hands out two columns of a row together.
    """
    for step in range(keys // 16):
        a = load_matrices(shares + (lane % 16) * share_pitch + step * 32 + lane // 16 * 16)
        for pair in range(columns // 32):
            b = load_matrices(values + (step * 16 + lane % 16) * pitch + pair * 32 + lane // 16 * 16, transposed=True)
            for chunk in range(2):
                first, second = unpack_columns(b[2 * chunk]), unpack_columns(b[2 * chunk + 1])
                for tile in range(2):
                    at = (4 * pair + 2 * chunk + tile) * 4
                    added = mma_f16(a, [first[tile], second[tile]], [acc[at + i] for i in range(4)])
                    for i in range(4):
                        acc[at + i] = added[i]
