"""Elements of the MLA cache, and of the queries that meet it: bfloat16, or e4m3 by way of bfloat16."""

from k3_decode.kernels.operator import Cache
from k3_decode.kernels.parts.arithmetic import high_bf16, low_bf16, pack_bf16
from k3_decode.kernels.parts.dsl import Address, Value
from k3_decode.kernels.parts.e4m3 import pack_e4m3, store_e4m3
from k3_decode.kernels.parts.memory import store, store_bf16


def element_bytes(kind: Cache) -> int:
    """Give the bytes of an element."""
    return 2 if kind == "bf16" else 1


def widen(words: list[Value]) -> list[Value]:
    """Give the two bfloat16 of each word as float32, the low one first."""
    return [half(word) for word in words for half in (low_bf16, high_bf16)]


def round_bf16(value: Value) -> Value:
    """Round a float32 to bfloat16, and widen it again."""
    return low_bf16(pack_bf16(value, value))


def store_eight(address: Address, v: list[Value], kind: Cache) -> None:
    """Write eight values, by way of bfloat16 where they become e4m3, as the reference rounds them."""
    words = [pack_bf16(v[2 * j], v[2 * j + 1]) for j in range(4)]
    if kind == "u8":
        rounded = widen(words)
        words = [pack_e4m3(rounded[:4]), pack_e4m3(rounded[4:])]
    store(address, words)


def store_one(address: Address, value: Value, kind: Cache) -> None:
    """Write one value, likewise."""
    if kind == "bf16":
        store_bf16(address, value)
    else:
        store_e4m3(address, round_bf16(value))
