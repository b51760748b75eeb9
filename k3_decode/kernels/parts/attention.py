"""Products of attention over staged cache rows: scores of 16 keys, and values times shares.

Keys are the rows of a tensor-core product and heads its columns, 8 at a time, so that few heads leave little of it
empty. Rows of e4m3 are multiplied as float16. The order of the columns inside a score does not matter as long as both
sides agree, so a lane's four bytes of a row, decoded, are the two fragments of 16 columns as they came.
"""

from collections.abc import Iterator

from k3_decode.kernels.operator import Cache
from k3_decode.kernels.parts.arithmetic import mma_bf16, mma_f16, pack_bf16, pack_f16
from k3_decode.kernels.parts.dsl import Float32, Tensor, Value
from k3_decode.kernels.parts.e4m3 import unpack_columns, unpack_e4m3
from k3_decode.kernels.parts.memory import load_matrices

TILE_HEADS = 8
"""Heads of a tile: columns of a tensor-core product."""
STEP_BYTES = 32
"""Bytes of a row that a tensor-core load brings: 16 columns of bfloat16 or 32 of e4m3."""


def scores(
    keys: Value, queries: Value, lane: Value, *, pitch: int, row_bytes: int, tiles: int, cache: Cache
) -> list[list[Value]]:
    """Multiply 16 keys by 8 or 16 heads.

    Args:
        keys: Shared address of the 16 keys.
        queries: Shared address of the heads' queries.
        lane: Of the warp.
        pitch: Bytes between rows of both.
        row_bytes: Bytes of a row to multiply, a multiple of 32.
        tiles: Tiles of 8 heads, 1 or 2.
        cache: Type of both.

    Returns:
        A tile of 16 keys by 8 heads for every 8 heads.
    """
    acc = [[[Float32(0.0) for _ in range(4)] for _ in range(tiles)] for _ in range(2)]
    a_place = keys + (lane % 16) * pitch + lane // 16 * 16
    b_place = _heads_place(queries, lane, pitch, tiles)
    b: list[Value] = []
    for step in range(row_bytes // STEP_BYTES):
        a = load_matrices(a_place + step * STEP_BYTES)
        if tiles == 2 or step % 2 == 0:
            b = load_matrices(b_place + step * STEP_BYTES)
        places = [2 * tile if tiles == 2 else step % 2 * 2 for tile in range(tiles)]
        if cache == "bf16":
            for tile, at in enumerate(places):
                acc[step % 2][tile] = mma_bf16(a, b[at : at + 2], acc[step % 2][tile])
            continue
        for chunk in range(2):
            upper, lower = unpack_e4m3(a[2 * chunk]), unpack_e4m3(a[2 * chunk + 1])
            fragment = [upper[0], lower[0], upper[1], lower[1]]
            for tile, at in enumerate(places):
                acc[chunk][tile] = mma_f16(fragment, unpack_e4m3(b[at + chunk]), acc[chunk][tile])
    return [[acc[0][tile][i] + acc[1][tile][i] for i in range(4)] for tile in range(tiles)]


def pack_shares(low: Value, high: Value, cache: Cache) -> Value:
    """Round two shares to the type that a cache's values are multiplied in."""
    return pack_bf16(low, high) if cache == "bf16" else pack_f16(low, high)


def outputs(
    values: Value, shares: Value, acc: Tensor, lane: Value, *, pitch: int, share_pitch: int, keys: int, columns: int,
    tiles: int, cache: Cache,
) -> None:  # fmt: skip
    """Add values times shares.

    Args:
        values: Shared address of the first of the columns in the first of the rows.
        shares: Shared address of the shares of the keys, two bytes each, a row a head.
        acc: Four float32 for every 16 columns and 8 heads, the heads' tiles innermost. Where rows are e4m3, the first
            two are of the even ones of the columns and the others of the odd ones.
        lane: Of the warp.
        pitch: Bytes between rows of values.
        share_pitch: Bytes between rows of shares.
        keys: Rows, a multiple of 32.
        columns: Columns, a multiple of 32.
        tiles: Tiles of 8 heads, 1 or 2.
        cache: Type of the values.
    """
    multiply = mma_bf16 if cache == "bf16" else mma_f16
    b_place = _heads_place(shares, lane, share_pitch, tiles)
    b: list[Value] = []
    for step in range(keys // 16):
        if tiles == 2 or step % 2 == 0:
            b = load_matrices(b_place + step * STEP_BYTES)
        for at, a in _value_fragments(values + step * 16 * pitch, lane, pitch, columns, cache):
            for tile in range(tiles):
                own, place = 2 * tile if tiles == 2 else step % 2 * 2, (at * tiles + tile) * 4
                added = multiply(a, b[own : own + 2], [acc[place + i] for i in range(4)])
                for i in range(4):
                    acc[place + i] = added[i]


def _heads_place(heads: Value, lane: Value, pitch: int, tiles: int) -> Value:
    """Give the place that a lane names of the first load of heads, which brings two steps of one tile, one of two."""
    if tiles == 1:
        return heads + (lane % 8) * pitch + lane // 8 * 16
    return heads + (lane // 16 * 8 + lane % 8) * pitch + lane // 8 % 2 * 16


def _value_fragments(
    values: Value, lane: Value, pitch: int, columns: int, cache: Cache
) -> Iterator[tuple[int, list[Value]]]:
    """Load 16 rows of values, turned, 16 columns a fragment; a load hands out two columns of e4m3 together."""
    for at in range(columns // (16 if cache == "bf16" else 32)):
        if cache == "bf16":
            place = values + (lane // 16 * 8 + lane % 8) * pitch + at * 32 + lane // 8 % 2 * 16
            yield at, load_matrices(place, transposed=True)
        else:
            both = load_matrices(values + (lane % 16) * pitch + at * 32 + lane // 16 * 16, transposed=True)
            for chunk in range(2):
                first, second = unpack_columns(both[2 * chunk]), unpack_columns(both[2 * chunk + 1])
                yield 2 * at + chunk, [*first, *second]
