"""What asynchronous products agree on with the threads that feed them: barriers in shared memory, and visibility."""

from k3_decode.kernels.parts.dsl import Uint32, Value, cute

BARRIER_BYTES = 8


def init_barriers(barriers: Value, count: int) -> None:
    """Make ``count`` barriers that one arrival completes, by one thread; a barrier of the block must follow."""
    for i in range(count):
        cute.arch.inline_ptx(
            "mbarrier.init.shared::cta.b64 [{$r0}], 1;", read_only_args=[barriers + i * BARRIER_BYTES]
        )  # fmt: skip
    cute.arch.inline_ptx("fence.mbarrier_init.release.cluster;")


def expect_bytes(barrier: Value, size: Value) -> None:
    """Let a fresh barrier complete its phase once so many bytes have arrived, by one thread."""
    cute.arch.inline_ptx(
        "{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [{$r0}], {$r1}; }",
        read_only_args=[barrier, Uint32(size)],
    )  # fmt: skip


def wait_for_barrier(barrier: Value, phase: int = 0) -> None:
    """Wait until a barrier completes a phase.

    Args:
        barrier: In shared memory.
        phase: 0 for its first use, 1 for the second, 0 for the third, and so on.
    """
    cute.arch.inline_ptx(
        "{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [{$r0}], {$r1}; @!p bra again; }",
        read_only_args=[barrier, Uint32(phase)],
    )


def show_to_products() -> None:
    """Make this thread's copies to shared memory, which have arrived, visible to products; a barrier must follow."""
    cute.arch.inline_ptx("fence.proxy.async.shared::cta;")
