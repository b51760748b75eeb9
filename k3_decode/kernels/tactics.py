"""Which form of a kernel serves which shape. Measured choices say where they were measured."""

import math
from typing import Literal

from k3_decode.errors import ArgumentError
from k3_decode.kernels.gemm import CHUNK, TILE, Gemm
from k3_decode.kernels.gemv import STRIDE, WARPS, Gemv, Segment
from k3_decode.kernels.kda import KdaDecode

BUCKETS = (1, 2, 8, 16, 32, 64)
"""Row counts that have kernels of their own; a step takes the smallest that holds it."""

WARP_LOADS = 56
"""Loads of a lane over its life: two rows of 7168 columns; more rows leave a longer last wave."""

MULTIPROCESSORS = 132
"""Of an H200. Another device runs the same kernels, less evenly loaded."""

MANY_BLOCKS = 2 * MULTIPROCESSORS
"""Two blocks a multiprocessor: enough loads in flight to cover the memory's latency."""

FEWEST_BLOCKS = 3 * MULTIPROCESSORS // 2
MOST_BLOCKS = 4 * MULTIPROCESSORS
"""What is resident at once where registers are the limit."""

BETTER = 1.05
"""How much less work of the busiest multiprocessor is worth a larger cluster."""


def bucket(rows: int, sizes: tuple[int, ...] = BUCKETS) -> int:
    """Give the smallest of the sizes that holds so many rows.

    Raises:
        ArgumentError: None does, or there is no row.
    """
    found = next((size for size in sorted(sizes) if 1 <= rows <= size), None)
    if found is None:
        raise ArgumentError("bucket", "rows", expected=f"1..{max(sizes)}", got=rows)
    return found


def product(
    columns: int,
    outputs: int,
    rows: int,
    *,
    out: Literal["bf16", "f32"] = "bf16",
) -> Gemv | Gemm:
    """Choose the form of a matrix product that streams its weights.

    Args:
        columns: Columns of the weights.
        outputs: Rows of the weights.
        rows: Rows of the input, a bucket.
        out: Type of the output.
    """
    if rows <= 2:
        segments = (Segment("plain", columns),)
        return Gemv(segments, rows, rows_per_warp(columns, outputs), out)
    return Gemm(columns, math.ceil(rows / 8), split(columns, outputs), out)


def rows_per_warp(columns: int, outputs: int) -> int:
    """Give a warp rows enough for `WARP_LOADS`, unless that leaves too few blocks."""
    found = max(1, min(8, WARP_LOADS // math.ceil(columns / STRIDE)))
    found = 1 << (found.bit_length() - 1)
    while found > 1 and outputs / (WARPS * found) < MANY_BLOCKS:
        found //= 2
    return found


def split(columns: int, outputs: int) -> int:
    """Divide K over the blocks that load the multiprocessors most evenly, each with at least six chunks.

    All blocks are resident at once, so a multiprocessor with one block more than the average is the last to finish.
    Few blocks are preferred: a smaller number is passed over only for one that is `BETTER` as even.
    """
    tiles, chunks = math.ceil(outputs / TILE), math.ceil(columns / CHUNK)
    most = max(1, min(8, chunks // 6))
    enough = [s for s in range(1, most + 1) if FEWEST_BLOCKS <= tiles * s <= MOST_BLOCKS]
    enough = enough or [most if tiles < FEWEST_BLOCKS else 1]
    chosen = enough[0]
    for candidate in enough[1:]:
        if _work(tiles, chunks, candidate) * BETTER < _work(tiles, chunks, chosen):
            chosen = candidate
    return chosen


def _work(tiles: int, chunks: int, parts: int) -> float:
    """Give the chunks of the busiest multiprocessor, more or less."""
    return math.ceil(tiles * parts / MULTIPROCESSORS) * math.ceil(chunks / parts)


def kda(heads: int, rows: int) -> KdaDecode:
    """Choose the cluster of KDA decode: blocks enough for the device, then fewer, larger ones."""
    cluster = next((c for c in (2, 4, 8) if heads * rows * c >= MANY_BLOCKS // 2), 8)
    return KdaDecode(heads, cluster)


def core_splits(rows: int) -> int:
    """Give the blocks that divide one request's keys: about 128 in all where rows are few, never fewer than 4 a row."""
    return max(4, 128 // rows)
