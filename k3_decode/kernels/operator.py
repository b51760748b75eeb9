"""What every kernel tells about itself: its name, its arguments, and what its machine code must look like."""

from dataclasses import dataclass, field
from typing import Literal, Protocol

Dtype = Literal["bf16", "f32", "i32", "i64", "u8"]

Cache = Literal["bf16", "u8"]
"""Elements of the MLA cache, and of the queries that meet it: bfloat16, or e4m3 in bytes."""

ALIGNMENT = {"bf16": 2, "f32": 4, "i32": 4, "i64": 8, "u8": 1}
"""Bytes of one element, the least alignment of a tensor."""


@dataclass(frozen=True)
class Argument:
    """One tensor a kernel takes; its address is the kernel's parameter of the same position.

    Attributes:
        name: For messages.
        dtype: Of its elements.
        shape: Extents; a string names one that is known at the call only, equal names are equal extents.
        strided: Whether the first axis may be strided, by a multiple of 16 bytes where ``aligned``.
        static: Whether no kernel ever writes it, so that it may be read before the dependency wait.
        settled: Whether what is read of it before the wait was written early enough: by a step before this one, or by a
            kernel before a predecessor that releases its successors after its own wait only.
        stream: Whether it is a stream of weights, which must be read 16 bytes at a time.
        aligned: Whether rows start at a multiple of 16 bytes.
    """

    name: str
    dtype: Dtype
    shape: tuple[int | str, ...]
    strided: bool = False
    static: bool = False
    settled: bool = False
    stream: bool = False
    aligned: bool = True


@dataclass(frozen=True)
class Contract:
    """What the linter holds machine code to.

    Attributes:
        before_wait: 16-byte loads of each static argument before the dependency wait, by name.
        after_wait: Least 16-byte loads of each weight stream after it, by name.
        brought: Arguments that are brought into L2 before the wait. Which they are is free, because L2 is where all
            writes meet: nothing is read there and then, and no other copy can go stale.
        copies: Bulk copies of each argument to shared memory; of one that is not static, after the wait.
        polls: Polling loads.
        products: Least tensor-core instructions.
        spill_budget: Most instructions that touch local memory.
    """

    before_wait: dict[str, int] = field(default_factory=dict)
    after_wait: dict[str, int] = field(default_factory=dict)
    brought: tuple[str, ...] = ()
    copies: dict[str, int] = field(default_factory=dict)
    polls: int = 0
    products: int = 0
    spill_budget: int = 0


class Operator(Protocol):
    """One compiled form of a kernel; calling it traces the launch."""

    @property
    def name(self) -> str:
        """Unique among all operators, a C identifier: the symbol it is exported under."""

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The tensors it is called with, in order."""

    @property
    def contract(self) -> Contract:
        """What its machine code must look like."""

    def __call__(self, *tensors: object) -> None:
        """Launch on the tensors, then a stream."""
