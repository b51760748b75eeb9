"""Which form of a kernel serves which shape. Measured choices say where they were measured."""

import math
from dataclasses import dataclass
from typing import Literal

from k3_decode.errors import ArgumentError
from k3_decode.kernels.gemm import CHUNK, RESIDENT_WARPS, Gemm
from k3_decode.kernels.gemv import STRIDE, WARPS, Gemv, Segment
from k3_decode.kernels.kda import KdaDecode
from k3_decode.kernels.kda_verify import KdaVerify

BUCKETS = (1, 2, 8, 16, 32, 64)
"""Row counts that have kernels of their own; a step takes the smallest that holds it."""


@dataclass(frozen=True)
class Residency:
    """What so many blocks of four warps a multiprocessor leave a lane: loads in flight; and a guess what it costs."""

    in_flight: int
    lost: float


RESIDENT = {4: Residency(17, 0.0), 3: Residency(22, 0.01), 5: Residency(11, 0.02), 2: Residency(28, 0.04)}
"""By blocks of a skinny product on a multiprocessor."""

MOST_HEIGHT = 40
"""Rows of a warp, all unrolled; more of them make more blocks, which take turns."""

SHORTEST_STREAM = 24
"""Loads of a lane over its life under which a block is all start and end."""

MULTIPROCESSORS = 132
"""Of an H200. Another device runs the same kernels, less evenly loaded."""

MANY_BLOCKS = 2 * MULTIPROCESSORS
"""Two blocks a multiprocessor."""

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
        return skinny((Segment("plain", columns),), outputs, rows, out)
    warps = 8 if math.ceil(outputs / 128) * _most_parts(columns) >= MULTIPROCESSORS else 4
    return Gemm(columns, math.ceil(rows / 8), split(columns, outputs, warps), out, warps)


def skinny(segments: tuple[Segment, ...], outputs: int, rows: int, out: Literal["bf16", "f32"] = "bf16") -> Gemv:
    """Divide a product of one or two rows over blocks, as even over the multiprocessors as can be.

    Args:
        segments: The input.
        outputs: Rows of the weights.
        rows: Rows of the input, 1 or 2.
        out: Type of the output.
    """
    loads = math.ceil(sum(segment.width for segment in segments) / STRIDE)
    parts = next(p for p in (4, 2, 1) if loads % p == 0)
    groups = WARPS // parts

    def height(blocks: int) -> int:
        return min(MOST_HEIGHT, math.ceil(outputs / (blocks * MULTIPROCESSORS * groups)))

    def lost(blocks: int) -> float:
        """Share of the multiprocessors' time lost to uneven loads, and to fewer loads in flight or shorter streams."""
        used = math.ceil(outputs / (height(blocks) * groups))
        even = outputs / (math.ceil(used / MULTIPROCESSORS) * MULTIPROCESSORS * height(blocks) * groups)
        short = height(blocks) * loads // parts < SHORTEST_STREAM
        return 1 - even + RESIDENT[blocks].lost + (0.05 if short else 0.0)

    blocks = min(RESIDENT, key=lost)
    return Gemv(segments, rows, height(blocks), parts, RESIDENT[blocks].in_flight, out)


def split(columns: int, outputs: int, warps: int) -> int:
    """Divide K over the blocks that load the multiprocessors most evenly, each with at least six chunks.

    A multiprocessor with one block more than the average is the last to finish.
    Few blocks are preferred: a smaller number is passed over only for one that is `BETTER` as even.
    """
    tiles, chunks, most = math.ceil(outputs / (16 * warps)), math.ceil(columns / CHUNK), _most_parts(columns)
    # More tiles than multiprocessors cannot all be resident; then blocks are smaller and take turns.
    limit = (RESIDENT_WARPS // warps if tiles <= MULTIPROCESSORS else 5) * MULTIPROCESSORS
    fitting = [parts for parts in range(1, most + 1) if 4 * MULTIPROCESSORS // 5 <= tiles * parts <= limit]
    chosen, *others = fitting or [most if tiles < MULTIPROCESSORS else 1]
    for parts in others:
        if _work(tiles, chunks, parts) * BETTER < _work(tiles, chunks, chosen):
            chosen = parts
    return chosen


def _most_parts(columns: int) -> int:
    return max(1, min(8, math.ceil(columns / CHUNK) // 6))


def _work(tiles: int, chunks: int, parts: int) -> float:
    """Give the chunks of the busiest multiprocessor, more or less."""
    return math.ceil(tiles * parts / MULTIPROCESSORS) * math.ceil(chunks / parts)


def kda(heads: int, rows: int) -> KdaDecode:
    """Choose the cluster of KDA decode: blocks enough for the device, then fewer, larger ones."""
    cluster = next((c for c in (2, 4, 8) if heads * rows * c >= MANY_BLOCKS // 2), 8)
    return KdaDecode(heads, cluster)


def kda_verify(heads: int, requests: int, tokens: int) -> KdaVerify:
    """Choose the cluster of KDA verification, likewise; a block of two would hold four passes of every token."""
    return KdaVerify(heads, tokens, max(4, kda(heads, requests).cluster))


def core_splits(rows: int) -> int:
    """Give the blocks that divide one request's keys: about 128 in all where rows are few, never fewer than 4 a row."""
    return max(4, 128 // rows)
