"""Which form of a kernel serves which shape. Measured choices say where they were measured."""

import dataclasses
import math
from typing import Literal, NamedTuple

from k3_decode.config import ExpertAct
from k3_decode.errors import ArgumentError
from k3_decode.kernels.expert_down import ExpertDown
from k3_decode.kernels.expert_up_row import GROUP, ROWS, ExpertUpRow
from k3_decode.kernels.gemm_teams import TeamGemm
from k3_decode.kernels.gemm_wide import IN_FLIGHT as WIDE_IN_FLIGHT
from k3_decode.kernels.gemm_wide import RESIDENT as SHORT_IN_FLIGHT
from k3_decode.kernels.gemm_wide import WideGemm
from k3_decode.kernels.gemv import IN_FLIGHT, STRIDE, Gemv, Segment
from k3_decode.kernels.kda import KdaDecode
from k3_decode.kernels.kda_verify import KdaVerify
from k3_decode.kernels.mla_core import MlaCore
from k3_decode.kernels.mla_front import CLUSTER, MlaFront
from k3_decode.kernels.operator import Cache
from k3_decode.kernels.parts.attention import TILE_HEADS
from k3_decode.kernels.parts.pieces import CHUNK
from k3_decode.kernels.tail import Tail
from k3_decode.kernels.tail_wide import ROWS as TAIL_ROWS
from k3_decode.kernels.tail_wide import WideTail

Product = Gemv | WideGemm | TeamGemm
"""Forms of a product that streams its weights."""

BUCKETS = (1, 2, 8, 16, 32, 64)
"""Row counts that have kernels of their own; a step takes the smallest that holds it."""


WARP_LOADS = 56
"""Loads of a lane over its life: two rows of 7168 columns."""

SKINNY_WARPS = 4
"""Warps of a block of a product of one or two rows, where none were measured to be better."""

MULTIPROCESSORS = 132
"""Of an H200. Another device runs the same kernels, less evenly loaded."""

MANY_BLOCKS = 2 * MULTIPROCESSORS
"""Two blocks a multiprocessor: enough loads in flight to cover the memory's latency."""

MOST_CHUNKS = 256
"""Chunks of one block of a product with more than 2 rows: longer code takes minutes to compile."""


class Skinny(NamedTuple):
    """A form of `Gemv`; fields as there."""

    warps: int
    rows_per_warp: int
    in_flight: int
    paced: int = 0
    copied: bool = False


SKINNY = {
    (7168, 1048): Skinny(8, 1, 28, paced=8),
    (7168, 1600): Skinny(8, 1, 20),
    (7168, 2096): Skinny(4, 1, 20, paced=3, copied=True),
    (7168, 2880): Skinny(4, 1, 15, paced=4, copied=True),
    (7168, 3206): Skinny(4, 1, 14, paced=4, copied=True),
    (7168, 3648): Skinny(8, 1, 20, paced=6, copied=True),
    (7168, 4224): Skinny(8, 2, 16),
    (7168, 5248): Skinny(4, 2, 18, paced=4, copied=True),
    (7168, 6016): Skinny(8, 1, 20, paced=4, copied=True),
    (7168, 6284): Skinny(12, 4, 24, paced=6, copied=True),
    (7168, 8448): Skinny(8, 2, 16),
    (7168, 10_240): Skinny(8, 1, 20),
    (7168, 20_480): Skinny(8, 2, 16),
    (768, 7168): Skinny(8, 3, 20, paced=2, copied=True),
    (1536, 7168): Skinny(8, 4, 20, paced=6),
    (1536, 1152): Skinny(8, 3, 20),
    (1536, 2304): Skinny(8, 3, 20),
    (2112, 7168): Skinny(16, 1, 9, paced=3),
    (3968, 7168): Skinny(4, 2, 14, paced=6),
    (4224, 7168): Skinny(8, 2, 20, paced=6),
    (4352, 7168): Skinny(4, 2, 14, paced=6),
}
"""Products of one or two rows that another form does faster than the usual one, by columns and outputs. Measured with
one row on an H200, 2026-11-30: paced ones in the layers they serve, by 0.2 to 3 us of a layer each, the others alone
or in a layer, by 1 % to 21 %. The copy engine stages the input of one row only."""

COPIED_TAILS, PACED_TAILS = {768}, {384: 3}
"""Widths of the shared experts for which the tail of one row has its inputs copied: so more of its blocks are resident,
and it takes 11 % less alone; and those for which it asks for its weights at a pace, that many loads of a lane under way
at a time: 1.0 us less of a layer of 39.9 (H200, 2026-11-30)."""

SHORT = {
    (7168, 4224): 6, (7168, 5248): 8, (7168, 6016): 8, (7168, 6284): 8, (7168, 10_240): 3, (7168, 20_480): 3,
    (1536, 2304): 6, (2112, 7168): 3, (4224, 7168): 3,
}  # fmt: skip
"""Blocks that divide K in products of 3 to 8 rows, where another number than the usual one was faster: by columns and
outputs. Measured on an H200, 2026-11-30, alone or in a layer."""

SHORT_PACED = {
    (7168, 2096): (14, 6), (7168, 3206): (10, 2), (7168, 6284): (12, 8), (768, 7168): (10, 2), (1536, 7168): (10, 3),
}  # fmt: skip
"""Chunks on their way, and under way at a time before the wait, of such products, where pacing was faster: by columns
and outputs. Measured in sharded layers of 8 rows on an H200, 2026-11-30: 0.3 to 1 us of a layer each."""

SHORT_BLOCKS, SHORT_CHUNKS = 480, (12, 136)
"""Most blocks of such a product, few enough for one wave of four a multiprocessor; fewest chunks of one, half as many
where that leaves little more than a block a multiprocessor, and most, whose addresses registers hold."""

TEAMS = {(384, 7168), (768, 7168)}
"""Products of 33 to 64 rows, by columns and outputs, that teams within a block do faster than a cluster: by 3.1 and 1.3
us of a sharded layer of 64 rows at 16 ranks, the second as shared output by 2.6 at 8 (H200, 2026-11-30)."""

CLUSTER_PLACES = (18, 18, 18, 18, 16, 16, 14, 14)
"""Multiprocessors of each group that a cluster must lie in, as the times of many clusters on an H200 suggest."""
WIDTH_OVERHEAD = 8
"""Warps that a chunk of a block of such a product costs beside its own: it reads the whole input."""
OVERHEAD_CHUNKS = 8
"""What a block of a product with more than 8 rows costs beside its chunks, in the time of a chunk. Chosen so with the
measured forms of nine products of 64 rows (H200, 2026-11-30)."""


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
    settles: bool = False,
) -> Product:
    """Choose the form of a matrix product that streams its weights.

    Args:
        columns: Columns of the weights.
        outputs: Rows of the weights.
        rows: Rows of the input, a bucket.
        out: Type of the output.
        settles: Whether it settles for its successors what was written before its predecessor.
    """
    if rows <= 2:
        return dataclasses.replace(skinny((Segment("plain", columns),), outputs, rows, out), settles=settles)
    tiles = math.ceil(rows / 8)
    if tiles == 1:
        parts, in_flight = short(columns, outputs)
        in_flight, paced = SHORT_PACED.get((columns, outputs), (in_flight, 0))
        return WideGemm(columns, 1, parts, out, 4, in_flight, paced, settles)
    if tiles == 8 and (columns, outputs) in TEAMS:
        return TeamGemm(columns, tiles, out, settles)
    warps, parts = wide(columns, outputs)
    return WideGemm(columns, tiles, parts, out, warps, WIDE_IN_FLIGHT[warps], settles=settles)


def skinny(segments: tuple[Segment, ...], outputs: int, rows: int, out: Literal["bf16", "f32"] = "bf16") -> Gemv:
    """Choose the form of a product of one or two rows.

    Args:
        segments: The input.
        outputs: Rows of the weights.
        rows: Rows of the input, 1 or 2.
        out: Type of the output.
    """
    columns = sum(segment.width for segment in segments)
    usual = Skinny(SKINNY_WARPS, rows_per_warp(columns, outputs), IN_FLIGHT)
    form = SKINNY.get((columns, outputs), usual)
    copied = rows == 1 and form.copied
    return Gemv(
        segments, rows, form.rows_per_warp, out,
        warps=form.warps, in_flight=form.in_flight, copied=copied, paced=form.paced,
    )  # fmt: skip


def joint_tail(latent: int, shared: int, rows: int) -> Tail:
    """Choose the form of the two products after a sharded layer's experts.

    Args:
        latent: Columns of the up-projection.
        shared: Columns of the shared output.
        rows: Rows of the input, 1 or 2.
    """
    paced = PACED_TAILS.get(shared, 0) if rows == 1 else 0
    return Tail(latent, shared, rows, copied=rows == 1 and shared in COPIED_TAILS, paced=paced)


def expert_down_row(latent: int, width: int, top_k: int, act: ExpertAct = "bf16") -> ExpertDown:
    """Choose the form of the experts' second half of one row: a warp for each pick.

    Its early weights queue in front of the first half's: paced, a layer of 8 ranks takes 0.3 us less; a layer of 16 is
    as fast as before (H200, 2026-11-30).

    Args:
        latent: Output rows.
        width: Of an expert on this rank.
        top_k: Picks.
        act: How the hidden activation meets the weights.
    """
    form = ExpertDown(latent, width, top_k, top_k, act)
    return dataclasses.replace(form, in_flight=6, paced=3) if width == 384 else form


def expert_up_row(latent: int, width: int, top_k: int, act: ExpertAct = "bf16") -> ExpertUpRow:
    """Choose the form of the experts' first half of one row.

    Where all blocks are resident, two a multiprocessor, many warps with few loads each are faster: 37.2 us of a layer
    of 16 ranks, with four warps 39.9. Otherwise four warps with more loads are: 61.2 us of a layer of 8 ranks, with
    eight 61.6 (H200, 2026-11-30). With MXFP8 activations many warps would have too few registers.

    Args:
        latent: Columns.
        width: Of an expert on this rank.
        top_k: Picks.
        act: How the latent meets the weights.
    """
    blocks, groups = 2 * width // ROWS * top_k, latent // GROUP
    if act == "bf16" and blocks <= MANY_BLOCKS and groups % 14 == 0:
        return ExpertUpRow(latent, width, top_k, warps=14, in_flight=4)
    return ExpertUpRow(latent, width, top_k, warps=4, in_flight=8, act=act)


def wide_tail(latent: int, shared: int, rows: int) -> WideTail | None:
    """Tell whether one launch makes both products of so many rows: of 3 to 8, whose input another has made.

    Measured in layers of 8 rows (H200, 2026-11-30): 1.6 to 2.3 us less than two launches. Of 64 rows, more.
    """
    form = WideTail(latent, shared)
    return form if 2 < rows <= TAIL_ROWS and form.fits else None


def rows_per_warp(columns: int, outputs: int) -> int:
    """Give a warp rows enough for `WARP_LOADS`, unless that leaves too few blocks."""
    found = max(1, min(8, WARP_LOADS // math.ceil(columns / STRIDE)))
    found = 1 << (found.bit_length() - 1)
    while found > 1 and outputs / (SKINNY_WARPS * found) < MANY_BLOCKS:
        found //= 2
    return found


def wide(columns: int, outputs: int) -> tuple[int, int]:
    """Choose the warps of a block, and the blocks that divide K, of a product with more than 8 rows.

    A cluster lies within one group of multiprocessors, a block on each, and the clusters of a wave end together: one
    more than fit take as long as twice as many. Blocks of 16 warps read less of the input, where there are enough.
    """
    chunks = math.ceil(columns / CHUNK)

    def time(warps: int, parts: int) -> int:
        waves = math.ceil(math.ceil(outputs / (16 * warps)) / sum(places // parts for places in CLUSTER_PLACES))
        return waves * (math.ceil(chunks / parts) + OVERHEAD_CHUNKS) * (warps + WIDTH_OVERHEAD)

    parts = [parts for parts in range(1, 9) if math.ceil(chunks / parts) <= MOST_CHUNKS]
    return min(((warps, count) for warps in (8, 16) for count in parts), key=lambda form: time(*form))


def short(columns: int, outputs: int) -> tuple[int, int]:
    """Choose the blocks that divide K, and the chunks on their way, of a product with 3 to 8 rows.

    Few blocks leave room for all of their weights in registers, before the wait.
    """
    tiles, chunks = math.ceil(outputs / 64), math.ceil(columns / CHUNK)

    fewest_chunks, most_chunks = SHORT_CHUNKS

    def fits(parts: int) -> bool:
        few = tiles * parts <= MULTIPROCESSORS + 12
        return tiles * parts <= SHORT_BLOCKS and chunks >= parts * (fewest_chunks // 2 if few else fewest_chunks)

    fewest = math.ceil(chunks / most_chunks)
    most = max((parts for parts in range(fewest, 9) if fits(parts)), default=fewest)
    parts = SHORT.get((columns, outputs), most)
    blocks, each = tiles * parts, math.ceil(chunks / parts)
    wanted = 28 if blocks <= MULTIPROCESSORS + 12 else 14 if blocks <= MANY_BLOCKS else 12
    return parts, next(count for count in SHORT_IN_FLIGHT if count >= min(each, wanted))


def kda(heads: int, rows: int) -> KdaDecode:
    """Choose the cluster of KDA decode: blocks enough for the device, then fewer, larger ones."""
    cluster = next((c for c in (2, 4, 8) if heads * rows * c >= MANY_BLOCKS // 2), 8)
    return KdaDecode(heads, cluster)


def kda_verify(heads: int, requests: int, tokens: int) -> KdaVerify:
    """Choose the cluster of KDA verification, likewise; a block of two would hold four passes of every token."""
    return KdaVerify(heads, tokens, max(4, kda(heads, requests).cluster))


def mla_front(form: MlaFront, heads: int) -> MlaFront | None:
    """Tell whether one launch does what MLA does before its attention: of one row, where all clusters fit one wave.

    Measured with 6 and 12 heads (H200, 2026-11-30): 2.2 us of a layer less than three launches. Of two rows it is
    right as well, but was not timed.
    """
    return form if form.rows == 1 and form.fits and heads * CLUSTER <= MULTIPROCESSORS else None


def core(latent: int, shared_key: int, rows: int, heads: int, scale: float, cache: Cache) -> MlaCore:
    """Choose how keys are divided and staged, by what was fastest over 8192 of them (H200, 2026-11-30).

    One block a multiprocessor that copies ahead where rows are few, two that take turns where there are many; the rows
    of e4m3 are half as long, so that two blocks can copy ahead. The blocks of one row are few, and all clusters of 8 of
    them lie side by side.

    Args:
        latent: Width of the latent.
        shared_key: Width of the shared key part.
        rows: Rows, a bucket.
        heads: Heads of a rank.
        scale: Softmax scale.
        cache: Elements of the cache.
    """
    if cache == "bf16":
        stages, most, least = (2, 64, 1) if rows <= 8 else (1, 128, 4)
    else:
        stages, most, least = (2, 32, 8) if rows > 2 else (1, 128, 1)
    blocks = max(least, min(most, (1 if cache == "bf16" and stages == 2 else 2) * MULTIPROCESSORS // rows))
    splits = 1 << (blocks.bit_length() - 1)
    cluster = 8 if rows == 1 else min(8, max(2, splits // 16))
    return MlaCore(latent, shared_key, splits, scale, cache, stages, cluster, 1 if heads <= TILE_HEADS else 2)
