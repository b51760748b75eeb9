"""Where stamps lie: a slot a kernel, in it a place a sampled block, in it a word a moment."""

MOMENTS = ("started", "asked", "went", "ended")
"""Start of a block; before and after its wait for the kernels before it; its end. Nanoseconds of the GPU's clock."""

BASE = 0x6000_0000_0000
"""Address of the stamps: far from what allocators use, on x86-64 and on arm64."""

SAMPLED = 4
"""One block of so many is stamped: the stores of all would queue on their way to the host and slow what they time."""

BLOCK_BYTES = 8 * len(MOMENTS)
SLOT_BLOCKS = 1024
"""Sampled blocks a slot has room for."""

SLOT_BYTES = SLOT_BLOCKS * BLOCK_BYTES
