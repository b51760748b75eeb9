"""Order between kernels, between the blocks of a cluster, and within a block."""

from k3_decode.kernels.parts.dsl import Float32, Uint32, Value, cute
from k3_decode.kernels.parts.memory import load_shared_f32, store_shared_f32

WARP = 32


def release_dependents() -> None:
    """Let the next kernel of the stream start its prologue; first statement of every kernel."""
    cute.arch.griddepcontrol_launch_dependents()


def wait_for_predecessors() -> None:
    """Wait until the kernels before this one have finished and their writes are visible.

    Every block of every kernel executes it, also one without work: a kernel that skips it would be complete before
    its predecessors, and the kernel after it would read what they have not written yet.
    """
    cute.arch.griddepcontrol_wait()


def barrier() -> None:
    """Wait for all threads of the block; shared memory written before is visible after."""
    cute.arch.sync_threads()


def partial_barrier(threads: int, *, which: int = 1) -> None:
    """Wait for so many threads of the block, whole warps, while the others go on; ``which`` is 1 to 15."""
    cute.arch.barrier(barrier_id=which, number_of_threads=threads)


def cluster_barrier() -> None:
    """Wait for all threads of the cluster; shared memory of peers written before is visible after."""
    cluster_arrive()
    cluster_wait()


def cluster_arrive() -> None:
    """Count this thread in at the cluster's barrier; every thread must call `cluster_wait` next."""
    cute.arch.cluster_arrive()


def cluster_arrive_relaxed() -> None:
    """Count this thread in without waiting for what it has stored: peers only learn that it has got so far."""
    cute.arch.cluster_arrive_relaxed()


def cluster_wait() -> None:
    """Wait until all threads of the cluster have called `cluster_arrive`."""
    cute.arch.cluster_wait()


def cluster_rank() -> Value:
    """Give this block's rank in its cluster."""
    return cute.arch.block_idx_in_cluster()


def peer_address(address: Value, rank: Value) -> Value:
    """Map an address of this block's shared memory to the same place in a peer of the cluster."""
    return cute.arch.inline_ptx(
        "mapa.shared::cluster.u32 {$w0}, {$r0}, {$r1};", write_only_types=[Uint32], read_only_args=[address, rank]
    )


def store_peer_f32(address: Value, value: Value) -> None:
    """Write one float32 to a peer's shared memory; visible after the next cluster barrier."""
    cute.arch.inline_ptx("st.shared::cluster.f32 [{$r0}], {$r1};", read_only_args=[address, value])


def load_peer(address: Value, *, words: int = 4) -> list[Value]:
    """Read 2 or 4 words of a peer's shared memory, written before the last cluster barrier."""
    names = ", ".join(f"{{$w{i}}}" for i in range(words))
    return list(cute.arch.inline_ptx(
        f"ld.shared::cluster.v{words}.b32 {{{names}}}, [{{$r0}}];", write_only_types=[Uint32] * words,
        read_only_args=[address],
    ))  # fmt: skip


def load_peer_f32(address: Value) -> Value:
    """Read one float32 of a peer's shared memory, written before the last cluster barrier."""
    return cute.arch.inline_ptx(
        "ld.shared::cluster.f32 {$w0}, [{$r0}];", write_only_types=[Float32], read_only_args=[address]
    )


def warp_sum(value: Value, *, lanes: int = WARP) -> Value:
    """Add over groups of ``lanes`` adjacent lanes, the same order on every run; each lane gets the sum."""
    return cute.arch.warp_reduction_sum(value, threads_in_group=lanes)


def warp_max(value: Value) -> Value:
    """Take the largest float32 over the warp; each lane gets it."""
    return cute.arch.warp_reduction_max(value)


def block_sums(values: list[Value], scratch: Value, thread: Value, *, warps: int) -> list[Value]:
    """Add each of ``values`` over the block; every thread gets all sums, added in the same order on every run.

    Args:
        values: One float32 a thread and sum.
        scratch: Shared memory for ``warps * len(values)`` float32, free to overwrite.
        thread: Index of the thread in the block.
        warps: Warps of the block.
    """
    warp, count = thread // WARP, len(values)
    sums = [warp_sum(value) for value in values]
    for i in range(count):
        # All lanes hold the same sum and write the same word.
        store_shared_f32(scratch + (warp * count + i) * 4, sums[i])
    barrier()
    totals = []
    for i in range(count):
        total = load_shared_f32(scratch + i * 4)
        for other in range(1, warps):
            total = total + load_shared_f32(scratch + (other * count + i) * 4)
        totals.append(total)
    return totals
