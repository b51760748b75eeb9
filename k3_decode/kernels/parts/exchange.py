# mypy: allow-untyped-decorators
"""Sums over a cluster through mailboxes in shared memory, without a fence.

A cluster barrier that orders memory waits for everything a thread has stored, state in device memory included. A
mailbox waits for its messages alone: each is an asynchronous store that counts its bytes at the receiver's barrier.
A mailbox takes one exchange in the life of its kernel.

A block may leave once its mailbox is full: nothing arrives after that, and a peer it has written to is still waiting.
"""

from k3_decode.kernels.parts.dsl import Float32, Int32, Value, cute, cutlass
from k3_decode.kernels.parts.memory import load_shared_f32, store_shared_f32
from k3_decode.kernels.parts.sync import WARP, barrier, cluster_rank, peer_address, warp_sum

HEAD_BYTES = 16
"""Bytes before the messages of a mailbox, which hold its barrier."""


def mailbox_words(count: int, cluster: int) -> int:
    """Give the shared memory of a mailbox in words, a multiple of four.

    Args:
        count: Values that each block sends to each.
        cluster: Blocks of the cluster.
    """
    return HEAD_BYTES // 4 + -(-count * cluster // 4) * 4


@cute.jit
def open_mailboxes(boxes: list[tuple[Value, int]], thread: Int32, cluster: cutlass.Constexpr) -> None:
    """Ready mailboxes for their messages, and wait until every block of the cluster has done so.

    Args:
        boxes: Shared address of each, aligned to 16 bytes, and values that each block sends it.
        thread: Index of the thread in the block.
        cluster: Blocks of the cluster.
    """
    if thread == 0:
        for box, count in boxes:
            cute.arch.inline_ptx("mbarrier.init.shared::cta.b64 [{$r0}], 1;", read_only_args=[box])
            cute.arch.inline_ptx(
                "{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [{$r0}], {$r1}; }",
                read_only_args=[box, Int32(4 * count * cluster)],
            )
        cute.arch.mbarrier_init_fence()
    cute.arch.cluster_arrive_relaxed()
    cute.arch.cluster_wait()


def send(box: Value, place: Value, rank: Value, value: Value) -> None:
    """Write a float32 into the same mailbox of a peer, at word ``place`` of its messages."""
    target = peer_address(box + (place * 4 + HEAD_BYTES), rank)
    cute.arch.inline_ptx(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [{$r0}], {$r1}, [{$r2}];",
        read_only_args=[target, value, peer_address(box, rank)],
    )


def await_mailbox(box: Value) -> None:
    """Wait until a mailbox holds all its messages."""
    cute.arch.inline_ptx(
        "{ .reg .pred p; again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [{$r0}], 0; "
        "@!p bra again; }",
        read_only_args=[box],
    )  # fmt: skip


@cute.jit
def cluster_sums(
    values: list[Value], scratch: Int32, box: Int32, thread: Int32, warps: cutlass.Constexpr, cluster: cutlass.Constexpr
) -> list[Value]:
    """Add values over the block, then over the cluster in rank order; every thread gets all sums, the same bits.

    Args:
        values: One float32 a thread and sum.
        scratch: Shared memory for ``warps * len(values)`` float32, free to overwrite.
        box: Mailbox for as many values.
        thread: Index of the thread in the block.
        warps: Warps of the block.
        cluster: Blocks of the cluster.
    """
    count = len(values)
    sums = [warp_sum(value) for value in values]
    for i in cutlass.range_constexpr(count):
        # All lanes hold the same sum and write the same word.
        store_shared_f32(scratch + (thread // WARP * count + i) * 4, sums[i])
    barrier()  # the sums of all warps are there
    own = Int32(cluster_rank()) * count
    for first in cutlass.range_constexpr(0, count * cluster, warps * WARP):
        message = thread + first
        if message < count * cluster:
            i = message % count
            total = load_shared_f32(scratch + i * 4)
            for warp in cutlass.range_constexpr(1, warps):
                total = total + load_shared_f32(scratch + (warp * count + i) * 4)
            send(box, own + i, message // count, total)
    await_mailbox(box)
    totals = []
    for i in cutlass.range_constexpr(count):
        total = Float32(0.0)
        for rank in cutlass.range_constexpr(cluster):
            total = total + load_shared_f32(box + (rank * count + i) * 4 + HEAD_BYTES)
        totals.append(total)
    return totals
