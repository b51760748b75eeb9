"""What requests hold while they run: blocks of the paged MLA cache, and KDA state slots."""

from collections.abc import Iterable

from k3_decode.errors import ArgumentError


class Pool:
    """Hands out the numbers 1..size-1; number 0 is the model's padding and belongs to nobody.

    Args:
        size: Rows of the cache tensor, the padding row included; at least 2.
    """

    def __init__(self, size: int) -> None:
        if size < 2:
            raise ArgumentError("Pool", "size", expected="at least 2", got=size)
        self.capacity = size - 1
        self._free = list(range(size - 1, 0, -1))
        self._taken: set[int] = set()

    @property
    def free(self) -> int:
        """Numbers that can still be taken."""
        return len(self._free)

    @property
    def used(self) -> int:
        """Numbers taken and not given back."""
        return len(self._taken)

    def take(self, count: int) -> list[int]:
        """Take ``count`` numbers.

        Raises:
            ArgumentError: Fewer are free.
        """
        if count > self.free:
            raise ArgumentError("Pool.take", "count", expected=f"at most {self.free}", got=count)
        taken = [self._free.pop() for _ in range(count)]
        self._taken.update(taken)
        return taken

    def give_back(self, numbers: Iterable[int]) -> None:
        """Give numbers back.

        Raises:
            ArgumentError: One of them is not taken.
        """
        for number in numbers:
            if number not in self._taken:
                raise ArgumentError("Pool.give_back", "numbers", expected="numbers that are taken", got=number)
            self._taken.remove(number)
            self._free.append(number)


def blocks_for(tokens: int, *, block_size: int) -> int:
    """Return how many cache blocks hold ``tokens`` tokens."""
    return -(-tokens // block_size)
