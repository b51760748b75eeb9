"""The low-rank decay gate of KDA on tensor cores: its factor as A, bottlenecks of up to 8 tokens as B."""

from k3_decode.kernels.parts.arithmetic import mma_bf16
from k3_decode.kernels.parts.dsl import Address, Float32, Int64, Value
from k3_decode.kernels.parts.memory import load_static
from k3_decode.kernels.parts.sync import WARP

HEAD = 128
"""Keys and values of a head; also the width of the gate's bottleneck."""


def load_factor(f_b: Address, head: Value, warp: Value, group: Value, quad: Value) -> list[list[Value]]:
    """Load this warp's 32 rows of the factor as fragments: two tiles, two rows of each, four chunks."""
    return [
        [
            word
            for c in range(4)
            for word in load_static(
                f_b + Int64(head * HEAD + warp * WARP + tile * 16 + half * 8 + group) * (HEAD * 2)
                + Int64(quad * 16 + c * 64)
            )
        ]
        for tile in range(2)
        for half in range(2)
    ]  # fmt: skip


def multiply_factor(factor: list[list[Value]], bottleneck: list[list[Value]]) -> list[list[Value]]:
    """Multiply both tiles by the bottlenecks.

    Args:
        factor: From `load_factor`.
        bottleneck: Four chunks of 16 bytes: the lane's quarter of every 32 values, of the token of its group.

    Returns:
        Four sums of each tile: rows ``group`` and ``group + 8``, tokens ``2 * quad`` and ``2 * quad + 1`` of each.
    """
    sums = []
    for tile in range(2):
        upper, lower = factor[2 * tile], factor[2 * tile + 1]
        acc = [Float32(0.0) for _ in range(4)]
        for c in range(4):
            v = bottleneck[c]
            for half in range(2):
                i = 4 * c + 2 * half
                acc = mma_bf16([upper[i], lower[i], upper[i + 1], lower[i + 1]], [v[2 * half], v[2 * half + 1]], acc)
        sums.append(acc)
    return sums
