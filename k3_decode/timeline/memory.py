"""The host memory that stamps are written to, and what is read there."""

import ctypes
import struct
from typing import Self

import torch

from k3_decode.errors import K3Error
from k3_decode.timeline.layout import BASE, BLOCK_BYTES, MOMENTS, SLOT_BLOCKS, SLOT_BYTES

_READ_WRITE, _PRIVATE_ANONYMOUS, _FIXED_UNLESS_USED = 0x3, 0x22, 0x100000
_MAPPED = 2

Stamps = tuple[int, ...]
"""Times of one block, in the order of `MOMENTS`; 0 for a moment it has not seen."""


class StampMemory:
    """Memory at `BASE` that a GPU may write; a context manager that gives it back.

    Args:
        slots: Kernels that have stamps.

    Raises:
        K3Error: The address is taken, or the driver does not give the memory to the GPU.
    """

    def __init__(self, slots: int) -> None:
        self._size, self._shown = max(1, slots) * SLOT_BYTES, False
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.mmap.restype = ctypes.c_void_p
        self._libc.mmap.argtypes = [
            ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long
        ]  # fmt: skip
        self._libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        got = self._libc.mmap(BASE, self._size, _READ_WRITE, _PRIVATE_ANONYMOUS | _FIXED_UNLESS_USED, -1, 0)
        if got != BASE:
            raise K3Error(f"timeline: expected memory at {BASE:#x}, got none (errno {ctypes.get_errno()})")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            torch.cuda.cudart().cudaHostUnregister(BASE)  # type: ignore[no-untyped-call]
        self._libc.munmap(BASE, self._size)

    def show_to_gpu(self) -> None:
        """Let kernels write it at the same address.

        Raises:
            K3Error: The driver refuses.
        """
        error = torch.cuda.cudart().cudaHostRegister(BASE, self._size, _MAPPED)  # type: ignore[no-untyped-call]
        if int(error) != 0:
            raise K3Error(f"timeline: expected memory that the GPU may write, got {error}")
        self._shown = True

    def clear(self) -> None:
        """Forget all stamps."""
        ctypes.memset(BASE, 0, self._size)

    def read(self, slot: int) -> list[Stamps]:
        """Give the stamps of a kernel's sampled blocks, of its last launch."""
        found = ctypes.string_at(BASE + slot * SLOT_BYTES, SLOT_BLOCKS * BLOCK_BYTES)
        every = struct.iter_unpack(f"<{len(MOMENTS)}Q", found)
        return [stamps for stamps in every if any(stamps)]
