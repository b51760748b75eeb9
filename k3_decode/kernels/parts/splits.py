"""What blocks that divide one request's keys agree on, and how the last of them to finish finds out that it is."""

from k3_decode.kernels.parts.arithmetic import exp2, from_bits, maximum
from k3_decode.kernels.parts.dsl import Address, Float32, Int32, Uint32, Value, cute

NOTHING = -1.0e30
"""Logarithm of an empty sum: finite, so that no difference of two is NaN."""


def arrive(counter: Address, count: int) -> Value:
    """Count one block in; what the block wrote before is visible to whoever counts in later.

    The counter goes back to 0 with the last of ``count`` blocks, so that the next launch finds it as this one did.
    One thread of a block calls this, between two barriers of the block.

    Returns:
        Blocks that had arrived before: ``count - 1`` for the last.
    """
    before = cute.arch.inline_ptx(
        "atom.acq_rel.gpu.global.inc.u32 {$w0}, [{$r0}], {$r1};",
        write_only_types=[Uint32], read_only_args=[counter, Uint32(count - 1)],
    )  # fmt: skip
    return Int32(before)


def weighted(known: list[list[Value]], found: list[list[Value]]) -> tuple[Value, Value, list[Value]]:
    """Merge sums of shares against one maximum, in order.

    Args:
        known: Maximum and sum of each part, as words.
        found: Four columns of each part, as words.

    Returns:
        The common maximum, the sum, and four columns.
    """
    tops = [from_bits(words[0]) for words in known]
    top = tops[0]
    for each in tops[1:]:
        top = maximum(top, each)
    whole, values = Float32(0.0), [Float32(0.0) for _ in range(4)]
    for i in range(len(known)):
        weight = exp2(tops[i] - top)
        whole = whole + weight * from_bits(known[i][1])
        values = [values[j] + weight * from_bits(found[i][j]) for j in range(4)]
    return top, whole, values
