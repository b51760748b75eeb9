"""The three classes of device memory, and the only loads and stores kernels use.

| class | holds | how it is read | when |
|---|---|---|---|
| `static` | what no kernel ever writes: weights | relaxed, past L1 | any time, also before the wait |
| `step` | what an earlier kernel of the step wrote | relaxed, from L2 | only after the dependency wait |
| `poll` | what another running kernel or peer writes | volatile | in a loop that waits for it |

Mutable is the default: `load` is the `step` class, and code must say `static` to be let past the wait. None of the
three is `.nc` or free of side effects: such a load may be moved by either compiler, down to its use (a prefetch is
lost) or up across the wait (it reads the previous producer's data). `k3_decode.lint` checks the outcome in machine
code.

Source: k3-decode.md section 2.6; recipes/gpu.md section 4.
"""

from k3_decode.kernels.parts.dsl import Address, Float32, Int64, Uint32, Value, cute

_STATIC = "ld.relaxed.gpu.global.L1::no_allocate.L2::128B"
_STEP = "ld.relaxed.gpu.global"
_POLL = "ld.volatile.global"


def _load_words(operation: str, address: Address, words: int) -> list[Value]:
    names = ", ".join(f"{{$w{i}}}" for i in range(words))
    if words == 1:
        return [cute.arch.inline_ptx(
            f"{operation}.b32 {names}, [{{$r0}}];", write_only_types=[Uint32], read_only_args=[address]
        )]  # fmt: skip
    return list(cute.arch.inline_ptx(
        f"{operation}.v{words}.b32 {{{names}}}, [{{$r0}}];", write_only_types=[Uint32] * words,
        read_only_args=[address],
    ))  # fmt: skip


def load_static(address: Address, *, words: int = 4) -> list[Value]:
    """Read 1, 2 or 4 words that no kernel ever writes; the address is aligned to their size."""
    return _load_words(_STATIC, address, words)


def after_arrival(address: Address, words: list[Value], zero: Value) -> Address:
    """Give an address as it is, but only once an earlier load has arrived, so that few loads are under way at a time.

    Args:
        address: Of a load to come.
        words: What the earlier load read.
        zero: A word that is 0 whenever the kernel runs, which the compiler cannot know.
    """
    return address + Int64(words[-1] & zero)


def load(address: Address, *, words: int = 4) -> list[Value]:
    """Read 1, 2 or 4 words of the step, after the dependency wait; the address is aligned to their size."""
    return _load_words(_STEP, address, words)


def load_f32(address: Address) -> Value:
    """Read one float32 of the step."""
    return cute.arch.inline_ptx(
        f"{_STEP}.f32 {{$w0}}, [{{$r0}}];", write_only_types=[Float32], read_only_args=[address]
    )


def load_static_f32(address: Address) -> Value:
    """Read one float32 that no kernel ever writes."""
    return cute.arch.inline_ptx(
        f"{_STATIC}.f32 {{$w0}}, [{{$r0}}];", write_only_types=[Float32], read_only_args=[address]
    )


def load_bf16(address: Address) -> Value:
    """Read one bfloat16 of the step and widen it to float32."""
    return cute.arch.inline_ptx(
        "{ .reg .b16 h; .reg .b32 w; " + _STEP + ".b16 h, [{$r0}]; cvt.u32.u16 w, h; shl.b32 w, w, 16; "
        "mov.b32 {$w0}, w; }",
        write_only_types=[Float32], read_only_args=[address],
    )  # fmt: skip


def load_polled(address: Address) -> Value:
    """Read one word that another running kernel, or a peer, may be writing."""
    return _load_words(_POLL, address, 1)[0]


def load_shared(address: Value, *, words: int = 4) -> list[Value]:
    """Read 1, 2 or 4 words of shared memory at a 32-bit address aligned to their size."""
    return _load_words("ld.shared", address, words)


def load_shared_f32(address: Value) -> Value:
    """Read one float32 of shared memory."""
    return cute.arch.inline_ptx("ld.shared.f32 {$w0}, [{$r0}];", write_only_types=[Float32], read_only_args=[address])


def store_shared(address: Value, words: list[Value]) -> None:
    """Write 1, 2 or 4 words to shared memory at a 32-bit address aligned to their size."""
    names = ", ".join(f"{{$r{i + 1}}}" for i in range(len(words)))
    code = f"st.shared.b32 [{{$r0}}], {names};"
    if len(words) > 1:
        code = f"st.shared.v{len(words)}.b32 [{{$r0}}], {{{names}}};"
    cute.arch.inline_ptx(code, read_only_args=[address, *words])


def store_shared_f32(address: Value, value: Value) -> None:
    """Write one float32 to shared memory."""
    cute.arch.inline_ptx("st.shared.f32 [{$r0}], {$r1};", read_only_args=[address, value])


def store(address: Address, words: list[Value]) -> None:
    """Write 1, 2 or 4 words to global memory at an address aligned to their size."""
    names = ", ".join(f"{{$r{i + 1}}}" for i in range(len(words)))
    code = f"st.global.b32 [{{$r0}}], {names};"
    if len(words) > 1:
        code = f"st.global.v{len(words)}.b32 [{{$r0}}], {{{names}}};"
    cute.arch.inline_ptx(code, read_only_args=[address, *words])


def store_f32(address: Address, value: Value) -> None:
    """Write one float32 to global memory."""
    cute.arch.inline_ptx("st.global.f32 [{$r0}], {$r1};", read_only_args=[address, value])


def store_bf16(address: Address, value: Value) -> None:
    """Round a float32 to bfloat16 and write it to global memory."""
    cute.arch.inline_ptx(
        "{ .reg .b16 h; cvt.rn.bf16.f32 h, {$r1}; st.global.b16 [{$r0}], h; }", read_only_args=[address, value]
    )


def copy_to_shared(target: Value, source: Address, live: Value) -> None:
    """Start copying 16 bytes of the step to shared memory; zeros instead, and no read, where ``live`` is 0.

    Args:
        target: 32-bit shared address, aligned to 16 bytes.
        source: Device address, aligned to 16 bytes.
        live: Bytes to read, 16 or 0.
    """
    cute.arch.inline_ptx(
        "cp.async.cg.shared.global [{$r0}], [{$r1}], 16, {$r2};", read_only_args=[target, source, live]
    )


def close_copies() -> None:
    """Make one group of this thread's copies to shared memory since the last group."""
    cute.arch.inline_ptx("cp.async.commit_group;")


def wait_for_copies(pending: int = 0) -> None:
    """Wait for this thread's copies to shared memory; a barrier must follow before others read them.

    Args:
        pending: The latest groups that need not have arrived; with 0, all copies must have, grouped or not.
    """
    cute.arch.inline_ptx(f"cp.async.wait_group {pending};" if pending else "cp.async.wait_all;")


def copy_in_bulk(target: Value, source: Address, size: Value, barrier: Value) -> None:
    """Start copying so many bytes of the step to shared memory, by one thread, after the dependency wait.

    The copy engine fetches them: they pass through no thread's registers.

    Args:
        target: 32-bit shared address, aligned to 16 bytes.
        source: Device address, aligned to 16 bytes.
        size: A multiple of 16.
        barrier: Counts the bytes as they arrive; `k3_decode.kernels.parts.asynchronous.expect_bytes` told it how many.
    """
    cute.arch.inline_ptx(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{$r0}], [{$r1}], {$r2}, [{$r3}];",
        read_only_args=[target, source, Uint32(size), barrier],
    )  # fmt: skip


def prefetch(address: Address, size: Value) -> None:
    """Ask for so many bytes to be brought into L2, where this kernel or a later one will find them.

    One thread asks for all. It may do so before the dependency wait, whoever writes the tensor: L2 is where all writes
    meet.

    Args:
        address: Aligned to 16 bytes.
        size: A multiple of 16.
    """
    cute.arch.inline_ptx("cp.async.bulk.prefetch.L2.global [{$r0}], {$r1};", read_only_args=[address, size])


def load_matrices(address: Value, *, transposed: bool = False) -> list[Value]:
    """Read four 8 x 8 tiles of 2-byte values from shared memory as tensor-core fragments (`ldmatrix.x4`).

    Args:
        address: Of 16 bytes: lane ``i`` names row ``i % 8`` of tile ``i // 8``.
        transposed: Hand out the tiles transposed.
    """
    kind = ".trans" if transposed else ""
    return list(cute.arch.inline_ptx(
        f"ldmatrix.sync.aligned.m8n8.x4{kind}.shared.b16 {{{{$w0}}, {{$w1}}, {{$w2}}, {{$w3}}}}, [{{$r0}}];",
        write_only_types=[Uint32] * 4, read_only_args=[address],
    ))  # fmt: skip
