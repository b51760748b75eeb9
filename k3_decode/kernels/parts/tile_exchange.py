# mypy: allow-untyped-decorators
"""The sum over the blocks that divide a product's columns, sent as it leaves the registers.

Each block of a group, neighbours in a cluster, owns a share of the tile's outputs. A warp sends the sums it holds
straight to the mailboxes of their owners (`k3_decode.kernels.parts.exchange`), who add them in rank order, which gives
the same bits on every run, and write them. No block reads from another, and none has to wait for its own stores before
it leaves. A thread adds four rows of an output, and has read all it adds before it writes.
"""

import math

from k3_decode.kernels.parts.arithmetic import from_bits
from k3_decode.kernels.parts.dsl import Int32, Int64, Value, cute, cutlass
from k3_decode.kernels.parts.exchange import HEAD_BYTES, await_mailbox
from k3_decode.kernels.parts.memory import load_shared, store_bf16, store_f32, store_shared
from k3_decode.kernels.parts.sync import WARP, barrier, cluster_rank, cluster_wait, peer_address

PADDING = 4
"""Words between the rows of one output and those of the next: eight lanes that read 16 bytes meet no bank twice."""


def tile_words(rows: int, outputs: int, split: int) -> int:
    """Give the shared memory of a tile's mailbox in words, a multiple of four.

    Args:
        rows: Rows of the tile, a multiple of 8.
        outputs: Outputs of the tile.
        split: Blocks of the group.
    """
    return HEAD_BYTES // 4 + split * _share(outputs, split) * (rows + PADDING)


@cute.jit
def open_tile(
    box: Int32, thread: Int32, rows: cutlass.Constexpr, outputs: cutlass.Constexpr, split: cutlass.Constexpr
) -> None:
    """Ready this block's mailbox, and say so to the cluster; `add_tile` waits until every block has.

    Args:
        box: Shared address, aligned to 16 bytes.
        thread: Index of the thread in the block.
        rows: Rows of the tile, a multiple of 8.
        outputs: Outputs of the tile.
        split: Blocks of the group.
    """
    if cutlass.const_expr(split > 1):
        if thread == 0:
            rank, share = Int32(cluster_rank()) % split, _share(outputs, split)
            own = cutlass.min(Int32(share), Int32(outputs) - rank * share)
            cute.arch.inline_ptx("mbarrier.init.shared::cta.b64 [{$r0}], 1;", read_only_args=[box])
            cute.arch.inline_ptx(
                "{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [{$r0}], {$r1}; }",
                read_only_args=[box, own * (4 * rows * split)],
            )
            cute.arch.mbarrier_init_fence()
        cute.arch.cluster_arrive_relaxed()


@cute.jit
def add_tile(
    sums: list[list[Value]], box: Int32, thread: Int32, tile: Int32, y: Int64, n: Int32, m: Int32, ldy: Int32,
    outputs: cutlass.Constexpr, split: cutlass.Constexpr, out: cutlass.Constexpr,
) -> None:  # fmt: skip
    """Add the tiles of a group and write the sums.

    Args:
        sums: Of this lane: for each tile of 8 rows four, of two rows for its warp's upper output and its lower.
        box: What `open_tile` has readied.
        thread: Index of the thread in the block, which has a warp for every 16 outputs.
        tile: Index of the block's outputs.
        y: Where the sums go.
        n: Outputs of the product.
        m: Rows of the product.
        ldy: Elements between rows of ``y``.
        outputs: Outputs of the tile.
        split: Blocks of the group, each of which writes a share.
        out: Type of the sums, ``bf16`` or ``f32``.
    """
    lane, warp, threads = thread % WARP, thread // WARP, outputs * 2
    rows, share = len(sums) * 8, _share(outputs, split)
    pitch, values = (rows + PADDING) * 4, box + HEAD_BYTES
    rank, first = Int32(0), Int32(0)
    if cutlass.const_expr(split > 1):
        rank = Int32(cluster_rank()) % split
        first = Int32(cluster_rank()) - rank
        cluster_wait()  # every mailbox is ready
    for half in cutlass.range_constexpr(2):
        output = warp * 16 + lane // 4 + 8 * half
        owner = first + output // share
        place = values + (rank * share + output % share) * pitch + lane % 4 * 8
        for j in cutlass.range_constexpr(len(sums)):
            pair = sums[j][2 * half : 2 * half + 2]
            if cutlass.const_expr(split > 1):
                _send_pair(peer_address(place + j * 32, owner), peer_address(box, owner), pair)
            else:
                store_shared(place + j * 32, pair)
    if cutlass.const_expr(split > 1):
        await_mailbox(box)
    else:
        barrier()  # the sums of all warps are there
    write_sums(values, thread, tile, y, n, m, ldy, rank * share, rows, outputs, share, split, pitch, threads, out)


@cute.jit
def write_sums(
    values: Int32, thread: Int32, tile: Int32, y: Int64, n: Int32, m: Int32, ldy: Int32, start: Int32,
    rows: cutlass.Constexpr, outputs: cutlass.Constexpr, share: cutlass.Constexpr, parts: cutlass.Constexpr,
    pitch: cutlass.Constexpr, threads: cutlass.Constexpr, out: cutlass.Constexpr,
) -> None:  # fmt: skip
    """Add partial sums that lie in this block's shared memory, part after part, and write them.

    Args:
        values: Shared address of the parts, one behind the other: for each output its rows, float32.
        thread: Index of the thread in the block.
        tile: Index of the tile's outputs.
        y: Where the sums go.
        n: Outputs of the product.
        m: Rows of the product.
        ldy: Elements between rows of ``y``.
        start: First output of this block in the tile.
        rows: Rows of the tile, a multiple of 8.
        outputs: Outputs of the tile.
        share: Outputs of this block.
        parts: Partial sums of each.
        pitch: Bytes from one output to the next.
        threads: Of the block.
        out: Type of the sums, ``bf16`` or ``f32``.
    """
    count = rows // 4 * share
    units = [thread + i * threads for i in range(math.ceil(count / threads))]
    totals = []
    for unit in units:
        at = cutlass.min(unit, Int32(count - 1))
        source = values + (at % share * pitch + at // share * 16)
        words = [load_shared(source + p * (share * pitch)) for p in range(parts)]
        total = [from_bits(word) for word in words[0]]
        for other in words[1:]:
            total = [value + from_bits(word) for value, word in zip(total, other, strict=True)]
        totals.append(total)
    for i in cutlass.range_constexpr(len(units)):
        output, row = start + units[i] % share, units[i] // share * 4
        for j in cutlass.range_constexpr(4):
            if row + j < m and output < outputs and tile * outputs + output < n:
                index = Int64(row + j) * Int64(ldy) + Int64(tile * outputs + output)
                if cutlass.const_expr(out == "bf16"):
                    store_bf16(y + index * 2, totals[i][j])
                else:
                    store_f32(y + index * 4, totals[i][j])


def _share(outputs: int, split: int) -> int:
    """Outputs of a tile that one block of the group adds; the last may have fewer."""
    return math.ceil(outputs / split)


def _send_pair(target: Value, mailbox: Value, pair: list[Value]) -> None:
    """Write two float32 into a peer's mailbox, which counts their bytes."""
    cute.arch.inline_ptx(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [{$r0}], {{$r1}, {$r2}}, [{$r3}];",
        read_only_args=[target, *pair, mailbox],
    )
