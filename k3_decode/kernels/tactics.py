"""Which form of a kernel serves which shape. Measured choices say where they were measured."""

import math
from typing import Literal

from k3_decode.errors import ArgumentError
from k3_decode.kernels.gemm import CHUNK, TILE, Gemm
from k3_decode.kernels.gemv import STRIDE, WARPS, Gemv, Segment
from k3_decode.kernels.kda import KdaDecode

MAX_ROWS = 64
"""Most rows of a step."""

BUCKETS = (1, 2, 8, 16, 32, 64)
"""Row counts that have kernels of their own; a step takes the smallest that holds it."""

WARP_LOADS = 56
"""Loads of a lane over its life: two rows of 7168 columns; more rows leave a longer last wave."""

MANY_BLOCKS = 264
"""Two blocks a multiprocessor of an H200: enough loads in flight to cover the memory's latency."""


def bucket(rows: int) -> int:
    """Give the bucket of a row count.

    Raises:
        ArgumentError: No kernel takes so many rows, or there is none.
    """
    if not 1 <= rows <= MAX_ROWS:
        raise ArgumentError("bucket", "rows", expected=f"1..{MAX_ROWS}", got=rows)
    return next(size for size in BUCKETS if rows <= size)


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
    """Divide K over as few blocks as give `MANY_BLOCKS`, each with at least six chunks; even shares first."""
    tiles, chunks = math.ceil(outputs / TILE), math.ceil(columns / CHUNK)
    most = max(1, min(8, chunks // 6))
    enough = [s for s in range(1, most + 1) if tiles * s >= MANY_BLOCKS] or [most]
    even = [s for s in enough if chunks % s == 0]
    return even[0] if even else enough[0]


def kda(heads: int, rows: int) -> KdaDecode:
    """Choose the cluster of KDA decode: blocks enough for the device, then fewer, larger ones."""
    cluster = next((c for c in (2, 4, 8) if heads * rows * c >= MANY_BLOCKS // 2), 8)
    return KdaDecode(heads, cluster)


def core_splits(rows: int) -> int:
    """Give the blocks that divide one request's keys: about 64 in all where rows are few, never fewer than 4 a row."""
    return max(4, min(64, 128 // rows))
