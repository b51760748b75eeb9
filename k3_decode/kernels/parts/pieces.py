"""Input rows in shared memory in pieces, and their products with weights in registers.

A piece is 16 bytes of each row, one row after another, eight rows to a unit of 128 bytes. It is not 8 neighbouring
columns: the order of K inside a product is free as long as both sides agree. A lane that loads 16 bytes of a weight row
holds columns ``8q .. 8q + 7`` of a chunk of 32, q being its quarter; its first word belongs to the chunk's first piece,
its second word to the second, and so on. So a piece holds a pair of columns of each quarter, and two pieces are the
second operand of one product. Copies are 4 bytes wide; pieces are 16 bytes more than their rows apart, so that the 32
copies of a warp meet no bank twice.

On Hopper the four warps of a warpgroup read the pieces once for all of them (`wgmma`). Elsewhere each warp reads them.
"""

from k3_decode.kernels.parts.arithmetic import mma_bf16
from k3_decode.kernels.parts.dsl import Address, Float32, Int64, Uint32, Value, cute, on_hopper
from k3_decode.kernels.parts.memory import load_shared

CHUNK = 32
"""Columns of four pieces."""
CHUNK_WORDS = CHUNK // 2
_UNIT_BYTES = 128


def piece_bytes(tiles: int) -> int:
    """Give the bytes from one piece to the next.

    Args:
        tiles: Rows in tiles of 8.
    """
    return tiles * _UNIT_BYTES + 16


def word_offset(word: Value, row: Value, tiles: int) -> Value:
    """Give the place of a pair of columns of a row among the pieces, in bytes.

    Args:
        word: Index of the pair.
        row: Of the input.
        tiles: Rows in tiles of 8.
    """
    piece = word // CHUNK_WORDS * 4 + word % 4
    return piece * piece_bytes(tiles) + row // 8 * _UNIT_BYTES + row % 8 * 16 + word % CHUNK_WORDS // 4 * 4


def copy_word(target: Value, source: Address, live: Value) -> None:
    """Start copying 4 bytes of the step to shared memory; zeros instead, and no read, where ``live`` is 0.

    Args:
        target: 32-bit shared address.
        source: Device address, aligned to 4 bytes.
        live: Bytes to read, 4 or 0.
    """
    cute.arch.inline_ptx("cp.async.ca.shared.global [{$r0}], [{$r1}], 4, {$r2};", read_only_args=[target, source, live])


def multiply_pieces(
    sums: list[list[Value]], weights: list[list[list[Value]]], pieces: Value, lane: Value
) -> list[list[Value]]:
    """Add the products of some chunks to a warp's sums.

    Args:
        sums: For each tile of 8 rows, four sums of a lane.
        weights: For each chunk, four words of the lane's upper weight row and four of its lower.
        pieces: Shared address of the chunks' pieces.
        lane: Of the warp.
    """
    fragments = [
        [upper[i], lower[i], upper[i + 1], lower[i + 1]] for upper, lower in weights for i in (0, 2)
    ]  # fmt: skip
    if on_hopper():
        return _by_warpgroup(sums, fragments, pieces)
    return _by_warp(sums, fragments, pieces, lane)


def _by_warpgroup(sums: list[list[Value]], fragments: list[list[Value]], pieces: Value) -> list[list[Value]]:
    """Multiply by `wgmma`, and wait for it: the registers of sums are free to move afterwards."""
    tiles, stride = len(sums), piece_bytes(len(sums))
    count = 4 * tiles
    layout = stride >> 4 << 16 | _UNIT_BYTES >> 4 << 32
    first = Int64((Uint32(pieces) >> Uint32(4)) & Uint32(0x3FFF)) | Int64(layout)
    names = ", ".join(f"{{$w{i}}}" for i in range(count))
    code = ["{ .reg .b64 d; .reg .pred p; setp.eq.u32 p, 0, 0;"]
    code += [f"mov.f32 {{$w{i}}}, {{$r{i}}};" for i in range(count)]
    code.append("wgmma.fence.sync.aligned;")
    for j in range(len(fragments)):
        own = ", ".join(f"{{$r{count + 4 * j + i}}}" for i in range(4))
        code.append(f"add.s64 d, {{$r{count + 4 * len(fragments)}}}, {2 * j * stride >> 4};")
        code.append(f"wgmma.mma_async.sync.aligned.m64n{8 * tiles}k16.f32.bf16.bf16")
        code.append("{" + names + "}, {" + own + "}, d, p, 1, 1, 0;")
    code.append("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }")
    out = list(cute.arch.inline_ptx(
        " ".join(code), write_only_types=[Float32] * count,
        read_only_args=[*(each for tile in sums for each in tile), *(each for own in fragments for each in own), first],
    ))  # fmt: skip
    return [out[4 * tile : 4 * tile + 4] for tile in range(tiles)]


def _by_warp(sums: list[list[Value]], fragments: list[list[Value]], pieces: Value, lane: Value) -> list[list[Value]]:
    """Multiply by `mma.sync`."""
    tiles, stride = len(sums), piece_bytes(len(sums))
    out = list(sums)
    for j, own in enumerate(fragments):
        for tile in range(tiles):
            at = pieces + 2 * j * stride + tile * _UNIT_BYTES + lane * 4
            words = [load_shared(at + half * stride, words=1)[0] for half in range(2)]
            out[tile] = mma_bf16(own, words, out[tile])
    return out
