"""Tensor memory and its products, on Blackwell alone: tiles in shared memory times tiles in shared memory.

Tiles are rows of 128 bytes, 64 bfloat16, of which eight are a unit of 1024 bytes; the 16-byte pieces of row ``r`` are
stored at their index exclusive-or ``r % 8``, so that neither copies nor products meet a bank twice.
"""

from k3_decode.kernels.parts.dsl import Float32, Int64, Uint32, Value, cute

ROW_BYTES = 128
"""Bytes of a row of a tile, the width over which pieces are permuted."""
STEP_BYTES = 32
"""Bytes of a row that one product takes: 16 bfloat16."""
LANES = 128
"""Rows of tensor memory, the outputs of one product."""
LEAST_COLUMNS = 32
"""Columns that can be allocated."""

_LOADED = 32

_PERMUTED_128 = 2 << 61
_VERSION = 1 << 46
_EIGHT_ROWS = (8 * ROW_BYTES >> 4) << 32
_ONE_UNIT_OF_COLUMNS = 1 << 16


def allocate(slot: Value, columns: int) -> None:
    """Allocate columns of tensor memory, by one whole warp, and let other blocks allocate after.

    Args:
        slot: Shared word that gets the address.
        columns: A power of 2, at least `LEAST_COLUMNS`.
    """
    cute.arch.inline_ptx(
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [{$r0}], {$r1}; "
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
        read_only_args=[slot, Uint32(columns)],
    )  # fmt: skip


def free(memory: Value, columns: int) -> None:
    """Give the columns back, by the warp that allocated them."""
    cute.arch.inline_ptx(
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 {$r0}, {$r1};", read_only_args=[memory, Uint32(columns)]
    )


def tile_descriptor(address: Value) -> Value:
    """Describe a tile at a shared address that is a multiple of 1024, or `STEP_BYTES` times a step after one."""
    start = Int64((Uint32(address) >> Uint32(4)) & Uint32(0x3FFF))
    constant = _PERMUTED_128 | _VERSION | _EIGHT_ROWS | _ONE_UNIT_OF_COLUMNS
    return start | Int64(constant)


def product_descriptor(outputs: int, rows: int) -> int:
    """Describe a product of bfloat16 tiles of so many outputs and rows, both stored along K, into float32."""
    to_f32, bf16 = 1 << 4, 1 << 7 | 1 << 10
    return to_f32 | bf16 | (rows // 8) << 17 | (outputs // 16) << 24


def multiply_tiles(memory: Value, weights: Value, inputs: Value, shape: int, accumulate: bool) -> None:
    """Start one product of 16 columns, by one thread.

    Args:
        memory: Tensor memory that gets or adds it.
        weights: Descriptor of the weights' tile.
        inputs: Descriptor of the inputs' tile.
        shape: What `product_descriptor` gave.
        accumulate: Whether to add.
    """
    cute.arch.inline_ptx(
        "{ .reg .pred p; setp.ne.b32 p, {$r4}, 0; "
        "tcgen05.mma.cta_group::1.kind::f16 [{$r0}], {$r1}, {$r2}, {$r3}, p; }",
        read_only_args=[memory, weights, inputs, Uint32(shape), Uint32(int(accumulate))],
    )  # fmt: skip


def signal_products(barrier: Value) -> None:
    """Let a barrier know when this thread's products so far are done; they have read their tiles then."""
    cute.arch.inline_ptx(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [{$r0}];", read_only_args=[barrier]
    )


def load_products(memory: Value) -> list[Value]:
    """Load 32 columns of this lane's row, by a whole warp, after a barrier of `signal_products`.

    Args:
        memory: Address of the warp's 32 rows and of the first column.
    """
    names = ", ".join(f"{{$w{i}}}" for i in range(_LOADED))
    return list(cute.arch.inline_ptx(
        "tcgen05.fence::after_thread_sync; tcgen05.ld.sync.aligned.32x32b.x32.b32 {" + names + "}, [{$r0}]; "
        "tcgen05.wait::ld.sync.aligned;",
        write_only_types=[Float32] * _LOADED, read_only_args=[memory],
    ))  # fmt: skip
