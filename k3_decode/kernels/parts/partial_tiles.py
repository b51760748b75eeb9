# mypy: allow-untyped-decorators
"""The sum over the blocks that divide a product's columns."""

import math

from k3_decode.kernels.parts.dsl import Int32, Int64, cute, cutlass
from k3_decode.kernels.parts.memory import load_shared_f32, store_bf16, store_f32
from k3_decode.kernels.parts.sync import barrier, cluster_barrier, cluster_rank, load_peer_f32, peer_address


@cute.jit
def add_partial_tiles(
    shared: Int32, thread: Int32, tile: Int32, y: Int64, n: Int32, m: Int32, ldy: Int32, rows: cutlass.Constexpr,
    outputs: cutlass.Constexpr, threads: cutlass.Constexpr, split: cutlass.Constexpr, out: cutlass.Constexpr,
) -> None:  # fmt: skip
    """Add the partial tiles of a cluster in rank order, which gives the same bits on every run, and write the sums.

    Args:
        shared: This block's float32 tile in shared memory: for each row, its outputs.
        thread: Index of the thread in the block.
        tile: Index of the block's outputs.
        y: Where the sums go.
        n: Outputs of the product.
        m: Rows of the product.
        ldy: Elements between rows of ``y``.
        rows: Rows of the tile.
        outputs: Outputs of the tile.
        threads: Of a block.
        split: Blocks of the cluster, each of which writes a share.
        out: Type of the sums, ``bf16`` or ``f32``.
    """
    rank = Int32(0)
    peers, load_partial = [shared], load_shared_f32
    if cutlass.const_expr(split > 1):
        rank = Int32(cluster_rank())
        peers = [peer_address(shared, Int32(p)) for p in range(split)]
        load_partial = load_peer_f32
        cluster_barrier()  # every block has stored its partial tile
    else:
        barrier()
    for i in cutlass.range_constexpr(math.ceil(rows * outputs / (threads * split))):
        element = (i * split + rank) * threads + thread
        column, row = element // outputs, tile * outputs + element % outputs
        if column < m and row < n:
            total = load_partial(peers[0] + element * 4)
            for p in cutlass.range_constexpr(1, split):
                total = total + load_partial(peers[p] + element * 4)
            index = Int64(column) * Int64(ldy) + Int64(row)
            if cutlass.const_expr(out == "bf16"):
                store_bf16(y + index * 2, total)
            else:
                store_f32(y + index * 4, total)
    if cutlass.const_expr(split > 1):
        cluster_barrier()  # no block leaves while a peer may still read its tile
